//! Who takes the events of one call, and a queue for them that has room for what matters.

use std::sync::{Arc, Weak};

use jsonrpc::Message;
use mcp::exchange::Outcome;
use mcp::server::{HandshakeError, Outgoing};
use model::Ticket;
use tokio::sync::mpsc;

use crate::event::CallEvents;
use crate::question::Question;

/// Messages of one call that wait for its caller.
const QUEUE: usize = 64;
/// Places of the queue that progress and logs leave free.
const KEEP_FOR_ASKS: usize = 16;

/// What happens in the course of a call.
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

/// Where what comes for a call elsewhere than on its own exchange goes.
#[derive(Clone, Copy)]
pub enum EventSink<'a> {
    /// Nowhere: what comes is dropped.
    Dropped,
    /// To its caller, at once.
    Caller(&'a Arc<dyn CallEvents>, Ticket),
    /// To the task that drives the call.
    Call,
}

/// Where a reader puts the events of one call.
#[derive(Clone)]
pub(crate) enum Waiter {
    /// Into the queue of the task that drives the call.
    Queue(mpsc::Sender<CallEvent>),
    /// To the caller, under its ticket.
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

    /// Takes an event; gives it back when its kind has no room left. The end of a call always has.
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
