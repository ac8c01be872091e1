//! Questions to a client: sampling, elicitation, roots, and what extensions ask (legacy era; a modern client is asked
//! in a result).

use jsonrpc::{Change, ErrorObject, Id, Message, Raw};
use model::Ticket;

use super::session::{Ask, Session};
use super::{Output, Target};
use crate::exchange::Peer;
use crate::method::{self, Side};
use crate::revision::Era;
use crate::{adapt, meta};

impl Session {
    pub(super) fn ask(&mut self, ask: Ticket, related: Option<Ticket>, message: &Message) {
        let params = message.params();
        if let Err(refusal) = self.may_ask(related, message.method().unwrap_or_default(), params.as_ref()) {
            return self.push(Output::Answered(ask, Err(refusal)));
        }
        let progress = meta::progress_token(params.as_ref());
        let Ok(number) = self.asks.insert(
            None,
            Ask {
                ask,
                related,
                progress: progress.clone(),
            },
        ) else {
            let error = ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, "too many unanswered questions to this client");
            return self.push(Output::Answered(ask, Err(error)));
        };
        let id = Id::number(number);
        let params = progress.map(|_| meta::with_progress_token(params.as_ref(), &Raw::uint(number)));
        let question = message.with(Change {
            id: Some(&id),
            params: params.as_ref(),
            ..Change::default()
        });
        let target = self.target(related);
        self.send(question, target);
    }

    /// Says whether the client can be asked something: by requests in the legacy era only.
    fn may_ask(&self, related: Option<Ticket>, method: &str, params: Option<&Raw>) -> Result<(), ErrorObject> {
        let modern = related
            .and_then(|ticket| self.calls.get(&ticket))
            .is_some_and(|call| call.peer.era() == Era::Modern);
        let peer = self.legacy_peer().filter(|_| !modern);
        let peer = peer.ok_or_else(|| ErrorObject::invalid_request("a client of this protocol version is asked in results only"))?;
        may_be_asked(peer, method, params)
    }

    /// Returns where a message about a question goes: to the request in whose course it was asked, while that is open.
    fn target(&self, related: Option<Ticket>) -> Target {
        let open = related.filter(|ticket| self.calls.contains_key(ticket));
        open.map_or(Target::Session, Target::Related)
    }

    pub(super) fn take_back(&mut self, ask: Ticket, reason: Option<&str>) {
        let Some(number) = self.asks.iter().find(|(_, entry)| entry.ask == ask).map(|(number, _)| number) else {
            return;
        };
        let related = self.asks.take(number).and_then(|entry| entry.related);
        let mut params = Raw::object_empty().edit().set(&["requestId"], &Raw::uint(number));
        if let Some(reason) = reason {
            params = params.set(&["reason"], &Raw::string(reason));
        }
        let message = Message::notification("notifications/cancelled", Some(&params.finish()));
        let target = self.target(related);
        self.send(message, target);
    }

    /// Withdraws the questions that were asked in the course of a request that the client has cancelled. Clients mostly
    /// close them without an answer, and the server that asked must not wait for one.
    pub(super) fn take_back_asked_in(&mut self, ticket: Ticket) {
        let asked: Vec<Ticket> = self
            .asks
            .iter()
            .filter(|(_, entry)| entry.related == Some(ticket))
            .map(|(_, entry)| entry.ask)
            .collect();
        for ask in asked {
            self.take_back(ask, None);
            let error = ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, "the client has cancelled the request");
            self.push(Output::Answered(ask, Err(error)));
        }
    }

    /// Takes in the client's answer to a question. The pending question classifies it, never its shape; an answer to no
    /// question is dropped.
    pub(super) fn response(&mut self, message: Message) {
        let Some(entry) = message.id().and_then(Id::as_u64).and_then(|number| self.asks.take(number)) else {
            return;
        };
        self.push(Output::Answered(entry.ask, Ok(message)));
    }

    /// Passes on progress that the client reports on a question. It carries the gateway's token; the server that asked
    /// gets its own token back.
    pub(super) fn ask_progress(&mut self, message: &Message) {
        let Some(params) = message.params() else { return };
        let Some(entry) = params
            .get("progressToken")
            .and_then(|t| t.as_u64())
            .and_then(|number| self.asks.get(number))
        else {
            return;
        };
        let Some(token) = &entry.progress else { return };
        let params = params.edit().set(&["progressToken"], token).finish();
        let message = message.with(Change {
            params: Some(&params),
            ..Change::default()
        });
        let ask = entry.ask;
        self.push(Output::AskProgress(ask, message));
    }

    /// Ends every open question with an error, because the client has disconnected.
    pub fn hang_up(&mut self) {
        for (_, entry) in self.asks.drain() {
            self.push(Output::Answered(
                entry.ask,
                Err(ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, "the client has gone")),
            ));
        }
        let mut open: Vec<Ticket> = self.calls.keys().copied().collect();
        open.sort_unstable();
        for ticket in open {
            self.abandon(ticket);
        }
    }
}

/// Says whether a peer of the legacy era can be asked something: what its revision has and what it declared; of extensions, those that it declared.
///
/// # Errors
/// What the asker is told where it cannot.
pub fn may_be_asked(peer: &Peer, method: &str, params: Option<&Raw>) -> Result<(), ErrorObject> {
    if method::named(method).is_empty() {
        return match peer.capabilities.claims(method) {
            true => Ok(()),
            false => Err(ErrorObject::method_not_found(method)),
        };
    }
    let row = method::lookup(method, Side::Server, peer.revision).filter(|row| peer.capabilities.has(row.client));
    if row.is_none() {
        return Err(ErrorObject::method_not_found(method));
    }
    // 2025-11-25 client/elicitation: a mode that was not declared is -32602.
    let needed = adapt::required_capabilities(method, params.unwrap_or(&Raw::null()));
    match peer.capabilities.missing(&needed) {
        Some(missing) => Err(ErrorObject::invalid_params(format_args!(
            "the client has not declared {}",
            missing.text()
        ))),
        None => Ok(()),
    }
}
