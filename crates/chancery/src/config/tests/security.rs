//! From the tables about security to what the kernel, the policy and the store are told.

use std::net::IpAddr;
use std::time::Duration;

use expect_test::{Expect, expect};
use model::{Access, GrantScope, PrincipalId, Risk, ServerId, TrustLevel};
use policy::{DefaultAccess, OnChange, OnDangerous, OnModerate, Origin, PermissionPolicy, Rate};
use store::{Retention, SyncMode};

use crate::config::{Config, Env, load_text};

const FILES: &str = "[[servers]]\nid = \"files\"\ncommand = \"a\"\n";

fn env() -> Env {
    [("HOME", "/home/me"), ("TOKEN", "t0ken")].into_iter().collect()
}

fn config(text: &str) -> Config {
    load_text("/etc/chancery/mgp.toml", text, &env())
        .unwrap_or_else(|problems| panic!("{}", problems.render(false)))
        .0
}

/// The problems of a text, one a line, with their help.
fn problems(text: &str, expected: &Expect) {
    let problems = match load_text("mgp.toml", text, &env()) {
        Ok((_, warnings)) => warnings,
        Err(problems) => problems,
    };
    let lines: Vec<String> = problems.iter().map(|problem| format!("{problem}\n")).collect();
    expected.assert_eq(&lines.concat());
}

#[test]
fn without_a_word_a_newcomer_may_use_imported_servers() {
    let config = config(FILES);
    let tables = &config.security.tables;
    assert_eq!(
        (tables.access, tables.permissions, tables.moderate, tables.dangerous, tables.changed),
        (
            None,
            PermissionPolicy::Interactive,
            OnModerate::Run,
            OnDangerous::Confirm,
            OnChange::Review
        )
    );
    let files = ServerId::new("files").expect("an id");
    assert_eq!(config.security.servers[&files].trust, TrustLevel::Standard);
    assert_eq!(tables.servers[&files], policy::ServerTable::default());
    assert_eq!(config.security.approval_ttl, Duration::from_secs(300));
    assert_eq!(config.security.approval_hold, Duration::from_secs(20));
    let store = crate::config::Store {
        folder: None,
        sync: SyncMode::Interval(Duration::from_millis(50)),
        retention: Retention::KeepAll,
    };
    assert_eq!(config.store, store);
    let local = config.gateway.principals(IpAddr::from([127, 0, 0, 1]));
    assert_eq!(local, [(PrincipalId::new("local"), Origin::Local)]);
}

#[test]
fn a_policy_with_everything() {
    let text = format!(
        r#"
[policy]
access = "opt-in"
permissions = "config_only"
moderate = "confirm"
dangerous = "refuse"
changed = "run"
approval_timeout = "90s"
approval_hold = "1s"
underscored_tools = true

[policy.rates]
principal = "600/1m"
principals = {{ ci = "6/s" }}
tools = {{ "files/a/b" = "5/1h" }}

[[policy.grants]]
principal = "alice"
server = "files"
tool = "read"
confirms = true
expires = 2099-12-31T23:59:59+01:00
justification = "the weekly report"

[[policy.grants]]
principal = "ci"
server = "kernel"
access = "deny"
{FILES}"#
    );
    let security = config(&text).security;
    let tables = &security.tables;
    assert_eq!(
        (tables.access, tables.permissions, tables.moderate, tables.dangerous, tables.changed),
        (
            Some(DefaultAccess::OptIn),
            PermissionPolicy::ConfigOnly,
            OnModerate::Confirm,
            OnDangerous::Refuse,
            OnChange::Run
        )
    );
    assert_eq!(security.approval_ttl, Duration::from_secs(90));
    assert_eq!(security.approval_hold, Duration::from_secs(1));
    assert!(security.underscored_tools);
    let rate = |calls, secs| Rate {
        calls,
        per: Duration::from_secs(secs),
    };
    assert_eq!(tables.rates.principal, Some(rate(600, 60)));
    assert_eq!(tables.rates.principals[&PrincipalId::new("ci")], rate(6, 1));
    let files = ServerId::new("files").expect("an id");
    assert_eq!(tables.rates.tools[&files]["a/b"], rate(5, 3600));
    let [alice, ci] = &security.grants[..] else { panic!("two grants") };
    assert!(matches!(&alice.scope, GrantScope::Tool(tool) if tool.to_string() == "files/read") && alice.confirms);
    assert_eq!(alice.expires.map(mgp::time::format).as_deref(), Some("2099-12-31T22:59:59.000Z"));
    assert_eq!(alice.justification.as_deref(), Some("the weekly report"));
    assert_eq!((ci.access, ci.granted.principal.as_str()), (Access::Deny, "configuration"));
}

