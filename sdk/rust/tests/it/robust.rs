//! Tests of hostile input: it is answered with an error, or dropped, and the server lives on.

use chancery_sdk::json;
use example_everything::server;
use http::Method;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::client::Client;

#[tokio::test]
async fn bodies_that_are_no_messages() {
    let listening = server().listen("127.0.0.1:0").await.expect("a free port");
    let client = Client::new(listening.url());
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let modern = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "ping")];
    for (body, headers) in [
        ("{", &[][..]),
        ("", &[]),
        ("\u{feff}{}", &[]),
        ("{}", &modern),
        ("[]", &modern),
        (&deep, &modern),
        (&deep, &[]),
    ] {
        let answer = client.send(Method::POST, headers, body.to_owned()).await;
        assert_eq!(answer.status, 400, "{body:.40}");
        assert!(answer.json().await["error"]["code"].is_i64());
    }
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(client.send(Method::POST, &[("content-type", "text/plain")], ping).await.status, 415);
    assert_eq!(client.send(Method::POST, &[("accept", "text/html")], ping).await.status, 406);
    assert_eq!(client.send(Method::POST, &[("host", "evil.example")], ping).await.status, 403);
    assert_eq!(
        client.send(Method::POST, &[("origin", "http://evil.example")], ping).await.status,
        403
    );
    let alive = client
        .modern(1, "tools/call", json!({"name": "echo", "arguments": {"text": "alive"}}))
        .await;
    assert_eq!(alive.json().await["result"]["content"][0]["text"], "alive");
}

#[tokio::test]
async fn a_body_without_end_is_cut_off() {
    let listening = server().listen("127.0.0.1:0").await.expect("a free port");
    let client = Client::new(listening.url());
    let answer = client.send(Method::POST, &[], vec![b' '; 17 * 1024 * 1024]).await;
    assert_eq!(answer.status, 413);
}

#[tokio::test]
async fn a_line_without_end_is_refused_and_the_next_one_answered() {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(far);
    tokio::spawn(server().serve_streams(reader, writer));
    let (reader, mut writer) = tokio::io::split(near);
    let mut lines = BufReader::new(reader).lines();
    let writing = tokio::spawn(async move {
        for _ in 0..20 {
            writer.write_all(&vec![b'x'; 1024 * 1024]).await.expect("the server reads");
        }
        writer
            .write_all(b"\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")
            .await
            .expect("the server reads");
        writer
    });
    let refused = lines.next_line().await.expect("a line").expect("a line");
    assert!(refused.contains("-32700"), "{refused}");
    let answered = lines.next_line().await.expect("a line").expect("a line");
    assert_eq!(answered, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    drop(writing.await);
}

/// Waits until all connections are gone; each holds one subscription to changes.
async fn all_gone(server: &chancery_sdk::Listening) {
    let gone = async {
        while server.handle().connections() > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(10), gone)
        .await
        .expect("every connection ends");
}

#[tokio::test]
async fn a_thousand_clients_leave_nothing_behind() {
    let listening = server().listen("127.0.0.1:0").await.expect("a free port");
    let client = Client::new(listening.url());
    for id in 0..500 {
        let answer = client
            .modern(id, "tools/call", json!({"name": "echo", "arguments": {"text": "x"}}))
            .await;
        assert_eq!(answer.status, 200);
        let session = client.initialize("2025-11-25", json!({})).await;
        let headers = [("mcp-session-id", session.as_str())];
        drop(client.send(Method::GET, &headers, "").await);
        assert_eq!(client.send(Method::DELETE, &headers, "").await.status, 204);
        if id % 10 == 0 {
            drop(
                client
                    .modern(id, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}))
                    .await,
            );
        }
    }
    all_gone(&listening).await;
}

#[tokio::test]
async fn sessions_that_nobody_ends_make_room_for_new_ones() {
    let listening = server().listen("127.0.0.1:0").await.expect("a free port");
    let client = Client::new(listening.url());
    let first = client.initialize("2025-11-25", json!({})).await;
    for _ in 0..1024 {
        client.initialize("2025-11-25", json!({})).await;
    }
    assert!(listening.handle().connections() <= 1026);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(client.post(&[("mcp-session-id", &first)], &ping).await.status, 404);
}

#[tokio::test]
async fn ten_thousand_cancelled_calls_are_forgotten() {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(far);
    tokio::spawn(server().serve_streams(reader, writer));
    let (reader, mut writer) = tokio::io::split(near);
    let mut lines = BufReader::new(reader).lines();
    let initialize =
        json!({"jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}}});
    let mut text = format!("{initialize}\n");
    for id in 0..10_000 {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "sleep", "arguments": {"milliseconds": 100_000}}});
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        text.push_str(&format!("{call}\n{cancel}\n"));
    }
    text.push_str(&format!("{}\n", json!({"jsonrpc": "2.0", "id": "end", "method": "ping"})));
    let writing = tokio::spawn(async move {
        writer.write_all(text.as_bytes()).await.expect("the server reads");
        writer
    });
    let mut answered = Vec::new();
    while answered.len() < 2 {
        let line = lines.next_line().await.expect("a line").expect("a line");
        let answer: chancery_sdk::Value = serde_json::from_str(&line).expect("JSON");
        answered.push(answer["id"].clone());
    }
    // More than may be in progress at once were cancelled, and none was refused.
    assert_eq!(answered, [json!("i"), json!("end")]);
    drop(writing.await);
}

#[tokio::test]
async fn ids_and_tokens_come_back_byte_for_byte() {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(far);
    tokio::spawn(server().serve_streams(reader, writer));
    let (reader, mut writer) = tokio::io::split(near);
    let mut lines = BufReader::new(reader).lines();
    for id in ["123456789012345678901234567890", "-0", r#""\u0061\ud800""#] {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
        writer.write_all(line.as_bytes()).await.expect("the server reads");
        let answer = lines.next_line().await.expect("a line").expect("a line");
        assert_eq!(answer, format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}"));
    }
    let params = r#"{"name":"count","arguments":{"to":1},"_meta":{"progressToken":98765432109876543210}}"#;
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#;
    let call = format!("{initialize}\n{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{params}}}\n");
    writer.write_all(call.as_bytes()).await.expect("the server reads");
    lines.next_line().await.expect("a line");
    let progress = lines.next_line().await.expect("a line").expect("a line");
    assert!(progress.contains(r#""progressToken":98765432109876543210"#), "{progress}");
}

/// A client that sends requests without reading answers is slowed down, not buffered for: the server stops reading from
/// it.
#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_not_read_either() {
    let (near, far) = tokio::io::duplex(16 * 1024);
    let (reader, writer) = tokio::io::split(far);
    tokio::spawn(server().serve_streams(reader, writer));
    let (reader, mut writer) = tokio::io::split(near);
    let line = format!("{}\n", json!({"jsonrpc": "2.0", "id": "x".repeat(1000), "method": "ping"}));
    let flood = async {
        for _ in 0..100_000 {
            writer.write_all(line.as_bytes()).await.expect("the server is there");
        }
    };
    assert!(
        tokio::time::timeout(std::time::Duration::from_millis(500), flood).await.is_err(),
        "100 MB were taken without an answer read"
    );
    drop(reader);
}
