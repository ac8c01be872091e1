//! The machine of one client: what is in flight, in both directions, and where it stands in its handshake.

use std::collections::VecDeque;
use std::sync::Arc;

use jsonrpc::{Id, InFlight, Message, Pending, Raw};
use model::{Ticket, TicketMap};

use super::early::Early;
use super::{Output, Status, Target};
use crate::exchange::Peer;
use crate::meta::LogLevel;
use crate::revision::Era;

/// Requests of one client that may be unanswered at the same time, where nobody says otherwise.
const MAX_IN_FLIGHT: usize = 1024;
/// Questions to one client that may be unanswered at the same time.
const MAX_ASKS: usize = 256;

/// One client's machine.
#[derive(Debug)]
pub struct Session {
    pub(super) handshake: Handshake,
    /// Whether a legacy client has completed its handshake.
    pub(super) initialized: bool,
    /// Whether `initialize` was answered: nothing is said to a legacy client before that.
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

/// Where a client stands.
#[derive(Clone, Debug)]
pub(super) enum Handshake {
    /// Nothing was said yet, or only modern requests were.
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

/// What the answer to a call is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallKind {
    /// `initialize`
    Initialize,
    /// `server/discover`
    Discover,
    /// `subscriptions/listen`; on a pipe, where its end can't be seen from its stream's, or on a stream of its own.
    Listen { piped: bool },
    /// Anything else.
    Request,
}

/// A question to the client that is not answered yet.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) ask: Ticket,
    pub(super) related: Option<Ticket>,
    /// The asker's own progress token, restored in what the client reports.
    pub(super) progress: Option<Raw>,
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// A client that has said nothing yet.
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

    /// The same, with at most so many of its requests unanswered at a time.
    #[must_use]
    pub fn allowing(self, in_flight: usize) -> Self {
        Self {
            in_flight: InFlight::new(in_flight),
            ..self
        }
    }

    /// The same, saying who answers (`serverInfo`) in results that have to be put into the modern era's shape.
    #[must_use]
    pub fn signing(self, info: Raw) -> Self {
        Self { info: Some(info), ..self }
    }

    /// The next thing to do.
    pub fn poll(&mut self) -> Option<Output> {
        self.outbox.pop_front()
    }

    /// The legacy client behind this session, once it has said hello.
    #[must_use]
    pub fn legacy_peer(&self) -> Option<&Arc<Peer>> {
        match &self.handshake {
            Handshake::Legacy(peer) => Some(peer),
            Handshake::None => None,
        }
    }

    /// Requests that are not answered yet.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Questions to the client that are not answered yet.
    #[must_use]
    pub fn asked(&self) -> usize {
        self.asks.len()
    }

    /// The oldest request that is not answered yet, where there is a legacy one.
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
