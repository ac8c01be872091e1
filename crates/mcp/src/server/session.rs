//! The machine of one connection to a server: the open calls and questions, and their ids.

use std::collections::{HashMap, VecDeque};

use jsonrpc::{Change, ErrorObject, Id, InFlight, Message, Pending, Raw, Refused};
use model::Ticket;

use super::{CallError, Outgoing, Output, Placed};
use crate::exchange::{Method, Request};
use crate::method::{self, Side};
use crate::mirror::{self, Mirrors};
use crate::revision::{Era, Revision};

/// The most calls of one connection that may be unanswered.
const MAX_CALLS: usize = 4096;
/// The most questions of one server that may be unanswered.
const MAX_ASKS: usize = 256;

/// The protocol machine of one server.
#[derive(Debug)]
pub struct Session {
    pub(super) era: Era,
    pub(super) revision: Revision,
    pub(super) calls: Pending<Call>,
    pub(super) asks: InFlight<Ticket>,
    pub(super) asked: HashMap<Ticket, Id>,
    pub(super) hello: Option<u64>,
    next_ask: u64,
    outbox: VecDeque<Output>,
}

/// A call that the server has not answered.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) method: Method,
    /// Whether `resultType` decides what the outcome is.
    pub(super) inspect: bool,
    /// Whether log messages are wanted for the call.
    pub(super) logs: bool,
    /// Whether the call's client is of the modern era.
    pub(super) modern: bool,
}

impl Session {
    /// Returns the machine of a connection on which nothing was sent yet.
    #[must_use]
    pub fn new(era: Era) -> Self {
        Self {
            era,
            revision: if era == Era::Modern {
                Revision::V2026_07_28
            } else {
                Revision::LATEST_LEGACY
            },
            calls: Pending::new(MAX_CALLS),
            asks: InFlight::new(MAX_ASKS),
            asked: HashMap::new(),
            hello: None,
            next_ask: 1,
            outbox: VecDeque::new(),
        }
    }

    /// Returns the era of this connection.
    #[must_use]
    pub fn era(&self) -> Era {
        self.era
    }

