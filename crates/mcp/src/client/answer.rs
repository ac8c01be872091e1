//! What is sent back to a client: answers in its own era, and the notifications that belong to its open requests.

use jsonrpc::{Change, ErrorObject, Message, Raw};
use model::Ticket;

use super::session::{Call, CallKind, Session};
use super::{Filter, Output, Target};
use crate::capabilities::ServerCapabilities;
use crate::exchange::{Advertised, Answered, Failed, Outcome};
use crate::meta::{LogLevel, key};
use crate::method::{self, Side};
use crate::revision::{Era, Revision};
use crate::{adapt, error};

impl Session {
    pub(super) fn advertise(&mut self, ticket: Ticket, offer: &Advertised) {
        let Some(call) = self.end(ticket) else { return };
        let capabilities = ServerCapabilities::new(offer.capabilities.clone()).towards(Revision::LATEST_LEGACY, call.peer.revision);
        let mut result = Raw::object_empty().edit();
        if call.kind == CallKind::Initialize {
            self.greeted = true;
            result = result
                .set(&["protocolVersion"], &Raw::string(call.peer.revision.as_str()))
                .set(&["capabilities"], capabilities.raw())
                .set(&["serverInfo"], &offer.info);
        } else {
            result = result
                .set(&["resultType"], &Raw::string("complete"))
                .set(&["supportedVersions"], &Raw::of(&[Revision::V2026_07_28.as_str()]))
                .set(&["capabilities"], capabilities.raw())
                .set(&["ttlMs"], &Raw::uint(0))
                .set(&["cacheScope"], &Raw::string("private"))
                .set(&["_meta", key::SERVER_INFO], &offer.info);
        }
        if let Some(text) = &offer.instructions {
            result = result.set(&["instructions"], &Raw::string(text));
        }
        self.send(Message::result(&call.id, &result.finish()), Target::Answer(ticket));
    }

    pub(super) fn finish(&mut self, ticket: Ticket, outcome: Outcome) {
        let Some(call) = self.end(ticket) else { return };
        let message = match outcome {
            Outcome::Result(answered) => self.result_for(&call, answered),
            Outcome::InputRequired(answered) if call.peer.era() == Era::Modern => {
                splice_result(&call, answered.message.as_ref(), &answered.result)
            }
            // A legacy client has no such result; the kernel asks it in requests.
            Outcome::InputRequired(_) => Message::failure(Some(&call.id), &ErrorObject::internal()),
            Outcome::Error(failed) => error_for(&call, &failed),
        };
        self.send(message, Target::Answer(ticket));
    }

    fn result_for(&self, call: &Call, answered: Answered) -> Message {
        let (method, result) = (call.method.name(), &answered.result);
        let (from, to) = (answered.revision, call.peer.revision);
        let result = match (from.is_modern(), to.is_modern()) {
            _ if from == to => return splice_result(call, answered.message.as_ref(), result),
            (false, true) => adapt::complete(method, result, self.info.as_ref()),
            _ => adapt::result(method, result, from, to),
        };
        splice_result(call, answered.message.as_ref(), &result)
    }

    /// Sends a notification in the course of a request: progress under the client's own token, log messages of the
    /// level it wants.
    pub(super) fn interim(&mut self, ticket: Ticket, message: &Message) {
        let Some(call) = self.calls.get(&ticket) else { return };
        let forwarded = match message.method() {
            Some("notifications/progress") => call.progress.as_ref().map(|token| with_token(message, token)),
            Some("notifications/message") => self.wants_log(call, message).then(|| message.clone()),
            Some(name) if knows(call.peer.revision, name) => Some(message.clone()),
            _ => None,
        };
        if let Some(message) = forwarded {
            self.send(message, Target::Related(ticket));
        }
    }

    /// Returns whether a log message is wanted. 2026-07-28 server/utilities/logging: without a level in the request
    /// there are no log messages; a legacy session that set no level leaves it to the server.
    fn wants_log(&self, call: &Call, message: &Message) -> bool {
        let wanted = match call.peer.era() {
            Era::Modern => call.log_level,
            Era::Legacy => Some(self.log_level.unwrap_or(LogLevel::Debug)),
        };
        wanted.is_some_and(|least| level_of(message).is_none_or(|level| level >= least))
    }

    /// Sends a notification that belongs to no request to the legacy session, and to every subscription stream whose
    /// filter the kernel matched.
    pub(super) fn event(&mut self, message: &Message) {
        let Some(peer) = self.legacy_peer().filter(|_| self.greeted) else {
            return;
        };
        if !message.method().is_some_and(|name| knows(peer.revision, name)) {
            return;
        }
        let least = self.log_level.unwrap_or(LogLevel::Debug);
        if message.method() == Some("notifications/message") && level_of(message).is_some_and(|level| level < least) {
            return;
        }
        self.send(message.clone(), Target::Session);
    }

