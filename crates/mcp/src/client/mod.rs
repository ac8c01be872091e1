//! The face towards clients: one machine for both eras.
//!
//! A legacy client has a session that begins with `initialize`; a modern client has none, so each of its requests carries its own [`Peer`].
//! On a pipe both may share one machine (2026-07-28 basic/versioning: a dual-era server); over HTTP a modern POST gets a machine of its own.
//!
//! Law: after every `handle`, drain `poll` until it returns `None`.

mod answer;
mod ask;
mod early;
mod intake;
mod session;

use jsonrpc::{ErrorObject, Message, Raw};
use model::{Ticket, Trace};

use crate::exchange::{Advertised, Outcome, Peer, Request};
use crate::mirror::Mirrors;
pub use session::Session;
use std::sync::Arc;

/// What a client's machine is told.
#[derive(Debug)]
pub enum Input {
    /// A message from the client, with what the transport knows of it beside the body.
    Message(Message, Arrival),
    /// What the gateway offers, for a [`Output::Hello`].
    Advertise(Ticket, Advertised),
    /// How a [`Output::Request`] ended.
    Outcome(Ticket, Outcome),
    /// A notification of a server that belongs to a request: progress, a log message, an extension's.
    Interim(Ticket, Message),
    /// A notification that belongs to no request.
    Event(Message),
    /// A question of a server to this client, under the asker's ticket; `related` is the client's request in whose course it is asked.
    Ask {
        /// The asker's ticket.
        ask: Ticket,
        /// The request in whose course it is asked.
        related: Option<Ticket>,
        /// The question as it came.
        message: Message,
    },
    /// The asker takes its question back.
    AskCancelled(Ticket, Option<String>),
    /// The gateway ends a subscription stream in an orderly way.
    EndListen(Ticket),
}

/// What a transport knows of a message beside its body.
#[derive(Clone, Debug, Default)]
pub struct Arrival {
    /// The mirrors, over HTTP.
    pub mirrors: Option<Mirrors>,
    /// The trace context of the transport.
    pub trace: Trace,
}

/// What a client's machine wants done.
#[derive(Debug)]
pub enum Output {
    /// Send a message to the client.
    Send(Message, Target),
    /// Say what the gateway offers to such a client: `initialize` or `server/discover`.
    Hello(Ticket, Arc<Peer>),
    /// Carry out a request.
    Request(Ticket, Box<Request>),
    /// The client has cancelled a request; it will not be answered.
    Cancelled(Ticket, Option<String>),
    /// A modern client opens a subscription stream; the acknowledgement is in the outbox already asked for.
    Listen(Ticket, Box<Request>),
    /// A notification for the servers of this client.
    Notify(Message),
    /// The answer to an [`Input::Ask`].
    Answered(Ticket, Result<Message, ErrorObject>),
    /// Progress that a client reports on a question, its token restored.
    AskProgress(Ticket, Message),
    /// The handshake is complete.
    Initialized,
}

/// Where a message to the client goes, on transports that part streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// It answers the request of this ticket: nothing follows.
    Answer(Ticket),
    /// It belongs to the request of this ticket.
    Related(Ticket),
    /// It answers a message that never became a request of the kernel: an error, a ping.
    Reply(Status),
    /// It belongs to none.
    Session,
}

/// The status that HTTP shows for a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub u16);

/// The filter of a `subscriptions/listen` (2026-07-28 basic/patterns/subscriptions).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// `toolsListChanged`
    pub tools: bool,
    /// `promptsListChanged`
    pub prompts: bool,
    /// `resourcesListChanged`
    pub resources: bool,
    /// `resourceSubscriptions`
    pub uris: Vec<String>,
    /// `taskIds` of the tasks extension.
    pub tasks: Vec<String>,
}

impl Filter {
    /// URIs that one client may be subscribed to at the same time.
    pub const MAX_URIS: usize = 1024;
    /// Bytes of one of them.
    pub const MAX_URI: usize = 64 * 1024;

    /// Refuses a filter that is too large to be held for as long as its stream is open.
    ///
    /// # Errors
    /// -32602 with the bound that it exceeds.
    pub fn check(&self) -> Result<(), ErrorObject> {
        if self.uris.len() > Self::MAX_URIS {
            return Err(ErrorObject::invalid_params(format!(
                "`resourceSubscriptions` has {} entries; at most {} are allowed",
                self.uris.len(),
                Self::MAX_URIS
            )));
        }
        self.uris.iter().try_for_each(|uri| Self::check_uri(uri))
    }

    /// Refuses a URI that is too long to be subscribed to.
    ///
    /// # Errors
    /// -32602 with its length.
    pub fn check_uri(uri: &str) -> Result<(), ErrorObject> {
        if uri.len() <= Self::MAX_URI {
            return Ok(());
        }
        Err(ErrorObject::invalid_params(format!(
            "a URI of {} bytes can't be subscribed to; at most {} are allowed",
            uri.len(),
            Self::MAX_URI
        )))
    }

    /// Reads the filter of a request's params.
    #[must_use]
    pub fn read(params: Option<&Raw>) -> Self {
        let Some(filter) = params.and_then(|p| p.get("notifications")) else {
            return Self::default();
        };
        let flag = |key: &str| filter.get(key).and_then(|v| v.as_bool()).unwrap_or(false);
        let texts = |key: &str| {
            let items = filter.get(key).map(|v| v.items()).unwrap_or_default();
            items.iter().filter_map(|v| v.as_str().map(std::borrow::Cow::into_owned)).collect()
        };
        Self {
            tools: flag("toolsListChanged"),
            prompts: flag("promptsListChanged"),
            resources: flag("resourcesListChanged"),
            uris: texts("resourceSubscriptions"),
            tasks: texts("taskIds"),
        }
    }

    /// The filter as a `notifications` object: only what is honoured.
    #[must_use]
    pub fn to_raw(&self) -> Raw {
        let mut edit = Raw::object_empty().edit();
        for (key, wanted) in [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ] {
            if wanted {
                edit = edit.set(&[key], &Raw::boolean(true));
            }
        }
        for (key, texts) in [("resourceSubscriptions", &self.uris), ("taskIds", &self.tasks)] {
            if !texts.is_empty() {
                edit = edit.set(&[key], &Raw::of(texts));
            }
        }
        edit.finish()
    }
}
