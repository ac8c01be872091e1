//! The interface between listeners and the kernel: the requests that a listener passes on, and their answers.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use mcp::mirror::Mirrors;
use model::{Principal, Trace};
pub use policy::TokenRefusal;
use runtime::BoxFuture;
use tokio::sync::{Semaphore, mpsc};
use upstream::link::Event;

/// The interface that listeners need of a gateway. The kernel implements it; tests of transports may too.
pub trait Front: Send + Sync + 'static {
    /// Handles one HTTP POST. Dropping the future means that the client has gone.
    fn post(&self, post: InPost) -> BoxFuture<'_, Answer>;
    /// Handles a GET: the stream of a legacy session, or the rest of a stream after `last_event`.
    fn listen(&self, listen: Listen) -> BoxFuture<'_, Answer>;
    /// Handles a DELETE, which ends a legacy session.
    fn delete(&self, who: &Credential, session: &str) -> BoxFuture<'_, Answer>;
    /// Opens a client on a pipe of its own: stdio, a local socket, or HTTP+SSE. The gateway's messages go to `outgoing`, each complete; when the
    /// receiver is gone, the client has gone.
    fn open(&self, who: Credential, outgoing: mpsc::Sender<Bytes>) -> Arc<dyn ClientPipe>;
    /// Returns the principal of a bearer token, by the stored tokens. A listener's own tokens come first.
    ///
    /// # Errors
    /// When the token is unknown, revoked or expired.
    fn authenticate(&self, _bearer: &str) -> Result<Credential, TokenRefusal> {
        Err(TokenRefusal::Unknown)
    }
    /// Returns whether there are stored tokens that were not revoked: then every client needs one, unless the listener is configured otherwise.
    fn has_tokens(&self) -> bool {
        false
    }
    /// Returns whether the gateway can serve: `Ok`, or why not.
    fn ready(&self) -> Result<(), String>;
    /// Returns the metrics in Prometheus' text format.
    fn metrics(&self) -> String;
}

/// The kernel's side of a client's pipe. Dropping the last handle ends the client's session.
pub trait ClientPipe: Send + Sync {
    /// Takes one frame from the client, not yet parsed. Resolves when the frame is accepted, not when it is answered, so that a client that sends too
    /// much is slowed.
    fn receive(&self, frame: Bytes) -> BoxFuture<'_, ()>;
    /// Notes that the client has gone: no more frames follow.
    fn closed(&self);
    /// Resolves when everything that was received has been answered; for an orderly end after stdin closed.
    fn drained(&self) -> BoxFuture<'_, ()>;
}

/// The principal that was authenticated, and by which token. Law: it is made of what the connection proved, never of what a message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// Who.
    pub principal: Principal,
    /// The id of the remembered token that was shown. None for an stdio launch, loopback without credentials, and tokens of the configuration: these
    /// are revoked in the configuration.
    pub token: Option<Arc<str>>,
}

/// A principal that was authenticated without a stored token.
impl From<Principal> for Credential {
    fn from(principal: Principal) -> Self {
        Self { principal, token: None }
    }
}

/// One POST as the listener read it.
#[derive(Clone, Debug)]
pub struct InPost {
    /// The principal, by the connection's credentials.
    pub who: Credential,
    /// `Mcp-Session-Id`
    pub session: Option<String>,
    /// `MCP-Protocol-Version` and the other mirrors.
    pub mirrors: Mirrors,
    /// W3C trace context headers.
    pub trace: Trace,
    /// Whether `Accept` admits `text/event-stream`.
    pub accepts_events: bool,
    /// The body, whole and within the size limit.
    pub body: Bytes,
}

/// One GET for events.
#[derive(Clone, Debug)]
pub struct Listen {
    /// Who.
    pub who: Credential,
    /// `Mcp-Session-Id`
    pub session: Option<String>,
    /// `MCP-Protocol-Version`
    pub revision: Option<String>,
    /// `Last-Event-ID`
    pub last_event: Option<String>,
}

/// The answer to an HTTP request.
#[derive(Debug)]
pub enum Answer {
    /// One JSON message with its status; `session` goes into `Mcp-Session-Id`.
    Message {
        /// The HTTP status.
        status: u16,
        /// A session id to assign.
        session: Option<Arc<str>>,
        /// The message.
        body: Bytes,
    },
    /// 202 without a body (a notification or a response was taken), or another status without a body (405, 204 …).
    Empty {
        /// The HTTP status.
        status: u16,
    },
    /// 200 and a stream of events.
    Events {
        /// A session id to assign.
        session: Option<Arc<str>>,
        /// The events; the listener adds keep-alive comments. Dropping it means that the client has gone.
        events: Events,
    },
}

/// The events of one answer, in order.
pub struct Events {
    receiver: mpsc::Receiver<Event>,
    /// Dropped with the stream: the sender learns that the client has gone.
    reading: Arc<Semaphore>,
}

impl Events {
    /// Creates a bounded queue. Returns its sender and its reading end.
    #[must_use]
    pub fn channel(capacity: usize) -> (mpsc::Sender<Event>, Self) {
        let (sender, receiver) = mpsc::channel(capacity);
        (
            sender,
            Self {
                receiver,
                reading: Arc::new(Semaphore::new(0)),
            },
        )
    }

    /// Polls for the next event, as a stream does.
    pub fn poll_next(&mut self, cx: &mut std::task::Context<'_>) -> std::task::Poll<Option<Event>> {
        self.receiver.poll_recv(cx)
    }

    /// Resolves when the stream is dropped: the client has gone.
    pub(crate) fn gone(&self) -> impl Future<Output = ()> + Send + 'static {
        let reading = self.reading.clone();
        async move {
            // The semaphore has no permits: the wait ends when it is closed.
            drop(reading.acquire().await);
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.reading.close();
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}
