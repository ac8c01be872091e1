//! `[[servers]] builtin = "audit"` (MGP §19.4): operators read the record of the running gateway through its tools, agents don't see them.

use serde_json::{Value, json};

use crate::http::{Http, Session};
use crate::machine::Machine;
use crate::serve::{ANY_PORT, Running, configuration, put};

const TOOLS: [&str; 3] = ["export_audit", "get_audit_stats", "query_audit_log"];
const AUDIT: &str = "[[servers]]\nid = \"audit\"\nbuiltin = \"audit\"\n";
/// Beside the error for clients that know it.
const MGP: &str = r#"{"mgp":{"version":"0.5.2","extensions":["error_handling"]}}"#;

fn token(machine: &Machine, who: &str, options: &[&str]) -> String {
    let made = machine.run(&[&["--config", "../a.toml", "token", "create", who], options].concat());
    assert!(made.status.success(), "{made:?}");
    String::from_utf8(made.stdout).expect("a token").trim().to_owned()
}

/// A gateway with the audit server and one other, an operator and an agent who may call the other one's tool.
struct Operations {
    machine: Machine,
    running: Running,
    operator: Session,
    agent: Session,
}

impl Operations {
    fn open(rules: &str) -> Self {
        let machine = Machine::new();
        put(&machine, &format!("{}{AUDIT}{rules}", configuration(ANY_PORT, &["minimal"])));
        let running = Running::start(&machine);
        let mut sessions = [("olga", &["--role", "operator"][..]), ("alice", &[])].map(|(who, options)| {
            let http = Http::new(&running.address, Some(&token(&machine, who, options)));
            let granted = machine.run(&["--config", "../a.toml", "access", "grant", who, "minimal"]);
            assert!(granted.status.success(), "{granted:?}");
            let capabilities: Value = serde_json::from_str(MGP).expect("capabilities");
            Some(Session::open(&http, &capabilities).expect("a session"))
        });
        let [operator, agent] = &mut sessions;
        Self {
            operator: operator.take().expect("the first"),
            agent: agent.take().expect("the second"),
            machine,
            running,
        }
    }

    /// Returns what a tool answers an operator.
    fn ask(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.operator.call(tool, arguments).expect("an answer");
        let result = &answer["result"];
        assert_ne!(result["isError"], json!(true), "{answer}");
        assert_eq!(
            serde_json::from_str::<Value>(result["content"][0]["text"].as_str().expect("a text")).expect("JSON"),
            result["structuredContent"]
        );
        result["structuredContent"].clone()
    }

    /// Returns what an operator is told who asks in a wrong way.
    fn refused(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.operator.call(tool, arguments).expect("an answer");
        assert_eq!(answer["result"]["isError"], json!(true), "{answer}");
        answer["result"]["content"][0]["text"].as_str().expect("a text").to_owned()
    }
}

#[test]
fn operators_see_its_tools_and_an_agent_is_refused() {
    let mut operations = Operations::open("");
    let mut seen = operations.operator.tools().expect("a list");
    seen.retain(|name| TOOLS.contains(&name.as_str()));
    seen.sort_unstable();
    assert_eq!(seen, TOOLS);
    let listed = operations.agent.tools().expect("a list");
    assert!(listed.contains(&"echo".to_owned()), "{listed:?}");
    assert!(listed.iter().all(|name| !TOOLS.contains(&name.as_str())), "{listed:?}");
    for name in TOOLS {
        let answer = operations.agent.call(name, &json!({})).expect("an answer");
        assert_eq!(answer["error"]["code"], json!(1000), "{answer}");
    }
    let blocked = operations.ask(
        "query_audit_log",
        &json!({"result": "BLOCKED", "actor_id": "alice", "server_id": "audit"}),
    );
    let tools = blocked["events"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|event| &event["target"]["tool_name"]);
    assert_eq!(tools.collect::<Vec<_>>(), ["query_audit_log", "get_audit_stats", "export_audit"]);
    operations.running.end();
}

/// What makes the same record each time: two calls of an agent.
fn some_calls(operations: &mut Operations) {
    for text in ["one", "two"] {
        let answer = operations.agent.call("echo", &json!({"text": text})).expect("an answer");
        assert_eq!(answer["result"]["content"][0]["text"], json!(text), "{answer}");
    }
}

#[test]
fn a_query_finds_events_page_by_page() {
    let mut operations = Operations::open("");
    some_calls(&mut operations);
    let mine = json!({"actor_id": "alice", "server_id": "minimal", "event_types": ["TOOL_EXECUTED", "dev.chancery.call_admitted"]});
    let with = |more: Value| {
        let mut all = mine.as_object().cloned().expect("an object");
        all.extend(more.as_object().cloned().expect("an object"));
        Value::Object(all)
    };
    // What has happened is told behind the answer: it is asked for until it is there.
    let all = loop {
        let page = operations.ask("query_audit_log", &mine);
        if page["events"].as_array().is_some_and(|events| events.len() == 4) {
            break page;
        }
    };
    assert_eq!(all["next_cursor"], Value::Null);
    let newest = &all["events"][0];
    assert_eq!(newest["actor"], json!({"type": "agent", "id": "alice"}));
    assert_eq!(newest["target"], json!({"server_id": "minimal", "tool_name": "echo"}));
    let seqs = |page: &Value| -> Vec<u64> {
        let events = page["events"].as_array().expect("a list").iter();
        events.map(|event| event["seq"].as_u64().expect("a number")).collect()
    };
    let mut paged = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = operations.ask("query_audit_log", &with(json!({"limit": 3, "cursor": cursor})));
        paged.extend(seqs(&page));
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(paged, seqs(&all));
    let oldest = operations.ask("query_audit_log", &with(json!({"order": "oldest"})));
    assert!(seqs(&oldest).into_iter().rev().eq(seqs(&all)));
    let trace = newest["trace_id"].as_str().expect("a trace");
    let traced = operations.ask("query_audit_log", &with(json!({"trace_id": trace})));
    let events = traced["events"].as_array().expect("a list");
    assert!(
        events.contains(newest) && events.iter().all(|event| event["trace_id"] == json!(trace)),
        "{traced}"
    );
    let early = operations.ask("query_audit_log", &with(json!({"until": "2020-01-01T00:00:00Z"})));
    assert_eq!(early["events"], json!([]));
    operations.running.end();
}

