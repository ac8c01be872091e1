//! What must hold after each kill.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use store::AuditQuery;

use super::Shared;
use super::actors::{ADMITTED, DECIDED, digest_of, is_said_back};
use super::gateway::{Gateway, Place};
use super::known::State;
use crate::http::{Http, Session};

/// How many things of a kind are tried out, beside being looked up.
const TRIED: usize = 3;

/// Everything, in a gateway that has just started again.
pub(super) fn all(shared: &Shared<'_>, place: &Place, gateway: &Gateway<'_>, at: &str, random: &mut fastrand::Rng) {
    chain_is_whole(place, at);
    things_are_what_was_answered(shared, gateway, at);
    grants_are_in_force(shared, gateway, at, random);
    tokens_are_in_force(shared, gateway, at, random);
    calls_on_record(shared, place, at);
    approvals_are_used_once(shared, place, gateway, at);
}

fn chain_is_whole(place: &Place, at: &str) {
    let verified = place.machine.run(&["--config", "../a.toml", "audit", "verify"]);
    assert!(verified.status.success(), "{at}: {verified:?}");
}

fn things_are_what_was_answered(shared: &Shared<'_>, gateway: &Gateway<'_>, at: &str) {
    let operator = shared.operator(&gateway.address);
    let found = |path: &str, thing: &str, state: &dyn Fn(&Value) -> State| -> BTreeMap<String, State> {
        let named = |entry: &Value| {
            let name = entry["id"]
                .as_str()
                .or(entry["permission"].as_str())
                .or(entry["principal"].as_str());
            format!("{thing} {}", name.expect("a name"))
        };
        let entries = every(&operator, path);
        entries.iter().map(|entry| (named(entry), state(entry))).collect()
    };
    let grants = found("/access", "grant", &|_| State::Given);
    let mut tokens = found("/tokens", "token", &|token| match token["state"].as_str() {
        Some("valid") => State::Given,
        _ => State::Refused,
    });
    for ours in ["token olga", "token caller"] {
        assert_eq!(tokens.remove(ours), Some(State::Given), "{at}: {ours}");
    }
    let permissions = found("/permissions", "permission", &|permission| match permission["state"].as_str() {
        Some("approved") => State::Given,
        _ => State::Refused,
    });
    let mut known = shared.known();
    known.compare("grant ", &grants, at);
    known.compare("token ", &tokens, at);
    known.compare("permission ", &permissions, at);
}

/// Returns every entry of a list, page by page.
fn every(operator: &Http, path: &str) -> Vec<Value> {
    let (mut entries, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = operator.operate("GET", &format!("{path}?limit=1000{cursor}"), &Value::Null);
        let page = page.expect("an answer").body;
        entries.extend(page["items"].as_array().expect("a list").iter().cloned());
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={}", next.replace(' ', "%20").replace('"', "%22")),
            None => return entries,
        }
    }
}

/// What policy says, which is made anew of what was remembered.
fn grants_are_in_force(shared: &Shared<'_>, gateway: &Gateway<'_>, at: &str, random: &mut fastrand::Rng) {
    let operator = shared.operator(&gateway.address);
    let mut names = shared.known().names("grant ");
    random.shuffle(&mut names);
    for principal in names.iter().take(TRIED) {
        let path = format!("/access/check?principal={principal}&server=http");
        let standing = operator.operate("GET", &path, &Value::Null).expect("an answer").body;
        let expected = match shared.known().state(&format!("grant {principal}")) {
            State::Given => "allow",
            _ => "deny",
        };
        assert_eq!(standing["access"], json!(expected), "{at}: {principal}: {standing}");
    }
}

/// Whom the gateway lets in.
fn tokens_are_in_force(shared: &Shared<'_>, gateway: &Gateway<'_>, at: &str, random: &mut fastrand::Rng) {
    let mut secrets: Vec<(String, String)> = shared.known().secrets.clone().into_iter().collect();
    random.shuffle(&mut secrets);
    for (id, secret) in secrets.iter().take(TRIED) {
        let opened = Session::open(&Http::new(&gateway.address, Some(secret)), &json!({}));
        let is_valid = shared.known().state(&format!("token {id}")) == State::Given;
        assert_eq!(opened.is_ok(), is_valid, "{at}: token {id}: {opened:?}");
    }
}

/// Every call that reached a server was admitted on record, and no consent was used twice. How many calls did.
pub(super) fn calls_on_record(shared: &Shared<'_>, place: &Place, at: &str) -> u64 {
    let mut told: BTreeMap<(String, String), u64> = BTreeMap::new();
    let mut used = BTreeSet::new();
    for stored in store::export(&place.store(), AuditQuery::default()).expect("a log") {
        let stored = stored.unwrap_or_else(|error| panic!("{at}: failed to {error}"));
        let event: Value = serde_json::from_slice(&stored.body).expect("JSON");
        let details = &event["details"];
        let about = ["arguments_sha256", "request_id", "token", "principal"];
        let about = about.iter().find_map(|name| details[name].as_str()).unwrap_or_default();
        *told.entry((stored.key.kind.to_string(), about.to_owned())).or_default() += 1;
        if &*stored.key.kind == ADMITTED
            && let Some(request) = details["request_id"].as_str()
        {
            assert!(used.insert(request.to_owned()), "{at}: the consent {request} was used twice");
            assert!(
                shared.known().asked(DECIDED, request) > 0,
                "{at}: nobody had consented to {request}"
            );
        }
    }
    let known = shared.known();
    known.compare_events(&told, at);
    let admitted = |text: &str| told.get(&(ADMITTED.to_owned(), digest_of(text))).copied().unwrap_or(0);
    let mut reached = BTreeMap::new();
    for ((_, text), times) in shared.upstream.seen() {
        reached.insert(text, times);
    }
    for line in place.copied() {
        let message: Value = serde_json::from_str(&line).expect("JSON");
        if let Some(text) = message["params"]["arguments"]["text"].as_str() {
            *reached.entry(text.to_owned()).or_default() += 1;
        }
    }
    let mut seen = 0;
    for (text, times) in &reached {
        // What is not known was said to another store.
        if known.asked(ADMITTED, &digest_of(text)) > 0 {
            assert!(
                *times <= admitted(text),
                "{at}: `{text}` reached its server {times} times, and was admitted {} times",
                admitted(text)
            );
            seen += times;
        }
    }
    seen
}

/// A call that was approved before the kill is not let through by that approval after it: it is asked about again.
fn approvals_are_used_once(shared: &Shared<'_>, place: &Place, gateway: &Gateway<'_>, at: &str) {
    let open = shared.known().open.clone();
    if open.is_empty() {
        return;
    }
    let caller = Http::new(&gateway.address, Some(&shared.caller));
    let mut session = Session::open(&caller, &json!({})).expect("a session");
    let before = shared.upstream.seen();
    for text in &open {
        let answer = session.call("destroy", &json!({ "text": text })).expect("an answer");
        assert!(!is_said_back(&answer, text), "{at}: `{text}` ran without a new consent: {answer}");
    }
    assert_eq!(shared.upstream.seen(), before, "{at}");
    calls_on_record(shared, place, at);
}
