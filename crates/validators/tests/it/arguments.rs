//! Tests of whole calls: which arguments are found, and how they are judged.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use validators::arguments::{Declaration, Facts, Kind, Plan, Slots, Validator, refuses};

use crate::rows::roots;

fn schema(properties: &Value) -> Value {
    json!({ "type": "object", "properties": properties })
}

fn slots(tool: &str, description: &str, properties: &Value) -> String {
    let slots = Slots::infer(tool, description, &schema(properties));
    slots.as_slice().iter().fold(String::new(), |mut out, slot| {
        writeln!(out, "{} {:?}", slot.pointer, slot.kind).expect("a string takes it");
        out
    })
}

fn judged(validators: &[&str], slots: &Slots, arguments: &str, expected: &Expect) {
    let validators = validators.iter().map(|name| Validator::parse(name).expect("a validator"));
    let mut plan = Plan::new(validators);
    plan.roots = roots();
    let verdict = plan.judge(slots, arguments);
    let mut out = String::new();
    for violation in &verdict.violations {
        writeln!(
            out,
            "{:?} {}: {}",
            violation.argument, violation.finding.rule, violation.finding.reason
        )
        .expect("a string takes it");
    }
    for resolve in &verdict.resolve {
        writeln!(out, "{:?} resolve {}", resolve.argument, resolve.name).expect("a string takes it");
    }
    expected.assert_eq(&out);
}

