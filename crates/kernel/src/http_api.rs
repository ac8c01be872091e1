//! Families of routes below a root: the requests that a listener passes to an API of the gateway, and their answers.

use std::sync::Arc;

use bytes::Bytes;
use runtime::BoxFuture;

use crate::front::{Credential, Events};

/// A family of routes: everything below a root goes to one API.
#[derive(Clone, Debug)]
pub struct Mount {
    /// The prefix of the family's paths, such as `/api/v1`.
    pub root: &'static str,
    /// The API that answers the requests.
    pub api: Arc<dyn HttpApi>,
}

impl Mount {
    /// Returns the rest of a path below the root; none for other paths.
    #[must_use]
    pub fn path<'a>(&self, whole: &'a str) -> Option<&'a str> {
        let rest = whole.strip_prefix(self.root)?;
        (rest.is_empty() || rest.starts_with('/')).then_some(rest)
    }
}

/// Answers requests to a family of routes, such as the operator API.
pub trait HttpApi: std::fmt::Debug + Send + Sync + 'static {
    /// Answers one request. Dropping the future means that the client has gone.
    fn answer(&self, request: Request) -> BoxFuture<'_, Answer>;
}

/// The verb of a request: what it does to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// The resource is read.
    Get,
    /// The resource is created, or an action is performed on it.
    Post,
    /// The resource is replaced.
    Put,
    /// The resource is removed.
    Delete,
}

impl Verb {
    /// Every verb.
    pub const ALL: [Self; 4] = [Self::Get, Self::Post, Self::Put, Self::Delete];

    /// Returns the HTTP method.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }

    /// Returns the verb of an HTTP method.
    #[must_use]
    pub fn parse(method: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.as_str() == method)
    }
}

/// One request, as the listener read it.
#[derive(Clone, Debug)]
pub struct Request {
    /// Who, by the connection's credentials.
    pub who: Credential,
    /// The verb.
    pub verb: Verb,
    /// The path behind the root of the [`Mount`], as it came, percent-encoded.
    pub path: String,
    /// The query behind the `?`, as it came.
    pub query: Option<String>,
    /// `Last-Event-ID`
    pub last_event: Option<String>,
    /// The body: JSON, or nothing.
    pub body: Bytes,
}

/// The answer to a request.
#[derive(Debug)]
pub enum Answer {
    /// A whole body.
    Whole {
        /// The HTTP status.
        status: u16,
        /// Its media type.
        media: &'static str,
        /// The body.
        body: Bytes,
    },
    /// 200 and a stream of events. Dropping it means that the client has gone.
    Events(Events),
}
