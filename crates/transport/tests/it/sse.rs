//! HTTP+SSE of 2024-11-05, both ends.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use model::{Principal, Secret};
use transport::http::{ListenOptions, Token};
use transport::{ClientLimits, Outbound};
use upstream::link::{Closed, Connector, Link, LinkError, Pipe};
use upstream::spec::HttpKind;

use crate::front::{Gateway, Seen};
use crate::raw::{Raw, ask};
use crate::soon;
use crate::upstream::{Arrived, Collector, Then, Upstream, http_spec};

fn with_sse() -> ListenOptions {
    ListenOptions {
        sse: true,
        ..ListenOptions::default()
    }
}

fn message_to(path: &str, headers: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[tokio::test]
async fn a_client_gets_its_endpoint_and_talks() {
    let mut gateway = Gateway::ok(ListenOptions {
        tokens: ["alice", "bob"]
            .map(|name| Token {
                secret: Secret::new(name),
                principal: Principal::named(name),
            })
            .into(),
        ..with_sse()
    })
    .await;
    let mut client = Raw::connect(gateway.address).await;
    client
        .write("GET /sse HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer alice\r\n\r\n")
        .await;
    assert_eq!(client.head().await.header("content-type"), Some("text/event-stream"));
    client.until("event: endpoint\ndata: ").await;
    let endpoint = client.until("\n\n").await.trim().to_owned();
    assert!(matches!(gateway.next().await, Seen::Opened(principal) if principal == Principal::named("alice")));

    let alice = "Authorization: Bearer alice\r\n";
    assert_eq!(ask(gateway.address, message_to(&endpoint, alice, "{\"id\":1}")).await.status, 202);
    assert!(matches!(gateway.next().await, Seen::Frame(frame) if frame == "{\"id\":1}"));
    // The id alone is not enough.
    assert_eq!(
        ask(gateway.address, message_to(&endpoint, "Authorization: Bearer bob\r\n", "{}"))
            .await
            .status,
        404
    );
    assert_eq!(
        ask(gateway.address, message_to("/messages?session=x", alice, "{}")).await.status,
        404
    );
    assert_eq!(ask(gateway.address, message_to("/messages", alice, "{}")).await.status, 404);

    let outgoing = gateway.script.outgoing.lock().expect("no panic").clone().expect("a pipe");
    outgoing.send(Bytes::from_static(b"{\"result\":1}")).await.expect("a client");
    client.until("event: message\ndata: {\"result\":1}\n\n").await;
    drop(client);
    assert!(matches!(gateway.next().await, Seen::Closed));
    soon(outgoing.closed()).await;
    assert_eq!(ask(gateway.address, message_to(&endpoint, alice, "{}")).await.status, 404);
}

async fn connect(url: &str, limits: ClientLimits) -> Result<(Pipe, Collector, Outbound), LinkError> {
    let outbound = Outbound::new(limits, None);
    let collector = Collector::default();
    let link = soon(outbound.connect(&http_spec(url, HttpKind::Sse, BTreeMap::new()), Arc::new(collector.clone()))).await?;
    match link {
        Link::Pipe(pipe) => Ok((pipe, collector, outbound)),
        Link::Http(_) => panic!("a pipe"),
    }
}

#[tokio::test]
async fn both_ends_understand_each_other() {
    let mut gateway = Gateway::ok(with_sse()).await;
    let (pipe, mut collector, outbound) = connect(&format!("http://{}/sse", gateway.address), ClientLimits::default())
        .await
        .expect("a pipe");
    assert!(matches!(gateway.next().await, Seen::Opened(_)));
    for n in 0..20 {
        pipe.outgoing
            .send(Bytes::from(format!("{{\"n\":{n}}}")).into())
            .await
            .expect("a writer");
    }
    for n in 0..20 {
        let Seen::Frame(frame) = gateway.next().await else {
            panic!("a frame")
        };
        assert_eq!(frame, format!("{{\"n\":{n}}}"), "in order");
    }
    let outgoing = gateway.script.outgoing.lock().expect("no panic").take().expect("a pipe");
    outgoing.send(Bytes::from_static(b"{\"hello\":1}")).await.expect("a client");
    assert_eq!(collector.frame().await, "{\"hello\":1}");
    soon(pipe.peer.close()).await;
    assert!(matches!(collector.closed().await, Closed::Ended(_)));
    assert!(matches!(gateway.next().await, Seen::Closed));
    drop(pipe);
    soon(outbound.finished()).await;
}

#[tokio::test]
async fn the_servers_end_is_the_pipes_end() {
    let gateway = Gateway::ok(with_sse()).await;
    let (pipe, mut collector, _outbound) = connect(&format!("http://{}/sse", gateway.address), ClientLimits::default())
        .await
        .expect("a pipe");
    gateway.shutdown.cancel();
    assert!(matches!(collector.closed().await, Closed::Ended(why) if why.contains("ended its stream")));
    soon(pipe.outgoing.closed()).await;
}

#[tokio::test]
async fn endpoints_elsewhere_and_streams_that_are_none_are_refused() {
    let events = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    for (answer, expected) in [
        (
            format!("{events}event: endpoint\ndata: http://evil.example/messages\n\n"),
            "another origin",
        ),
        (format!("{events}event: message\ndata: {{}}\n\n"), "ended before the `endpoint`"),
        (
            "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 4\r\n\r\nnope".to_owned(),
            "405 instead of a stream of events (HTTP+SSE) nope",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>".to_owned(),
            "200 instead",
        ),
        (
            "HTTP/1.1 302 Found\r\nLocation: http://evil.example/\r\nContent-Length: 0\r\n\r\n".to_owned(),
            "redirects to `http://evil.example/`",
        ),
    ] {
        let upstream = Upstream::start(move |_| (answer.clone().into(), Then::Close)).await;
        let error = connect(&upstream.url("/sse"), ClientLimits::default())
            .await
            .map(drop)
            .expect_err("a refusal")
            .to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Answers the GET with an endpoint and keeps the stream open, and POSTs as told.
async fn old_server(post: impl Fn(&Arrived) -> (Vec<u8>, Then) + Send + Sync + 'static) -> Upstream {
    Upstream::start(move |arrived| {
        if arrived.text.starts_with("GET") {
            let stream =
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\nevent: endpoint\ndata: messages?session=1\n\n";
            (stream.into(), Then::Hold)
        } else {
            post(arrived)
        }
    })
    .await
}

#[tokio::test]
async fn a_refused_post_ends_the_pipe() {
    let mut server = old_server(|_| (b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n".to_vec(), Then::Keep)).await;
    let (pipe, mut collector, _outbound) = connect(&server.url("/v1/sse"), ClientLimits::default()).await.expect("a pipe");
    pipe.outgoing.send(Bytes::from_static(b"{}").into()).await.expect("a writer");
    assert!(matches!(collector.closed().await, Closed::Ended(why) if why.contains("500")));
    server.next().await;
    let post = server.next().await;
    assert!(post.text.starts_with("POST /v1/messages?session=1 HTTP/1.1"), "{}", post.text);
}

#[tokio::test]
async fn a_post_that_is_not_answered_does_not_hold_up_the_next() {
    let mut server = old_server(|arrived| match arrived.text.contains("slow") {
        true => (Vec::new(), Then::Hold),
        false => (b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nAccepted".to_vec(), Then::Keep),
    })
    .await;
    let (pipe, _collector, _outbound) = connect(&server.url("/sse"), ClientLimits::default()).await.expect("a pipe");
    pipe.outgoing.send(Bytes::from_static(b"\"slow\"").into()).await.expect("a writer");
    pipe.outgoing.send(Bytes::from_static(b"\"next\"").into()).await.expect("a writer");
    for expected in ["GET", "\"slow\"", "\"next\""] {
        let arrived = server.next().await;
        assert!(arrived.text.contains(expected), "{}", arrived.text);
    }
}

#[tokio::test]
async fn a_large_event_ends_the_pipe() {
    let server = Upstream::start(|_| {
        let mut stream = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: endpoint\ndata: /m\n\ndata: ".to_vec();
        stream.extend(vec![b'x'; 10_000]);
        (stream, Then::Hold)
    })
    .await;
    let limits = ClientLimits {
        max_message: 1000,
        ..ClientLimits::default()
    };
    let (_pipe, mut collector, _outbound) = connect(&server.url("/sse"), limits).await.expect("a pipe");
    assert!(matches!(collector.closed().await, Closed::FrameTooLarge));
}
