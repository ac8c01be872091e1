//! Streamable HTTP towards servers that answer well and badly.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mcp::mirror::Mirrors;
use model::{Secret, Trace};
use transport::{ClientLimits, Outbound};
use upstream::link::{Connector, Event, HttpLink, Link, LinkError, OutPost, Reply, ReplyBody};
use upstream::spec::HttpKind;

use crate::soon;
use crate::upstream::{Collector, Then, Upstream, http_spec};

async fn connect_with(url: &str, headers: &[(&str, &str)], limits: ClientLimits) -> Result<Arc<dyn HttpLink>, LinkError> {
    let headers = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), Secret::new(*value)))
        .collect::<BTreeMap<_, _>>();
    let outbound = Outbound::new(limits, None);
    match outbound
        .connect(&http_spec(url, HttpKind::Auto, headers), Arc::new(Collector::default()))
        .await?
    {
        Link::Http(link) => Ok(link),
        Link::Pipe(_) => panic!("an HTTP link"),
    }
}

async fn connect(url: &str) -> Arc<dyn HttpLink> {
    connect_with(url, &[], ClientLimits::default()).await.expect("a link")
}

fn out(body: &str) -> OutPost {
    OutPost {
        body: Bytes::copy_from_slice(body.as_bytes()),
        ..OutPost::default()
    }
}

async fn post(link: &Arc<dyn HttpLink>, body: &str) -> Result<Reply, LinkError> {
    soon(link.post(out(body))).await
}

fn json(body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into()
}

fn body_of(reply: Reply) -> Bytes {
    match reply.body {
        ReplyBody::Json(body) => body,
        other => panic!("JSON, not {other:?}"),
    }
}

#[tokio::test]
async fn a_post_carries_its_headers() {
    let mut server = Upstream::start(|_| {
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nMcp-Session-Id: s9\r\nContent-Length: 2\r\n\r\n{}"
                .to_vec(),
            Then::Keep,
        )
    })
    .await;
    let link = connect_with(
        &server.url("/a/mcp?key=1"),
        &[("Authorization", "Bearer up"), ("X-Team", "blue ")],
        ClientLimits::default(),
    )
    .await
    .expect("a link");
    let post = OutPost {
        permit: None,
        body: Bytes::from_static(b"{\"id\":1}"),
        session: Some("s1".into()),
        mirrors: Mirrors {
            revision: Some("2026-07-28".to_owned()),
            method: Some("tools/call".to_owned()),
            name: Some("=?base64?w6k=?=".to_owned()),
            params: vec![("Region".to_owned(), "us-west1".to_owned())],
        },
        trace: Trace {
            parent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
            state: Some("a=b".to_owned()),
            baggage: Some("c=d".to_owned()),
            named: None,
        },
    };
    let reply = soon(link.post(post)).await.expect("a reply");
    assert_eq!((reply.status, reply.session.as_deref()), (200, Some("s9")));
    assert_eq!(body_of(reply), "{}");
    let text = server.next().await.text;
    assert!(
        text.starts_with("POST /a/mcp?key=1 HTTP/1.1\r\n") && text.ends_with("\r\n\r\n{\"id\":1}"),
        "{text}"
    );
    let address = server.address;
    for line in [
        &format!("host: {address}"),
        "accept: application/json, text/event-stream",
        "content-type: application/json",
        "content-length: 8",
        "authorization: Bearer up",
        "x-team: blue",
        "mcp-session-id: s1",
        "mcp-protocol-version: 2026-07-28",
        "mcp-method: tools/call",
        "mcp-name: =?base64?w6k=?=",
        "mcp-param-region: us-west1",
        "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "tracestate: a=b",
        "baggage: c=d",
    ] {
        assert_eq!(text.matches(&format!("\r\n{line}\r\n")).count(), 1, "{line} in {text}");
    }
    assert!(!text.to_ascii_lowercase().contains("accept-encoding"), "{text}");
}

#[tokio::test]
async fn get_and_delete_carry_theirs() {
    let mut server = Upstream::start(|_| (b"HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n".to_vec(), Then::Keep)).await;
    let link = connect(&server.url("/mcp")).await;
    let reply = soon(link.listen(Some("s1"), "2025-11-25", Some("e-1"))).await.expect("a reply");
    assert!(matches!((reply.status, reply.body), (405, ReplyBody::Other(text)) if text.is_empty()));
    let text = server.next().await.text.to_ascii_lowercase();
    for line in [
        "get /mcp http/1.1",
        "accept: text/event-stream",
        "mcp-session-id: s1",
        "mcp-protocol-version: 2025-11-25",
        "last-event-id: e-1",
    ] {
        assert!(text.contains(&format!("{line}\r\n")), "{line} in {text}");
    }
    soon(link.delete("s1", "2025-11-25")).await;
    let text = server.next().await.text;
    assert!(
        text.starts_with("DELETE /mcp HTTP/1.1\r\n") && text.contains("mcp-session-id: s1\r\n"),
        "{text}"
    );
}