#[test]
fn statistics_count_and_say_how_long_events_are_kept() {
    let rules = "[audit]\nretention = \"tiered\"\nsearchable = \"30d\"\nkeep = \"365d\"\n";
    let mut operations = Operations::open(rules);
    some_calls(&mut operations);
    let mine = json!({"actor_id": "alice", "group_by": ["event_type", "tool", "result"], "event_types": ["dev.chancery.call_admitted"]});
    let stats = operations.ask("get_audit_stats", &mine);
    let column = |value: &str| json!({"values": [{"value": value, "count": 2}], "others": 0});
    assert_eq!(
        stats["counts"],
        json!({"event_type": column("dev.chancery.call_admitted"), "tool": column("echo"), "result": column("SUCCESS")})
    );
    assert_eq!((&stats["total"], &stats["kept_from"]), (&json!(2), &json!(1)));
    assert!(
        stats["first"].as_str() <= stats["last"].as_str() && stats["first"].is_string(),
        "{stats}"
    );
    let retention = json!({"policy": "tiered", "searchable_seconds": 30 * 86_400, "keep_seconds": 365 * 86_400});
    assert_eq!(stats["retention"], retention);
    operations.running.end();
}

#[test]
fn an_export_is_what_the_command_line_exports() {
    let mut operations = Operations::open("");
    some_calls(&mut operations);
    for format in ["jsonl", "csv"] {
        let (mut exported, mut cursor, mut parts) = (String::new(), Value::Null, 0);
        // The record grows with each question; the first ten events stay the first ten.
        while parts < 5 {
            let part = operations.ask("export_audit", &json!({"format": format, "limit": 2, "cursor": cursor}));
            assert_eq!((&part["format"], &part["events"]), (&json!(format), &json!(2)));
            exported.push_str(part["data"].as_str().expect("a text"));
            cursor = part["next_cursor"].clone();
            parts += 1;
        }
        let whole = operations
            .machine
            .run(&["--config", "../a.toml", "audit", "export", "--format", format]);
        let whole = String::from_utf8(whole.stdout).expect("a text");
        assert!(
            exported.lines().count() >= 10 && whole.starts_with(&exported),
            "{exported}\n---\n{whole}"
        );
    }
    let none = operations.ask("export_audit", &json!({"event_types": ["no.such.event"]}));
    assert_eq!(none, json!({"format": "jsonl", "events": 0, "data": "", "next_cursor": null}));
    operations.running.end();
}

#[test]
fn a_wrong_question_is_told_what_is_wrong_with_it() {
    let mut operations = Operations::open("");
    for (tool, arguments, told) in [
        ("query_audit_log", json!({"actor": "x"}), "there is no argument `actor`"),
        ("query_audit_log", json!({"limit": 0}), "from 1 to 1000"),
        ("query_audit_log", json!({"limit": 1.5}), "from 1 to 1000"),
        ("query_audit_log", json!({"from": "yesterday"}), "such as `2099-12-31T23:59:59Z`"),
        (
            "query_audit_log",
            json!({"event_types": "TOOL_EXECUTED"}),
            "must be a list of strings",
        ),
        ("query_audit_log", json!({"result": "WELL"}), "SUCCESS, FAILURE, BLOCKED, PENDING"),
        ("query_audit_log", json!({"server_id": 7}), "must be a string"),
        ("query_audit_log", json!({"format": "csv"}), "there is no argument `format`"),
        (
            "get_audit_stats",
            json!({"group_by": ["colour"]}),
            "event_type, result, actor, server, tool",
        ),
        ("export_audit", json!({"format": "xml"}), "jsonl, csv"),
        ("export_audit", json!({"cursor": "here"}), "`next_cursor` of the answer before"),
    ] {
        let refusal = operations.refused(tool, &arguments);
        assert!(refusal.contains(told), "{tool} {arguments}: {refusal}");
    }
    operations.running.end();
}

#[test]
fn doctor_lists_it_and_a_call_from_the_command_line_finds_itself_on_record() {
    let machine = Machine::new();
    put(&machine, AUDIT);
    let shown = machine.shown(&["--config", "../a.toml", "doctor"]);
    assert!(
        shown.contains("✓ audit   2026-07-28 (modern), chancery-audit") && shown.contains(": 3 tools, "),
        "{shown}"
    );
    assert!(shown.contains("and 3 that only read"), "{shown}");
    let shown = machine.shown(&["--config", "../a.toml", "tools", "call", "audit/get_audit_stats"]);
    assert!(
        shown.starts_with("0\n") && shown.contains(r#""value":"dev.chancery.call_admitted","count":1"#),
        "{shown}"
    );
}
