//! The HTTP client against the HTTP listener: each understands everything that the other sends.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use kernel::front::{Answer, Events};
use mcp::mirror::Mirrors;
use transport::http::ListenOptions;
use transport::{ClientLimits, Outbound};
use upstream::link::{Connector, HttpLink, Link, OutPost, ReplyBody};
use upstream::spec::HttpKind;

use crate::front::{Gateway, Seen, event, message};
use crate::soon;
use crate::upstream::{Collector, http_spec};

async fn link_to(gateway: &Gateway) -> Arc<dyn HttpLink> {
    let spec = http_spec(&format!("http://{}/mcp", gateway.address), HttpKind::Streamable, BTreeMap::new());
    match Outbound::new(ClientLimits::default(), None)
        .connect(&spec, Arc::new(Collector::default()))
        .await
    {
        Ok(Link::Http(link)) => link,
        other => panic!("an HTTP link, not {other:?}"),
    }
}

#[tokio::test]
async fn mirrors_survive() {
    let mut gateway = Gateway::ok(ListenOptions::default()).await;
    let link = link_to(&gateway).await;
    let post = OutPost {
        body: Bytes::from_static(b"{}"),
        session: Some("s".into()),
        mirrors: Mirrors {
            revision: Some("2026-07-28".to_owned()),
            method: Some("tools/call".to_owned()),
            name: Some("a b".to_owned()),
            params: vec![("x".to_owned(), "1".to_owned())],
        },
        ..OutPost::default()
    };
    soon(link.post(post.clone())).await.expect("a reply");
    let Seen::Post(seen) = gateway.next().await else { panic!("a POST") };
    assert_eq!(seen.mirrors, post.mirrors);
    assert_eq!(seen.session.as_deref(), Some("s"));
}

#[tokio::test]
async fn many_exchanges_at_once() {
    let gateway = Gateway::start(ListenOptions::default(), |post| {
        if post.body.len() % 2 == 0 {
            return Some(message(std::str::from_utf8(&post.body).expect("text")));
        }
        let (sender, events) = Events::channel(4);
        let body = post.body.clone();
        tokio::spawn(async move {
            sender.send(event("{\"progress\":1}")).await.expect("a stream");
            sender
                .send(event(std::str::from_utf8(&body).expect("text")))
                .await
                .expect("a stream");
        });
        Some(Answer::Events { session: None, events })
    })
    .await;
    let link = link_to(&gateway).await;
    let clients: Vec<_> = (0..32)
        .map(|client| {
            let link = Arc::clone(&link);
            tokio::spawn(async move {
                for n in 0..50 {
                    let body = format!("{{\"client\":{client},\"n\":{n},\"pad\":\"{}\"}}", "x".repeat(n * client * 10));
                    let post = OutPost {
                        body: body.clone().into(),
                        ..OutPost::default()
                    };
                    let reply = soon(link.post(post)).await.expect("a reply");
                    let last = match reply.body {
                        ReplyBody::Json(body) => body,
                        ReplyBody::Events(mut events) => {
                            let mut last = Bytes::new();
                            while let Some(event) = soon(events.next()).await {
                                last = event.expect("no error").data;
                            }
                            last
                        }
                        ReplyBody::Other(text) => panic!("{text}"),
                    };
                    assert_eq!(last, body);
                }
            })
        })
        .collect();
    for client in clients {
        client.await.expect("no panic");
    }
}

#[tokio::test]
async fn closing_a_stream_reaches_the_front() {
    let (gone, mut seen_gone) = tokio::sync::mpsc::channel::<()>(1);
    let gateway = Gateway::start(ListenOptions::default(), move |_| {
        let (sender, events) = Events::channel(4);
        let gone = gone.clone();
        tokio::spawn(async move {
            sender.send(event("{}")).await.expect("a stream");
            sender.closed().await;
            gone.send(()).await.expect("the test waits");
        });
        Some(Answer::Events { session: None, events })
    })
    .await;
    let link = link_to(&gateway).await;
    let ReplyBody::Events(mut events) = soon(link.post(OutPost::default())).await.expect("a reply").body else {
        panic!("events")
    };
    soon(events.next()).await.expect("an event").expect("no error");
    drop(events);
    soon(seen_gone.recv()).await.expect("it was told");
}
