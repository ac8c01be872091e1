//! Clients that send what they should not: a clear error, the right status, and the connection lives on.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::wire::{Answered, Connection};
use testkit::{Door, Era, Gateway, Revision, Wire, gateway, process};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use transport::stdio::PipeOptions;

use crate::{ERAS, WAYS, alone, echo, pairs, said};

const MODERN: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

fn modern_call(id: &str, name: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}","arguments":{{"a":1}},"_meta":{MODERN}}}}}"#)
}

fn modern_headers(name: &'static str) -> [(&'static str, &'static str); 3] {
    [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", name),
    ]
}

/// Opens a legacy session over a connection, and returns its id.
async fn initialize(connection: &mut Connection) -> String {
    let answered = connection.post(&[], HELLO.as_bytes()).await;
    assert_eq!(answered.status, 200);
    let session = answered.header("mcp-session-id").expect("a session");
    let heard = connection
        .post(
            &[("Mcp-Session-Id", &session)],
            br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        )
        .await;
    assert_eq!(heard.status, 202);
    session
}

/// Returns a gateway with a listener, and a connection to it with a legacy session.
async fn with_a_session() -> (Gateway, Door, Connection, String) {
    let gateway = gateway().upstream("echo", echo(Era::Legacy, Wire::Pipe)).start();
    let door = gateway.door(|_| {}).await;
    let mut connection = Connection::open(door.address).await;
    let session = initialize(&mut connection).await;
    (gateway, door, connection, session)
}

/// Sends a body, and checks status and code of the answer.
async fn is_refused(connection: &mut Connection, headers: &[(&str, &str)], body: &str, status: u16, code: i64) -> Answered {
    let answered = connection.post(headers, body.as_bytes()).await;
    let shown = &body[..body.len().min(80)];
    assert_eq!(
        (answered.status, answered.code()),
        (status, Some(code)),
        "{shown}, {headers:?}: {answered:?}"
    );
    answered
}

async fn still_works(connection: &mut Connection, session: &str) {
    let call = r#"{"jsonrpc":"2.0","id":"works","method":"tools/call","params":{"name":"say","arguments":{"a":1}}}"#;
    let answered = connection.post(&[("Mcp-Session-Id", session)], call.as_bytes()).await;
    assert_eq!(answered.status, 200, "{answered:?}");
    assert_eq!(said(&answered.json()["result"])["a"], 1);
    let answered = connection.post(&modern_headers("say"), modern_call("9", "say").as_bytes()).await;
    assert_eq!(answered.status, 200, "{answered:?}");
}

#[tokio::test]
async fn unreadable_bodies_are_answered_and_the_connection_lives_on() {
    let (gateway, door, mut connection, session) = with_a_session().await;
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{}{}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let cases: [(&str, i64); 13] = [
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"na"#, -32700),
        ("", -32700),
        ("nonsense", -32700),
        (&deep, -32700),
        ("\u{feff}{}", -32700),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","#, -32700),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":"text"}"#, -32600),
        (r#"[]"#, -32600),
    ];
    for headers in [vec![("Mcp-Session-Id", session.as_str())], vec![], modern_headers("say").to_vec()] {
        for (body, code) in &cases {
            let answered = is_refused(&mut connection, &headers, body, 400, *code).await;
            assert!(!answered.json()["error"]["message"].as_str().unwrap_or_default().is_empty());
        }
    }
    let invalid = connection
        .post(
            &[("Mcp-Session-Id", &session)],
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
        )
        .await;
    assert_eq!((invalid.status, invalid.code()), (400, Some(-32700)));
    still_works(&mut connection, &session).await;
    door.close().await;
    gateway.stop().await;
}

#[test]
fn a_body_of_100_mb_is_refused_without_being_held() {
    alone("bad_clients::a_body_of_100_mb_is_refused_without_being_held", large_body());
}

async fn large_body() {
    let gateway = gateway().upstream("echo", echo(Era::Legacy, Wire::Pipe)).start();
    let door = gateway.door(|_| {}).await;
    for chunked in [false, true] {
        let mut connection = Connection::open(door.address).await;
        let session = initialize(&mut connection).await;
        let before = process::resident();
        let length = if chunked {
            "Transfer-Encoding: chunked".to_owned()
        } else {
            format!("Content-Length: {}", 100 << 20)
        };
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Session-Id: {session}\r\n{length}\r\n\r\n"
        );
        connection.write(head.as_bytes()).await;
        let chunk = vec![b' '; 1 << 20];
        for _ in 0..100 {
            let framed = if chunked {
                [format!("{:x}\r\n", chunk.len()).as_bytes(), &chunk, b"\r\n"].concat()
            } else {
                chunk.clone()
            };
            if !connection.write(&framed).await {
                break;
            }
        }
        if chunked {
            connection.write(b"0\r\n\r\n").await;
        }
        let answered = connection.answer().await;
        assert_eq!(answered.status, 413, "{answered:?}");
        assert!(answered.code().is_some(), "a JSON-RPC error says why: {answered:?}");
        let grown = process::resident().saturating_sub(before);
        assert!(grown < 64 << 20, "{} MB were held", grown >> 20);
        let mut another = Connection::open(door.address).await;
        still_works(&mut another, &session).await;
    }
    door.close().await;
    gateway.stop().await;
}

