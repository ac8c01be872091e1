//! The waiter of one call's events, and a queue for them that keeps room for the important ones.

use std::sync::{Arc, Weak};

use jsonrpc::Message;
use mcp::exchange::Outcome;
use mcp::server::{HandshakeError, Outgoing};
use model::Ticket;
use tokio::sync::mpsc;

use crate::event::CallEvents;
use crate::question::Question;

/// The number of messages of one call that may wait for its caller.
const QUEUE: usize = 64;
/// The number of places of the queue that progress and logs leave free.
const KEEP_FOR_ASKS: usize = 16;

/// An event in the course of a call.
#[derive(Debug)]
pub enum CallEvent {
    /// A notification.
    Interim(Message),
    /// A question of the server.
    Ask(Question),
    /// The handshake is over.
    Greeted(Result<(), HandshakeError>),
    /// A message beside the call that must be delivered before anything else is sent.
    Aside(Outgoing),
    /// The call is over.
    Done(Box<Outcome>),
    /// The connection is over, and with it the call.
    Lost(String),
    /// The server does not know our session any more: nothing was done.
    SessionGone,
    /// Nothing was sent.
    NotSent(String),
}

impl CallEvent {
    /// Returns whether nothing follows the event.
    pub(crate) fn is_last(&self) -> bool {
        !matches!(self, Self::Interim(_) | Self::Ask(_) | Self::Aside(_))
    }
}

/// The destination of a call's messages that arrive elsewhere than on its own exchange.
#[derive(Clone, Copy)]
pub enum EventSink<'a> {
    /// The messages are dropped.
    Dropped,
    /// The messages go to the caller at once, under its ticket.
    Caller(&'a Arc<dyn CallEvents>, Ticket),
    /// The messages go to the task that drives the call.
    Call,
}

/// The place where a reader puts the events of one call.
#[derive(Clone)]
pub(crate) enum Waiter {
    /// The queue of the task that drives the call.
    Queue(mpsc::Sender<CallEvent>),
    /// The caller, with its ticket.
    Caller(Weak<dyn CallEvents>, Ticket),
}

impl Waiter {
    pub(crate) fn queue() -> (Self, Option<mpsc::Receiver<CallEvent>>) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        (Self::Queue(sender), Some(receiver))
    }

    pub(crate) fn caller(caller: &Arc<dyn CallEvents>, ticket: Ticket) -> Self {
        Self::Caller(Arc::downgrade(caller), ticket)
    }

    /// Takes an event; returns it if its kind has no room left. The last event of a call always has room.
    pub(crate) fn deliver(&self, event: CallEvent) -> Option<CallEvent> {
        match self {
            Self::Queue(sender) => enqueue(sender, event),
            Self::Caller(caller, ticket) => match (caller.upgrade(), event) {
                (Some(caller), CallEvent::Interim(message)) => {
                    caller.interim_now(*ticket, message);
                    None
                }
                (Some(caller), CallEvent::Ask(question)) => {
                    caller.asked(*ticket, question);
                    None
                }
                (_, event) => Some(event),
            },
        }
    }

    /// Tells that the connection is over.
    pub(crate) fn lost(self, why: &str) {
        if let Self::Queue(sender) = self {
            drop(enqueue(&sender, CallEvent::Lost(why.to_owned())));
        }
    }
}

impl std::fmt::Debug for EventSink<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Dropped => "Dropped",
            Self::Caller(..) => "Caller",
            Self::Call => "Call",
        })
    }
}

fn enqueue(sender: &mpsc::Sender<CallEvent>, event: CallEvent) -> Option<CallEvent> {
    let keep = match &event {
        CallEvent::Interim(_) => KEEP_FOR_ASKS,
        CallEvent::Ask(_) => 1,
        _ => 0,
    };
    if sender.capacity() <= keep {
        return Some(event);
    }
    sender.try_send(event).err().map(|error| match error {
        mpsc::error::TrySendError::Full(event) | mpsc::error::TrySendError::Closed(event) => event,
    })
}
