//! The operator API: who reaches it, and on which transport.

use std::io::Read as _;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use kernel::front::{Events, Front};
use kernel::http_api::{Answer, HttpApi, Mount, Request, Verb};
use model::{Principal, PrincipalId, Role};
use tokio_util::sync::CancellationToken;
use transport::http::{ListenLimits, ListenOptions, Listener, OwnerSocket};
use transport::socket;
use upstream::link::{BoxFuture, Event};

use crate::front::{Script, message};
use crate::raw::{Raw, Response, ask};

/// Answers with who asked for what, and streams two events from `/stream`.
#[derive(Debug, Default)]
struct Echo(Mutex<Vec<Request>>);

impl HttpApi for Echo {
    fn answer(&self, request: Request) -> BoxFuture<'_, Answer> {
        let answer = if request.path == "/stream" {
            let (sender, events) = Events::channel(4);
            for data in ["one", "two"] {
                let data = Bytes::from_static(data.as_bytes());
                sender.try_send(Event { data, ..Event::default() }).expect("room");
            }
            Answer::Events(events)
        } else {
            let said = format!("{} {} {}", request.verb.as_str(), request.path, request.who.principal.role);
            Answer::Whole {
                status: 299,
                media: "text/plain",
                body: said.into(),
            }
        };
        self.0.lock().unwrap().push(request);
        Box::pin(async { answer })
    }
}

fn mount(api: &Arc<Echo>) -> Mount {
    Mount {
        root: "/api/v1",
        api: api.clone(),
    }
}

#[tokio::test]
async fn the_listener_passes_on_who_asks() {
    let (script, _seen) = Script::new(|_| Some(message("{}")));
    let operator = Principal {
        id: PrincipalId::new("olga"),
        role: Role::Operator,
    };
    script.remembered.lock().unwrap().insert("olgas".to_owned(), Ok(operator.into()));
    let api = Arc::new(Echo::default());
    let listener = Listener::bind(ListenOptions::default())
        .await
        .expect("a port")
        .mounting(mount(&api));
    let (address, shutdown) = (listener.local_addr(), CancellationToken::new());
    let serving = tokio::spawn(listener.serve(script, shutdown.clone()));
    let get = |path: &str, headers: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");

    let answer = ask(address, get("/api/v1/tokens?limit=1", "Authorization: Bearer olgas\r\n")).await;
    assert_eq!((answer.status, answer.body.as_str()), (299, "GET /tokens operator"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(api.0.lock().unwrap()[0].query.as_deref(), Some("limit=1"));
    // The rules are those of MCP: a request without a token, where there are tokens, is not admitted, nor is a page of
    // another site.
    let unknown = ask(address, get("/api/v1/tokens", "")).await;
    is_problem(&unknown, 401, "unauthorized");
    assert!(unknown.header("www-authenticate").is_some());
    let page = "Authorization: Bearer olgas\r\nOrigin: https://evil.example\r\n";
    is_problem(&ask(address, get("/api/v1/tokens", page)).await, 403, "forbidden");
    // Plain text is what a page may send anywhere without asking.
    let plain = "POST /api/v1/tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer olgas\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}";
    is_problem(&ask(address, plain).await, 415, "unsupported media type");
    let patch = "PATCH /api/v1/tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer olgas\r\n\r\n";
    is_problem(&ask(address, patch).await, 405, "method not allowed");
    assert_eq!(ask(address, get("/api/v1x", "Authorization: Bearer olgas\r\n")).await.status, 404);
    assert_eq!(api.0.lock().unwrap().len(), 1, "no other request reached the API");
    shutdown.cancel();
    serving.await.expect("an end");
}

/// Returns whether a refusal is a problem object (RFC 9457), like those of the API itself.
fn is_problem(answer: &Response, status: u16, title: &str) {
    assert_eq!(answer.status, status, "{}", answer.body);
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    let start = format!("{{\"title\":\"{title}\",\"status\":{status},\"detail\":\"");
    assert!(answer.body.starts_with(&start), "{}", answer.body);
}

#[tokio::test]
async fn whoever_reaches_the_owner_s_socket_is_an_operator_and_nothing_else_is_served_there() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("run/gateway.api.sock");
    let (script, _seen) = Script::new(|_| Some(message("{}")));
    let api = Arc::new(Echo::default());
    let shutdown = CancellationToken::new();
    let owners = OwnerSocket::bind(&path).expect("a socket");
    let serving = tokio::spawn(owners.serve(script as Arc<dyn Front>, mount(&api), ListenLimits::default(), shutdown.clone()));
    let asked = |verb, target: &'static str, body: &'static [u8]| {
        let path = path.clone();
        tokio::task::spawn_blocking(move || {
            let mut reply = socket::request(&path, verb, target, Some(body)).expect("an answer");
            let mut text = String::new();
            // A stream does not end: its two events are enough.
            if target.ends_with("/stream") {
                let mut events = [0; 26];
                reply.body.read_exact(&mut events).expect("two events");
                text.push_str(std::str::from_utf8(&events).expect("text"));
            } else {
                reply.body.read_to_string(&mut text).expect("text");
            }
            (reply.status, text)
        })
    };
    let put = asked(Verb::Put, "/api/v1/access/a", b"{}").await.expect("done");
    assert_eq!(put, (299, "PUT /access/a operator".to_owned()));
    let (status, events) = asked(Verb::Get, "/api/v1/stream", b"").await.expect("done");
    assert_eq!(status, 200);
    assert!(events.contains("data: one"), "{events}");
    let (status, text) = asked(Verb::Post, "/mcp", b"{}").await.expect("done");
    assert!(status == 404 && text.contains("only the operator API"), "{text}");
    shutdown.cancel();
    serving.await.expect("an end");
    assert!(socket::request(&path, Verb::Get, "/api/v1/tokens", None).is_err());
}

#[tokio::test]
async fn a_listener_without_a_mount_has_no_operator_api() {
    let gateway = crate::front::Gateway::ok(ListenOptions::default()).await;
    let mut client = Raw::connect(gateway.address).await;
    client.write("GET /api/v1/tokens HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert!(client.head().await.status == 404);
}