#[test]
fn a_line_of_100_mb_on_a_pipe_is_refused_and_the_next_one_is_answered() {
    alone(
        "bad_clients::a_line_of_100_mb_on_a_pipe_is_refused_and_the_next_one_is_answered",
        large_line(),
    );
}

async fn large_line() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("run").join("gateway.sock");
    let gateway = gateway().upstream("echo", echo(Era::Legacy, Wire::Pipe)).start();
    let shutdown = gateway.socket(path.clone(), PipeOptions::default());
    let stream = tokio::net::UnixStream::connect(&path).await.expect("the socket");
    let (input, mut output) = stream.into_split();
    let mut lines = BufReader::new(input).lines();
    let before = process::resident();
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        output.write_all(&chunk).await.expect("the gateway reads on");
    }
    output
        .write_all(b"\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"met\n")
        .await
        .expect("written");
    let mut answers: Vec<Value> = Vec::new();
    for _ in 0..3 {
        let line = tokio::time::timeout(testkit::PATIENCE, lines.next_line()).await.expect("in time");
        answers.push(serde_json::from_str(&line.expect("readable").expect("an answer")).expect("JSON"));
    }
    assert!(
        answers[0]["error"]["code"] == -32600 || answers[0]["error"]["code"] == -32700,
        "{answers:?}"
    );
    assert!(answers[0]["id"].is_null());
    assert_eq!(answers[1], json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert_eq!(answers[2]["error"]["code"], -32700);
    let grown = process::resident().saturating_sub(before);
    assert!(grown < 64 << 20, "{} MB were held", grown >> 20);
    shutdown.cancel();
    gateway.stop().await;
}

#[tokio::test]
async fn wrong_content_types_and_methods_are_refused_by_status() {
    let (gateway, door, mut connection, session) = with_a_session().await;
    let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for (header, media, status) in [
        ("Content-Type", "text/plain", 415),
        ("Content-Type", "application/x-www-form-urlencoded", 415),
        ("Content-Type", "multipart/form-data; boundary=x", 415),
        ("Accept", "text/html", 406),
    ] {
        let headers = [("Mcp-Session-Id", session.as_str()), (header, media)];
        let answered = connection.post(&headers, ping).await;
        assert_eq!(answered.status, status, "{header} {media}: {answered:?}");
    }
    let answered = connection.send("PUT", &[("Content-Length", "0")]).await;
    assert_eq!(answered.status, 405);
    assert!(answered.header("allow").is_some());
    let answered = connection.post(&[("Origin", "https://evil.example")], ping).await;
    assert_eq!(answered.status, 403);
    still_works(&mut connection, &session).await;
    door.close().await;
    gateway.stop().await;
}

#[tokio::test]
async fn sessions_that_are_unknown_or_somebody_elses_are_not_found() {
    let gateway = gateway().upstream("echo", echo(Era::Legacy, Wire::Pipe)).start();
    let door = gateway
        .door(|options| {
            options.tokens = ["ann", "bob"]
                .map(|name| transport::http::Token {
                    secret: model::Secret::new(format!("secret-of-{name}")),
                    principal: model::Principal::named(name),
                })
                .to_vec();
        })
        .await;
    let (ann, bob) = (("Authorization", "Bearer secret-of-ann"), ("Authorization", "Bearer secret-of-bob"));
    let mut connection = Connection::open(door.address).await;
    assert_eq!(connection.post(&[], HELLO.as_bytes()).await.status, 401);
    assert_eq!(
        connection.post(&[("Authorization", "Bearer guess")], HELLO.as_bytes()).await.status,
        401
    );
    let session = connection
        .post(&[ann], HELLO.as_bytes())
        .await
        .header("mcp-session-id")
        .expect("a session");
    let hers = ("Mcp-Session-Id", session.as_str());
    let ping = br#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
    let list = br#"{"jsonrpc":"2.0","id":"l","method":"tools/list"}"#;

    for (who, id) in [(bob, session.as_str()), (ann, "0123456789abcdef"), (ann, "")] {
        let answered = connection.post(&[who, ("Mcp-Session-Id", id)], list).await;
        assert!(matches!(answered.status, 404 | 400), "{id}: {answered:?}");
        assert_eq!(answered.json()["id"], "l", "the error names the request");
        assert!(answered.code().is_some());
        let status = connection
            .send("GET", &[who, ("Mcp-Session-Id", id), ("Accept", "text/event-stream")])
            .await
            .status;
        assert!(matches!(status, 404 | 400 | 405), "{status}");
        let status = connection.send("DELETE", &[who, ("Mcp-Session-Id", id)]).await.status;
        assert!(matches!(status, 404 | 400 | 405), "{status}");
    }
    assert_eq!(connection.post(&[bob, hers], list).await.status, 404);
    let answered = connection.post(&[ann], list).await;
    assert_eq!((answered.status, answered.code()), (400, Some(-32600)), "no session at all");
    assert_eq!(
        connection.post(&[ann, hers], ping).await.status,
        200,
        "ann's session has survived it all"
    );
    assert_eq!(connection.send("DELETE", &[ann, hers]).await.status / 100, 2);
    assert_eq!(connection.post(&[ann, hers], list).await.status, 404);
    door.close().await;
    gateway.stop().await;
}

#[tokio::test]
async fn headers_that_contradict_the_body_are_a_header_mismatch() {
    let gateway = gateway().upstream("echo", echo(Era::Modern, Wire::Http)).start();
    let door = gateway.door(|_| {}).await;
    let mut connection = Connection::open(door.address).await;
    let body = modern_call("\"m\"", "say");
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let (method, name) = (("Mcp-Method", "tools/call"), ("Mcp-Name", "say"));
    let cases: [&[(&str, &str)]; 7] = [
        &[version, ("Mcp-Method", "tools/list"), name],
        &[version, method, ("Mcp-Name", "other")],
        &[version, method],
        &[version, name],
        &[("MCP-Protocol-Version", "2025-11-25"), method, name],
        &[method, name],
        &[version, method, ("Mcp-Name", "=?base64?!!!?=")],
    ];
    for headers in cases {
        let answered = is_refused(&mut connection, headers, &body, 400, -32020).await;
        assert_eq!(answered.json()["id"], "m");
    }
    let answered = connection
        .post(&[version, method, ("Mcp-Name", "=?base64?c2F5?=")], body.as_bytes())
        .await;
    assert_eq!(answered.status, 200, "the sentinel is decoded before it is compared: {answered:?}");
    let unknown = body.replace("2026-07-28", "2099-01-01");
    let later = ("MCP-Protocol-Version", "2099-01-01");
    is_refused(&mut connection, &[later, method, name], &unknown, 400, -32022).await;
    let missing = body.replace(r#","io.modelcontextprotocol/clientCapabilities":{}"#, "");
    is_refused(&mut connection, &[version, method, name], &missing, 400, -32602).await;
    let nowhere = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"no/such","params":{{"_meta":{MODERN}}}}}"#);
    is_refused(&mut connection, &[version, ("Mcp-Method", "no/such")], &nowhere, 404, -32601).await;
    assert_eq!(connection.post(&[version, method, name], body.as_bytes()).await.status, 200);
    assert_eq!(gateway.server("echo").count_of("tools/call"), 2, "only the good ones arrived");
    door.close().await;
    gateway.stop().await;
}

