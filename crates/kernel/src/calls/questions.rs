//! Questions to callers: those of servers, admitted and answered under a permit, and the gateway's own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use guard::{Guard, SendPermit, Subject};
use jsonrpc::{Change, ErrorObject, Message};
use mcp::adapt;
use mcp::exchange::Peer;
use mcp::revision::Revision;
use model::{Ticket, Trace};
use policy::Action;
use tokio::sync::oneshot;
use upstream::{Question, QuestionId};

use super::port::{Asker, Port};

/// A question that a caller has not answered yet.
struct Open {
    port: Weak<dyn Port>,
    /// The caller's name of the question; none while it is being put.
    ask: Option<Ticket>,
}

/// The questions of servers that callers have not answered yet.
pub(crate) struct Questions {
    guard: Arc<Guard>,
    open: Mutex<HashMap<QuestionId, Open>>,
}

impl Questions {
    pub(crate) fn new(guard: Arc<Guard>) -> Arc<Self> {
        Arc::new(Self {
            guard,
            open: Mutex::default(),
        })
    }

    fn open(&self) -> MutexGuard<'_, HashMap<QuestionId, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a server's question to a caller. The answer goes back over the server's own connection.
    pub(crate) fn put(self: &Arc<Self>, subject: &Subject, port: &Arc<dyn Port>, related: Option<Ticket>, question: Question) {
        let action = Action::Ask {
            server: &question.server,
            method: question.method(),
        };
        let permit = match self.guard.admit_now(subject, action, &Trace::default()) {
            Ok(permit) => permit,
            Err(error) => return question.refuse(error),
        };
        let peer = port.peer();
        let revision = peer.as_ref().map(|peer| peer.revision);
        let message = question_for(revision, &question.message, question.revision);
        let method = message.method().unwrap_or_default();
        let may_be_asked = |peer: Arc<Peer>| mcp::client::may_be_asked(&peer, method, message.params().as_ref());
        if let Some(Err(refusal)) = peer.map(may_be_asked) {
            return question.refuse(refusal);
        }
        let id = question.id();
        let asker = ServerAsks {
            questions: Arc::downgrade(self),
            question,
            revision,
            permit,
        };
        {
            // Noted before it is put: the answer may come at once.
            let mut open = self.open();
            open.retain(|_, open| open.port.strong_count() > 0);
            let port = Arc::downgrade(port);
            open.insert(id, Open { port, ask: None });
        }
        let ask = port.ask(related, message, Box::new(asker));
        let was_withdrawn = match self.open().get_mut(&id) {
            Some(open) => {
                open.ask = Some(ask);
                false
            }
            None => true,
        };
        if was_withdrawn {
            // Withdrawn while it was being put. If it was answered instead, withdrawing it does nothing.
            port.withdraw(ask, None);
        }
    }

    /// Withdraws a question whose server needs no answer any more.
    pub(crate) fn withdraw(&self, question: &QuestionId, reason: Option<String>) {
        let asked = self.open().remove(question);
        if let Some(Open { port, ask: Some(ask) }) = asked
            && let Some(port) = port.upgrade()
        {
            port.withdraw(ask, reason);
        }
    }

    /// Withdraws all questions that came over a connection which has ended.
    pub(crate) fn session_ended(&self, session: u64, why: &str) {
        let asked: Vec<QuestionId> = self.open().keys().filter(|(of, _)| *of == session).copied().collect();
        for question in asked {
            self.withdraw(&question, Some(why.to_owned()));
        }
    }
}

/// A server that waits for the answer to its question.
struct ServerAsks {
    questions: Weak<Questions>,
    question: Question,
    /// The revision that the caller answers in.
    revision: Option<Revision>,
    /// The permit that the answer needs to be sent.
    permit: SendPermit,
}

impl Asker for ServerAsks {
    fn answered(self: Box<Self>, answer: Result<Message, ErrorObject>) {
        if let Some(questions) = self.questions.upgrade() {
            questions.open().remove(&self.question.id());
        }
        match answer {
            Ok(message) => {
                let message = answer_for(self.revision, self.question.method(), message, self.question.revision);
                self.question.answer(message, &self.permit);
            }
            Err(error) => self.question.refuse(error),
        }
    }

    fn progressed(&self, message: &Message) {
        self.question.progress(message, &self.permit);
    }
}

/// A question of the gateway's own. Dropping it before it is answered withdraws it.
pub(crate) struct OwnQuestion {
    port: Weak<dyn Port>,
    ask: Ticket,
    answer: oneshot::Receiver<Result<Message, ErrorObject>>,
}

/// The gateway's own receiver of an answer.
struct GatewayAsks(oneshot::Sender<Result<Message, ErrorObject>>);

impl Asker for GatewayAsks {
    fn answered(self: Box<Self>, answer: Result<Message, ErrorObject>) {
        drop(self.0.send(answer));
    }
}

impl OwnQuestion {
    /// Puts a question of the gateway's own to a caller, in the course of a request.
    pub(crate) fn put(port: &Arc<dyn Port>, related: Ticket, message: Message) -> Self {
        let (sender, answer) = oneshot::channel();
        let ask = port.ask(Some(related), message, Box::new(GatewayAsks(sender)));
        Self {
            port: Arc::downgrade(port),
            ask,
            answer,
        }
    }

    /// Returns the answer; none when the caller has gone.
    pub(crate) async fn answer(&mut self) -> Option<Result<Message, ErrorObject>> {
        (&mut self.answer).await.ok()
    }
}

impl Drop for OwnQuestion {
    fn drop(&mut self) {
        if let Some(port) = self.port.upgrade() {
            port.withdraw(self.ask, Some("the answer is not needed any more".to_owned()));
        }
    }
}

/// Translates a server's question for a caller of another revision.
fn question_for(to: Option<Revision>, message: &Message, from: Revision) -> Message {
    let (Some(to), Some(params)) = (to.filter(|to| *to != from), message.params()) else {
        return message.clone();
    };
    let method = message.method().unwrap_or_default();
    let params = adapt::reverse_params(method, &params, from, to, "");
    message.with(Change {
        params: Some(&params),
        ..Change::default()
    })
}

/// Translates a caller's answer for a server of another revision.
fn answer_for(from: Option<Revision>, method: &str, message: Message, to: Revision) -> Message {
    let (Some(from), Some(result)) = (from.filter(|from| *from != to), message.result_raw()) else {
        return message;
    };
    let result = adapt::reverse_result(method, &result, from, to);
    message.with(Change {
        result: Some(&result),
        ..Change::default()
    })
}

#[cfg(test)]
mod tests;
