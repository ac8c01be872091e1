//! Connections to scripted servers, in memory: a pipe, or an HTTP exchange for each message.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use jsonrpc::{Id, Kind, Message};
use kernel::OfferCache;
use kernel::link::{
    BoxFuture, Closed, Connector, Event, EventSource, EventStream, Frame, HttpLink, Inbox, Link, LinkError, OutPost, Pipe, PipePeer, Reply,
    ReplyBody,
};
use kernel::spec::ServerSpec;
use mcp::mirror::Mirrors;
use mcp::revision::Era;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;
use transport::Outbound;

use crate::scripted::{Emitted, Received, Scripted, read};

/// The number of frames that may wait in either direction.
const QUEUE: usize = 64;

/// Connects to scripted servers in memory, and to all others over real transports.
#[derive(Debug)]
pub(crate) struct Connections {
    pub(crate) scripted: HashMap<String, Arc<Scripted>>,
    pub(crate) real: Arc<Outbound>,
}

impl Connector for Connections {
    fn connect<'a>(&'a self, server: &'a ServerSpec, inbox: Arc<dyn Inbox>) -> BoxFuture<'a, Result<Link, LinkError>> {
        let Some(scripted) = self.scripted.get(server.id.as_str()).cloned() else {
            return self.real.connect(server, inbox);
        };
        Box::pin(async move {
            if scripted.script.http {
                let (connection, over) = scripted.open(None);
                return Ok(Link::Http(Arc::new(Http {
                    scripted,
                    connection,
                    over,
                })));
            }
            if scripted.is_down() {
                return Err(LinkError::Spawn {
                    command: "scripted".to_owned(),
                    why: "it is down".to_owned(),
                });
            }
            Ok(Link::Pipe(pipe(scripted, inbox)))
        })
    }
}

// === pipes

fn pipe(scripted: Arc<Scripted>, inbox: Arc<dyn Inbox>) -> Pipe {
    let (outgoing, incoming) = mpsc::channel(QUEUE);
    let (frames, emitted) = mpsc::channel(QUEUE);
    let (connection, over) = scripted.open(Some(frames.clone()));
    let gone = CancellationToken::new();
    let peer = Arc::new(Peer {
        over: over.clone(),
        gone: gone.clone(),
    });
    tokio::spawn(async move {
        let mut calls = Calls::default();
        tokio::select! {
            () = over.cancelled() => {}
            () = take_in(&scripted, connection, incoming, &frames, &over, &mut calls) => {}
            () = give_out(emitted, &*inbox) => {}
        }
        for (_, call) in calls.0.drain() {
            call.abort();
        }
        scripted.close(connection);
        inbox.closed(Closed::Exited("exit status: 1".to_owned()));
        gone.cancel();
    });
    Pipe { outgoing, peer }
}

#[derive(Default)]
struct Calls(HashMap<Id, AbortHandle>);

async fn take_in(
    scripted: &Arc<Scripted>,
    connection: u64,
    mut incoming: mpsc::Receiver<Frame>,
    frames: &mpsc::Sender<Emitted>,
    over: &CancellationToken,
    calls: &mut Calls,
) {
    while let Some(parcel) = incoming.recv().await {
        scripted.until_it_reads().await;
        // The frame counts as written once it is recorded: the evidence of its permit is held until then.
        let Some((frame, _in_flight)) = parcel.begin() else { continue };
        let Some((kind, message)) = read(frame) else { continue };
        scripted.note(Received {
            connection,
            message: message.clone(),
            session: None,
            mirrors: Mirrors::default(),
            at: std::time::Instant::now(),
        });
        match (kind, message.id().cloned()) {
            (Kind::Request, Some(id)) => {
                calls.0.retain(|_, call| !call.is_finished());
                let (scripted, frames, over) = (scripted.clone(), frames.clone(), over.clone());
                let call = tokio::spawn(async move {
                    if scripted.perform(connection, &message, &frames).await {
                        over.cancel();
                    }
                });
                calls.0.insert(id, call.abort_handle());
            }
            (Kind::Response, _) => scripted.answered(&message),
            _ => cancelled(scripted, &message, calls),
        }
    }
}

fn cancelled(scripted: &Scripted, message: &Message, calls: &mut Calls) {
    if message.method() != Some("notifications/cancelled") {
        return;
    }
    let id = message
        .params()
        .and_then(|params| params.get("requestId"))
        .and_then(|raw| Id::parse(&raw));
    if let Some(call) = id.and_then(|id| calls.0.remove(&id)) {
        call.abort();
        scripted.note_cancelled();
    }
}

async fn give_out(mut emitted: mpsc::Receiver<Emitted>, inbox: &dyn Inbox) {
    while let Some(emitted) = emitted.recv().await {
        if let Emitted::Frame(frame, _) = emitted {
            inbox.frame(frame);
        }
        // The kernel's side must not starve while a script floods.
        tokio::task::yield_now().await;
    }
}

struct Peer {
    over: CancellationToken,
    gone: CancellationToken,
}

impl PipePeer for Peer {
    fn stderr_tail(&self) -> Vec<String> {
        Vec::new()
    }

    fn pid(&self) -> Option<u32> {
        None
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.over.cancel();
        Box::pin(self.gone.cancelled())
    }
}

// === HTTP

#[derive(Debug)]
struct Http {
    scripted: Arc<Scripted>,
    connection: u64,
    over: CancellationToken,
}

impl Drop for Http {
    fn drop(&mut self) {
        self.scripted.close(self.connection);
    }
}

