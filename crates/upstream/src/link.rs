//! The interface of transports: connections to servers as plain messages and exchanges.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
pub use guard::{InFlight, SendPermit};
use mcp::mirror::Mirrors;
use model::Trace;
pub use runtime::BoxFuture;
use tokio::sync::mpsc;

pub use crate::frame::Frame;
use crate::spec::ServerSpec;

/// Opens connections to servers. Implemented by `transport`.
pub trait Connector: Send + Sync + 'static {
    /// Connects to a server once. `inbox` receives what a pipe delivers; an HTTP link answers each exchange itself and ignores it.
    ///
    /// # Errors
    /// When the child can't be spawned, the URL is not one, or TLS can't be set up. An HTTP server that is down shows at the first exchange.
    fn connect<'a>(&'a self, server: &'a ServerSpec, inbox: Arc<dyn Inbox>) -> BoxFuture<'a, Result<Link, LinkError>>;
}

/// A connection to a server.
#[derive(Debug)]
pub enum Link {
    /// Two streams of messages: stdio, or HTTP+SSE.
    Pipe(Pipe),
    /// One exchange for each message: Streamable HTTP.
    Http(Arc<dyn HttpLink>),
}

/// The sending half of a pipe. Dropping it starts the orderly end of the peer: stdin closed, then SIGTERM, then SIGKILL, each with its deadline.
pub struct Pipe {
    /// Complete messages without raw line breaks; the writer adds the newline and coalesces what is queued.
    pub outgoing: mpsc::Sender<Frame>,
    /// The far end, apart from its messages.
    pub peer: Arc<dyn PipePeer>,
}

impl fmt::Debug for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipe").finish_non_exhaustive()
    }
}

/// The far end of a pipe, apart from its messages.
pub trait PipePeer: Send + Sync {
    /// The last lines that a child wrote to stderr, newest last; bounded.
    fn stderr_tail(&self) -> Vec<String>;
    /// The process id of a child.
    fn pid(&self) -> Option<u32>;
    /// Ends the peer and resolves when it is gone (its whole process group, for a child).
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// The receiver of a pipe's frames, in order, on the reader's own task. Must not block.
pub trait Inbox: Send + Sync {
    /// Takes one frame: a line of a child's stdout, or the data of an SSE event. It is not parsed yet.
    fn frame(&self, frame: Bytes);
    /// Notes that the pipe has ended. It is called once, last.
    fn closed(&self, why: Closed);
}

/// The reason why a pipe ended.
#[derive(Clone, Debug)]
pub enum Closed {
    /// The child exited; the text has its status (and signal).
    Exited(String),
    /// The stream ended or broke.
    Ended(String),
    /// A frame was larger than the limit allows.
    FrameTooLarge,
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(status) => write!(f, "the process exited ({status})"),
            Self::Ended(why) => write!(f, "the connection ended ({why})"),
            Self::FrameTooLarge => f.write_str("a single message was larger than the limit"),
        }
    }
}

/// Exchanges with one Streamable HTTP endpoint over pooled connections.
pub trait HttpLink: Send + Sync + fmt::Debug {
    /// POSTs one message.
    fn post(&self, post: OutPost) -> BoxFuture<'_, Result<Reply, LinkError>>;
    /// GETs the stream of a legacy session (or resumes one after `last_event`).
    fn listen(&self, session: Option<&str>, revision: &str, last_event: Option<&str>) -> BoxFuture<'_, Result<Reply, LinkError>>;
    /// DELETEs a legacy session. Errors are ignored.
    fn delete(&self, session: &str, revision: &str) -> BoxFuture<'_, ()>;
}

/// One message to POST.
#[derive(Clone, Debug, Default)]
pub struct OutPost {
    /// The body.
    pub body: Bytes,
    /// `Mcp-Session-Id`, in a legacy session.
    pub session: Option<Arc<str>>,
    /// `MCP-Protocol-Version` and, in the modern era, the other mirrors.
    pub mirrors: Mirrors,
    /// W3C trace context headers.
    pub trace: Trace,
    /// The permit that the writer checks last; none for the gateway's own messages.
    pub permit: Option<SendPermit>,
}

/// The reply to an exchange.
#[derive(Debug)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// `Mcp-Session-Id`, where the server assigned one.
    pub session: Option<String>,
    /// The body, by its content type.
    pub body: ReplyBody,
}

/// The body of a reply.
#[derive(Debug)]
pub enum ReplyBody {
    /// `application/json`, whole and within the size limit.
    Json(Bytes),
    /// `text/event-stream`.
    Events(EventStream),
    /// Nothing, or something else: the start of it as text, for the error message.
    Other(String),
}

/// The events of a response. Dropping it closes the response, which is a cancellation in the modern era.
pub struct EventStream {
    source: Box<dyn EventSource>,
}

impl EventStream {
    /// Wraps a source.
    #[must_use]
    pub fn new(source: Box<dyn EventSource>) -> Self {
        Self { source }
    }

    /// Returns the next event; `None` at the orderly end. Cancel-safe.
    ///
    /// # Errors
    /// When the connection breaks or an event is larger than the limit.
    pub async fn next(&mut self) -> Option<Result<Event, LinkError>> {
        std::future::poll_fn(|cx| self.source.poll_event(cx)).await
    }
}

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream").finish_non_exhaustive()
    }
}

/// A source of events.
pub trait EventSource: Send {
    /// Polls for the next event, as a stream does.
    fn poll_event(&mut self, cx: &mut std::task::Context<'_>) -> std::task::Poll<Option<Result<Event, LinkError>>>;
}

/// One server-sent event of type `message`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its `id`, where it has one.
    pub id: Option<String>,
    /// Its data; empty in a priming event.
    pub data: Bytes,
    /// `retry`: how long to wait before reconnecting.
    pub retry: Option<Duration>,
}

/// The error of an exchange or a connection.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LinkError {
    /// The program can't be started.
    #[error("start `{command}`: {why}")]
    Spawn {
        /// The program.
        command: String,
        /// The system's reason and what to do.
        why: String,
    },
    /// The address can't be used.
    #[error("use the address `{url}`: {why}")]
    Address {
        /// The address.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// No server answers there, or the connection broke before anything of the request can have been acted on.
    #[error("reach the server: {0}")]
    Unreachable(String),
    /// The connection broke after the request was sent: it may have been acted on.
    #[error("hear from the server: {0}")]
    Broken(String),
    /// The permit was withdrawn before the message was written.
    #[error("send it: what allowed it was taken back")]
    Withdrawn,
    /// An answer is larger than the limit.
    #[error("read the answer: it is larger than {0} bytes")]
    TooLarge(usize),
}
