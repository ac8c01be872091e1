//! Classifies a server's message: the answer to a call, a question, or a notification.

use jsonrpc::{ErrorObject, Id, Kind, Message, Raw, Refused};
use model::Ticket;

use super::Output;
use super::session::{Call, Session};
use crate::adapt::{self, ResultType};
use crate::exchange::{Answered, Failed, Outcome};
use crate::meta::{self, key};
use crate::method;
use crate::revision::{Era, Revision};

impl Session {
    /// Handles a message. `via` is the call whose exchange carried it, on transports that separate exchanges.
    pub fn receive(&mut self, message: Message, via: Option<Ticket>) {
        match message.kind() {
            Kind::Response => self.response(message, via),
            Kind::Request => self.question(message, via),
            Kind::Notification => self.notification(message, via),
        }
    }

    /// Handles a response. The pending call classifies it, never its shape. A second answer, or one to no call, is
    /// dropped and counted.
    fn response(&mut self, message: Message, via: Option<Ticket>) {
        let number = match message.id() {
            Some(id) => id.as_u64(),
            // A server that could not read our request answers under a null id: over HTTP the exchange tells which call
            // it is.
            None => via.or_else(|| self.sole_call()).map(|ticket| ticket.0),
        };
        let Some((number, call)) = number.and_then(|n| self.calls.take(n).map(|call| (n, call))) else {
            return self.push(Output::Stray("answer to no request", message));
        };
        let outcome = outcome_of(&call, message, self.revision);
        if self.hello == Some(number) {
            self.hello = None;
            return self.greeted(outcome);
        }
        self.push(Output::Outcome(Ticket(number), outcome));
    }

    fn question(&mut self, message: Message, via: Option<Ticket>) {
        let Some(id) = message.id().cloned() else { return };
        if self.era == Era::Modern {
            // 2026-07-28 basic/transports: servers ask in results (basic/patterns/mrtr), and a client never sends a response.
            return self.push(Output::Stray("request of a modern server", message));
        }
        if message.method() == Some("ping") {
            return self.send(Message::result(&id, &Raw::object_empty()));
        }
        let related = via.or_else(|| self.sole_client_call(|_| true));
        match self.register_ask(&id) {
            Ok(ask) => self.push(Output::Ask { ask, related, message }),
            Err(refused) => {
                let error = match refused {
                    Refused::Duplicate => ErrorObject::invalid_request("a request with this id is being answered; use a new id"),
                    Refused::Full => ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, "too many unanswered requests; wait for some answers"),
                };
                self.send(Message::failure(Some(&id), &error));
            }
        }
    }

    fn notification(&mut self, message: Message, via: Option<Ticket>) {
        match message.method().unwrap_or_default() {
            "notifications/progress" => match self.progress_of(&message) {
                Some(ticket) => self.push(Output::Interim(ticket, message)),
                None => self.push(Output::Stray("progress of no request", message)),
            },
            "notifications/cancelled" => self.taken_back(&message),
            name if is_broadcast(name) => self.push(Output::Event(message)),
            "notifications/message" => self.log(message, via),
            _ => self.extension(message, via),
        }
    }

    /// Routes a log message to the call whose exchange carried it, else to the only call that wants any. Otherwise it
    /// is for the sessions of legacy clients; but a modern server logs for requests only (2026-07-28
    /// server/utilities/logging), so that without one it is dropped.
    fn log(&mut self, message: Message, via: Option<Ticket>) {
        let live = |ticket: &Ticket| self.calls.get(ticket.0).is_some_and(|call| !call.listens());
        let of = match via {
            Some(_) => via.filter(live),
            None => self.sole_client_call(|call| call.logs),
        };
        let for_sessions = via.is_none() && (self.era == Era::Legacy || self.has_client_call(|call| call.logs));
        match of {
            Some(ticket) => self.push(Output::Interim(ticket, message)),
            None if for_sessions => self.push(Output::Event(message)),
            None => self.push(Output::Stray("log message of no request", message)),
        }
    }

    /// Routes a notification that the core does not define to the call whose exchange carried it. Otherwise it goes to
    /// all: to the sessions of legacy clients, and to each call of a modern one, which gets notifications in the course
    /// of its requests only.
    fn extension(&mut self, message: Message, via: Option<Ticket>) {
        let call = via.map(|ticket| self.calls.get(ticket.0));
        match (via, call) {
            (Some(ticket), Some(Some(call))) if !call.listens() => self.push(Output::Interim(ticket, message)),
            (_, Some(None)) => self.push(Output::Stray("notification of no request", message)),
            (_, Some(Some(_))) => self.push(Output::Event(message)),
            (_, None) if !of_extension(&message) => self.push(Output::Event(message)),
            (_, None) => match self.sole_client_call(|_| true).filter(|_| self.era == Era::Modern) {
                // On one channel, a modern server's notification belongs to a request: there is nothing else.
                Some(ticket) => self.push(Output::Interim(ticket, message)),
                None => {
                    for ticket in self.client_calls(|call| call.modern) {
                        self.push(Output::Interim(ticket, message.clone()));
                    }
                    self.push(Output::Event(message));
                }
            },
        }
    }

    fn progress_of(&self, message: &Message) -> Option<Ticket> {
        let number = message.params()?.get("progressToken")?.as_u64()?;
        self.calls.get(number).map(|_| Ticket(number))
    }

    fn taken_back(&mut self, message: &Message) {
        let Some(params) = message.params() else { return };
        let Some(id) = params.get("requestId").and_then(|raw| Id::parse(&raw)) else {
            return;
        };
        let reason = params.get("reason").and_then(|r| r.as_str().map(std::borrow::Cow::into_owned));
        if let Some(ask) = self.asks.take(&id) {
            self.asked.remove(&ask);
            return self.push(Output::AskCancelled(ask, reason));
        }
        // 2026-07-28 basic/patterns/cancellation: a server may end a subscription stream this way.
        let listening = id.as_u64().filter(|n| self.calls.get(*n).is_some_and(Call::listens));
        if let Some(call) = listening.and_then(|n| self.calls.take(n).map(|_| n)) {
            self.push(Output::Outcome(Ticket(call), Outcome::own(Raw::object_empty())));
        }
    }
}

