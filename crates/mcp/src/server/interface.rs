//! What the server's machine wants done, and why something can't be.

use jsonrpc::{ErrorObject, Message};
use model::Ticket;

use crate::exchange::{Advertised, Outcome};
use crate::mirror::Mirrors;
use crate::revision::Revision;

/// What a server's machine wants done.
#[derive(Debug)]
pub enum Output {
    /// Send a message that is not a call: the answer to a question, a notification.
    Send(Outgoing),
    /// The handshake is complete.
    Ready(Box<Ready>),
    /// The handshake failed.
    Failed(HandshakeError),
    /// How a call ended.
    Outcome(Ticket, Outcome),
    /// A notification that belongs to a call, as it came (progress carries our token).
    Interim(Ticket, Message),
    /// A notification that belongs to no call.
    Event(Message),
    /// A question of the server; answer it with [`Session::answer`](super::Session::answer). `related` is the call in whose course it was asked, where that is certain.
    Ask {
        /// The question's ticket.
        ask: Ticket,
        /// The call it belongs to.
        related: Option<Ticket>,
        /// The question as it came.
        message: Message,
    },
    /// The server takes a question back.
    AskCancelled(Ticket, Option<String>),
    /// Something that fits nothing we know of; for the log and the metrics.
    Stray(&'static str, Message),
}

/// A message on its way to a server.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The message.
    pub message: Message,
    /// What the transport shows of it beside the body.
    pub mirrors: Mirrors,
}

/// A call on its way to a server.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Under which its outcome comes.
    pub ticket: Ticket,
    /// What to send.
    pub outgoing: Outgoing,
}

/// What the handshake brought.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The revision that both speak.
    pub revision: Revision,
    /// What the server offers.
    pub offer: Advertised,
}

/// Why a call can't be placed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CallError {
    /// Too many calls are unanswered.
    #[error("send the request: the server has {0} unanswered ones already; try again later")]
    Full(usize),
    /// The arguments can't be mirrored as the tool's schema asks.
    #[error("send the request: {}", .0.message)]
    Mirror(ErrorObject),
}

/// Why a handshake failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum HandshakeError {
    /// The server refused.
    #[error("agree with the server: it answered `{}` (code {})", .0.message, .0.code)]
    Refused(ErrorObject),
    /// The server answered a revision that nobody knows.
    #[error("agree with the server: it speaks the protocol version `{0}`, which is unknown; set `era` or update one of the two")]
    UnknownRevision(String),
    /// The answer lacks what the specification requires.
    #[error("agree with the server: its answer to `{0}` lacks `{1}`")]
    Incomplete(&'static str, &'static str),
}