    /// Returns the revision of this connection.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns the number of calls that are not answered yet.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.calls.len()
    }

    /// Returns whether any call but subscription streams is unanswered.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.calls.iter().any(|(_, call)| !call.listens())
    }

    /// Returns the number of the server's questions that are not answered yet.
    #[must_use]
    pub fn asked(&self) -> usize {
        self.asked.len()
    }

    /// Returns the next output, or `None` once there is none.
    pub fn poll(&mut self) -> Option<Output> {
        self.outbox.pop_front()
    }

    /// Restarts the handshake in an era, on the same connection, after a probe that was refused or not answered. Ids
    /// continue, so that a late answer to the probe matches nothing.
    pub fn begin_again(&mut self, era: Era) {
        self.era = era;
        self.revision = match era {
            Era::Legacy => Revision::LATEST_LEGACY,
            Era::Modern => Revision::LATEST,
        };
        self.hello = None;
        drop(self.calls.drain());
    }

    pub(super) fn push(&mut self, output: Output) {
        self.outbox.push_back(output);
    }

    pub(super) fn send(&mut self, message: Message) {
        let mirrors = self.plain_mirrors(message.method());
        self.push(Output::Send(Outgoing { message, mirrors }));
    }

    /// Places a call under an id of the gateway's own. The client's id, progress token and, where it differs, the name
    /// are replaced; the rest is sent as it was received.
    ///
    /// # Errors
    /// When too many calls are unanswered, or an argument can't be mirrored.
    pub fn call(&mut self, request: &Request) -> Result<Placed, CallError> {
        let call = Call {
            method: request.method.clone(),
            inspect: self.era == Era::Modern && request.peer.era() == Era::Legacy,
            logs: request.log_level.is_some() || request.peer.era() == Era::Legacy,
            modern: request.peer.era() == Era::Modern,
        };
        let number = self.calls.insert(None, call).map_err(|_| CallError::Full(MAX_CALLS))?;
        let id = Id::number(number);
        let params = super::outgoing::params(request, self.era, self.revision, number);
        let message = request.message.with(Change {
            id: Some(&id),
            params: params.as_ref(),
            ..Change::default()
        });
        match self.mirrors(request, &message) {
            Ok(mirrors) => Ok(Placed {
                ticket: Ticket(number),
                outgoing: Outgoing { message, mirrors },
            }),
            Err(error) => {
                self.calls.take(number);
                Err(CallError::Mirror(error))
            }
        }
    }

    fn mirrors(&self, request: &Request, message: &Message) -> Result<Mirrors, ErrorObject> {
        match self.era {
            Era::Legacy => Ok(self.plain_mirrors(None)),
            Era::Modern => mirror::mirrors_for(
                self.revision,
                request.method.name(),
                message.params().as_ref(),
                request.headers.as_deref(),
            ),
        }
    }

    pub(super) fn plain_mirrors(&self, method: Option<&str>) -> Mirrors {
        Mirrors {
            revision: self.revision.has_version_header().then(|| self.revision.as_str().to_owned()),
            method: method.filter(|_| self.era == Era::Modern).map(str::to_owned),
            ..Mirrors::default()
        }
    }

    /// Abandons a call, and tells the server. In the modern era over HTTP the kernel closes the exchange instead and
    /// asks for no notification.
    ///
    /// A handshake is abandoned silently: 2025-11-25 basic/utilities/cancellation forbids to cancel `initialize`, and a
    /// server that left the modern era's probe unanswered may be one that wants `initialize` before anything else.
    pub fn cancel(&mut self, ticket: Ticket, reason: Option<&str>, tell: bool) {
        let greets = self.hello == Some(ticket.0);
        if greets {
            self.hello = None;
        }
        if self.calls.take(ticket.0).is_none() || !tell || greets {
            return;
        }
        let mut params = Raw::object_empty().edit().set(&["requestId"], &Raw::uint(ticket.0));
        if let Some(reason) = reason {
            params = params.set(&["reason"], &Raw::string(reason));
        }
        self.send(Message::notification("notifications/cancelled", Some(&params.finish())));
    }

    /// Passes on a client's notification, unless the server's revision does not have it.
    pub fn notify(&mut self, message: &Message) {
        let name = message.method().unwrap_or_default();
        if method::named(name).is_empty() || method::lookup(name, Side::Client, self.revision).is_some() {
            self.send(message.clone());
        }
    }

    /// Answers a question of the server with the client's answer, under the server's own id.
    pub fn answer(&mut self, ask: Ticket, answer: Result<Message, ErrorObject>) {
        let Some(id) = self.asked.remove(&ask) else { return };
        self.asks.take(&id);
        let message = match answer {
            Ok(message) => message.with(Change {
                id: Some(&id),
                ..Change::default()
            }),
            Err(error) => Message::failure(Some(&id), &error),
        };
        self.send(message);
    }

    /// Passes on the client's progress on a question, with the server's own token already restored.
    pub fn ask_progress(&mut self, message: &Message) {
        self.send(message.clone());
    }

    pub(super) fn register_ask(&mut self, id: &Id) -> Result<Ticket, Refused> {
        let ask = Ticket(self.next_ask);
        self.asks.insert(id.clone(), ask)?;
        self.next_ask += 1;
        self.asked.insert(ask, id.clone());
        Ok(ask)
    }

    /// Returns the only open call but subscription streams, where there is exactly one.
    pub(super) fn sole_call(&self) -> Option<Ticket> {
        sole(self.calls.iter().filter(|(_, call)| !call.listens()))
    }

    /// Returns the only open call of a client that matches, where there is exactly one. The gateway's own calls (lists,
    /// subscriptions, levels) lead to no questions and no log messages for a client.
    pub(super) fn sole_client_call(&self, like: impl Fn(&Call) -> bool) -> Option<Ticket> {
        sole(self.calls.iter().filter(|(_, call)| call.is_clients() && like(call)))
    }

    /// Returns the open calls of clients that match, in the order in which they were made.
    pub(super) fn client_calls(&self, like: impl Fn(&Call) -> bool) -> Vec<Ticket> {
        let calls = self.calls.iter().filter(|(_, call)| call.is_clients() && like(call));
        let mut tickets: Vec<Ticket> = calls.map(|(number, _)| Ticket(number)).collect();
        tickets.sort_unstable();
        tickets
    }

    /// Returns whether an open call of a client matches.
    pub(super) fn has_client_call(&self, like: impl Fn(&Call) -> bool) -> bool {
        self.calls.iter().any(|(_, call)| call.is_clients() && like(call))
    }
}

impl Call {
    pub(super) fn listens(&self) -> bool {
        self.method.is("subscriptions/listen")
    }

    fn is_clients(&self) -> bool {
        match &self.method {
            Method::Known(info) => method::may_ask(info.name) || matches!(info.name, "completion/complete" | "tasks/result"),
            Method::Extension(_) => true,
        }
    }
}

fn sole<'a>(mut calls: impl Iterator<Item = (u64, &'a Call)>) -> Option<Ticket> {
    let (number, _) = calls.next()?;
    calls.next().is_none().then_some(Ticket(number))
}
