//! How it is found out what a server speaks (DESIGN 2): the probe of the modern era on stdio, and the way back to HTTP+SSE.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use kernel::Health;
use kernel::spec::{EraChoice, HttpKind, Launch, ServerSpec};
use serde_json::{Value, json};
use testkit::{Era, Gateway, MemoryCache, Script, Step, Wire, gateway, process};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, mpsc};
use tokio_util::task::AbortOnDropHandle;

use crate::{WAYS, alone, echo};

const SERVER: &str = env!("CARGO_BIN_EXE_scripted-server");
const PROBE: &str = "server/discover";

/// Returns a legacy server that meets the probe in that way.
fn probed(step: Step) -> Script {
    echo(Era::Legacy, Wire::Pipe).on(PROBE, [step])
}

fn unknown_era(spec: &mut ServerSpec) {
    spec.era = EraChoice::Auto;
    spec.startup_timeout = Duration::from_secs(60);
}

async fn works(gateway: &Gateway) {
    for (era, wire) in WAYS {
        let client = gateway.client(era, wire).connect().await;
        assert_eq!(client.tools().await, ["say"], "{era:?} {wire:?}");
        assert_eq!(client.call("say", json!({"n": 1})).await.said()["n"], 1, "{era:?} {wire:?}");
        client.leave().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_take_the_probe_is_a_legacy_one_and_is_probed_once() {
    let refused = Step::Fail(-32601, "no such method".to_owned());
    let nonsense = Step::answer(r#"{"tools":[]}"#);
    // How it meets the probe, and how many connections the first handshake takes.
    for (step, connections) in [(Step::Exit, 2), (Step::Hang, 1), (refused, 1), (nonsense, 1)] {
        let what = format!("{step:?}");
        let cache = Arc::new(MemoryCache::default());
        let first = gateway()
            .cache(cache.clone())
            .upstream_with("old", probed(step.clone()), unknown_era)
            .settings(|settings| settings.startup_wait = Duration::from_secs(60))
            .start();
        let client = first.client(Era::Legacy, Wire::Pipe).connect().await;
        assert_eq!(client.tools().await, ["say"], "{what}");
        assert_eq!(first.server("old").opened(), connections, "{what}");
        assert_eq!(first.server("old").count_of(PROBE), 1, "{what}");
        works(&first).await;
        // A connection that is lost is made anew without another probe,
        first.server("old").crash();
        while client.call("say", json!({})).await.is_error() {
            tokio::time::advance(Duration::from_millis(100)).await;
        }
        assert_eq!(first.server("old").count_of(PROBE), 1, "{what}");
        first.stop().await;
        // and so it is by the next process, which knows what was offered.
        let again = gateway().cache(cache).upstream_with("old", probed(step), unknown_era).start();
        works(&again).await;
        assert_eq!(again.server("old").count_of(PROBE), 0, "{what}");
        again.stop().await;
    }
}

#[test]
fn a_child_that_exits_on_the_probe_is_started_once_more() {
    alone("probes::a_child_that_exits_on_the_probe_is_started_once_more", exits_on_probe());
}

async fn exits_on_probe() {
    let gateway = gateway().child_with("old", SERVER, &["exit-on-probe"], unknown_era).start();
    for (era, wire) in WAYS {
        let client = gateway.client(era, wire).connect().await;
        assert_eq!(client.tools().await, ["misbehave", "pid"], "{era:?} {wire:?}");
        assert!(!client.call("pid", json!({})).await.text().is_empty());
    }
    gateway.stop().await;
    assert_eq!(process::children(), Vec::<u32>::new());
}

// === HTTP+SSE of 2024-11-05

/// A server that knows nothing but HTTP+SSE: `GET /sse` is its stream, `POST /message` takes messages, `POST /sse` is refused.
struct OldServer {
    url: String,
    seen: Arc<Seen>,
    _serving: AbortOnDropHandle<()>,
}

struct Seen {
    /// With which status a POST to the stream's address is refused, and a GET if it is not for the stream.
    refusal: u16,
    streams: bool,
    posts: AtomicU16,
    gets: AtomicU16,
    stream: Mutex<Option<mpsc::Sender<Value>>>,
}

impl OldServer {
    async fn start(refusal: u16, streams: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/sse", listener.local_addr().expect("an address"));
        let seen = Arc::new(Seen {
            refusal,
            streams,
            posts: AtomicU16::new(0),
            gets: AtomicU16::new(0),
            stream: Mutex::default(),
        });
        let served = seen.clone();
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, served.clone()));
            }
        });
        Self {
            url,
            seen,
            _serving: AbortOnDropHandle::new(serving),
        }
    }

    /// Returns how often the stream's address was POSTed to, and how often the stream was asked for.
    fn counts(&self) -> (u16, u16) {
        (self.seen.posts.load(Ordering::Relaxed), self.seen.gets.load(Ordering::Relaxed))
    }
}