    /// Acknowledges a subscription stream with the part of its filter that the gateway honours. This is the first
    /// message on the stream.
    pub fn acknowledge(&mut self, ticket: Ticket, honoured: &Filter) {
        let Some(call) = self.listener(ticket) else { return };
        let params = Raw::object_empty()
            .edit()
            .set(&["_meta", key::SUBSCRIPTION_ID], call.id.raw())
            .set(&["notifications"], &honoured.to_raw())
            .finish();
        self.send(
            Message::notification("notifications/subscriptions/acknowledged", Some(&params)),
            Target::Related(ticket),
        );
    }

    /// Sends a notification on a subscription stream, under its id.
    pub fn notify_listener(&mut self, ticket: Ticket, message: &Message) {
        let Some(call) = self.listener(ticket) else { return };
        let params = message.params().unwrap_or_else(Raw::object_empty);
        let params = params.edit().set(&["_meta", key::SUBSCRIPTION_ID], call.id.raw()).finish();
        let message = message.with(Change {
            params: Some(&params),
            ..Change::default()
        });
        self.send(message, Target::Related(ticket));
    }

    /// Ends a subscription stream. 2026-07-28 basic/patterns/subscriptions asks for a result,
    /// basic/patterns/cancellation for a notification: on a pipe both are sent, the result first.
    pub(super) fn end_listen(&mut self, ticket: Ticket) {
        if self.listener(ticket).is_none() {
            return;
        }
        let Some(call) = self.end(ticket) else { return };
        let result = Raw::object_empty()
            .edit()
            .set(&["resultType"], &Raw::string("complete"))
            .set(&["_meta", key::SUBSCRIPTION_ID], call.id.raw())
            .finish();
        self.send(Message::result(&call.id, &result), Target::Answer(ticket));
        if call.kind == (CallKind::Listen { piped: true }) {
            let params = Raw::object_empty().edit().set(&["requestId"], call.id.raw()).finish();
            self.send(
                Message::notification("notifications/cancelled", Some(&params)),
                Target::Related(ticket),
            );
        }
    }

    fn listener(&self, ticket: Ticket) -> Option<&Call> {
        let call = self.calls.get(&ticket)?;
        matches!(call.kind, CallKind::Listen { .. }).then_some(call)
    }

    /// Forgets a request whose client has disconnected: nothing more is sent for it.
    pub fn abandon(&mut self, ticket: Ticket) {
        if self.end(ticket).is_some() {
            self.push(Output::Cancelled(ticket, None));
        }
    }

    pub(super) fn end(&mut self, ticket: Ticket) -> Option<Call> {
        let call = self.calls.remove(&ticket)?;
        self.in_flight.take(&call.id);
        Some(call)
    }
}

fn splice_result(call: &Call, message: Option<&Message>, result: &Raw) -> Message {
    let Some(message) = message else {
        return Message::result(&call.id, result);
    };
    // The same place in memory is the same result; comparing what may be large is not worth it.
    let same = message
        .result_raw()
        .is_some_and(|own| own.bytes().as_ptr() == result.bytes().as_ptr() && own.len() == result.len());
    message.with(Change {
        id: Some(&call.id),
        result: Some(result).filter(|_| !same),
        ..Change::default()
    })
}

/// Builds the client's error. A server's error that can be decoded is adapted to the client's era. The gateway's own
/// error is already made for its client, except that a legacy client is told no code that only the modern era has.
fn error_for(call: &Call, failed: &Failed) -> Message {
    let Some(message) = &failed.message else {
        return match call.peer.era() {
            Era::Modern => Message::failure(Some(&call.id), &failed.error),
            Era::Legacy => Message::failure(Some(&call.id), &error::to_legacy(&failed.error, call.method.name())),
        };
    };
    let readable = message.error_raw().filter(|raw| ErrorObject::parse(raw).is_some());
    let error = match &readable {
        Some(raw) => error::relay(raw, call.method.name(), failed.revision, call.peer.revision),
        None => failed.error.to_raw(),
    };
    message.with(Change {
        id: Some(&call.id),
        error: Some(&error).filter(|error| readable.as_ref() != Some(*error)),
        ..Change::default()
    })
}

/// Returns whether a revision defines the notification as a server's; one that the core does not define is an
/// extension's.
fn knows(revision: Revision, name: &str) -> bool {
    method::named(name).is_empty() || method::lookup(name, Side::Server, revision).is_some()
}

fn with_token(message: &Message, token: &Raw) -> Message {
    let params = message.params().unwrap_or_else(Raw::object_empty);
    let params = params.edit().set(&["progressToken"], token).finish();
    message.with(Change {
        params: Some(&params),
        ..Change::default()
    })
}

fn level_of(message: &Message) -> Option<LogLevel> {
    LogLevel::parse(&message.params()?.get("level")?.as_str()?)
}
