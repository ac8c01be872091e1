//! How a listener gets a family of routes: what it hands to an API of the gateway, and what it gets back.

use std::sync::Arc;

use bytes::Bytes;
use runtime::BoxFuture;

use crate::front::{Credential, Events};

/// A family of routes: everything below a root goes to one API.
#[derive(Clone, Debug)]
pub struct Mount {
    /// What the paths of the family begin with, such as `/api/v1`.
    pub root: &'static str,
    /// What answers the requests.
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

/// What is to be done with a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// It is shown.
    Get,
    /// It is made, or something is done with it.
    Post,
    /// It is put in the place of another.
    Put,
    /// It is taken away.
    Delete,
}

impl Verb {
    /// Every verb.
    pub const ALL: [Self; 4] = [Self::Get, Self::Post, Self::Put, Self::Delete];

    /// The method of HTTP.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }

    /// The verb of a method of HTTP.
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
    /// What is to be done.
    pub verb: Verb,
    /// With what: the path behind the root of the [`Mount`], as it came, percent-encoded.
    pub path: String,
    /// What stands behind the `?`, as it came.
    pub query: Option<String>,
    /// `Last-Event-ID`
    pub last_event: Option<String>,
    /// The body: JSON, or nothing.
    pub body: Bytes,
}

/// The answer to one.
#[derive(Debug)]
pub enum Answer {
    /// A body.
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
