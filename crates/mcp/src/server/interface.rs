//! The outputs of the server's machine, and its errors.

use jsonrpc::{ErrorObject, Message};
use model::Ticket;

use crate::exchange::{Advertised, Outcome};
use crate::mirror::Mirrors;
use crate::revision::Revision;

/// An output of a server's machine: something for the kernel to do.
#[derive(Debug)]
pub enum Output {
    /// Send a message that is not a call: the answer to a question, a notification.
    Send(Outgoing),
    /// The handshake is complete.
    Ready(Box<Ready>),
    /// The handshake failed.
    Failed(HandshakeError),
    /// The outcome of a call.
    Outcome(Ticket, Outcome),
    /// A notification that belongs to a call, as it was received (progress carries the gateway's token).
    Interim(Ticket, Message),
    /// A notification that belongs to no call.
    Event(Message),
    /// A question of the server; answer it with [`Session::answer`](super::Session::answer). `related` is the call in whose course it was asked, where that is certain.
    Ask {
        /// The question's ticket.
        ask: Ticket,
        /// The call it belongs to.
        related: Option<Ticket>,
        /// The question as it was received.
        message: Message,
    },
    /// The server withdraws a question.
    AskCancelled(Ticket, Option<String>),
    /// A message that matches nothing known; for the log and the metrics.
    Stray(&'static str, Message),
}

/// A message to be sent to a server.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The message.
    pub message: Message,
    /// What the transport carries of it beside the body.
    pub mirrors: Mirrors,
}

/// A call to be sent to a server.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The ticket under which its outcome is reported.
    pub ticket: Ticket,
    /// The message to send.
    pub outgoing: Outgoing,
}

/// The result of the handshake.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The negotiated revision.
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
    /// The server answered with a revision that the gateway does not know.
    #[error("agree with the server: it speaks the protocol version `{0}`, which is unknown; set `era` or update one of the two")]
    UnknownRevision(String),
    /// The answer lacks what the specification requires.
    #[error("agree with the server: its answer to `{0}` lacks `{1}`")]
    Incomplete(&'static str, &'static str),
}