impl Http {
    async fn exchange(&self, post: OutPost) -> Result<Reply, LinkError> {
        if self.scripted.is_down() {
            return Err(LinkError::Unreachable("it is down".to_owned()));
        }
        let _in_flight = match &post.permit {
            Some(permit) => Some(permit.begin().ok_or(LinkError::Withdrawn)?),
            None => None,
        };
        let Some((kind, message)) = read(post.body) else {
            return Ok(reply(400, ReplyBody::Other("not a message".to_owned())));
        };
        self.scripted.note(Received {
            connection: self.connection,
            message: message.clone(),
            session: post.session.as_deref().map(str::to_owned),
            mirrors: post.mirrors.clone(),
            at: std::time::Instant::now(),
        });
        let legacy = self.scripted.script.era == Era::Legacy;
        let opening = message.method() == Some("initialize");
        if legacy && !opening {
            if post.session.is_none() {
                return Ok(reply(400, ReplyBody::Other("no session".to_owned())));
            }
            if !self.scripted.knows_session(post.session.as_deref()) {
                return Ok(reply(404, ReplyBody::Other("unknown session".to_owned())));
            }
        }
        if kind != Kind::Request {
            self.scripted.answered(&message);
            return Ok(reply(202, ReplyBody::Other(String::new())));
        }
        if let Some(error) = self.scripted.mismatch(&message, &post.mirrors) {
            let refused = Message::failure(message.id(), &error);
            return Ok(reply(400, ReplyBody::Json(refused.into_bytes())));
        }
        let session = (legacy && opening).then(|| self.scripted.open_session(self.connection));
        let mut emitted = self.perform(message);
        let (status, body) = match emitted.recv().await {
            Some(Emitted::Frame(frame, true)) if !self.scripted.script.stream_always => (200, ReplyBody::Json(frame)),
            Some(Emitted::Status(status, text)) => (status, ReplyBody::Other(text)),
            Some(first) => {
                let source = Source {
                    first: Some(first),
                    emitted,
                };
                (200, ReplyBody::Events(EventStream::new(Box::new(source))))
            }
            None => return Err(LinkError::Broken("the connection was closed".to_owned())),
        };
        Ok(Reply { status, session, body })
    }

    /// Carries a request out for as long as the client reads.
    fn perform(&self, message: Message) -> mpsc::Receiver<Emitted> {
        let (out, emitted) = mpsc::channel(QUEUE);
        let (scripted, connection, over) = (self.scripted.clone(), self.connection, self.over.clone());
        tokio::spawn(async move {
            tokio::select! {
                biased;
                _ = scripted.perform(connection, &message, &out) => {}
                () = out.closed() => scripted.note_cancelled(),
                () = over.cancelled() => {}
            }
        });
        emitted
    }
}

impl HttpLink for Http {
    fn post(&self, post: OutPost) -> BoxFuture<'_, Result<Reply, LinkError>> {
        Box::pin(self.exchange(post))
    }

    fn listen(&self, session: Option<&str>, _revision: &str, _last_event: Option<&str>) -> BoxFuture<'_, Result<Reply, LinkError>> {
        let answer = if self.scripted.is_down() {
            Err(LinkError::Unreachable("it is down".to_owned()))
        } else if self.scripted.script.era == Era::Modern {
            Ok(reply(405, ReplyBody::Other(String::new())))
        } else if !self.scripted.knows_session(session) {
            Ok(reply(404, ReplyBody::Other(String::new())))
        } else {
            let (sender, emitted) = mpsc::channel(QUEUE);
            self.scripted.add_stream(None, sender);
            let source = Source { first: None, emitted };
            Ok(reply(200, ReplyBody::Events(EventStream::new(Box::new(source)))))
        };
        Box::pin(std::future::ready(answer))
    }

    fn delete(&self, session: &str, _revision: &str) -> BoxFuture<'_, ()> {
        self.scripted.end_session(session);
        Box::pin(std::future::ready(()))
    }
}

fn reply(status: u16, body: ReplyBody) -> Reply {
    Reply {
        status,
        session: None,
        body,
    }
}

struct Source {
    first: Option<Emitted>,
    emitted: mpsc::Receiver<Emitted>,
}

impl EventSource for Source {
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Event, LinkError>>> {
        let emitted = match self.first.take() {
            Some(first) => Some(first),
            None => std::task::ready!(self.emitted.poll_recv(cx)),
        };
        Poll::Ready(match emitted {
            Some(Emitted::Frame(data, _)) => Some(Ok(Event { data, ..Event::default() })),
            Some(Emitted::Status(..)) | None => None,
        })
    }
}

/// Finds offers by the capabilities of clients.
type Offers = HashMap<Vec<u8>, Vec<u8>>;

/// A cache of catalogues in memory, which a test can pass from one gateway to the next.
#[derive(Debug, Default)]
pub struct MemoryCache {
    saved: Mutex<HashMap<String, Offers>>,
}

impl OfferCache for MemoryCache {
    fn load(&self, server_digest: &str) -> Vec<(Arc<[u8]>, Vec<u8>)> {
        let saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        let offers = saved.get(server_digest).into_iter().flatten();
        offers.map(|(key, offer)| (key.as_slice().into(), offer.clone())).collect()
    }

    fn save(&self, server_digest: &str, capabilities: &[u8], offer: &[u8]) {
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        saved
            .entry(server_digest.to_owned())
            .or_default()
            .insert(capabilities.to_vec(), offer.to_vec());
    }
}