#[tokio::test]
async fn an_id_that_is_in_flight_is_refused_and_may_be_used_again_later() {
    for (era, wire) in [(Era::Legacy, Wire::Pipe), (Era::Legacy, Wire::Http), (Era::Modern, Wire::Pipe)] {
        let script = echo(Era::Legacy, Wire::Pipe).tool("slow", [testkit::Step::gate("go"), testkit::Step::text("slow")]);
        let gateway = gateway().upstream("echo", script).start();
        let client = gateway.client(era, wire).ready().await;
        let params = |name: &str| {
            client
                .dressed(Some(json!({"name": name, "arguments": {}}).to_string()))
                .expect("params")
        };
        let frame = |name: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}}"#,
                params(name).text()
            )
        };
        let id = jsonrpc::Id::number(7);
        let next = async |what: &str| client.mailbox().take(what, |a| a.answers(&id)).await;
        client.send(frame("slow")).await;
        gateway.server("echo").nth("tools/call", 1).await;
        client.send(frame("say")).await;
        let refused = next("the refusal").await.message.expect("a message");
        assert!(refused.is_error(), "{era:?} {wire:?}: {refused:?}");
        gateway.server("echo").open_gate("go");
        let answered = next("the first answer").await.message.expect("a message");
        assert!(!answered.is_error(), "{answered:?}");
        client.send(frame("say")).await;
        let again = next("the second answer").await.message.expect("a message");
        assert!(!again.is_error(), "{again:?}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_pipe_survives_every_kind_of_nonsense() {
    let gateway = gateway().upstream("echo", echo(Era::Legacy, Wire::Pipe)).start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).open();
    let deep = "[".repeat(1_000_000);
    let cases: [(&str, i64); 6] = [
        ("{", -32700),
        (&deep, -32700),
        ("null", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
    ];
    for (frame, code) in cases {
        client.send(frame.to_owned()).await;
        let refused = client
            .mailbox()
            .take("a refusal", |a| a.message.as_ref().is_some_and(jsonrpc::Message::is_error))
            .await;
        let error = refused
            .message
            .and_then(|message| message.error_raw())
            .expect("an error")
            .to_value();
        assert_eq!(error["code"], code, "{}", &frame[..frame.len().min(60)]);
    }
    // An answer to no question, and notifications without a meaning, are ignored.
    client.send(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#).await;
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12}}"#)
        .await;
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/no_such_thing"}"#).await;
    client.hello().await;
    let again = client
        .start(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}),
        )
        .await;
    assert_eq!(client.reply(&again).await.error().0, -32600, "a second hello is refused");
    assert_eq!(client.request("no/such", json!({})).await.error().0, -32601);
    assert_eq!(client.request("tools/call", json!({"name": "no such"})).await.error().0, -32602);
    assert_eq!(client.request("tools/call", json!({"name": 7})).await.error().0, -32602);
    assert_eq!(client.request("tools/list", json!({"cursor": "forged"})).await.error().0, -32602);
    assert_eq!(client.call("say", json!({"a": 1})).await.said()["a"], 1);
    gateway.stop().await;
}