#[test]
fn a_server_with_everything() {
    let text = format!(
        r#"{FILES}
[servers.mgp]
trust_level = "core"
permissions_required = ["shell"]
[servers.policy]
access = "opt-out"
permissions = "auto_approve"
approved = ["network", "com.example.print"]
strict = true
moderate = "confirm"
dangerous = "refuse"
changed = "refuse"
roots = ["~/notes", "data", "${{HOME}}/x"]
hosts = ["Localhost"]
schemes = ["ftp"]
commands = ["terraform"]
dialect = "postgresql"
validators = ["sandbox:pipeline", "readonly"]
[servers.tools.read_file]
risk = "safe"
confirm = true
validators = []
only_reads = true
permissions = ["filesystem"]
"#
    );
    let security = config(&text).security;
    let files = ServerId::new("files").expect("an id");
    let (said, rules) = (&security.servers[&files], &security.tables.servers[&files]);
    let names = |permissions: &[model::Permission]| permissions.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        (said.trust, names(&said.permissions)),
        (TrustLevel::Trusted, vec!["shell.execute".to_owned()])
    );
    let tool = &said.tools["read_file"];
    assert_eq!((tool.risk, tool.confirmation_required), (Some(Risk::Safe), true));
    assert_eq!(names(&tool.permissions), ["filesystem.read", "filesystem.write"]);
    assert_eq!(names(&rules.approved), ["network.outbound", "com.example.print"]);
    assert!(rules.strict && rules.access == Some(DefaultAccess::OptOut) && rules.changed == Some(OnChange::Refuse));
    let roots = validators::path::Roots::new(["/home/me/notes", "/etc/chancery/data", "/home/me/x"]);
    assert_eq!(rules.roots, roots.expect("roots"));
    assert_eq!(rules.network.allow, ["localhost"]);
    assert_eq!(rules.validators.as_ref().map(Vec::len), Some(2));
    let judged = &rules.tools["read_file"];
    assert_eq!((judged.validators.as_deref(), judged.only_reads), (Some(&[][..]), true));
}

#[test]
fn an_audit_and_a_store_with_everything() {
    let text = "[audit]\nsync = \"always\"\nretention = \"tiered\"\nkeep = \"3650d\"\nsearchable = \"30d\"\nredact = [\"IBAN\"]\n\n[[audit.alerts]]\nname = \"denials\"\nevent = \"TOOL_BLOCKED\"\nactor = \"ci\"\ncount = 3\nwindow = \"30s\"\n\n[store]\nfolder = \"~/store\"\n";
    let config = config(text);
    assert_eq!(config.store.folder.as_deref(), Some(std::path::Path::new("/home/me/store")));
    assert_eq!(config.store.sync, SyncMode::Always);
    let days = |n: u64| Duration::from_secs(n * 86_400);
    assert_eq!(
        config.store.retention,
        Retention::Tiered {
            searchable: days(30),
            kept: days(3650)
        }
    );
    assert_eq!(config.security.redact, ["iban"]);
    let [alert] = &config.security.alerts[..] else {
        panic!("one alert")
    };
    assert_eq!(
        (&*alert.name, &*alert.event, alert.actor.as_deref(), alert.count),
        ("denials", "TOOL_BLOCKED", Some("ci"), 3)
    );
}

#[test]
fn who_comes_in_from_where() {
    let config = config("[gateway]\ntoken = \"${TOKEN}\"\ntokens = { alice = \"x\" }\n[policy]\naccess = \"opt-in\"\n");
    let (here, there) = (IpAddr::from([127, 0, 0, 1]), IpAddr::from([10, 0, 0, 1]));
    let of = |address: IpAddr| -> Vec<String> {
        let all = config.gateway.principals(address).into_iter();
        all.map(|(principal, origin)| format!("{principal} {origin:?}")).collect()
    };
    assert_eq!(of(here), ["local Local", "local Local", "alice Remote"]);
    assert_eq!(of(there), ["local Local", "local Remote", "alice Remote"]);
}