#[tokio::test]
async fn a_connection_is_used_again_after_every_kind_of_answer() {
    let mut server = Upstream::start(|arrived| {
        let answer: &[u8] = match arrived.request % 5 {
            0 => b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
            1 => b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
            2 => b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n",
            3 => b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nA\r\ndata: {}\n\n\r\n0\r\n\r\n",
            _ => b"HTTP/1.1 400 Bad\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nbad",
        };
        (answer.to_vec(), Then::Keep)
    })
    .await;
    let link = connect(&server.url("/mcp")).await;
    for request in 0..25 {
        match post(&link, "{}").await.expect("a reply").body {
            ReplyBody::Json(body) => assert_eq!(body, "{}"),
            ReplyBody::Other(text) => assert!(["", "bad"].contains(&text.as_str())),
            ReplyBody::Events(mut events) => {
                assert_eq!(soon(events.next()).await.expect("an event").expect("no error").data, "{}");
                assert!(soon(events.next()).await.is_none());
            }
        }
        let arrived = server.next().await;
        assert_eq!((arrived.connection, arrived.request), (0, request));
    }
}

#[tokio::test]
async fn concurrent_exchanges_have_a_connection_each() {
    let mut server = Upstream::start(|arrived| {
        if arrived.text.contains("wait") {
            (Vec::new(), Then::Hold)
        } else {
            (json("{}"), Then::Keep)
        }
    })
    .await;
    let link = connect(&server.url("/mcp")).await;
    let waiting = {
        let link = Arc::clone(&link);
        tokio::spawn(async move { drop(link.post(out("wait")).await) })
    };
    assert_eq!(server.next().await.connection, 0);
    post(&link, "{}").await.expect("a reply");
    post(&link, "{}").await.expect("a reply");
    assert_eq!(server.next().await.connection, 1);
    assert_eq!(server.next().await.connection, 1);
    waiting.abort();
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_replaced_unnoticed() {
    let mut server = Upstream::start(|arrived| (json(&arrived.connection.to_string()), Then::Close)).await;
    let link = connect(&server.url("/mcp")).await;
    for connection in 0..10 {
        // Announces nothing and closes: the next request must notice, before or after taking the connection.
        let reply = post(&link, "{}").await;
        match reply {
            Ok(reply) => assert!(body_of(reply).len() == 1),
            // The close crossed the request, which may have been read: that is for the kernel to judge.
            Err(LinkError::Broken(_)) => {}
            Err(other) => panic!("{other} at {connection}"),
        }
        server.next().await;
    }
}

#[tokio::test]
async fn announced_ends_are_heeded() {
    let mut server = Upstream::start(|arrived| {
        let kept = ["Connection: close\r\n", "Keep-Alive: timeout=1\r\n"][arrived.connection.min(1)];
        (
            format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{kept}Content-Length: 2\r\n\r\n{{}}").into(),
            Then::Keep,
        )
    })
    .await;
    let link = connect(&server.url("/mcp")).await;
    for connection in 0..3 {
        post(&link, "{}").await.expect("a reply");
        assert_eq!(server.next().await.connection, connection);
    }
}

#[tokio::test]
async fn what_was_not_sent_and_what_may_have_been_are_told_apart() {
    // No server listens.
    let unused = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/mcp", unused.local_addr().expect("bound"));
    drop(unused);
    let error = post(&connect(&url).await, "{}").await.map(drop).expect_err("nobody");
    assert!(matches!(&error, LinkError::Unreachable(why) if why.contains("refused")), "{error}");
    // Reads the request and goes.
    for answer in [
        "",
        "HTTP/1.1 2",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{\"a\"",
        "garbage\r\n\r\n",
    ] {
        let server = Upstream::start(move |_| (answer.into(), Then::Close)).await;
        let error = post(&connect(&server.url("/")).await, "{}").await.map(drop).expect_err("no answer");
        assert!(matches!(error, LinkError::Broken(_)), "{answer:?}: {error}");
    }
    // A stream that breaks off.
    let server = Upstream::start(|_| {
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n5\r\nda".to_vec(),
            Then::Close,
        )
    })
    .await;
    let Ok(Reply {
        body: ReplyBody::Events(mut events),
        ..
    }) = post(&connect(&server.url("/")).await, "{}").await
    else {
        panic!("events")
    };
    assert_eq!(soon(events.next()).await.expect("an event").expect("no error").data, "1");
    assert!(matches!(soon(events.next()).await, Some(Err(LinkError::Broken(_)))));
    assert!(soon(events.next()).await.is_none());
}

#[tokio::test]
async fn answers_come_before_a_large_request_is_read() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("bound"));
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a client");
        let mut start = [0; 1024];
        tokio::io::AsyncReadExt::read(&mut stream, &mut start).await.expect("a request");
        let answer = b"HTTP/1.1 413 Too Large\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
        tokio::io::AsyncWriteExt::write_all(&mut stream, answer).await.expect("a reader");
        // Open, and read no further.
        std::future::pending::<()>().await;
    });
    let reply = post(&connect(&url).await, &"x".repeat(8 * 1024 * 1024)).await.expect("a reply");
    assert_eq!(reply.status, 413);
    server.abort();
}

