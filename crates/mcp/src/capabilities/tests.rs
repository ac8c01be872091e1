//! Capabilities: what they mean, what is relayed, and what is united.

use jsonrpc::{Limits, Raw};

use super::*;
use crate::method::ListKind;
use crate::revision::Revision;

fn raw(json: &str) -> Raw {
    Raw::parse(json.as_bytes().to_vec(), &Limits::default()).expect("JSON")
}

fn client(json: &str) -> ClientCapabilities {
    ClientCapabilities::new(raw(json))
}

fn server(json: &str) -> ServerCapabilities {
    ServerCapabilities::new(raw(json))
}

#[test]
fn what_an_elicitation_means() {
    let cases = [
        ("{}", false, false),
        (r#"{"elicitation":{}}"#, true, false),
        (r#"{"elicitation":{"form":{}}}"#, true, false),
        (r#"{"elicitation":{"url":{}}}"#, false, true),
        (r#"{"elicitation":{"form":{},"url":{}}}"#, true, true),
        (r#"{"elicitation":null}"#, false, false),
        ("[]", false, false),
        (r#"{"elicitation":{},"elicitation":{"url":{}}}"#, false, false),
    ];
    for (json, form, url) in cases {
        let client = client(json);
        assert_eq!((client.elicitation_form(), client.elicitation_url()), (form, url), "{json}");
        assert_eq!(client.reverse(), form || url, "{json}");
    }
}

#[test]
fn the_rest_of_the_client_view() {
    let client = client(
        r#"{"sampling":{"tools":{}},"roots":{"listChanged":true},"extensions":{"io.modelcontextprotocol/tasks":{},"a/b":{"x":1}},"experimental":{"mcpl":{}},"tasks":{"list":{}}}"#,
    );
    assert!(client.sampling() && client.sampling_tools() && client.roots() && client.roots_list_changed() && client.reverse());
    assert!(client.tasks_extension() && client.tasks().is_some() && client.experimental("mcpl").is_some());
    assert_eq!(client.extension("a/b").expect("settings").text(), r#"{"x":1}"#);
    assert!(client.extension("a").is_none());
}

#[test]
fn relaying_removes_and_never_adds() {
    use Revision::*;
    let carry = |from, to| Carry {
        from,
        to,
        reverse: true,
        client_tasks: true,
    };
    let all = r#"{"x":{"1":1.0},"sampling":{},"roots":{"listChanged":true,"y":1},"elicitation":{"url":{}},"tasks":{"list":{}},"extensions":{"io.modelcontextprotocol/tasks":{},"v/e":{}}}"#;
    let cases = [
        (carry(V2025_11_25, V2025_11_25), all.to_owned()),
        (
            carry(V2026_07_28, V2026_07_28),
            all.replace(r#""listChanged":true,"#, "").replace(r#""tasks":{"list":{}},"#, ""),
        ),
        (
            carry(V2025_11_25, V2026_07_28),
            all.replace(r#""listChanged":true,"#, "").replace(r#""tasks":{"list":{}},"#, ""),
        ),
        (
            carry(V2026_07_28, V2025_11_25),
            all.replace(r#""tasks":{"list":{}},"#, "")
                .replace(r#""io.modelcontextprotocol/tasks":{},"#, ""),
        ),
        (carry(V2025_11_25, V2025_06_18), all.replace(r#""elicitation":{"url":{}},"#, "")),
        (
            Carry {
                reverse: false,
                client_tasks: false,
                ..carry(V2025_11_25, V2025_11_25)
            },
            r#"{"x":{"1":1.0},"extensions":{"io.modelcontextprotocol/tasks":{},"v/e":{}}}"#.to_owned(),
        ),
    ];
    for (carry, expected) in cases {
        assert_eq!(client(all).relay(&carry).raw().text(), expected, "{carry:?}");
        assert_eq!(client("{}").relay(&carry).raw().text(), "{}", "{carry:?}");
        // An empty capability is left out: it would make connections of its own for this client.
        let empty = r#"{"extensions":{ },"experimental":{}}"#;
        assert_eq!(client(empty).relay(&carry).raw().text(), "{}", "{carry:?}");
    }
    let only_tasks = client(r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#);
    assert_eq!(only_tasks.relay(&carry(V2026_07_28, V2025_11_25)).raw().text(), "{}");
}

#[test]
fn one_request_may_ask_for_a_task() {
    assert_eq!(
        client("{}").with_tasks_extension().raw().text(),
        r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#
    );
    let own = r#"{"extensions":{"io.modelcontextprotocol/tasks":{"own":1}}}"#;
    assert_eq!(client(own).with_tasks_extension().raw().text(), own);
}

#[test]
fn what_is_missing() {
    let cases = [
        ("{}", r#"{"sampling":{}}"#, Some(r#"{"sampling":{}}"#)),
        (r#"{"sampling":{}}"#, r#"{"sampling":{}}"#, None),
        (
            r#"{"sampling":{}}"#,
            r#"{"sampling":{"tools":{}}}"#,
            Some(r#"{"sampling":{"tools":{}}}"#),
        ),
        (r#"{"elicitation":{}}"#, r#"{"elicitation":{"form":{}}}"#, None),
        (
            r#"{"elicitation":{}}"#,
            r#"{"elicitation":{"url":{}}}"#,
            Some(r#"{"elicitation":{"url":{}}}"#),
        ),
        (
            r#"{"elicitation":{"url":{}}}"#,
            r#"{"elicitation":{}}"#,
            Some(r#"{"elicitation":{}}"#),
        ),
        (
            r#"{"roots":{}}"#,
            r#"{"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#,
            Some(r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#),
        ),
    ];
    for (declared, required, missing) in cases {
        let found = client(declared).missing(&raw(required));
        assert_eq!(found.as_ref().map(Raw::text), missing, "{declared} for {required}");
    }
}

#[test]
fn keys_do_not_depend_on_spelling() {
    let a = client(r#"{"sampling":{}, "roots":{"listChanged":true}}"#);
    let b = client(r#"{"roots":{"listChanged" : true},"s\u0061mpling":{}}"#);
    assert_eq!(a.key(), b.key());
    assert_ne!(a.key(), client(r#"{"sampling":{},"roots":{}}"#).key());
}

#[test]
fn the_server_view() {
    let all = server(
        r#"{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":false},"prompts":{},"completions":{},"logging":{},"tasks":{"requests":{"tools":{"call":{}}}}}"#,
    );
    assert!(all.tools() && all.resources() && all.prompts() && all.completions() && all.logging() && all.subscribe() && all.tasks_call());
    assert!(all.list_changed(ListKind::Tools) && !all.list_changed(ListKind::ResourceTemplates) && !all.list_changed(ListKind::Prompts));
    assert!(all.offers(ListKind::ResourceTemplates) && !all.tasks_extension());
    assert!(!server("{}").tools() && !server("null").prompts());
}

#[test]
fn tasks_are_declared_in_the_words_of_the_client() {
    use Revision::*;
    let core = r#"{"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}}"#;
    let extension = r#"{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
    let cases = [
        (core, V2025_11_25, V2026_07_28, extension),
        (core, V2025_11_25, V2025_11_25, core),
        (r#"{"tasks":{"list":{}}}"#, V2025_11_25, V2026_07_28, "{}"),
        (extension, V2026_07_28, V2026_07_28, extension),
        (
            extension,
            V2026_07_28,
            V2025_11_25,
            r#"{"tools":{},"extensions":{},"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}}"#,
        ),
        (extension, V2026_07_28, V2025_06_18, r#"{"tools":{},"extensions":{}}"#),
    ];
    for (declared, from, to, expected) in cases {
        assert_eq!(server(declared).towards(from, to).raw().text(), expected, "{declared} {from} {to}");
    }
}

#[test]
fn servers_are_united() {
    let a = server(r#"{"tools":{"listChanged":false},"x-mgp":{"v":1},"extensions":{"b/b":{"n":1}}}"#);
    let b = server(
        r#"{"prompts":{},"tools":{"listChanged":true},"x-mgp":{"v":2,"w":3},"extensions":{"a/a":{},"b/b":{"n":2}},"experimental":{"mcpl":{}}}"#,
    );
    let united = merge_servers([&a, &b]);
    let expected = r#"{"experimental":{"mcpl":{}},"extensions":{"a/a":{},"b/b":{"n":1}},"prompts":{},"tools":{"listChanged":true},"x-mgp":{"v":1,"w":3}}"#;
    assert_eq!(united.raw().text(), expected);
    assert_eq!(merge_servers([&united, &a, &b]), united);
    assert_eq!(merge_servers([]), ServerCapabilities::empty());
    assert_eq!(merge_servers([&server(r#"{"tools":{},"tools":{}}"#)]), ServerCapabilities::empty());
}
