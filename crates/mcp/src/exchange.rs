//! The request that is independent of eras, and its outcome: the common form between the machines of clients and of
//! servers.

use std::sync::Arc;

use jsonrpc::{ErrorObject, Message, Raw};
use model::Trace;

use crate::capabilities::ClientCapabilities;
use crate::meta::LogLevel;
use crate::method::{self, MethodInfo, Side};
use crate::mirror::{Mirrors, ParamHeaders};
use crate::revision::{Era, Revision};

/// A client as its machine knows it: one per session in the legacy era, one per request in the modern.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The negotiated revision, or the one that the request names.
    pub revision: Revision,
    /// The capabilities that the client declared.
    pub capabilities: ClientCapabilities,
    /// The client's `clientInfo`, as it was received.
    pub info: Option<Raw>,
}

impl Peer {
    /// Returns the era the client speaks.
    #[must_use]
    pub fn era(&self) -> Era {
        self.revision.era()
    }
}

/// The method of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// A method of the table.
    Known(&'static MethodInfo),
    /// A method of an extension: it goes to the server that declared it.
    Extension(Arc<str>),
}

impl Method {
    /// Looks up the name of a client's request. Returns `None` when the core has it, but not in this revision.
    #[must_use]
    pub fn of(name: &str, revision: Revision) -> Option<Self> {
        match method::lookup(name, Side::Client, revision) {
            Some(info) => Some(Self::Known(info)),
            None if method::named(name).is_empty() => Some(Self::Extension(name.into())),
            None => None,
        }
    }

    /// Looks up the name of a request of the gateway's own, which may exist only in its server's revision.
    fn of_any_revision(name: &str) -> Self {
        let row = method::named(name).iter().rfind(|row| row.from == Side::Client);
        row.map_or_else(|| Self::Extension(name.into()), Self::Known)
    }

    /// Returns the method's name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Known(info) => info.name,
            Self::Extension(name) => name,
        }
    }

    /// Returns whether this is the method of that name.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.name() == name
    }
}

/// A client's request, whatever its era.
///
/// Law: `params` are the client's own bytes, except for what the kernel replaces before they are sent (a trace, the
/// gateway's own declaration); translating between eras is up to the machine of the server.
#[derive(Clone, Debug)]
pub struct Request {
    /// The message as it was received.
    pub message: Message,
    /// The method.
    pub method: Method,
    /// The params that are sent, in the client's era.
    pub params: Option<Raw>,
    /// The client that asks.
    pub peer: Arc<Peer>,
    /// The client's progress token.
    pub progress: Option<Raw>,
    /// The least level of log messages wanted with this request (modern era).
    pub log_level: Option<LogLevel>,
    /// The trace that the request belongs to.
    pub trace: Trace,
    /// The answers that a retried request brings (2026-07-28 basic/patterns/mrtr).
    pub retry: Option<Retry>,
    /// The target's own name for what is addressed, where that differs from the name on the wire (DESIGN 3).
    pub rename: Option<Arc<str>>,
    /// What the transport carried beside the body.
    pub mirrors: Option<Mirrors>,
    /// The arguments that the called tool wants mirrored.
    pub headers: Option<Arc<ParamHeaders>>,
}

impl Request {
    /// Makes a request of the gateway's own to a server, such as one for a list of the catalogue.
    #[must_use]
    pub fn internal(method: &str, params: Option<Raw>, peer: Arc<Peer>) -> Self {
        let message = Message::request(&jsonrpc::Id::number(0), method, params.as_ref());
        Self {
            message,
            method: Method::of(method, peer.revision).unwrap_or_else(|| Method::of_any_revision(method)),
            params,
            peer,
            progress: None,
            log_level: None,
            trace: Trace::default(),
            retry: None,
            rename: None,
            mirrors: None,
            headers: None,
        }
    }

    /// Returns a member of the params as they were received.
    #[must_use]
    pub fn member(&self, key: &str) -> Option<&Raw> {
        self.message.members().ok()?.get(key)
    }

    /// Returns the decoded text of a member of the params as they were received.
    #[must_use]
    pub fn param(&self, key: &str) -> Option<String> {
        self.member(key)?.as_str().map(std::borrow::Cow::into_owned)
    }
}

/// The parts that a retried modern request carries beside its original params.
#[derive(Clone, Debug, Default)]
pub struct Retry {
    /// `inputResponses`: an object, key to result.
    pub responses: Option<Raw>,
    /// `requestState`, as it was received.
    pub state: Option<Raw>,
}

/// The outcome of a request.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// With a result.
    Result(Answered),
    /// With questions that the client must answer before it retries (modern servers only).
    InputRequired(Answered),
    /// With an error.
    Error(Failed),
}

/// A result and its origin.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The response as it was received; `None` for an answer of the gateway's own.
    pub message: Option<Message>,
    /// The result.
    pub result: Raw,
    /// The revision of the result.
    pub revision: Revision,
}

/// An error and its origin.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The response as it was received; `None` for an error of the gateway's own.
    pub message: Option<Message>,
    /// The error.
    pub error: ErrorObject,
    /// The revision of the error.
    pub revision: Revision,
}

impl Outcome {
    /// Makes a result of the gateway's own, in the form of the last legacy revision.
    #[must_use]
    pub fn own(result: Raw) -> Self {
        Self::Result(Answered {
            message: None,
            result,
            revision: Revision::LATEST_LEGACY,
        })
    }

    /// Makes an error of the gateway's own.
    #[must_use]
    pub fn refused(error: ErrorObject) -> Self {
        Self::Error(Failed {
            message: None,
            error,
            revision: Revision::LATEST_LEGACY,
        })
    }
}

/// What a server advertises to the gateway, or the gateway to a client.
#[derive(Clone, Debug)]
pub struct Advertised {
    /// The server capabilities.
    pub capabilities: Raw,
    /// `serverInfo`.
    pub info: Raw,
    /// `instructions`.
    pub instructions: Option<String>,
}
