//! What a listener does with requests, and with the front's answers.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use kernel::front::{Answer, Events};
use model::Principal;
use transport::http::{ListenLimits, ListenOptions};
use upstream::link::Event;

use crate::front::{Gateway, Seen, event, message};
use crate::raw::{Raw, ask, post};
use crate::soon;

#[tokio::test]
async fn headers_reach_the_front() {
    let mut gateway = Gateway::start(ListenOptions::default(), |_| {
        Some(Answer::Message {
            status: 404,
            session: Some("new-session".into()),
            body: Bytes::from_static(b"{\"x\":1}"),
        })
    })
    .await;
    let headers = "mcp-SESSION-id: s1\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name:   get weather  \r\n\
        Mcp-Param-Region: us-west1\r\nMcp-Param-N: 1\r\nTraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n\
        Tracestate: a=b\r\nBaggage: c=d\r\nX-Other: x\r\n";
    let response = ask(gateway.address, post(headers, "{\"id\":1}")).await;
    assert_eq!(
        (response.status, response.header("mcp-session-id"), response.body.as_str()),
        (404, Some("new-session"), "{\"x\":1}")
    );
    assert_eq!(response.header("content-type"), Some("application/json"));
    let Seen::Post(seen) = gateway.next().await else { panic!("a POST") };
    assert_eq!(seen.who.principal, Principal::local());
    assert_eq!(seen.session.as_deref(), Some("s1"));
    assert_eq!(seen.mirrors.revision.as_deref(), Some("2026-07-28"));
    assert_eq!(seen.mirrors.method.as_deref(), Some("tools/call"));
    assert_eq!(seen.mirrors.name.as_deref(), Some("get weather"));
    assert_eq!(
        seen.mirrors.params,
        [("region".to_owned(), "us-west1".to_owned()), ("n".to_owned(), "1".to_owned())]
    );
    assert_eq!(seen.trace.id(), Some("0af7651916cd43dd8448eb211c80319c"));
    assert_eq!(
        (seen.trace.state.as_deref(), seen.trace.baggage.as_deref()),
        (Some("a=b"), Some("c=d"))
    );
    assert!(seen.accepts_events);
    assert_eq!(seen.body, "{\"id\":1}");
    // Two values can't be told from a forged second one: they match nothing.
    ask(gateway.address, post("Mcp-Name: a\r\nMcp-Name: b\r\n", "{}")).await;
    let Seen::Post(seen) = gateway.next().await else { panic!("a POST") };
    assert_eq!(seen.mirrors.name.as_deref(), Some("a, b"));
}