fn outcome_of(call: &Call, message: Message, revision: Revision) -> Outcome {
    if let Some(result) = message.result_raw() {
        let kind = if call.inspect {
            adapt::result_type(&result)
        } else {
            ResultType::Complete
        };
        let answered = Answered {
            message: Some(message),
            result,
            revision,
        };
        return match kind {
            ResultType::Complete | ResultType::Task => Outcome::Result(answered),
            ResultType::InputRequired => Outcome::InputRequired(answered),
            // 2026-07-28 basic, ResultType: one that the client does not know is invalid; a legacy client knows none.
            ResultType::Other(kind) => {
                let why = format!("the server answered with a result of the type `{kind}`, which is not known");
                Outcome::refused(ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, why))
            }
        };
    }
    let error = message.error_raw().as_ref().and_then(ErrorObject::parse);
    let error = error.unwrap_or_else(|| ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, "the server's error has no code or message"));
    Outcome::Error(Failed {
        message: Some(message),
        error,
        revision,
    })
}

/// Returns whether a message is an extension's, and belongs to no subscription.
fn of_extension(message: &Message) -> bool {
    let subscribed = |params: Raw| meta::get(&params, key::SUBSCRIPTION_ID).is_some();
    message.method().is_some_and(|name| method::named(name).is_empty()) && !message.params().is_some_and(subscribed)
}

/// Returns whether a notification concerns every client, whatever stream it arrives on.
fn is_broadcast(name: &str) -> bool {
    name.ends_with("/list_changed")
        || matches!(
            name,
            "notifications/resources/updated" | "notifications/elicitation/complete" | "notifications/tasks/status" | "notifications/tasks"
        )
}
