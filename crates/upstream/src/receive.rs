//! Receives what a server sends on one connection: the machine takes it, and its outputs go to their calls, the line or the event sink.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use jsonrpc::{DecodeError, ErrorObject, Kind, Message};
use mcp::server::{self, Output};
use model::Ticket;

use crate::event::ServerEvent;
use crate::link::{Closed, Inbox};
use crate::protocol::Incoming;
use crate::session::{Outputs, Session};
use crate::waiter::CallEvent;

/// The number of one connection's frames that are no messages and are logged.
const MAX_LOGGED: u32 = 3;
/// The number of frames that are no messages after which a connection is ended.
const MAX_GARBAGE: u32 = 10_000;

impl Session {
    /// Receives bytes from the exchange of a call, or from the session's own stream. Events of that call are pushed onto `own`.
    pub(crate) fn receive(self: &Arc<Self>, bytes: Bytes, via: Option<Ticket>, own: &mut Vec<CallEvent>) -> Result<(), DecodeError> {
        let message = jsonrpc::decode_message(bytes, &self.context.config().limits)?;
        let outputs = self.with_machine(|machine| machine.receive(message, via));
        self.carry_out(outputs, via, own);
        Ok(())
    }

    fn carry_out(self: &Arc<Self>, outputs: Outputs, via: Option<Ticket>, own: &mut Vec<CallEvent>) {
        for output in outputs {
            match output {
                Output::Send(outgoing) if via.is_some() && self.is_http() && is_initialized(&outgoing) => {
                    own.push(CallEvent::Aside(outgoing));
                }
                Output::Send(outgoing) => self.send_aside(outgoing, None),
                Output::Ready(ready) => {
                    self.note_ready(*ready);
                    self.greeted(CallEvent::Greeted(Ok(())), via, own);
                }
                Output::Failed(error) => self.greeted(CallEvent::Greeted(Err(error)), via, own),
                Output::Outcome(ticket, outcome) => self.bring(ticket, CallEvent::Done(Box::new(outcome)), via, own),
                Output::Interim(ticket, message) => {
                    if !self.is_claimed(&message) {
                        self.bring(ticket, CallEvent::Interim(message), via, own);
                    }
                }
                Output::Event(message) => {
                    if !self.is_claimed(&message) {
                        self.with_owner(|owner| owner.notified(self, &message));
                    }
                }
                Output::Ask { ask, related, message } => self.asked(ask, related, message, (via, own)),
                Output::AskCancelled(ask, reason) => {
                    let question = (self.number, ask);
                    self.context.tell(ServerEvent::QuestionWithdrawn { question, reason });
                }
                Output::Stray(what, message) => self.stray(what, &message),
            }
        }
    }

    /// Takes a notification that is for the gateway. Returns whether it was.
    fn is_claimed(&self, message: &Message) -> bool {
        let config = self.context.config();
        for protocol in self.protocols() {
            if let Incoming::Claimed(event) = protocol.notified(&config, &self.server, message) {
                drop(config);
                if let Some(event) = event {
                    self.context.tell(event);
                }
                return true;
            }
        }
        false
    }

    /// Reports a request that only clients may send. Returns whether it was one.
    fn is_a_clients(&self, message: &Message) -> bool {
        let config = self.context.config();
        for protocol in self.protocols() {
            if let Incoming::Refused(event) = protocol.requested(&config, &self.server, message) {
                drop(config);
                self.context.tell(event);
                return true;
            }
        }
        false
    }

    fn asked(self: &Arc<Self>, ask: Ticket, related: Option<Ticket>, message: Message, (via, own): (Option<Ticket>, &mut Vec<CallEvent>)) {
        if self.is_a_clients(&message) {
            let method = message.method().unwrap_or_default();
            return self.refuse_ask(ask, ErrorObject::method_not_found(method));
        }
        let question = self.question(ask, message);
        match related {
            Some(ticket) => self.bring(ticket, CallEvent::Ask(question), via, own),
            None => self.with_owner(|owner| owner.asked(question)),
        }
    }

    fn stray(&self, what: &str, message: &Message) {
        if message.kind() == Kind::Request {
            self.is_a_clients(message);
        }
        self.context.runtime.metrics().stray(self.server.as_str());
        tracing::debug!(server = %self.server, what, message = ?message, "dropped");
    }

    /// Delivers an event to its call: onto `own` if it came on the call's own exchange, else to the call's waiter.
    fn bring(self: &Arc<Self>, ticket: Ticket, event: CallEvent, via: Option<Ticket>, own: &mut Vec<CallEvent>) {
        if via == Some(ticket) {
            return own.push(event);
        }
        match self.deliver(ticket, event) {
            None => {}
            Some(CallEvent::Ask(question)) => question.refuse(ErrorObject::new(
                jsonrpc::code::INTERNAL_ERROR,
                "the client takes no more questions",
            )),
            Some(_) => self.context.runtime.metrics().stray(self.server.as_str()),
        }
    }

    /// Delivers the handshake's outcome: over HTTP its exchange is `via`, on a pipe it is the only call there is.
    fn greeted(&self, event: CallEvent, via: Option<Ticket>, own: &mut Vec<CallEvent>) {
        if via.is_some() {
            return own.push(event);
        }
        if let Some(ticket) = self.oldest_waiter() {
            drop(self.deliver(ticket, event));
        }
    }

    /// Counts a frame that is no message: the first are logged, and a server that prints nothing else is ended.
    fn garbage(&self, frame: &[u8], error: &DecodeError) {
        let server = &self.server;
        self.context.runtime.metrics().garbage(server.as_str());
        match self.garbage.fetch_add(1, Ordering::Relaxed) + 1 {
            count @ ..=MAX_LOGGED => {
                let start = String::from_utf8_lossy(&frame[..frame.len().min(120)]).into_owned();
                tracing::warn!(%server, count, %error, line = start, "the server printed something that is not a message");
            }
            MAX_GARBAGE => self.fail(&format!(
                "it printed {MAX_GARBAGE} lines that are not messages; does it log to stdout? Logs belong on stderr"
            )),
            _ => {}
        }
    }
}

impl Inbox for Weak<Session> {
    fn frame(&self, frame: Bytes) {
        let Some(session) = self.upgrade().filter(|session| !session.is_over()) else {
            return;
        };
        if let Err(error) = session.receive(frame.clone(), None, &mut Vec::new()) {
            session.garbage(&frame, &error);
        }
    }

    fn closed(&self, why: Closed) {
        if let Some(session) = self.upgrade() {
            session.fail(&why.to_string());
        }
    }
}

/// Returns whether a message is the one notification that must arrive before any call is sent.
fn is_initialized(outgoing: &server::Outgoing) -> bool {
    outgoing.message.method() == Some("notifications/initialized")
}
