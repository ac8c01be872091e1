//! A scripted gateway, and a listener that serves it.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use kernel::front::{Answer, ClientPipe, Credential, Events, Front, InPost, Listen, TokenRefusal};
use model::Principal;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use transport::http::{ListenOptions, Listener};
use upstream::link::{BoxFuture, Event};

/// A request or event that the front was given.
#[derive(Debug)]
pub(crate) enum Seen {
    Post(InPost),
    /// The client of a POST that was never answered has disconnected.
    PostDropped,
    Listen(Listen),
    Delete(Principal, String),
    Opened(Principal),
    Frame(Bytes),
    Closed,
}

type Handler = Box<dyn Fn(&InPost) -> Option<Answer> + Send + Sync>;

/// Answers POSTs by its handler (`None`: never), and GETs and pipes by what the test sends.
pub(crate) struct Script {
    handler: Handler,
    seen: mpsc::Sender<Seen>,
    /// The sender of the last stream that a GET opened.
    pub(crate) stream: Mutex<Option<mpsc::Sender<Event>>>,
    /// What the last pipe sends to its client.
    pub(crate) outgoing: Mutex<Option<mpsc::Sender<Bytes>>>,
    pub(crate) ready: AtomicBool,
    /// The answers to bearer tokens.
    pub(crate) remembered: Mutex<HashMap<String, Result<Credential, TokenRefusal>>>,
    pub(crate) drained: Arc<Notify>,
}

impl Script {
    pub(crate) fn new(handler: impl Fn(&InPost) -> Option<Answer> + Send + Sync + 'static) -> (Arc<Self>, mpsc::Receiver<Seen>) {
        let (seen, received) = mpsc::channel(1000);
        let script = Self {
            handler: Box::new(handler),
            seen,
            stream: Mutex::default(),
            outgoing: Mutex::default(),
            ready: AtomicBool::new(true),
            remembered: Mutex::default(),
            drained: Arc::new(Notify::new()),
        };
        (Arc::new(script), received)
    }

    fn saw(&self, seen: Seen) {
        // The test may have seen enough.
        drop(self.seen.try_send(seen));
    }
}

/// Reports when it is dropped before it was disarmed.
struct Dropped<'s>(&'s Script, bool);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        if self.1 {
            self.0.saw(Seen::PostDropped);
        }
    }
}

pub(crate) fn message(body: &str) -> Answer {
    Answer::Message {
        status: 200,
        session: None,
        body: Bytes::copy_from_slice(body.as_bytes()),
    }
}

pub(crate) fn event(data: &str) -> Event {
    Event {
        data: Bytes::copy_from_slice(data.as_bytes()),
        ..Event::default()
    }
}

impl Front for Script {
    fn post(&self, post: InPost) -> BoxFuture<'_, Answer> {
        let answer = (self.handler)(&post);
        self.saw(Seen::Post(post));
        Box::pin(async move {
            let mut dropped = Dropped(self, true);
            match answer {
                Some(answer) => {
                    dropped.1 = false;
                    answer
                }
                None => std::future::pending().await,
            }
        })
    }

    fn listen(&self, listen: Listen) -> BoxFuture<'_, Answer> {
        let (sender, events) = Events::channel(16);
        *self.stream.lock().unwrap() = Some(sender);
        self.saw(Seen::Listen(listen));
        Box::pin(async move { Answer::Events { session: None, events } })
    }

    fn delete(&self, who: &Credential, session: &str) -> BoxFuture<'_, Answer> {
        self.saw(Seen::Delete(who.principal.clone(), session.to_owned()));
        Box::pin(async { Answer::Empty { status: 204 } })
    }

    fn open(&self, who: Credential, outgoing: mpsc::Sender<Bytes>) -> Arc<dyn ClientPipe> {
        *self.outgoing.lock().unwrap() = Some(outgoing);
        self.saw(Seen::Opened(who.principal));
        Arc::new(ScriptPipe {
            seen: self.seen.clone(),
            drained: Arc::clone(&self.drained),
        })
    }

    fn authenticate(&self, bearer: &str) -> Result<Credential, TokenRefusal> {
        let remembered = self.remembered.lock().unwrap();
        remembered.get(bearer).cloned().unwrap_or(Err(TokenRefusal::Unknown))
    }

    fn has_tokens(&self) -> bool {
        !self.remembered.lock().unwrap().is_empty()
    }

    fn ready(&self) -> Result<(), String> {
        if self.ready.load(Ordering::Relaxed) {
            Ok(())
        } else {
            Err("the catalogue is still loading".to_owned())
        }
    }

    fn metrics(&self) -> String {
        "requests 1\n# EOF\n".to_owned()
    }
}

struct ScriptPipe {
    seen: mpsc::Sender<Seen>,
    drained: Arc<Notify>,
}

impl ClientPipe for ScriptPipe {
    fn receive(&self, frame: Bytes) -> BoxFuture<'_, ()> {
        Box::pin(async move { drop(self.seen.send(Seen::Frame(frame)).await) })
    }

    fn closed(&self) {
        drop(self.seen.try_send(Seen::Closed));
    }

    fn drained(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.drained.notified())
    }
}

/// A listener under test.
pub(crate) struct Gateway {
    pub(crate) address: SocketAddr,
    pub(crate) script: Arc<Script>,
    pub(crate) seen: mpsc::Receiver<Seen>,
    pub(crate) shutdown: CancellationToken,
    pub(crate) serving: JoinHandle<()>,
}

impl Gateway {
    pub(crate) async fn start(options: ListenOptions, handler: impl Fn(&InPost) -> Option<Answer> + Send + Sync + 'static) -> Self {
        let (script, seen) = Script::new(handler);
        let listener = Listener::bind(options).await.expect("a free port");
        let (address, shutdown) = (listener.local_addr(), CancellationToken::new());
        let serving = tokio::spawn(listener.serve(Arc::clone(&script) as Arc<dyn Front>, shutdown.clone()));
        Self {
            address,
            script,
            seen,
            shutdown,
            serving,
        }
    }

    /// Returns a gateway that answers `{"ok":true}` to everything.
    pub(crate) async fn ok(options: ListenOptions) -> Self {
        Self::start(options, |_| Some(message(r#"{"ok":true}"#))).await
    }

    pub(crate) async fn next(&mut self) -> Seen {
        crate::soon(self.seen.recv()).await.expect("the front lives")
    }
}
