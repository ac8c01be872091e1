//! Cases that need a store of their own: events that queries no longer find, and events too large for one answer.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use chancery_sdk::{Value, json};
use model::Timestamp;
use store::{Actor, AuditKey, AuditResult, AuditStore as _, Clock, Event, LocalStore, Retention, Settings};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::Audit;

const DAY: i64 = 24 * 60 * 60 * 1000;
const TIERED: Retention = Retention::Tiered {
    searchable: Duration::from_secs(10 * 24 * 60 * 60),
    kept: Duration::from_secs(1000 * 24 * 60 * 60),
};

/// Returns an event of that day, with a body of about so many bytes.
fn event(day: i64, bytes: usize) -> Event {
    let body = json!({"event_type": "TOOL_EXECUTED", "details": {"text": "x".repeat(bytes)}});
    Event {
        key: AuditKey {
            at: Timestamp(day * DAY),
            kind: "TOOL_EXECUTED".into(),
            actor: Actor {
                kind: "agent".into(),
                id: "alice".into(),
            },
            server: Some("files".into()),
            tool: None,
            result: AuditResult::Success,
            trace: None,
        },
        body: Bytes::from(body.to_string()),
    }
}

fn audit(store: LocalStore, retention: Retention) -> Audit {
    Audit::new(Some(Arc::new(store)), retention)
}

/// Returns what a tool answers to a client that has just connected.
async fn ask(audit: &Audit, tool: &str, arguments: Value) -> Value {
    let (client, server) = (tokio::io::duplex(64 * 1024), tokio::io::duplex(64 * 1024));
    let serving = tokio::spawn(super::server(audit).serve_streams(client.1, server.1));
    let mut input = client.0;
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    for message in [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}),
    ] {
        input.write_all(format!("{message}\n").as_bytes()).await.expect("it reads");
    }
    let mut lines = BufReader::new(server.0).lines();
    let answer = loop {
        let line = lines.next_line().await.expect("it writes").expect("an answer");
        let message: Value = serde_json::from_str(&line).expect("JSON");
        if message["id"] == json!(1) {
            break message["result"].clone();
        }
    };
    drop(input);
    serving.await.expect("no panic").expect("an orderly end");
    answer
}

/// Returns every part of an answer, one after the other.
async fn parts(audit: &Audit, tool: &str, mut arguments: Value) -> Vec<Value> {
    let mut parts = Vec::new();
    loop {
        let part = ask(audit, tool, arguments.clone()).await["structuredContent"].clone();
        arguments["cursor"] = part["next_cursor"].clone();
        parts.push(part);
        if arguments["cursor"].is_null() {
            return parts;
        }
    }
}

fn count(parts: &[Value]) -> u64 {
    let counts = parts.iter().map(|part| match &part["events"] {
        Value::Array(events) => events.len() as u64,
        number => number.as_u64().expect("a number"),
    });
    counts.sum()
}

#[tokio::test]
async fn an_export_also_holds_what_queries_no_longer_find() {
    let folder = tempfile::tempdir().expect("a folder");
    let today = Arc::new(std::sync::atomic::AtomicI64::new(DAY));
    let clock = today.clone();
    let settings = Settings {
        segment_bytes: 20_000,
        retention: TIERED,
        clock: Clock::new(move || Timestamp(clock.load(std::sync::atomic::Ordering::SeqCst))),
        ..Settings::new(folder.path())
    };
    let store = LocalStore::open(&settings).expect("a store");
    for day in 1..=40 {
        today.store(day * DAY, std::sync::atomic::Ordering::SeqCst);
        for _ in 0..20 {
            store.append(event(day, 10)).await.expect("it is stored");
        }
    }
    drop(store);
    // Opening has everything indexed that can be.
    let store = LocalStore::open(&settings).expect("a store");
    store.retain(Timestamp(40 * DAY)).expect("it looks");
    let audit = audit(store, TIERED);
    let found = count(&parts(&audit, "query_audit_log", json!({"limit": 300})).await);
    let exported = count(&parts(&audit, "export_audit", json!({"limit": 300})).await);
    assert_eq!(exported, 800);
    assert!((200..800).contains(&found), "{found}");
    let stats = ask(&audit, "get_audit_stats", json!({"group_by": []})).await["structuredContent"].clone();
    assert_eq!((&stats["total"], &stats["counts"]), (&json!(found), &json!({})));
    assert_eq!(stats["retention"]["searchable_seconds"], json!(864_000));
    let one_day = json!({"from": "1970-01-03T00:00:00Z", "until": "1970-01-04T00:00:00Z", "format": "csv"});
    let old = parts(&audit, "export_audit", one_day).await;
    assert_eq!(count(&old), 20);
    assert_eq!(
        old[0]["data"].as_str().map(|data| data.lines().count()),
        Some(21),
        "one line names the columns"
    );
}

#[tokio::test]
async fn large_events_come_in_several_answers_and_all_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = LocalStore::open(&Settings::new(folder.path())).expect("a store");
    for bytes in [300_000, 300_000, 900_000, 10, 10] {
        store.append(event(1, bytes)).await.expect("it is stored");
    }
    let audit = audit(store, Retention::KeepAll);
    let sizes = |parts: &[Value]| parts.iter().map(|part| count(std::slice::from_ref(part))).collect::<Vec<_>>();
    let oldest = parts(&audit, "query_audit_log", json!({"order": "oldest"})).await;
    assert_eq!(sizes(&oldest), [1, 1, 1, 2]);
    let newest = parts(&audit, "query_audit_log", json!({})).await;
    assert_eq!(sizes(&newest), [2, 1, 1, 1]);
    let seqs = newest
        .iter()
        .flat_map(|part| part["events"].as_array().expect("a list").iter().map(|event| event["seq"].clone()));
    assert_eq!(seqs.collect::<Vec<_>>(), [5, 4, 3, 2, 1]);
    let exported = parts(&audit, "export_audit", json!({})).await;
    assert_eq!((sizes(&exported), count(&exported)), (vec![2, 1, 2], 5));
}

#[tokio::test]
async fn without_a_store_there_is_nothing_to_read() {
    let audit = Audit::new(None, Retention::KeepAll);
    for tool in ["query_audit_log", "get_audit_stats", "export_audit"] {
        let answer = ask(&audit, tool, json!({})).await;
        assert_eq!(answer["isError"], json!(true), "{answer}");
    }
}