#[tokio::test]
async fn batches_are_for_the_one_revision_that_has_them() {
    let gateway = gateway().upstream("echo", echo(Era::Legacy, Wire::Pipe)).start();
    let client = gateway
        .client(Era::Legacy, Wire::Http)
        .revision(Revision::V2025_03_26)
        .connect()
        .await;
    let door = gateway.door(|_| {}).await;
    let mut connection = Connection::open(door.address).await;
    let session = client.session().expect("a session").to_owned();
    let call =
        |id: u32| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"say","arguments":{{"n":{id}}}}}}}"#);
    let batch = format!(
        r#"[{},{{"jsonrpc":"2.0","method":"notifications/x"}},{{"bad":1}},{}]"#,
        call(1),
        call(2)
    );
    let answered = connection.post(&[("Mcp-Session-Id", &session)], batch.as_bytes()).await;
    assert_eq!(answered.status, 200);
    let answers = answered.json();
    let answers = answers.as_array().expect("an array");
    assert_eq!(answers.len(), 3, "{answers:?}");
    for id in [1, 2] {
        let answer = answers.iter().find(|answer| answer["id"] == id).expect("an answer");
        assert_eq!(said(&answer["result"])["n"], id);
    }
    assert!(answers.iter().any(|answer| answer["error"]["code"] == -32600));
    let newer = gateway.client(Era::Legacy, Wire::Http).connect().await;
    let answered = connection
        .post(&[("Mcp-Session-Id", newer.session().expect("a session"))], batch.as_bytes())
        .await;
    assert_eq!((answered.status, answered.code()), (400, Some(-32600)));
    door.close().await;
    gateway.stop().await;
}

