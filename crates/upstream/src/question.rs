//! A question of a server, and the connection for its answer.

use std::fmt;
use std::sync::Arc;

use guard::SendPermit;
use jsonrpc::{ErrorObject, Message};
use mcp::revision::Revision;
use model::{ServerId, Ticket};

/// The connection that a question came over.
pub trait Asking: Send + Sync {
    /// Answers a question with the addressee's answer, if the permit stands when it is written.
    fn answer_under(self: Arc<Self>, ask: Ticket, answer: Message, permit: &SendPermit);
    /// Refuses a question with an error of the gateway's own.
    fn refuse(self: Arc<Self>, ask: Ticket, error: ErrorObject);
    /// Forwards the addressee's progress, if the permit stands when it is written.
    fn progress(self: Arc<Self>, message: &Message, permit: &SendPermit);
}

/// The id of a question within the gateway: the number of its connection, and its ticket there.
pub type QuestionId = (u64, Ticket);

/// A request of a server to a client: `elicitation/create`, `sampling/createMessage`, `roots/list`, an extension's.
#[derive(Clone)]
pub struct Question {
    /// The server that asks.
    pub server: ServerId,
    /// The revision in which it asks.
    pub revision: Revision,
    /// The request as it came.
    pub message: Message,
    id: QuestionId,
    asking: Arc<dyn Asking>,
}

impl Question {
    /// Makes a question that came over a connection.
    #[must_use]
    pub fn new(server: ServerId, revision: Revision, message: Message, id: QuestionId, asking: Arc<dyn Asking>) -> Self {
        Self {
            server,
            revision,
            message,
            id,
            asking,
        }
    }

    /// Returns the id by which the question is withdrawn.
    #[must_use]
    pub fn id(&self) -> QuestionId {
        self.id
    }

    /// Returns the method of the request.
    #[must_use]
    pub fn method(&self) -> &str {
        self.message.method().unwrap_or_default()
    }

    /// Answers with the addressee's answer.
    pub fn answer(&self, answer: Message, permit: &SendPermit) {
        self.asking.clone().answer_under(self.id.1, answer, permit);
    }

    /// Refuses with an error of the gateway's own.
    pub fn refuse(&self, error: ErrorObject) {
        self.asking.clone().refuse(self.id.1, error);
    }

    /// Forwards the addressee's progress.
    pub fn progress(&self, message: &Message, permit: &SendPermit) {
        self.asking.clone().progress(message, permit);
    }
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question")
            .field("server", &self.server)
            .field("method", &self.method())
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