#[tokio::test]
async fn answers_over_the_limit_are_refused() {
    let long = "x".repeat(2000);
    let announced = json(&long);
    let chunked = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n{}\r\n3e8\r\n{}\r\n0\r\n\r\n",
        &long[..1000],
        &long[1000..]
    );
    let to_the_end = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{long}");
    let events = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {long}\n\n");
    let limits = ClientLimits {
        max_message: 1500,
        ..ClientLimits::default()
    };
    for answer in [announced, chunked.into(), to_the_end.into(), events.into()] {
        let server = Upstream::start(move |_| (answer.clone(), Then::Close)).await;
        let link = connect_with(&server.url("/"), &[], limits.clone()).await.expect("a link");
        let error = match post(&link, "{}").await {
            Ok(Reply {
                body: ReplyBody::Events(mut events),
                ..
            }) => soon(events.next()).await.expect("an end").expect_err("too large"),
            other => other.map(drop).expect_err("too large"),
        };
        assert!(matches!(error, LinkError::TooLarge(1500)), "{error}");
    }
    // The start of anything else is shown.
    let server = Upstream::start(|_| {
        (
            format!("HTTP/1.1 502 Bad\r\nContent-Type: text/html\r\n\r\n{}", "<p>".repeat(100_000)).into(),
            Then::Hold,
        )
    })
    .await;
    let reply = post(&connect(&server.url("/")).await, "{}").await.expect("a reply");
    assert!(matches!((reply.status, reply.body), (502, ReplyBody::Other(text)) if text.len() == 2048));
}

#[tokio::test]
async fn large_answers_come_whole_however_they_are_cut() {
    let body: String = (0..1_000_000).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
    let chunks: String = body
        .as_bytes()
        .chunks(70_001)
        .map(|chunk| format!("{:x}\r\n{}\r\n", chunk.len(), String::from_utf8_lossy(chunk)))
        .collect();
    let chunked = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n");
    let lines: String = body
        .as_bytes()
        .chunks(70_001)
        .map(|chunk| format!("data: {}\n", String::from_utf8_lossy(chunk)))
        .collect();
    let events = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{lines}\n");
    let answers = [json(&body), chunked.into(), events.into()];
    let server = Upstream::start(move |arrived| (answers[arrived.connection].clone(), Then::Close)).await;
    let link = connect(&server.url("/")).await;
    assert_eq!(body_of(post(&link, "{}").await.expect("a reply")), body);
    let link = connect(&server.url("/")).await;
    assert_eq!(body_of(post(&link, "{}").await.expect("a reply")), body);
    let link = connect(&server.url("/")).await;
    let ReplyBody::Events(mut events) = post(&link, "{}").await.expect("a reply").body else {
        panic!("events")
    };
    let event = soon(events.next()).await.expect("an event").expect("no error");
    assert_eq!(String::from_utf8_lossy(&event.data).replace('\n', ""), body);
}

#[tokio::test]
async fn events_come_as_they_are_written() {
    let stream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nMcp-Session-Id: s\r\n\r\n: hello\n\nid: 1\nretry: 250\ndata:\n\nevent: ping\ndata: x\n\nevent: message\r\ndata: {}\r\n\r\n";
    let server = Upstream::start(move |_| (stream.into(), Then::Hold)).await;
    let reply = post(&connect(&server.url("/")).await, "{}").await.expect("a reply");
    assert_eq!(reply.session.as_deref(), Some("s"));
    let ReplyBody::Events(mut events) = reply.body else {
        panic!("events")
    };
    let priming = Event {
        id: Some("1".to_owned()),
        data: Bytes::new(),
        retry: Some(Duration::from_millis(250)),
    };
    assert_eq!(soon(events.next()).await.expect("an event").expect("no error"), priming);
    assert_eq!(soon(events.next()).await.expect("an event").expect("no error").data, "{}");
    // The stream is still open.
    assert!(tokio::time::timeout(Duration::from_millis(30), events.next()).await.is_err());
}

