//! `chancery audit` and `chancery store`: what is remembered, looked at from outside.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use expect_test::expect;
use model::Timestamp;
use serde_json::{Value, json};
use store::{Actor, AuditKey, AuditResult, AuditStore as _, Event, LocalStore, Settings};

use crate::machine::Machine;

/// Returns a store with four events of two principals; the last tool has a name that means something to a spreadsheet.
fn remember(machine: &Machine) -> (PathBuf, LocalStore) {
    machine.write("a.toml", "[store]\nfolder = \"remembered\"\n");
    let folder = machine.path("remembered");
    let store = LocalStore::open(&Settings::new(&folder)).expect("a store");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    for (second, kind, actor, tool, result) in [
        (1, "dev.chancery.call_admitted", "alice", "read", AuditResult::Pending),
        (2, "TOOL_EXECUTED", "alice", "read", AuditResult::Success),
        (3, "TOOL_BLOCKED", "bob", "write", AuditResult::Blocked),
        (4, "TOOL_EXECUTED", "alice", "=cmd()", AuditResult::Failure),
    ] {
        let at = Timestamp(1_767_225_600_000 + second * 1000);
        let body = json!({"timestamp": mgp::time::format(at), "event_type": kind, "details": {"n": second, "text": "a,b"}});
        let key = AuditKey {
            at,
            kind: kind.into(),
            actor: Actor {
                kind: "agent".into(),
                id: actor.into(),
            },
            server: Some("files".into()),
            tool: Some(tool.into()),
            result,
            trace: Some("4bf92f3577b34da6a3ce929d0e0e4736".into()),
        };
        let event = Event {
            key,
            body: Bytes::from(body.to_string()),
        };
        runtime.block_on(store.append(event)).expect("stored");
    }
    (folder, store)
}

const AUDIT: [&str; 3] = ["--config", "../a.toml", "audit"];

/// Exit code, stdout and stderr.
fn said(machine: &Machine, args: &[&str]) -> (i32, String, String) {
    let output = machine.run(args);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn audit(machine: &Machine, args: &[&str]) -> (i32, String, String) {
    said(machine, &[&AUDIT[..], args].concat())
}

#[test]
fn events_are_found_while_somebody_writes() {
    let machine = Machine::new();
    let (_, _writing) = remember(&machine);
    let query = |args: &[&str]| audit(&machine, &[&["query"], args].concat()).1;
    expect![[r#"
        2026-01-01T00:00:04.000Z        4 FAILURE TOOL_EXECUTED agent:alice files/=cmd()
        2026-01-01T00:00:03.000Z        3 BLOCKED TOOL_BLOCKED agent:bob files/write
        2026-01-01T00:00:02.000Z        2 SUCCESS TOOL_EXECUTED agent:alice files/read
        2026-01-01T00:00:01.000Z        1 PENDING dev.chancery.call_admitted agent:alice files/read
    "#]]
    .assert_eq(&query(&[]));
    assert_eq!(query(&["--limit", "1", "--actor", "alice"]).lines().count(), 1);
    for (args, events) in [
        (&["--type", "TOOL_EXECUTED", "--type", "TOOL_BLOCKED"][..], 3),
        (&["--result", "blocked"], 1),
        (&["--server", "files", "--tool", "read"], 2),
        (&["--since", "2026-01-01T00:00:03Z"], 2),
        (&["--until", "2026-01-01T01:00:03+01:00"], 2),
        (&["--trace", "4bf92f3577b34da6a3ce929d0e0e4736"], 4),
        (&["--since", "1s"], 0),
        (&["--server", "other"], 0),
    ] {
        assert_eq!(query(args).lines().count(), events, "{args:?}");
    }
    let found: Value = serde_json::from_str(&query(&["--tool", "write", "--format", "json"])).expect("JSON");
    assert_eq!((&found[0]["seq"], &found[0]["details"]["n"]), (&json!(3), &json!(3)));
    let (code, _, said) = audit(&machine, &["query", "--since", "yesterday"]);
    assert!(code == 2 && said.contains("a time ago such as `2h`"), "{said}");
}

#[test]
fn events_are_exported_with_nothing_that_a_spreadsheet_would_run() {
    let machine = Machine::new();
    drop(remember(&machine));
    let (code, lines, _) = audit(&machine, &["export"]);
    let events: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((code, events.len(), &events[3]["seq"]), (0, 4, &json!(4)));
    let (_, csv, _) = audit(&machine, &["export", "--format", "csv", "--since", "2026-01-01T00:00:03Z"]);
    expect![[r#"
        seq,timestamp,event_type,result,actor_type,actor_id,server_id,tool_name,trace_id,details
        3,2026-01-01T00:00:03.000Z,TOOL_BLOCKED,BLOCKED,agent,bob,files,write,4bf92f3577b34da6a3ce929d0e0e4736,"{""n"":3,""text"":""a,b""}"
        4,2026-01-01T00:00:04.000Z,TOOL_EXECUTED,FAILURE,agent,alice,files,'=cmd(),4bf92f3577b34da6a3ce929d0e0e4736,"{""n"":4,""text"":""a,b""}"
    "#]]
    .assert_eq(&csv);
}

/// Returns the one segment of a store.
fn segment(folder: &Path) -> PathBuf {
    let files = std::fs::read_dir(folder.join("audit")).expect("a folder").flatten();
    let mut segments = files
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "seg"));
    segments.next().expect("a segment")
}

#[test]
fn a_copy_is_made_and_what_was_changed_is_found() {
    let machine = Machine::new();
    let (folder, writing) = remember(&machine);
    let copy = machine.path("copy");
    let copy = copy.to_str().expect("a path");
    let backup = ["--config", "../a.toml", "store", "backup", copy];
    let (code, _, refused) = said(&machine, &backup);
    assert!(code == 1 && refused.contains("while no gateway uses it"), "{refused}");
    drop(writing);
    let (code, told, errors) = said(&machine, &backup);
    assert_eq!(code, 0, "{told}{errors}");
    let (code, sound, _) = said(&machine, &["store", "verify", "--store", copy]);
    assert!(
        code == 0 && sound.starts_with("sound: 4 events in 1 segment; the last is 4, the head "),
        "{sound}"
    );
    let head = |json: &str| serde_json::from_str::<Value>(json).expect("JSON")["head"].clone();
    let of_copy = said(&machine, &["audit", "verify", "--format", "json", "--store", copy]).1;
    let of_store = audit(&machine, &["verify", "--format", "json"]).1;
    assert_eq!(head(&of_copy), head(&of_store));

    let file = segment(&folder);
    let mut bytes = std::fs::read(&file).expect("a segment");
    let at = bytes.windows(3).rposition(|window| window == b"bob").expect("an event of bob's");
    bytes[at] = b'B';
    std::fs::write(&file, bytes).expect("written");
    let (code, found, _) = audit(&machine, &["verify"]);
    assert!(
        code == 1 && found.starts_with("not sound: 2 events") && found.contains("\nevent 3 in "),
        "{found}"
    );
    let (code, _, absent) = said(&machine, &["audit", "verify", "--store", "nowhere"]);
    assert!(code == 1 && absent.contains("there is no store in"), "{absent}");
}