#[test]
fn what_is_wrong_is_said() {
    problems(
        "[policy]\nacces = \"opt-in\"\npermissions = \"ask\"\nrates = { principal = \"many\", tools = { files = \"1/1s\" } }\n",
        &expect![[r#"
            mgp.toml:2:1: unknown key `acces` in [policy] (did you mean `access`?)
            mgp.toml:3:15: `permissions` can't be `ask` (it can be `interactive`, `auto_approve`, `deny_all`, `config_only`)
            mgp.toml:4:23: `principal` can't be `many`: it needs a number, `/` and a time, such as `100/1m` (for example `principal = "600/1m"`)
            mgp.toml:4:41: `files` names no tool (name a tool, for example `"tickets/create" = "5/1h"`)
        "#]],
    );
    problems(
        "[[policy.grants]]\nserver = \"files\"\n\n[[policy.grants]]\nprincipal = \"a\"\nserver = \"file\"\nexpires = \"2020-01-01T00:00:00Z\"\n\n[[policy.grants]]\nprincipal = \"a\"\nserver = \"files\"\nexpires = 2020-01-01\n\n[[policy.grants]]\nprincipal = \"a\"\nserver = \"files\"\naccess = \"deny\"\nconfirms = true\n\n[[servers]]\nid = \"files\"\ncommand = \"a\"\n",
        &expect![[r#"
            mgp.toml:1:1: a grant has no `principal` (for example `principal = "alice"`)
            mgp.toml:12:11: `expires` can't be `2020-01-01`: it is no instant with an offset (write date, time and offset, for example `expires = "2099-12-31T23:59:59Z"`)
            mgp.toml:18:12: a grant can't both deny and confirm (remove `confirms`, or say `access = "allow"`)
            mgp.toml:6:10: a grant is about `file`, and no server is called that (did you mean `files`?)
            mgp.toml:6:10: a grant has expired (remove it, or set another `expires`)
        "#]],
    );
    problems(
        "[[policy.grants]]\nprincipal = \"a\"\nserver = \"file\"\nexpires = \"2020-01-01T00:00:00Z\"\n\n[[servers]]\nid = \"files\"\ncommand = \"a\"\n",
        &expect![[r#"
            mgp.toml:3:10: a grant is about `file`, and no server is called that (did you mean `files`?)
            mgp.toml:3:10: a grant has expired (remove it, or set another `expires`)
        "#]],
    );
    problems(
        "[audit]\nretention = \"time_based\"\nsize = \"1GiB\"\n\n[[audit.alerts]]\nname = \"Too many\"\nevent = \"A\"\n\n[store]\nfolder = \"${NOWHERE}\"\n",
        &expect![[r#"
            mgp.toml:6:8: an alert can't be called `Too many` (its name is the end of an event's type: use lower-case letters, digits and `_`)
            mgp.toml:2:13: `retention = "time_based"` needs `keep` (for example `keep = "365d"`)
            mgp.toml:3:1: `size` has no effect with `retention = "time_based"` (remove it, or choose another `retention`)
            mgp.toml:10:10: the variable `NOWHERE` is not set (used in `folder`) (set it, or write the folder out)
        "#]],
    );
    problems(
        "[[servers]]\nid = \"kernel\"\ncommand = \"a\"\n\n[[servers]]\nid = \"a\"\ncommand = \"a\"\ntools = [\"x\"]\n\n[servers.policy]\nvalidators = [\"sandbx\"]\napproved = [\"a b\"]\n",
        &expect![[r#"
            mgp.toml:2:6: no server can be called `kernel` (that is what the gateway's own tools are called in grants; give the server another name)
            mgp.toml:11:15: `validators` holds `sandbx`, which is no validator (did you mean `sandbox`? There are `sandbox`, `sandbox:strict`, `sandbox:pipeline`, `readonly`, `network_restricted`, `code_safety`, `code_safety:standard`, `code_safety:strict`, `code_safety:readonly`, `none`)
            mgp.toml:12:13: `approved` can't hold that: `a b` names no permission: use 1 to 128 letters, digits, `_`, `-` and single dots (for example `approved = ["network.outbound"]`)
            mgp.toml:8:9: `tools` must hold a table for each tool, not a list (write `[servers.tools.NAME]`; which tools are offered is said by `include` and `exclude`)
        "#]],
    );
    problems(
        "[gateway]\ntokens = { alice = \"x\" }\n",
        &expect![[r#"
        `alice` comes in with a token, and nothing says who may use which server (until something does, no principal may: set `access = "opt-out"` in `[policy]` to let all in, or write `[[policy.grants]]`)
    "#]],
    );
}

#[test]
fn alerts_are_few_and_each_counts_for_itself() {
    let alert = |name: String| format!("[[audit.alerts]]\nname = \"{name}\"\nevent = \"TOOL_BLOCKED\"\n");
    let many = |count: usize| (0..count).map(|at| alert(format!("a{at}"))).collect::<String>();
    assert_eq!(config(&many(100)).security.alerts.len(), 100);
    problems(
        &many(101),
        &expect![[r#"
        there are 101 `[[audit.alerts]]`; 100 are the most (an alert without `actor` counts for each actor by itself; leave out those that differ in nothing else)
    "#]],
    );
    problems(
        &(alert("a".to_owned()) + &alert("a".to_owned())),
        &expect![[r#"
        two alerts are called `a` (each counts for itself: give each a name of its own)
    "#]],
    );
    problems(
        &(alert("a".to_owned()) + "count = 1000000\n"),
        &expect![[r#"
        mgp.toml:4:9: an alert can't count to 1000000; 10000 are the most (count fewer in a shorter `window`)
    "#]],
    );
}