#[tokio::test]
async fn dropping_an_exchange_closes_its_connection() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let link = connect(&format!("http://{}/mcp", listener.local_addr().expect("bound"))).await;
    for answer in ["", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n"] {
        let (exchange, dropped) = {
            let link = Arc::clone(&link);
            let (drop_it, dropped) = tokio::sync::oneshot::channel::<()>();
            let exchange = tokio::spawn(async move {
                tokio::select! {
                    reply = link.post(out("{}")) => {
                        let Ok(Reply { body: ReplyBody::Events(mut events), .. }) = reply else { panic!("events") };
                        events.next().await.expect("an event").expect("no error");
                        drop(dropped.await);
                    }
                    () = std::future::pending() => {}
                }
            });
            (exchange, drop_it)
        };
        let (stream, _) = soon(listener.accept()).await.expect("a client");
        let mut raw = crate::raw::Raw::over(stream);
        raw.until("{}").await;
        raw.write(answer).await;
        if answer.is_empty() {
            exchange.abort();
        } else {
            dropped.send(()).expect("it waits");
        }
        assert_eq!(raw.rest().await, "");
    }
}

#[tokio::test]
async fn redirects_and_unasked_encodings_are_refused() {
    for (answer, expected) in [
        (
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: https://else.example/mcp\r\nContent-Length: 0\r\n\r\n",
            "redirects to `https://else.example/mcp`; redirects are not followed",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
            "encoded as `gzip`",
        ),
    ] {
        let server = Upstream::start(move |_| (answer.into(), Then::Keep)).await;
        let error = post(&connect(&server.url("/mcp")).await, "{}")
            .await
            .map(drop)
            .expect_err("a refusal")
            .to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn bad_configuration_shows_at_once() {
    for (url, headers, expected) in [
        ("mcp.example/mcp", vec![], "http://"),
        ("http://user:pass@localhost/", vec![], "credentials into `headers`"),
        ("http://localhost/", vec![("Bad Name", "x")], "`Bad Name`"),
        ("http://localhost/", vec![("X-Key", "a\nb")], "`X-Key`"),
        ("http://localhost/", vec![("Content-Length", "1")], "`Content-Length`"),
    ] {
        let error = connect_with(url, &headers, ClientLimits::default())
            .await
            .map(drop)
            .expect_err(url)
            .to_string();
        assert!(error.contains(expected) && !error.contains("a\nb"), "{error}");
    }
    let link = connect("http://localhost:1/").await;
    let error = link.post(OutPost {
        mirrors: Mirrors {
            name: Some("a\r\nX-Evil: 1".to_owned()),
            ..Mirrors::default()
        },
        ..OutPost::default()
    });
    assert!(matches!(soon(error).await, Err(LinkError::Unreachable(why)) if why.contains("mcp-name")));
}

#[tokio::test]
async fn a_server_that_never_takes_the_connection_is_unreachable_in_time() {
    // TLS towards a peer that never answers.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("https://{}/mcp", listener.local_addr().expect("bound"));
    let limits = ClientLimits {
        connect_timeout: Duration::from_millis(50),
        ..ClientLimits::default()
    };
    let link = connect_with(&url, &[], limits).await.expect("a link");
    let error = post(&link, "{}").await.map(drop).expect_err("nobody");
    assert!(
        matches!(&error, LinkError::Unreachable(why) if why.contains("within 50ms")),
        "{error}"
    );
}

#[tokio::test]
async fn idle_connections_are_closed() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let limits = ClientLimits {
        idle_timeout: Duration::from_millis(40),
        ..ClientLimits::default()
    };
    let link = connect_with(&format!("http://{}/mcp", listener.local_addr().expect("bound")), &[], limits)
        .await
        .expect("a link");
    let exchange = post(&link, "{}");
    let serve = async {
        let (stream, _) = listener.accept().await.expect("a client");
        let mut raw = crate::raw::Raw::over(stream);
        raw.until("{}").await;
        raw.write(json("{}")).await;
        raw
    };
    let (reply, mut raw) = tokio::join!(exchange, serve);
    reply.expect("a reply");
    assert_eq!(raw.rest().await, "");
}