#[tokio::test]
async fn media_types_are_checked() {
    let mut gateway = Gateway::ok(ListenOptions::default()).await;
    for (headers, status, events) in [
        ("", 200, true),
        ("Accept: */*\r\n", 200, true),
        ("Accept: application/json\r\n", 200, false),
        ("Accept: text/event-stream\r\n", 406, false),
        ("Accept: text/html\r\n", 406, false),
        ("Content-Type: application/json; charset=utf-8\r\n", 200, true),
        ("Content-Type: text/plain\r\n", 415, false),
        ("Content-Type: application/x-www-form-urlencoded\r\n", 415, false),
        ("Content-Type: \r\n", 415, false),
        ("Content-Type: application/json\r\nContent-Type: text/plain\r\n", 415, false),
    ] {
        let response = ask(gateway.address, post(headers, "{}")).await;
        assert_eq!(response.status, status, "{headers:?}");
        if status == 200 {
            let Seen::Post(seen) = gateway.next().await else { panic!("a POST") };
            assert_eq!(seen.accepts_events, events, "{headers:?}");
        } else {
            assert!(response.body.contains(r#""error":{"code":-32600"#), "{response:?}");
        }
    }
    let none = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}";
    assert_eq!(ask(gateway.address, none).await.status, 415);
    let get = "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n";
    assert_eq!(ask(gateway.address, get).await.status, 406);
}

#[tokio::test]
async fn methods_and_paths() {
    let mut gateway = Gateway::ok(ListenOptions::default()).await;
    for (line, status, allow) in [
        ("PUT /mcp", 405, Some("post, get, delete")),
        ("PATCH /mcp", 405, Some("post, get, delete")),
        ("OPTIONS /mcp", 405, Some("post, get, delete")),
        ("HEAD /mcp", 405, Some("post, get, delete")),
        ("POST /healthz", 405, Some("get, head")),
        ("POST /metrics", 405, Some("get")),
        ("GET /", 404, None),
        ("GET /mcpx", 404, None),
        ("GET /sse", 404, None),
        ("POST /messages", 404, None),
        ("DELETE /mcp", 400, None),
    ] {
        let mut client = Raw::connect(gateway.address).await;
        client.write(format!("{line} HTTP/1.1\r\nHost: localhost\r\n\r\n")).await;
        let response = client.head().await;
        assert_eq!((response.status, response.header("allow")), (status, allow), "{line}");
    }
    let response = ask(
        gateway.address,
        "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: s1\r\n\r\n",
    )
    .await;
    assert_eq!(response.status, 204);
    let Seen::Delete(principal, session) = gateway.next().await else {
        panic!("a DELETE")
    };
    assert_eq!((principal, session.as_str()), (Principal::local(), "s1"));
}

#[tokio::test]
async fn probes_and_metrics() {
    let gateway = Gateway::ok(ListenOptions::default()).await;
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(ask(gateway.address, get("/healthz")).await.body, "alive\n");
    assert_eq!(ask(gateway.address, get("/readyz")).await.status, 200);
    gateway.script.ready.store(false, Ordering::Relaxed);
    let response = ask(gateway.address, get("/readyz")).await;
    assert_eq!((response.status, response.body.as_str()), (503, "the catalogue is still loading\n"));
    let response = ask(gateway.address, get("/metrics")).await;
    assert_eq!(response.body, "requests 1\n# EOF\n");
    assert!(
        response
            .header("content-type")
            .is_some_and(|kind| kind.starts_with("application/openmetrics-text"))
    );
}

#[tokio::test]
async fn one_connection_serves_many_requests_also_pipelined() {
    let gateway = Gateway::start(ListenOptions::default(), |post| {
        Some(message(std::str::from_utf8(&post.body).expect("text")))
    })
    .await;
    let mut client = Raw::connect(gateway.address).await;
    for n in 0..100 {
        assert_eq!(client.ask(post("", &format!("{{\"n\":{n}}}"))).await.body, format!("{{\"n\":{n}}}"));
    }
    client.write(post("", "{\"a\":1}") + &post("", "{\"b\":2}")).await;
    assert_eq!(client.response().await.body, "{\"a\":1}");
    assert_eq!(client.response().await.body, "{\"b\":2}");
}

#[tokio::test]
async fn notifications_are_answered_without_a_body() {
    let gateway = Gateway::start(ListenOptions::default(), |_| Some(Answer::Empty { status: 202 })).await;
    let response = ask(gateway.address, post("", "{}")).await;
    assert_eq!(
        (response.status, response.header("content-length"), response.header("content-type")),
        (202, Some("0"), None)
    );
}

/// Reads one chunk, without its framing.
async fn chunk(client: &mut Raw) -> String {
    let size = client.until("\r\n").await;
    let size = usize::from_str_radix(size.trim(), 16).expect("a size");
    while client.read.len() < size + 2 {
        assert!(client.more().await, "the chunk was cut");
    }
    let data: Vec<u8> = client.read.drain(..size + 2).collect();
    String::from_utf8(data[..size].to_vec()).expect("text")
}

#[tokio::test]
async fn events_are_streamed_as_they_come() {
    let (sender, events) = Events::channel(8);
    let events = std::sync::Mutex::new(Some(events));
    let gateway = Gateway::start(ListenOptions::default(), move |_| {
        Some(Answer::Events {
            session: Some("s2".into()),
            events: events.lock().expect("no panic").take().expect("one request"),
        })
    })
    .await;
    let mut client = Raw::connect(gateway.address).await;
    client.write(post("", "{}")).await;
    // The head comes before any event.
    let response = client.head().await;
    assert_eq!(response.status, 200);
    for (name, value) in [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-cache"),
        ("x-accel-buffering", "no"),
        ("mcp-session-id", "s2"),
        ("transfer-encoding", "chunked"),
    ] {
        assert_eq!(response.header(name), Some(value));
    }
    let priming = Event {
        id: Some("e-1".to_owned()),
        data: Bytes::new(),
        retry: Some(Duration::from_millis(500)),
    };
    sender.send(priming).await.expect("a stream");
    assert_eq!(chunk(&mut client).await, "id: e-1\nretry: 500\ndata: \n\n");
    sender.send(event("{\"a\":\n1}")).await.expect("a stream");
    assert_eq!(chunk(&mut client).await, "event: message\ndata: {\"a\":\ndata: 1}\n\n");
    let large = format!("\"{}\"", "x".repeat(100_000));
    sender.send(event(&large)).await.expect("a stream");
    let mut all = String::new();
    while !all.ends_with("\n\n") {
        all += &chunk(&mut client).await;
    }
    assert_eq!(all, format!("event: message\ndata: {large}\n\n"));
    drop(sender);
    assert_eq!(chunk(&mut client).await, "");
    // And the connection serves the next request.
    assert_eq!(client.ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.status, 200);
}

#[tokio::test]
async fn quiet_streams_carry_comments() {
    let mut gateway = Gateway::ok(ListenOptions {
        limits: ListenLimits {
            keep_alive: Duration::from_millis(5),
            ..ListenLimits::default()
        },
        ..ListenOptions::default()
    })
    .await;
    let mut client = Raw::connect(gateway.address).await;
    client.write("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: s\r\nMCP-Protocol-Version: 2025-11-25\r\nLast-Event-ID: e-7\r\n\r\n").await;
    assert_eq!(client.head().await.status, 200);
    let Seen::Listen(listen) = gateway.next().await else {
        panic!("a GET")
    };
    assert_eq!(listen.session.as_deref(), Some("s"));
    assert_eq!(listen.revision.as_deref(), Some("2025-11-25"));
    assert_eq!(listen.last_event.as_deref(), Some("e-7"));
    for _ in 0..3 {
        assert_eq!(chunk(&mut client).await, ":\n\n");
    }
    let sender = gateway.script.stream.lock().expect("no panic").clone().expect("a stream");
    sender.send(event("{}")).await.expect("a stream");
    client.until("data: {}\n\n").await;
}

#[tokio::test]
async fn a_client_that_goes_drops_its_request_and_its_stream() {
    let mut gateway = Gateway::start(ListenOptions::default(), |_| None).await;
    let mut client = Raw::connect(gateway.address).await;
    client.write(post("", "{}")).await;
    assert!(matches!(gateway.next().await, Seen::Post(_)));
    drop(client);
    assert!(matches!(gateway.next().await, Seen::PostDropped));

    let mut client = Raw::connect(gateway.address).await;
    client
        .write("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        .await;
    client.head().await;
    assert!(matches!(gateway.next().await, Seen::Listen(_)));
    let sender = gateway.script.stream.lock().expect("no panic").clone().expect("a stream");
    drop(client);
    soon(sender.closed()).await;
}

#[tokio::test]
async fn shutdown_finishes_requests_and_ends_streams() {
    let (release, released) = tokio::sync::watch::channel(false);
    let mut gateway = Gateway::start(ListenOptions::default(), move |_| {
        let (sender, events) = Events::channel(1);
        let mut released = released.clone();
        tokio::spawn(async move {
            released.wait_for(|released| *released).await.expect("a release");
            sender.send(event("{\"last\":1}")).await.expect("a stream");
        });
        Some(Answer::Events { session: None, events })
    })
    .await;
    let mut idle = Raw::connect(gateway.address).await;
    assert_eq!(idle.ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.status, 200);
    let mut fresh = Raw::connect(gateway.address).await;
    let mut listening = Raw::connect(gateway.address).await;
    listening
        .write("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
        .await;
    listening.head().await;
    let mut busy = Raw::connect(gateway.address).await;
    busy.write(post("", "{}")).await;
    busy.head().await;

    gateway.shutdown.cancel();
    assert_eq!(idle.rest().await, "");
    assert_eq!(fresh.rest().await, "");
    assert_eq!(listening.rest().await, "0\r\n\r\n");
    assert!(!gateway.serving.is_finished(), "a request is still being answered");
    release.send(true).expect("the server waits");
    let rest = busy.rest().await;
    assert!(rest.contains("data: {\"last\":1}") && rest.ends_with("0\r\n\r\n"), "{rest:?}");
    soon(&mut gateway.serving).await.expect("the listener ends");
    assert!(
        tokio::net::TcpStream::connect(gateway.address).await.is_err(),
        "nobody listens any more"
    );
}

#[tokio::test]
async fn past_the_deadline_a_drain_cuts() {
    let mut gateway = Gateway::start(
        ListenOptions {
            limits: ListenLimits {
                drain: Duration::from_millis(30),
                ..ListenLimits::default()
            },
            ..ListenOptions::default()
        },
        |_| None,
    )
    .await;
    let mut client = Raw::connect(gateway.address).await;
    client.write(post("", "{}")).await;
    assert!(matches!(gateway.next().await, Seen::Post(_)));
    gateway.shutdown.cancel();
    soon(&mut gateway.serving).await.expect("the listener ends");
    assert_eq!(client.rest().await, "");
    assert!(matches!(gateway.next().await, Seen::PostDropped));
    assert_eq!(Arc::strong_count(&gateway.script), 1, "nothing of the listener is left");
}