/// Answers one request on a connection.
async fn serve(mut stream: TcpStream, seen: Arc<Seen>) {
    let Some((head, body)) = request(&mut stream).await else { return };
    let refuse = format!("HTTP/1.1 {} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", seen.refusal);
    let answer = match &head[..] {
        head if head.starts_with("GET /sse") => {
            seen.gets.fetch_add(1, Ordering::Relaxed);
            if seen.streams {
                return events(stream, &seen).await;
            }
            refuse
        }
        head if head.starts_with("POST /message") => {
            let message: Value = serde_json::from_slice(&body).expect("a message");
            if let (Some(answer), Some(events)) = (answer(&message), &*seen.stream.lock().await) {
                drop(events.send(answer).await);
            }
            "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned()
        }
        _ => {
            seen.posts.fetch_add(1, Ordering::Relaxed);
            refuse
        }
    };
    drop(stream.write_all(answer.as_bytes()).await);
}

async fn request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let length = head
            .to_lowercase()
            .lines()
            .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
        let mut body = bytes.split_off(end + 4);
        while body.len() < length.unwrap_or(0) {
            if stream.read_buf(&mut body).await.ok()? == 0 {
                return None;
            }
        }
        return Some((head, body));
    }
}

async fn events(mut stream: TcpStream, seen: &Seen) {
    let (sender, mut answers) = mpsc::channel(16);
    *seen.stream.lock().await = Some(sender);
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\nevent: endpoint\ndata: /message\n\n";
    drop(stream.write_all(head.as_bytes()).await);
    while let Some(answer) = answers.recv().await {
        if stream
            .write_all(format!("event: message\ndata: {answer}\n\n").as_bytes())
            .await
            .is_err()
        {
            return;
        }
    }
}

fn answer(message: &Value) -> Option<Value> {
    let result = match message["method"].as_str()? {
        "initialize" => {
            json!({"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "1"}})
        }
        "tools/list" => json!({"tools": [{"name": "say", "inputSchema": {"type": "object"}}]}),
        "tools/call" => json!({"content": [], "structuredContent": message["params"]["arguments"]}),
        _ => json!({}),
    };
    Some(json!({"jsonrpc": "2.0", "id": message.get("id")?, "result": result}))
}

/// As a server is configured of which only the URL is known.
fn unknown_transport(spec: &mut ServerSpec) {
    if let Ok(Launch::Http { kind, .. }) = &mut spec.launch {
        *kind = HttpKind::Auto;
    }
}

#[tokio::test]
async fn a_server_of_http_and_sse_is_found_out_by_what_it_says_to_a_post() {
    for refusal in [400, 404, 405] {
        let old = OldServer::start(refusal, true).await;
        let gateway = gateway().url_with("old", &old.url, unknown_transport).start();
        works(&gateway).await;
        let (posts, gets) = old.counts();
        assert!((1..=2).contains(&posts) && gets > 0, "{refusal}: {posts} POSTs, {gets} GETs");
        // Once known, the transport is not asked for again.
        *old.seen.stream.lock().await = None;
        let client = gateway.client(Era::Legacy, Wire::Pipe).connect().await;
        while client.call("say", json!({})).await.is_error() {
            tokio::task::yield_now().await;
        }
        assert_eq!(old.counts().0, posts, "{refusal}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn other_refusals_say_nothing_about_the_transport() {
    for (refusal, streams) in [(401, true), (403, true), (429, true), (500, true), (503, true), (404, false)] {
        let old = OldServer::start(refusal, streams).await;
        let gateway = gateway().url_with("old", &old.url, unknown_transport).start();
        let looks = gateway.kernel.look(false, |_| {}).await;
        let Health::Error(error) = &looks[0].health else {
            panic!("{refusal}: it counts as {:?}", looks[0].health)
        };
        assert!(error.why.contains(&refusal.to_string()), "{refusal}: {error}");
        assert_eq!(old.counts().1 > 0, refusal == 404, "{refusal}: whether a stream was asked for");
        gateway.stop().await;
    }
}

/// Who names the transport is taken at his word.
#[tokio::test]
async fn a_transport_that_is_named_is_not_departed_from() {
    let old = OldServer::start(404, true).await;
    let gateway = gateway().url("old", &old.url).start();
    let looks = gateway.kernel.look(false, |_| {}).await;
    assert!(
        matches!(&looks[0].health, Health::Error(error) if error.why.contains("404")),
        "{:?}",
        looks[0].health
    );
    assert_eq!(old.counts().1, 0);
    gateway.stop().await;
}
