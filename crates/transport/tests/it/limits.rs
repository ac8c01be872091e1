//! Every limit of a listener: the connection that hits it pays, the others go on.

use std::time::Duration;

use kernel::front::{Answer, Events};
use transport::http::{ListenLimits, ListenOptions};

use crate::front::{Gateway, Seen};
use crate::raw::{Raw, ask, post};
use crate::soon;

fn with(limits: ListenLimits) -> ListenOptions {
    ListenOptions {
        limits,
        ..ListenOptions::default()
    }
}

async fn still_serves(gateway: &Gateway) {
    assert_eq!(ask(gateway.address, post("", "{}")).await.status, 200);
}

/// Returns the most memory that this process ever held, in bytes.
fn peak_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") * 1024
}

#[tokio::test]
async fn a_large_body_is_refused_and_costs_no_memory() {
    if !crate::alone("limits::a_large_body_is_refused_and_costs_no_memory") {
        return;
    }
    let gateway = Gateway::ok(ListenOptions::default()).await;
    let piece = vec![b'x'; 1024 * 1024];
    let before = peak_memory();
    // Announced: read to its end, so that a client that writes first and reads then learns why.
    let mut client = Raw::connect(gateway.address).await;
    let head = post("", "").replace("Content-Length: 0", &format!("Content-Length: {}", 100 * piece.len()));
    client.write(head).await;
    for _ in 0..100 {
        client.write(&piece).await;
    }
    let response = client.response().await;
    assert_eq!(response.status, 413);
    assert!(response.body.contains("larger than 16777216 bytes"), "{response:?}");
    // The connection lives on.
    assert_eq!(client.ask(post("", "{}")).await.status, 200);
    // Not announced.
    client
        .write(post("", "").replace("Content-Length: 0", "Transfer-Encoding: chunked"))
        .await;
    for _ in 0..100 {
        client.write(format!("{:x}\r\n", piece.len())).await;
        client.write(&piece).await;
        client.write("\r\n").await;
    }
    client.write("0\r\n\r\n").await;
    assert_eq!(client.response().await.status, 413);
    assert_eq!(client.ask(post("", "{}")).await.status, 200);
    let grown = peak_memory() - before;
    assert!(grown < 64 * 1024 * 1024, "grew by {grown} bytes");
}

#[tokio::test]
async fn a_client_that_asks_first_is_refused_before_it_sends() {
    let gateway = Gateway::ok(with(ListenLimits {
        max_body: 10,
        ..ListenLimits::default()
    }))
    .await;
    let mut client = Raw::connect(gateway.address).await;
    client
        .write(post("Expect: 100-continue\r\n", "").replace("Content-Length: 0", "Content-Length: 11"))
        .await;
    assert_eq!(client.response().await.status, 413);
    let mut client = Raw::connect(gateway.address).await;
    client
        .write(post("Expect: 100-continue\r\n", "").replace("Content-Length: 0", "Content-Length: 10"))
        .await;
    assert_eq!(client.head().await.status, 100);
    assert_eq!(client.ask("0123456789").await.status, 200);
}

#[tokio::test]
async fn bodies_up_to_the_limit_come_whole_however_they_are_cut() {
    let mut gateway = Gateway::ok(with(ListenLimits {
        max_body: 100_000,
        ..ListenLimits::default()
    }))
    .await;
    let body: String = (0..100_000).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
    let mut client = Raw::connect(gateway.address).await;
    assert_eq!(client.ask(post("", &body)).await.status, 200);
    let Seen::Post(seen) = gateway.next().await else { panic!("a POST") };
    assert_eq!(seen.body, body);
    client
        .write(post("", "").replace("Content-Length: 0", "Transfer-Encoding: chunked"))
        .await;
    for piece in body.as_bytes().chunks(777) {
        client.write(format!("{:X};ext=1\r\n", piece.len())).await;
        client.write(piece).await;
        client.write("\r\n").await;
    }
    client.write("0\r\nTrailer: x\r\n\r\n").await;
    assert_eq!(client.response().await.status, 200);
    let Seen::Post(seen) = gateway.next().await else { panic!("a POST") };
    assert_eq!(seen.body, body);
    let mut client = Raw::connect(gateway.address).await;
    assert_eq!(client.ask(post("", &(body + "x"))).await.status, 413);
}

#[tokio::test]
async fn large_and_garbled_heads_are_refused() {
    let gateway = Gateway::ok(with(ListenLimits {
        max_head: 8 * 1024,
        ..ListenLimits::default()
    }))
    .await;
    let large = format!("X-Large: {}\r\n", "x".repeat(16 * 1024));
    let many: String = (0..200).map(|n| format!("X-{n}: x\r\n")).collect();
    for (headers, status) in [(large, 431), (many, 431)] {
        let mut client = Raw::connect(gateway.address).await;
        client.write(post(&headers, "")).await;
        assert_eq!(client.head().await.status, status);
        client.rest().await;
    }
    for garbage in [
        "\x16\x03\x01\x02\x00\x01\x00\x01\x7c\x03\x03",
        "{\"jsonrpc\":\"2.0\"}\r\n\r\n",
        "GET\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut client = Raw::connect(gateway.address).await;
        client.write(garbage).await;
        let answer = client.rest().await;
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 400") || answer.starts_with("HTTP/1.1 505"),
            "{garbage:?}: {answer}"
        );
    }
    still_serves(&gateway).await;
}

