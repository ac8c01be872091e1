//! Tests of legacy sessions over HTTP: their life, their streams, and resuming after a break.

use chancery_sdk::{Eras, Handle, Listening, Server, Tool, json};
use example_everything::server;
use http::Method;
use tokio::sync::mpsc;

use crate::client::Client;

async fn start() -> (Listening, Client) {
    let listening = server().listen("127.0.0.1:0").await.expect("a free port");
    let client = Client::new(listening.url());
    (listening, client)
}

#[tokio::test]
async fn a_session_lives_from_initialize_to_delete() {
    let (_server, client) = start().await;
    let session = client.initialize("2025-11-25", json!({})).await;
    let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", "2025-11-25")];
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(client.post(&headers, &ping).await.json().await["result"], json!({}));
    assert_eq!(client.post(&[], &ping).await.status, 400, "without a session");
    assert_eq!(
        client.post(&[("mcp-session-id", "other")], &ping).await.status,
        404,
        "of an unknown session"
    );
    assert_eq!(
        client
            .post(&[headers[0], ("mcp-protocol-version", "2020-01-01")], &ping)
            .await
            .status,
        400,
        "in an unknown revision"
    );
    assert_eq!(client.send(Method::DELETE, &headers, "").await.status, 204);
    assert_eq!(client.post(&headers, &ping).await.status, 404, "after the end");
    assert_eq!(client.send(Method::GET, &headers, "").await.status, 404, "after the end");
}

#[tokio::test]
async fn a_refused_handshake_leaves_no_session() {
    let (_server, client) = start().await;
    let answer = client
        .post(&[], &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}))
        .await;
    assert!(!answer.headers.contains_key("mcp-session-id"));
    assert_eq!(answer.json().await["error"]["code"], -32602);
}

#[tokio::test]
async fn news_come_on_the_get_stream_and_what_was_missed_comes_first() {
    let (server, client) = start().await;
    let session = client.initialize("2025-11-25", json!({})).await;
    let headers = [("mcp-session-id", session.as_str())];
    let mut stream = client.send(Method::GET, &headers, "").await;
    assert!(stream.is_stream());
    server.handle().remove_tool("echo");
    let first = stream.event().await.expect("an event");
    assert_eq!(first.data.expect("a message")["method"], "notifications/tools/list_changed");
    drop(stream);
    server.handle().remove_prompt("plain");
    server.handle().remove_resource("everything://pixel");
    let last = first.id.expect("an event id");
    let mut again = client.send(Method::GET, &[headers[0], ("last-event-id", &last)], "").await;
    assert_eq!(again.message().await["method"], "notifications/prompts/list_changed");
    assert_eq!(again.message().await["method"], "notifications/resources/list_changed");
    let unknown = client.send(Method::GET, &[headers[0], ("last-event-id", "77-1")], "").await;
    assert_eq!(unknown.status, 400);
}

#[tokio::test]
async fn a_call_whose_stream_broke_goes_on_and_its_rest_is_replayed() {
    let (go_on, wait) = mpsc::channel::<()>(1);
    let wait = std::sync::Arc::new(tokio::sync::Mutex::new(wait));
    let tool = Tool::new("slow").handler(move |ctx, _args| {
        let wait = wait.clone();
        async move {
            ctx.progress(1.0, None, None).await;
            wait.lock().await.recv().await;
            ctx.progress(2.0, None, None).await;
            Ok("done")
        }
    });
    let server = Server::new("t", "1").tool(tool).listen("127.0.0.1:0").await.expect("a free port");
    let client = Client::new(server.url());
    let session = client.initialize("2025-11-25", json!({})).await;
    let headers = [("mcp-session-id", session.as_str())];
    let call = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "slow", "_meta": {"progressToken": 1}}});
    let mut stream = client.post(&headers, &call).await;
    let primed = stream.event().await.expect("an event");
    assert!(primed.data.is_none() && primed.retry.is_some(), "{primed:?}");
    let event = stream.event().await.expect("an event");
    assert_eq!(event.data.expect("a message")["params"]["progress"], 1);
    drop(stream);
    go_on.send(()).await.expect("the tool waits");
    let last = event.id.expect("an event id");
    let mut rest = client.send(Method::GET, &[headers[0], ("last-event-id", &last)], "").await;
    assert_eq!(rest.message().await["params"]["progress"], 2);
    assert_eq!(rest.message().await["result"]["content"][0]["text"], "done");
    assert_eq!(rest.event().await, None);
}