#[test]
fn arguments_are_found_by_name_and_schema() {
    let properties = json!({
        "command": { "type": "string" }, "filePath": { "type": "string" }, "count": { "type": "integer" },
        "target": { "type": "string", "format": "uri" }, "options": { "type": "object", "properties": { "output_dir": { "type": "string" } } },
        "urls": { "type": "array", "items": { "type": "string" } }, "code": { "type": "string" }, "path": { "type": "integer" },
        "server": { "enum": ["a", "b"] },
    });
    expect![[r#"
        /command Command
        /filePath Path
        /target Url
        /options/output_dir Path
        /urls Url
        /code Code(Some(Python))
        /server Text
    "#]]
    .assert_eq(&slots("run_everything", "Runs Python code", &properties));
}

#[test]
fn a_query_is_sql_only_where_a_database_is_spoken_of() {
    let properties = json!({ "query": { "type": "string" } });
    assert_eq!(slots("search_notes", "Full text search", &properties), "");
    assert_eq!(slots("query", "Run a read-only SQL query", &properties), "/query Sql\n");
}

#[test]
fn commands_addresses_and_paths_are_judged_where_they_stand() {
    let none = Slots::default();
    judged(
        &["sandbox"],
        &none,
        r#"{"command": "rm -rf /"}"#,
        &expect![[r#"
        "/command" shell.recursive: `rm` would remove whole folders
        "/command" shell.path: `/` is outside of the allowed folders
    "#]],
    );
    judged(
        &["sandbox"],
        &none,
        r#"{"command": "rm", "args": ["-rf", "/"]}"#,
        &expect![[r#"
        "/args" shell.recursive: `rm` would remove whole folders
        "/args" shell.path: `/` is outside of the allowed folders
    "#]],
    );
    judged(&["sandbox"], &none, r#"{"command": ["ls", "-l"]}"#, &expect![[""]]);
    judged(
        &["sandbox"],
        &none,
        r#"{"name": "x; rm -rf ."}"#,
        &expect![[r#"
        "/name" shell.injection: a shell would run what begins with ` rm -rf .`
    "#]],
    );
    judged(
        &["network_restricted"],
        &none,
        r#"{"text": "see http://127.0.0.1/ and https://example.org/x.", "host": "example.com"}"#,
        &expect![[r#"
            "/text" network.special: 127.0.0.1 is the machine itself (127.0.0.0/8)
            "/text" resolve example.org
            "/host" resolve example.com
        "#]],
    );
    let opening = Slots::infer("open_file", "Opens a file", &Value::Null);
    judged(
        &["readonly"],
        &opening,
        r#"{"sql": "DELETE FROM t", "path": "../x", "mode": "w"}"#,
        &expect![[r#"
            "/sql" sql.writes: `DELETE` begins no statement that reads
            "/path" path.outside: `../x` is outside of the allowed folders
            "/mode" readonly.mode: the mode `w` writes
        "#]],
    );
    judged(&["none"], &none, r#"{"command": "rm -rf /"}"#, &expect![[""]]);
}

#[test]
fn code_needs_a_language_that_is_known_and_an_argument_that_is_code() {
    let none = Slots::default();
    judged(
        &["code_safety:strict"],
        &none,
        r#"{"code": "import socket", "language": "python"}"#,
        &expect![[r#"
            "/code" code.import: Blocked import: 'socket'
        "#]],
    );
    judged(
        &["code_safety:strict"],
        &none,
        r#"{"code": "puts 1", "language": "ruby"}"#,
        &expect![[r#"
            "/code" code.language: language not supported: `ruby`
        "#]],
    );
    judged(
        &["code_safety:strict"],
        &none,
        r#"{"code": "1"}"#,
        &expect![[r#"
        "/code" code.language: language not supported: `unknown`
    "#]],
    );
    judged(
        &["code_safety"],
        &none,
        r#"{"text": "1"}"#,
        &expect![[r#"
        "" code.missing: no argument is code
    "#]],
    );
}

#[test]
fn keys_that_stand_twice_and_damaged_arguments_are_refused() {
    let none = Slots::default();
    judged(
        &["sandbox"],
        &none,
        r#"{"command": "ls", "command": "rm -rf /"}"#,
        &expect![[r#"
        "" arguments.json: the key `command` stands twice at line 1 column 27
    "#]],
    );
    judged(
        &["readonly"],
        &none,
        r#"{"a": {"b": 1, "\u0062": 2}}"#,
        &expect![[r#"
        "" arguments.json: the key `b` stands twice at line 1 column 23
    "#]],
    );
    judged(
        &["readonly"],
        &none,
        "{",
        &expect![[r#"
        "" arguments.json: EOF while parsing an object at line 1 column 1
    "#]],
    );
}

/// MGP D33: five validators, and what is unknown is not skipped.
#[test]
fn an_unknown_validator_is_an_error() {
    for known in [
        "sandbox",
        "readonly",
        "network_restricted",
        "code_safety",
        "none",
        "sandbox:pipeline",
        "code_safety:readonly",
    ] {
        assert!(Validator::parse(known).is_ok(), "{known}");
    }
    for unknown in ["", "Sandbox", "sandboxed", "sandbox:loose", "code_safety:paranoid", "none:x"] {
        let error = Validator::parse(unknown).expect_err("it is unknown");
        assert!(error.to_string().contains("dangerous"));
    }
    let declaration = Declaration::read(&json!({ "validator": "magic" }));
    assert!(matches!(declaration.validator, Some(Err(_))));
}

/// MGP §7.3 and D26: the declaration names level, language, argument and lists.
#[test]
fn a_declaration_is_obeyed() {
    let declaration = Declaration::read(&json!({
        "validator": "code_safety",
        "code_safety": { "level": "strict", "language": "python", "argument": "body", "max_code_size_bytes": 40, "allowed_imports": ["httpx"] },
    }));
    let plan = Plan::new([]).declared(declaration);
    let none = Slots::default();
    assert!(plan.judge(&none, r#"{"body": "import httpx"}"#).violations.is_empty());
    let refused = plan.judge(&none, r#"{"body": "import math"}"#);
    assert_eq!(refused.violations[0].finding.rule, "code.import");
    assert_eq!(
        refused.rejection.expect("a rejection")["hints"]["allowed_imports"],
        json!(["httpx"])
    );
    let long = format!(r#"{{"body": "{}"}}"#, "x".repeat(41));
    assert_eq!(plan.judge(&none, &long).violations[0].finding.rule, "code.size");
}

#[test]
fn configuration_says_what_an_argument_is() {
    let mut slots = Slots::default();
    slots.set("/options/where", Kind::Path);
    slots.set("note", Kind::ShellValue);
    judged(
        &["sandbox"],
        &slots,
        r#"{"options": {"where": "/etc"}, "note": "x; rm -rf ."}"#,
        &expect![[r#"
            "/options/where" path.outside: `/etc` is outside of the allowed folders
            "/note" shell.injection: a shell would run what begins with ` rm -rf .`
        "#]],
    );
}

#[test]
fn readonly_wants_a_tool_that_says_so() {
    let facts = |safe, side_effects, read_only| Facts {
        safe,
        side_effects,
        read_only,
    };
    assert_eq!(refuses(facts(true, false, Some(true))), None);
    assert_eq!(refuses(facts(true, false, None)), None);
    assert!(refuses(facts(false, false, None)).is_some());
    assert!(refuses(facts(true, true, Some(true))).is_some());
    assert!(refuses(facts(true, false, Some(false))).is_some());
}
