//! Questions to a client: sampling, elicitation, roots, and what extensions ask (legacy era; a modern client is asked in a result).

use jsonrpc::{Change, ErrorObject, Id, Message, Raw};
use model::Ticket;

use super::session::{Ask, Session};
use super::{Output, Target};
use crate::{adapt, meta};

impl Session {
    pub(super) fn ask(&mut self, ask: Ticket, related: Option<Ticket>, message: &Message) {
        let method = message.method().unwrap_or_default();
        let Some(peer) = self.legacy_peer() else {
            let error = ErrorObject::invalid_request("this client can't be asked outside a request of its own");
            return self.push(Output::Answered(ask, Err(error)));
        };
        let params = message.params();
        let needed = adapt::required_capabilities(method, params.as_ref().unwrap_or(&Raw::null()));
        if peer.capabilities.missing(&needed).is_some() {
            return self.push(Output::Answered(ask, Err(ErrorObject::method_not_found(method))));
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
        self.send(question, related.map_or(Target::Session, Target::Related));
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
        self.send(message, related.map_or(Target::Session, Target::Related));
    }

    /// Classified by the pending question, never by its shape; an answer to nothing is dropped.
    pub(super) fn response(&mut self, message: Message) {
        let Some(entry) = message.id().and_then(Id::as_u64).and_then(|number| self.asks.take(number)) else {
            return;
        };
        self.push(Output::Answered(entry.ask, Ok(message)));
    }

    /// Progress that the client reports on a question carries our token; the asker gets its own back.
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

    /// The client has gone: whoever still waits for an answer of it is told.
    pub fn hang_up(&mut self) {
        for (_, entry) in self.asks.drain() {
            self.push(Output::Answered(
                entry.ask,
                Err(ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, "the client has gone")),
            ));
        }
        let open: Vec<Ticket> = self.calls.keys().copied().collect();
        for ticket in open {
            self.abandon(ticket);
        }
    }
}
