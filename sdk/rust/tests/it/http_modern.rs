//! Tests of modern requests over HTTP: one POST each, mirrored headers, statuses, and streams that are cancelled by
//! hanging up.

use chancery_sdk::{Eras, Listening, Server, Tool, Value, json};
use example_everything::server;
use http::Method;
use tokio::sync::mpsc;

use crate::client::{Client, modern};

async fn start() -> (Listening, Client) {
    let listening = server().listen("127.0.0.1:0").await.expect("a free port");
    let client = Client::new(listening.url());
    (listening, client)
}

#[tokio::test]
async fn an_answer_that_is_all_there_is_comes_as_json() {
    let (_server, client) = start().await;
    let answer = client
        .modern(1, "tools/call", json!({"name": "echo", "arguments": {"text": "hi"}}))
        .await;
    assert_eq!(answer.status, 200);
    assert!(!answer.headers.contains_key("mcp-session-id"));
    let body = answer.json().await;
    assert_eq!(body["result"]["content"][0]["text"], "hi");
    assert_eq!(body["result"]["resultType"], "complete");
}

#[tokio::test]
async fn what_comes_before_the_answer_makes_it_a_stream() {
    let (_server, client) = start().await;
    let params = json!({"name": "count", "arguments": {"to": 2, "pause": 0}, "_meta": {"progressToken": "p"}});
    let mut answer = client.modern(1, "tools/call", params).await;
    assert!(answer.is_stream());
    assert_eq!(answer.headers["x-accel-buffering"], "no");
    assert_eq!(
        answer.message().await["params"],
        json!({"progress": 1, "total": 2, "message": "step 1", "progressToken": "p"})
    );
    assert_eq!(answer.message().await["params"]["progress"], 2);
    assert_eq!(answer.message().await["result"]["content"][0]["text"], "counted to 2");
    assert_eq!(answer.event().await, None);
}

#[tokio::test]
async fn statuses_follow_the_errors() {
    let (_server, client) = start().await;
    let unknown = client.modern(1, "no/such/method", json!({})).await;
    assert_eq!(unknown.status, 404);
    assert_eq!(unknown.json().await["error"]["code"], -32601);
    let incapable = client.modern(2, "tools/call", json!({"name": "ask_roots"})).await;
    assert_eq!(incapable.status, 400);
    assert_eq!(
        incapable.json().await["error"]["data"],
        json!({"requiredCapabilities": {"roots": {}}})
    );
    let invalid = client.modern(3, "tools/call", json!({"name": "no such tool"})).await;
    assert_eq!(invalid.status, 200);
    assert_eq!(invalid.json().await["error"]["code"], -32602);
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list")];
    let bare = client
        .post(&headers, &json!({"jsonrpc": "2.0", "id": 4, "method": "tools/list"}))
        .await;
    assert_eq!(bare.status, 400);
    assert_eq!(bare.json().await["error"]["code"], -32602);
    let note = client
        .post(&headers, &json!({"jsonrpc": "2.0", "method": "notifications/whatever"}))
        .await;
    assert_eq!(note.status, 202);
    let response = client.post(&headers, &json!({"jsonrpc": "2.0", "id": 1, "result": {}})).await;
    assert_eq!(response.status, 400);
}

