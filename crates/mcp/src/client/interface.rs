//! The inputs and the outputs of the client's machine.

use std::sync::Arc;

use jsonrpc::{ErrorObject, Message};
use model::{Ticket, Trace};

use crate::exchange::{Advertised, Outcome, Peer, Request};
use crate::mirror::Mirrors;

/// An input of a client's machine.
#[derive(Debug)]
pub enum Input {
    /// A message from the client, with what the transport knows of it beside the body.
    Message(Message, Arrival),
    /// What the gateway offers, in answer to an [`Output::Hello`].
    Advertise(Ticket, Advertised),
    /// The outcome of an [`Output::Request`].
    Outcome(Ticket, Outcome),
    /// A notification of a server that belongs to a request: progress, a log message, an extension's.
    Interim(Ticket, Message),
    /// A notification that belongs to no request.
    Event(Message),
    /// A question of a server to this client, under the asker's ticket; `related` is the client's request in whose course it is asked.
    Ask {
        /// The asker's ticket.
        ask: Ticket,
        /// The request in whose course it is asked.
        related: Option<Ticket>,
        /// The question as it came.
        message: Message,
    },
    /// The server that asked withdraws its question.
    AskCancelled(Ticket, Option<String>),
    /// The gateway ends a subscription stream in an orderly way.
    EndListen(Ticket),
}

/// What a transport knows of a message beside its body.
#[derive(Clone, Debug, Default)]
pub struct Arrival {
    /// The mirrors, over HTTP.
    pub mirrors: Option<Mirrors>,
    /// The trace context of the transport.
    pub trace: Trace,
}

/// An output of a client's machine: something for the kernel to do.
#[derive(Debug)]
pub enum Output {
    /// Send a message to the client.
    Send(Message, Target),
    /// Say what the gateway offers to this client: `initialize` or `server/discover`.
    Hello(Ticket, Arc<Peer>),
    /// Carry out a request.
    Request(Ticket, Box<Request>),
    /// The client has cancelled a request; it will not be answered.
    Cancelled(Ticket, Option<String>),
    /// A modern client opens a subscription stream; the acknowledgement is already among the outputs.
    Listen(Ticket, Box<Request>),
    /// A notification for the servers of this client.
    Notify(Message),
    /// The answer to an [`Input::Ask`].
    Answered(Ticket, Result<Message, ErrorObject>),
    /// Progress that a client reports on a question, its token restored.
    AskProgress(Ticket, Message),
    /// The handshake is complete.
    Initialized,
}

/// The stream that a message to the client goes to, on transports that have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The message answers the request of this ticket: nothing follows.
    Answer(Ticket),
    /// The message belongs to the request of this ticket.
    Related(Ticket),
    /// The message answers one that never became a request of the kernel: an error, a ping.
    Reply(Status),
    /// The message belongs to no request.
    Session,
}

/// The HTTP status of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub u16);
