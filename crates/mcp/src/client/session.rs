//! The machine of one client: the open requests in both directions, and the state of its handshake.

use std::collections::VecDeque;
use std::sync::Arc;

use jsonrpc::{Id, InFlight, Message, Pending, Raw};
use model::{Ticket, TicketMap};

use super::early::Early;
use super::{Output, Status, Target};
use crate::exchange::Peer;
use crate::meta::LogLevel;
use crate::revision::Era;

/// The most requests of one client that may be unanswered at the same time, unless configured otherwise.
const MAX_IN_FLIGHT: usize = 1024;
/// The most questions to one client that may be unanswered at the same time.
const MAX_ASKS: usize = 256;

/// The protocol machine of one client.
#[derive(Debug)]
pub struct Session {
    pub(super) handshake: Handshake,
    /// Whether a legacy client has completed its handshake.
    pub(super) initialized: bool,
    /// Whether `initialize` was answered: a legacy client is sent nothing before that.
    pub(super) greeted: bool,
    pub(super) in_flight: InFlight<Ticket>,
    pub(super) calls: TicketMap<Call>,
    pub(super) early: Early,
    pub(super) asks: Pending<Ask>,
    pub(super) log_level: Option<LogLevel>,
    /// The capabilities of the last modern request, shared while they stay the same.
    pub(super) last_peer: Option<Arc<Peer>>,
    pub(super) next_ticket: u64,
    pub(super) info: Option<Raw>,
    outbox: VecDeque<Output>,
}

/// The state of a client's handshake.
#[derive(Clone, Debug)]
pub(super) enum Handshake {
    /// No message has arrived yet, or only modern requests have.
    None,
    /// `initialize` was answered (or is about to be).
    Legacy(Arc<Peer>),
}

/// A request of the client that is not answered yet.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: Id,
    pub(super) peer: Arc<Peer>,
    pub(super) kind: CallKind,
    pub(super) progress: Option<Raw>,
    pub(super) log_level: Option<LogLevel>,
    pub(super) method: crate::exchange::Method,
}

/// What the answer to a call is built from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallKind {
    /// `initialize`
    Initialize,
    /// `server/discover`
    Discover,
    /// `subscriptions/listen`; on a pipe, where the end of the stream can't be seen, or on a stream of its own.
    Listen { piped: bool },
    /// Anything else.
    Request,
}

/// A question to the client that is not answered yet.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) ask: Ticket,
    pub(super) related: Option<Ticket>,
    /// The asking server's own progress token, restored in what the client reports.
    pub(super) progress: Option<Raw>,
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// Returns the machine of a client from which no message has arrived.
    #[must_use]
    pub fn new() -> Self {
        Self {
            handshake: Handshake::None,
            initialized: false,
            greeted: false,
            in_flight: InFlight::new(MAX_IN_FLIGHT),
            calls: TicketMap::default(),
            early: Early::default(),
            asks: Pending::new(MAX_ASKS),
            log_level: None,
            last_peer: None,
            next_ticket: 1,
            info: None,
            outbox: VecDeque::new(),
        }
    }

    /// Limits how many of the client's requests may be unanswered at a time.
    #[must_use]
    pub fn allowing(self, in_flight: usize) -> Self {
        Self {
            in_flight: InFlight::new(in_flight),
            ..self
        }
    }

    /// Sets the `serverInfo` that results get when they are adapted to the modern era.
    #[must_use]
    pub fn signing(self, info: Raw) -> Self {
        Self { info: Some(info), ..self }
    }

    /// Returns the next output, or `None` once there is none.
    pub fn poll(&mut self) -> Option<Output> {
        self.outbox.pop_front()
    }

    /// Returns the legacy client of this session, once it has sent `initialize`.
    #[must_use]
    pub fn legacy_peer(&self) -> Option<&Arc<Peer>> {
        match &self.handshake {
            Handshake::Legacy(peer) => Some(peer),
            Handshake::None => None,
        }
    }

    /// Returns the number of requests that are not answered yet.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Returns the number of questions to the client that are not answered yet.
    #[must_use]
    pub fn asked(&self) -> usize {
        self.asks.len()
    }

    /// Returns the oldest unanswered request of a legacy client.
    #[must_use]
    pub fn oldest_call(&self) -> Option<Ticket> {
        self.calls
            .iter()
            .filter(|(_, call)| call.peer.era() == Era::Legacy)
            .map(|(ticket, _)| *ticket)
            .min()
    }

    pub(super) fn ticket(&mut self) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        ticket
    }

    pub(super) fn push(&mut self, output: Output) {
        self.outbox.push_back(output);
    }

    pub(super) fn send(&mut self, message: Message, target: Target) {
        self.push(Output::Send(message, target));
    }

    pub(super) fn reply(&mut self, message: Message, status: u16) {
        self.send(message, Target::Reply(Status(status)));
    }
}
