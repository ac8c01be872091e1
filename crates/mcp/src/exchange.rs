//! The era-neutral request in which the four faces meet, and its outcome.

use std::sync::Arc;

use jsonrpc::{ErrorObject, Message, Raw};
use model::Trace;

use crate::capabilities::ClientCapabilities;
use crate::meta::LogLevel;
use crate::method::{self, MethodInfo, Side};
use crate::mirror::{Mirrors, ParamHeaders};
use crate::revision::{Era, Revision};

/// A client as its machine knows it: of a session in the legacy era, of one request in the modern.
#[derive(Clone, Debug)]
pub struct Peer {
    /// The revision that was negotiated, or that the request names.
    pub revision: Revision,
    /// What the client can be asked.
    pub capabilities: ClientCapabilities,
    /// Its `clientInfo`, as it came.
    pub info: Option<Raw>,
}

impl Peer {
    /// The era the client speaks.
    #[must_use]
    pub fn era(&self) -> Era {
        self.revision.era()
    }
}

/// The method of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// One of the table.
    Known(&'static MethodInfo),
    /// One of an extension: it goes to the server that declared it.
    Extension(Arc<str>),
}

impl Method {
    /// Looks the name of a client's request up; `None` when the core has it, but not in this revision.
    #[must_use]
    pub fn of(name: &str, revision: Revision) -> Option<Self> {
        match method::lookup(name, Side::Client, revision) {
            Some(info) => Some(Self::Known(info)),
            None if method::named(name).is_empty() => Some(Self::Extension(name.into())),
            None => None,
        }
    }

    /// The same for a request of the gateway's own, which may be in words that only its server's revision has.
    fn of_any_revision(name: &str) -> Self {
        let row = method::named(name).iter().rfind(|row| row.from == Side::Client);
        row.map_or_else(|| Self::Extension(name.into()), Self::Known)
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Known(info) => info.name,
            Self::Extension(name) => name,
        }
    }

    /// Whether it is the method of that name.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.name() == name
    }
}

/// What a client wants, whatever its era. Law: `params` are the client's own bytes, but for what the kernel puts in their place before they go out
/// (a trace, the gateway's own declaration); the eras are a server face's business.
#[derive(Clone, Debug)]
pub struct Request {
    /// The message as it came.
    pub message: Message,
    /// Its method.
    pub method: Method,
    /// Its params, in the client's era: what goes out.
    pub params: Option<Raw>,
    /// Who asks.
    pub peer: Arc<Peer>,
    /// The client's progress token.
    pub progress: Option<Raw>,
    /// The least level of log messages wanted with this request (modern era).
    pub log_level: Option<LogLevel>,
    /// The trace it belongs to.
    pub trace: Trace,
    /// The answers that a retried request brings (2026-07-28 basic/patterns/mrtr).
    pub retry: Option<Retry>,
    /// The name by which the target itself knows what is addressed, where that differs from the name on the wire (DESIGN 3).
    pub rename: Option<Arc<str>>,
    /// What the transport showed of it beside the body.
    pub mirrors: Option<Mirrors>,
    /// Which arguments the tool that is called wants mirrored.
    pub headers: Option<Arc<ParamHeaders>>,
}

impl Request {
    /// A request of the gateway's own to a server: a list, a read of the catalogue.
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

    /// A member of the params as they came.
    #[must_use]
    pub fn member(&self, key: &str) -> Option<&Raw> {
        self.message.members().ok()?.get(key)
    }

    /// The decoded text of a member of the params as they came.
    #[must_use]
    pub fn param(&self, key: &str) -> Option<String> {
        self.member(key)?.as_str().map(std::borrow::Cow::into_owned)
    }
}

/// What a retried modern request carries beside its original params.
#[derive(Clone, Debug, Default)]
pub struct Retry {
    /// `inputResponses`: an object, key to result.
    pub responses: Option<Raw>,
    /// `requestState`, as it came.
    pub state: Option<Raw>,
}

/// How a request ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// With a result.
    Result(Answered),
    /// With questions that the client must answer before it asks again (modern servers only).
    InputRequired(Answered),
    /// With an error.
    Error(Failed),
}

/// A result and where it came from.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The response as it came; none for an answer of the gateway's own.
    pub message: Option<Message>,
    /// The result.
    pub result: Raw,
    /// The revision the result is written in.
    pub revision: Revision,
}

/// An error and where it came from.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The response as it came; none for an error of the gateway's own.
    pub message: Option<Message>,
    /// The error.
    pub error: ErrorObject,
    /// The revision the error is written in.
    pub revision: Revision,
}

impl Outcome {
    /// A result of the gateway's own, in the shape of the last legacy revision.
    #[must_use]
    pub fn own(result: Raw) -> Self {
        Self::Result(Answered {
            message: None,
            result,
            revision: Revision::LATEST_LEGACY,
        })
    }

    /// An error of the gateway's own.
    #[must_use]
    pub fn refused(error: ErrorObject) -> Self {
        Self::Error(Failed {
            message: None,
            error,
            revision: Revision::LATEST_LEGACY,
        })
    }
}

/// What a server face learnt of its server, and what a client face tells its client of the gateway.
#[derive(Clone, Debug)]
pub struct Advertised {
    /// The server capabilities.
    pub capabilities: Raw,
    /// `serverInfo`.
    pub info: Raw,
    /// `instructions`.
    pub instructions: Option<String>,
}