/// On a pipe the answers come as one array, in a frame of their own.
#[tokio::test]
async fn a_batch_on_a_pipe_is_answered_by_a_batch() {
    let gateway = gateway().upstream("echo", echo(Era::Legacy, Wire::Pipe)).start();
    let (outgoing, mut answers) = tokio::sync::mpsc::channel(64);
    let pipe = kernel::front::Front::open(&gateway.kernel, model::Principal::local().into(), outgoing);
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    pipe.receive(hello.into()).await;
    let mut next = async || -> Value {
        let frame = tokio::time::timeout(testkit::PATIENCE, answers.recv())
            .await
            .expect("in time")
            .expect("a frame");
        assert!(!frame.contains(&b'\n'), "one line: {frame:?}");
        serde_json::from_slice(&frame).expect("JSON")
    };
    assert_eq!(next().await["result"]["protocolVersion"], "2025-03-26");
    let call = r#"{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"say","arguments":{"n":1.0}}}"#;
    let batch = format!(
        r#"[{call},{{"jsonrpc":"2.0","method":"notifications/initialized"}},{{"jsonrpc":"2.0","id":2,"method":"ping"}},{{"jsonrpc":"2.0","id":3,"method":"no/such"}}]"#
    );
    pipe.receive(batch.into()).await;
    let answered = next().await;
    let answered = answered.as_array().expect("an array");
    let of = |id: Value| answered.iter().find(|answer| answer["id"] == id).expect("an answer");
    assert_eq!(answered.len(), 3, "a notification is not answered: {answered:?}");
    assert_eq!(said(&of(json!("c"))["result"])["n"].to_string(), "1.0");
    assert_eq!(of(json!(2))["result"], json!({}));
    assert_eq!(of(json!(3))["error"]["code"], -32601);
    // Nothing is said about notifications only; what comes next is the answer to what was asked next.
    pipe.receive(r#"[{"jsonrpc":"2.0","method":"notifications/x"}]"#.into()).await;
    pipe.receive(r#"{"jsonrpc":"2.0","id":4,"method":"ping"}"#.into()).await;
    assert_eq!(next().await["id"], 4);
    pipe.closed();
    gateway.stop().await;
}

#[tokio::test]
async fn a_head_that_never_ends_is_given_up() {
    let gateway = gateway().upstream("echo", echo(Era::Legacy, Wire::Pipe)).start();
    let door = gateway
        .door(|options| options.limits.head_timeout = Duration::from_millis(100))
        .await;
    let mut connection = Connection::open(door.address).await;
    connection.write(b"POST /mcp HTTP/1.1\r\nHost: loc").await;
    let mut flood = Connection::open(door.address).await;
    flood.write(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ").await;
    for _ in 0..64 {
        if !flood.write(&[b'x'; 4096]).await {
            break;
        }
    }
    let answered = flood.answer().await;
    assert!(matches!(answered.status, 431 | 400), "{answered:?}");
    while !connection.is_closed().await {}
    door.close().await;
    gateway.stop().await;
}

/// What policy judged is what is sent: a key that stands twice could be read in two ways.
#[tokio::test]
async fn keys_that_stand_twice_where_rules_read_are_refused() {
    for (server_era, (era, wire)) in pairs(ERAS, WAYS) {
        let gateway = gateway()
            .upstream("echo", echo(server_era, Wire::Pipe).tool("other", [testkit::Step::text("other")]))
            .start();
        let client = gateway.client(era, wire).ready().await;
        let meta = if era == Era::Modern { MODERN } else { "{}" };
        let inside = &meta[1..];
        let comma = if inside == "}" { "" } else { "," };
        let cases = [
            format!(r#"{{"name":"say","name":"other","arguments":{{}},"_meta":{meta}}}"#),
            format!(r#"{{"name":"say","n\u0061me":"other","arguments":{{}},"_meta":{meta}}}"#),
            format!(r#"{{"name":"say","arguments":{{}},"\u005fmeta":{{}},"_meta":{meta}}}"#),
            format!(r#"{{"name":"say","arguments":{{}},"_meta":{{"progressToken":1,"progressT\u006fken":2{comma}{inside}}}"#),
        ];
        for params in cases {
            let frame = format!(r#"{{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{params}}}"#);
            client.send(frame).await;
            let id = jsonrpc::Id::number(77);
            let answered = client.mailbox().take(&params, |a| a.answers(&id)).await.message.expect("a message");
            assert!(
                answered.is_error(),
                "{era:?} {wire:?} to {server_era:?}: {params} was answered {answered:?}"
            );
        }
        assert!(
            gateway.server("echo").received_of("tools/call").is_empty(),
            "{era:?} {wire:?} to {server_era:?}"
        );
        assert_eq!(client.call("say", json!({"a": 1})).await.said()["a"], 1);
        gateway.stop().await;
    }
}