#[tokio::test]
async fn a_server_may_send_its_client_away_for_a_while() {
    let (_server, client) = start().await;
    let session = client.initialize("2025-11-25", json!({})).await;
    let headers = [("mcp-session-id", session.as_str())];
    let call = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "come_back"}});
    let mut stream = client.post(&headers, &call).await;
    let primed = stream.event().await.expect("an event");
    assert_eq!(stream.event().await, None);
    let last = primed.id.expect("an event id");
    let mut rest = client.send(Method::GET, &[headers[0], ("last-event-id", &last)], "").await;
    assert_eq!(rest.message().await["result"]["content"][0]["text"], "welcome back");
}

#[tokio::test]
async fn a_question_comes_on_the_stream_of_its_call() {
    let (_server, client) = start().await;
    let session = client.initialize("2025-06-18", json!({"roots": {}})).await;
    let headers = [("mcp-session-id", session.as_str())];
    let call = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "ask_roots"}});
    let mut stream = client.post(&headers, &call).await;
    let question = stream.message().await;
    assert_eq!(question["method"], "roots/list");
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": [{"uri": "file:///x"}]}});
    assert_eq!(client.post(&headers, &answer).await.status, 202);
    assert_eq!(stream.message().await["result"]["content"][0]["text"], "file:///x -");
}

#[tokio::test]
async fn two_clients_at_once_get_their_own_questions() {
    let (_server, client) = start().await;
    let mut streams = Vec::new();
    for name in ["ann", "bob"] {
        let session = client.initialize("2025-06-18", json!({"roots": {}})).await;
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask_roots"}});
        let stream = client.post(&[("mcp-session-id", session.as_str())], &call).await;
        streams.push((name, session, stream));
    }
    for (name, session, stream) in streams.iter_mut().rev() {
        let question = stream.message().await;
        let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": [{"uri": format!("file:///{name}")}]}});
        assert_eq!(client.post(&[("mcp-session-id", session.as_str())], &answer).await.status, 202);
        assert_eq!(stream.message().await["result"]["content"][0]["text"], format!("file:///{name} -"));
    }
}

#[tokio::test]
async fn a_batch_over_http_is_answered_as_one() {
    let (_server, client) = start().await;
    let session = client.initialize("2025-03-26", json!({})).await;
    let headers = [("mcp-session-id", session.as_str())];
    let batch = json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 2, "method": "ping"}]);
    assert_eq!(client.post(&headers, &batch).await.json().await.as_array().map(Vec::len), Some(2));
    let notes = json!([{"jsonrpc": "2.0", "method": "x"}]);
    assert_eq!(client.post(&headers, &notes).await.status, 202);
    let newer = client.initialize("2025-06-18", json!({})).await;
    assert_eq!(client.post(&[("mcp-session-id", newer.as_str())], &batch).await.status, 400);
}

#[tokio::test]
async fn a_legacy_server_sends_modern_clients_back_to_initialize() {
    let listening = server().eras(Eras::Legacy).listen("127.0.0.1:0").await.expect("a free port");
    let client = Client::new(listening.url());
    let answer = client.modern(1, "server/discover", json!({})).await;
    assert_eq!(answer.status, 400);
    let code = answer.json().await["error"]["code"].as_i64();
    assert!(
        !matches!(code, Some(-32022..=-32020)),
        "not an error that modern clients know: {code:?}"
    );
    client.initialize("2025-11-25", json!({})).await;
}

#[tokio::test]
async fn a_session_that_ends_takes_its_work_with_it() {
    let (started, mut events) = mpsc::channel(4);
    let tool = Tool::new("wait").handler(move |ctx, _args| {
        let started = started.clone();
        async move {
            started.send("started").await?;
            ctx.cancelled().await;
            started.send("cancelled").await?;
            Ok("never read")
        }
    });
    let server = Server::new("t", "1").tool(tool).listen("127.0.0.1:0").await.expect("a free port");
    let client = Client::new(server.url());
    let session = client.initialize("2025-11-25", json!({})).await;
    let before: Handle = server.handle().clone();
    assert_eq!(before.connections(), 1);
    let calling = tokio::spawn({
        let (client, session) = (client.clone(), session.clone());
        async move {
            let call = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "wait"}});
            client.post(&[("mcp-session-id", &session)], &call).await.status
        }
    });
    assert_eq!(events.recv().await, Some("started"));
    assert_eq!(client.send(Method::DELETE, &[("mcp-session-id", &session)], "").await.status, 204);
    assert_eq!(events.recv().await, Some("cancelled"));
    calling.abort();
}
