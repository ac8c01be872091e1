//! Scripted servers, and what a link delivers.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use model::{Secret, ServerId};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc};
use upstream::link::{Closed, Inbox};
use upstream::spec::{EraChoice, HttpKind, Launch, ServerSpec, Share, Start};

use crate::raw::{Raw, find};
use crate::soon;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Arrived {
    /// Counts connections, from 0.
    pub(crate) connection: usize,
    /// Counts requests of the connection, from 0.
    pub(crate) request: usize,
    pub(crate) text: String,
}

/// What a server does after its answer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Then {
    Keep,
    Close,
    /// Leaves the answer open.
    Hold,
}

/// A server that answers each request with exactly the bytes of its script.
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    arrived: mpsc::Receiver<Arrived>,
}

impl Upstream {
    pub(crate) async fn start(script: impl Fn(&Arrived) -> (Vec<u8>, Then) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let (sender, arrived) = mpsc::channel(1000);
        let script = Arc::new(script);
        tokio::spawn(async move {
            for connection in 0.. {
                let Ok((stream, _)) = listener.accept().await else { return };
                let (script, sender) = (Arc::clone(&script), sender.clone());
                tokio::spawn(async move {
                    let mut raw = Raw::over(stream);
                    for request in 0.. {
                        let Some(text) = request_text(&mut raw).await else { return };
                        let arrived = Arrived { connection, request, text };
                        let (answer, then) = script(&arrived);
                        drop(sender.try_send(arrived));
                        if raw.stream.write_all(&answer).await.is_err() {
                            return;
                        }
                        match then {
                            Then::Keep => {}
                            Then::Close => return,
                            Then::Hold => std::future::pending().await,
                        }
                    }
                });
            }
        });
        Self { address, arrived }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) async fn next(&mut self) -> Arrived {
        soon(self.arrived.recv()).await.expect("the server lives")
    }
}

async fn request_text(raw: &mut Raw) -> Option<String> {
    let head = loop {
        if let Some(at) = find(&raw.read, b"\r\n\r\n") {
            break at + 4;
        }
        let mut buffer = [0; 4096];
        // Without patience: a connection may idle.
        let read = tokio::io::AsyncReadExt::read(&mut raw.stream, &mut buffer)
            .await
            .ok()
            .filter(|read| *read > 0)?;
        raw.read.extend_from_slice(&buffer[..read]);
    };
    let text = String::from_utf8_lossy(&raw.read[..head]).to_ascii_lowercase();
    let length: usize = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |length| length.parse().expect("a length"));
    while raw.read.len() < head + length {
        if !raw.more().await {
            return None;
        }
    }
    let all: Vec<u8> = raw.read.drain(..head + length).collect();
    Some(String::from_utf8_lossy(&all).into_owned())
}

/// Collects what a pipe delivers.
#[derive(Clone)]
pub(crate) struct Collector {
    sender: mpsc::UnboundedSender<Result<Bytes, Closed>>,
    receiver: Arc<Mutex<mpsc::UnboundedReceiver<Result<Bytes, Closed>>>>,
}

impl Default for Collector {
    #[expect(
        clippy::disallowed_methods,
        reason = "an inbox must not block, and a test takes out all that it puts in"
    )]
    fn default() -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        Self {
            sender,
            receiver: Arc::new(Mutex::new(receiver)),
        }
    }
}

impl Inbox for Collector {
    fn frame(&self, frame: Bytes) {
        self.sender.send(Ok(frame)).expect("a receiver");
    }

    fn closed(&self, why: Closed) {
        self.sender.send(Err(why)).expect("a receiver");
    }
}

impl Collector {
    async fn next(&mut self) -> Result<Bytes, Closed> {
        soon(async { self.receiver.lock().await.recv().await }).await.expect("a sender")
    }

    pub(crate) async fn frame(&mut self) -> Bytes {
        self.next().await.expect("a frame")
    }

    /// Returns the end; everything before it is skipped.
    pub(crate) async fn closed(&mut self) -> Closed {
        loop {
            if let Err(why) = self.next().await {
                assert!(self.receiver.lock().await.is_empty(), "`closed` is the last");
                return why;
            }
        }
    }
}

fn spec(launch: Launch) -> ServerSpec {
    ServerSpec {
        id: ServerId::new("server").expect("an id"),
        launch: Ok(launch),
        era: EraChoice::Auto,
        share: Share::Session,
        start: Start::Eager,
        prefix: false,
        include: Vec::new(),
        exclude: Vec::new(),
        request_timeout: Duration::from_secs(60),
        startup_timeout: Duration::from_secs(30),
        digest: String::new(),
    }
}

pub(crate) fn http_spec(url: &str, kind: HttpKind, headers: BTreeMap<String, Secret>) -> ServerSpec {
    spec(Launch::Http {
        url: url.to_owned(),
        headers,
        kind,
    })
}

pub(crate) fn stdio_spec(command: &str, args: &[&str], env: &[(&str, &str)]) -> ServerSpec {
    spec(Launch::Stdio {
        command: command.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: env.iter().map(|(name, value)| ((*name).to_owned(), Secret::new(*value))).collect(),
        cwd: None,
    })
}