#[tokio::test]
async fn slow_heads_end_the_connection() {
    let gateway = Gateway::ok(with(ListenLimits {
        head_timeout: Duration::from_millis(80),
        ..ListenLimits::default()
    }))
    .await;
    let mut client = Raw::connect(gateway.address).await;
    client.write("POST /mcp HTTP/1.1\r\nHost: local").await;
    assert_eq!(client.rest().await, "");
    // On a connection that has served before as well.
    let mut client = Raw::connect(gateway.address).await;
    assert_eq!(client.ask(post("", "{}")).await.status, 200);
    client.write("P").await;
    assert_eq!(client.rest().await, "");
    still_serves(&gateway).await;
}

#[tokio::test]
async fn slow_bodies_are_refused() {
    let gateway = Gateway::ok(with(ListenLimits {
        body_timeout: Duration::from_millis(80),
        ..ListenLimits::default()
    }))
    .await;
    let mut client = Raw::connect(gateway.address).await;
    client.write(post("", "").replace("Content-Length: 0", "Content-Length: 100")).await;
    client.write("{").await;
    let response = client.response().await;
    assert_eq!(response.status, 408);
    assert_eq!(client.rest().await, "");
    still_serves(&gateway).await;
}

#[tokio::test]
async fn idle_connections_are_closed_but_not_waiting_ones() {
    let gateway = Gateway::start(
        with(ListenLimits {
            idle_timeout: Duration::from_millis(60),
            head_timeout: Duration::from_millis(60),
            body_timeout: Duration::from_millis(60),
            ..ListenLimits::default()
        }),
        |post| (post.body != "wait").then(|| crate::front::message("{}")),
    )
    .await;
    let mut waiting = Raw::connect(gateway.address).await;
    waiting.write(post("", "wait")).await;
    let mut fresh = Raw::connect(gateway.address).await;
    let mut used = Raw::connect(gateway.address).await;
    assert_eq!(used.ask(post("", "{}")).await.status, 200);
    assert_eq!(fresh.rest().await, "");
    assert_eq!(used.rest().await, "");
    // Several times as long as the others were given.
    let waited = tokio::time::timeout(Duration::from_millis(300), waiting.more()).await;
    assert!(waited.is_err(), "a request that is being answered is not cut");
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_cut() {
    let options = with(ListenLimits {
        write_timeout: Duration::from_millis(80),
        ..ListenLimits::default()
    });
    let (gone, mut cut) = tokio::sync::mpsc::channel::<()>(1);
    let gateway = Gateway::start(options, move |_| {
        let (sender, events) = Events::channel(1);
        let gone = gone.clone();
        tokio::spawn(async move {
            let event = crate::front::event(&"x".repeat(1024 * 1024));
            while sender.send(event.clone()).await.is_ok() {}
            gone.send(()).await.expect("the test waits");
        });
        Some(Answer::Events { session: None, events })
    })
    .await;
    let mut client = Raw::connect(gateway.address).await;
    client.write(post("", "{}")).await;
    soon(cut.recv()).await.expect("the stream is dropped");
    drop(client);
}

#[tokio::test]
async fn too_many_connections_are_refused_until_some_end() {
    let gateway = Gateway::ok(with(ListenLimits {
        max_connections: 2,
        ..ListenLimits::default()
    }))
    .await;
    let mut first = Raw::connect(gateway.address).await;
    let mut second = Raw::connect(gateway.address).await;
    assert_eq!(first.ask(post("", "{}")).await.status, 200);
    assert_eq!(second.ask(post("", "{}")).await.status, 200);
    let mut third = Raw::connect(gateway.address).await;
    assert!(third.rest().await.starts_with("HTTP/1.1 503"));
    assert_eq!(first.ask(post("Connection: close\r\n", "{}")).await.status, 200);
    assert_eq!(first.rest().await, "");
    // The place is free once the server has seen the end as well.
    soon(async {
        loop {
            let mut next = Raw::connect(gateway.address).await;
            next.write(post("", "{}")).await;
            if next.more().await && next.read.starts_with(b"HTTP/1.1 200") {
                break;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn too_many_streams_are_refused_until_some_end() {
    let mut gateway = Gateway::ok(with(ListenLimits {
        max_streams: 1,
        ..ListenLimits::default()
    }))
    .await;
    let get = "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n";
    let mut first = Raw::connect(gateway.address).await;
    first.write(get).await;
    assert_eq!(first.head().await.status, 200);
    assert!(matches!(gateway.next().await, Seen::Listen(_)));
    let response = ask(gateway.address, get).await;
    assert_eq!((response.status, response.header("retry-after")), (503, Some("5")));
    still_serves(&gateway).await;
    drop(first);
    soon(async { while ask_head(&gateway, get).await != 200 {} }).await;
}

async fn ask_head(gateway: &Gateway, request: &str) -> u16 {
    let mut client = Raw::connect(gateway.address).await;
    client.write(request).await;
    client.head().await.status
}
