//! A scripted caller, which records what it receives, and answers when the transcript says so.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jsonrpc::{ErrorObject, Message, Raw};
use kernel::link::BoxFuture;
use kernel::{Asker, Port};
use mcp::capabilities::ClientCapabilities;
use mcp::exchange::Peer;
use mcp::revision::Revision;
use model::Ticket;
use tokio::sync::Notify;

use crate::said;

/// The port of one scripted caller.
pub(crate) struct Scripted {
    /// What a request says of the caller. A modern caller says it with each request, and a legacy one once for all.
    peer: Arc<Peer>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    cancelled: Vec<Ticket>,
    calls: BTreeMap<Ticket, Arc<Notify>>,
    /// Questions by number, from 1; none once they are over.
    questions: Vec<Option<Box<dyn Asker>>>,
    said: Vec<String>,
}

impl Scripted {
    /// Returns a caller of a revision with these capabilities.
    pub(crate) fn new(revision: Revision, capabilities: &serde_json::Value) -> Arc<Self> {
        Arc::new(Self {
            peer: Arc::new(Peer {
                revision,
                capabilities: ClientCapabilities::new(Raw::of(capabilities)),
                info: None,
            }),
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn capabilities(&self) -> &Arc<Peer> {
        &self.peer
    }

    /// Cancels a request, whether or not it has begun.
    pub(crate) fn cancel(&self, ticket: Ticket) {
        let mut state = self.state();
        state.cancelled.push(ticket);
        if let Some(notify) = state.calls.get(&ticket) {
            notify.notify_one();
        }
    }

    /// Answers a question, or says why it is not answered.
    pub(crate) fn answer(&self, number: usize, answer: Result<Message, ErrorObject>) {
        let asker = self.state().questions[number - 1].take();
        asker.expect("a question that waits").answered(answer);
    }

    /// Reports progress of a question.
    pub(crate) fn report(&self, number: usize, message: &Message) {
        let state = self.state();
        state.questions[number - 1]
            .as_ref()
            .expect("a question that waits")
            .progressed(message);
    }

    /// Takes what was received since the last time.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.state().said)
    }
}

impl Port for Scripted {
    fn peer(&self) -> Option<Arc<Peer>> {
        Some(self.peer.clone()).filter(|peer| !peer.revision.is_modern())
    }

    fn cancellation(&self, ticket: Ticket) -> Option<Arc<Notify>> {
        let mut state = self.state();
        let is_cancelled = state.cancelled.contains(&ticket);
        (!is_cancelled).then(|| state.calls.entry(ticket).or_default().clone())
    }

    fn interim(&self, ticket: Ticket, message: Message) -> BoxFuture<'_, ()> {
        self.interim_now(ticket, message);
        Box::pin(std::future::ready(()))
    }

    fn interim_now(&self, ticket: Ticket, message: Message) {
        let text = format!("hears for c{}: {}", ticket.0, said::message(message.bytes()));
        self.state().said.push(text);
    }

    fn ask(&self, related: Option<Ticket>, question: Message, asker: Box<dyn Asker>) -> Ticket {
        let mut state = self.state();
        state.questions.push(Some(asker));
        let number = state.questions.len();
        let related = related.map_or_else(|| "no call".to_owned(), |ticket| format!("c{}", ticket.0));
        state
            .said
            .push(format!("is asked q{number} in {related}: {}", said::message(question.bytes())));
        Ticket(number as u64)
    }

    fn withdraw(&self, ask: Ticket, reason: Option<String>) {
        let mut state = self.state();
        let number = usize::try_from(ask.0).expect("a small number");
        if state.questions[number - 1].take().is_some() {
            let reason = reason.unwrap_or_default();
            state.said.push(format!("is not asked q{number} any more: {reason}"));
        }
    }
}