#[tokio::test]
async fn headers_must_say_what_the_body_says() {
    let (_server, client) = start().await;
    let query = |arguments| modern(1, "tools/call", json!({"name": "query", "arguments": arguments}), json!({}));
    let revision = ("mcp-protocol-version", "2026-07-28");
    let (method, name, region) = (("mcp-method", "tools/call"), ("mcp-name", "query"), ("mcp-param-region", "eu"));
    let plain = query(json!({"region": "eu", "sql": "x"}));
    let full = query(json!({"region": "Zürich", "sql": "x", "limit": 42, "options": {"dry": true}}));
    let full_headers = [
        revision,
        method,
        name,
        ("mcp-param-region", "=?base64?WsO8cmljaA==?="),
        ("mcp-param-limit", "42.0"),
        ("Mcp-Param-Dry-Run", "true"),
    ];
    type Headers<'a> = Vec<(&'a str, &'a str)>;
    let cases: Vec<(u16, Headers<'_>, &Value)> = vec![
        (200, vec![revision, method, name, region], &plain),
        (200, vec![revision, method, ("mcp-name", "  query  "), region], &plain),
        (200, vec![revision, method, ("mcp-name", "=?base64?cXVlcnk=?="), region], &plain),
        (200, full_headers.to_vec(), &full),
        (400, vec![revision, method, name], &plain),
        (400, vec![revision, method, name, ("mcp-param-region", "us")], &plain),
        (400, vec![revision, method, name, ("mcp-param-region", "=?base64?e?=")], &plain),
        (400, vec![revision, method, name, region, ("mcp-param-limit", "7")], &plain),
        (400, vec![revision, ("mcp-method", "Tools/Call"), name, region], &plain),
        (400, vec![revision, method, ("mcp-name", "echo"), region], &plain),
        (400, vec![revision, method, region], &plain),
        (400, vec![revision, name, region], &plain),
        (400, vec![method, name, region], &plain),
        (400, vec![("mcp-protocol-version", "2025-11-25"), method, name, region], &plain),
    ];
    for (status, headers, message) in cases {
        let answer = client.post(&headers, message).await;
        assert_eq!(answer.status, status, "{headers:?}");
        let body = answer.json().await;
        assert_eq!(
            body["error"]["code"].as_i64(),
            (status == 400).then_some(-32020),
            "{headers:?} {body}"
        );
        assert_eq!(body["id"], 1);
    }
}

#[tokio::test]
async fn hanging_up_cancels() {
    let (started, mut events) = mpsc::channel(4);
    let tool = Tool::new("wait").handler(move |ctx, _args| {
        let started = started.clone();
        async move {
            ctx.progress(1.0, None, None).await;
            started.send("started").await?;
            ctx.cancelled().await;
            started.send("cancelled").await?;
            Ok("never read")
        }
    });
    let server = Server::new("t", "1").tool(tool).listen("127.0.0.1:0").await.expect("a free port");
    let client = Client::new(server.url());
    // Once after the stream has begun, once before anything was answered.
    for meta in [json!({"progressToken": 1}), json!({})] {
        let calling = tokio::spawn({
            let client = client.clone();
            async move {
                let answer = client.modern(1, "tools/call", json!({"name": "wait", "_meta": meta})).await;
                std::future::pending::<()>().await;
                drop(answer);
            }
        });
        assert_eq!(events.recv().await, Some("started"));
        calling.abort();
        assert_eq!(events.recv().await, Some("cancelled"));
    }
}

#[tokio::test]
async fn a_listener_hears_what_it_asked_for_and_how_it_ends() {
    let (server, client) = start().await;
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let mut stream = client.modern(7, "subscriptions/listen", filter).await;
    let acknowledged = stream.message().await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 7);
    let offered = client
        .modern(8, "tools/call", json!({"name": "offer", "arguments": {"name": "offered_thing"}}))
        .await;
    assert_eq!(offered.json().await["result"]["content"][0]["text"], "changed");
    assert_eq!(stream.message().await["method"], "notifications/tools/list_changed");
    server.stop().await;
    assert_eq!(stream.message().await["result"]["resultType"], "complete");
    assert_eq!(stream.event().await, None);
}

#[tokio::test]
async fn a_modern_server_serves_posts_only_and_names_what_it_speaks() {
    let listening = server().eras(Eras::Modern).listen("127.0.0.1:0").await.expect("a free port");
    let client = Client::new(listening.url());
    for method in [Method::GET, Method::DELETE, Method::PUT] {
        let answer = client.send(method, &[], "").await;
        assert_eq!((answer.status.as_u16(), answer.headers["allow"].to_str().ok()), (405, Some("POST")));
    }
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let answer = client
        .post(&[], &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}))
        .await;
    assert_eq!(answer.status, 400);
    assert_eq!(
        answer.json().await["error"]["data"],
        json!({"supported": ["2026-07-28"], "requested": "2025-11-25"})
    );
}
