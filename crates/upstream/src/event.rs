//! The events of servers: messages that are not answers to calls, and changes of a server's state, for the one sink that is given at construction.

use std::collections::HashSet;
use std::sync::Arc;

use catalog::Offer;
use jsonrpc::{Message, Raw};
use mcp::method::ListKind;
use mcp::revision::Revision;
use model::{ServerId, Ticket};

use crate::question::{Question, QuestionId};

/// The sink of server events. Law: it never blocks, because a server's reader task calls it.
pub trait ServerEvents: Send + Sync {
    /// Takes an event.
    fn event(&self, event: ServerEvent);
}

/// An event of a server, beside the answers to calls.
#[derive(Clone, Debug)]
pub enum ServerEvent {
    /// A new offer of the server is about to be published: the guard learns it before any list can show it.
    Offering {
        /// The server.
        server: ServerId,
        /// Everything that it offers, to any clients; what those without capabilities see comes first.
        offers: Vec<Arc<Offer>>,
    },
    /// A new offer of the server was published.
    Offered {
        /// The server.
        server: ServerId,
        /// The lists whose change clients are told of.
        lists: HashSet<ListKind>,
    },
    /// A connection is ready, and MGP was negotiated on it.
    Negotiated {
        /// The server.
        server: ServerId,
        /// The number of the connection.
        session: u64,
        /// Whether it is the gateway's own connection, which carries messages that concern no client.
        own: bool,
    },
    /// A connection has ended. Its questions need no answer any more.
    SessionEnded {
        /// The number of the connection.
        session: u64,
        /// Why it ended.
        why: String,
    },
    /// A notification that belongs to no call.
    Notification {
        /// The server.
        server: ServerId,
        /// The number of the line that it came over.
        line: u64,
        /// The numbers of the clients that share the line.
        clients: Vec<u64>,
        /// The revision in which it is written.
        revision: Revision,
        /// The notification.
        message: Message,
    },
    /// A resource was updated.
    ResourceUpdated {
        /// The server.
        server: ServerId,
        /// The numbers of the clients that share the line.
        clients: Vec<u64>,
        /// The resource.
        uri: String,
        /// The notification.
        message: Message,
    },
    /// A question that belongs to no call.
    Asked {
        /// The number of the one client that the line belongs to, where there is one.
        owner: Option<u64>,
        /// The question.
        question: Question,
    },
    /// A server withdraws a question.
    QuestionWithdrawn {
        /// The question.
        question: QuestionId,
        /// The server's reason.
        reason: Option<String>,
    },
    /// An event of the audit that the server reports, having negotiated that.
    Reported {
        /// The server.
        server: ServerId,
        /// The event.
        params: Option<Raw>,
    },
    /// The server sent a request that only clients may send.
    TriedAsClient {
        /// The server.
        server: ServerId,
        /// The method.
        method: String,
        /// Its params.
        params: Option<Raw>,
    },
}

/// The sink of a call's messages that arrive elsewhere than on the call's own exchange. A caller's port implements it.
pub trait CallEvents: Send + Sync {
    /// Takes a notification that belongs to the call. Must not block.
    fn interim_now(&self, ticket: Ticket, message: Message);
    /// Takes a question that belongs to the call. Must not block.
    fn asked(&self, ticket: Ticket, question: Question);
}
