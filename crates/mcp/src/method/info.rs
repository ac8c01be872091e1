//! The rows of the method table.

use super::ListKind;
use crate::revision::Revision;

/// Whether a message is a request or a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodKind {
    /// Answered once.
    Request,
    /// Never answered.
    Notification,
}

/// One end of an MCP connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The client's end.
    Client,
    /// The end that offers tools, resources and prompts.
    Server,
}

/// How the gateway routes a method: it answers itself, or finds the server by a member of the params.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The gateway answers by itself.
    Gateway,
    /// The gateway answers from the lists of all servers.
    Merge(ListKind),
    /// The server is found by `params.name`, a tool or a prompt.
    Name(ListKind),
    /// The server is found by `params.uri`.
    Uri,
    /// The server is found by `params.ref`: a prompt's name, or a resource template's URI.
    Reference,
    /// `subscriptions/listen`: the gateway holds the stream and listens to the servers that the filter concerns.
    Listen,
    /// The server is found by `params.taskId`.
    Task,
    /// The gateway lists the tasks of all servers that the session has called.
    TaskList,
    /// A request of a server to its client; in the modern era only inside of `inputRequests`.
    Reverse,
    /// A notification that the session machines act on.
    Session,
}

impl Route {
    /// Returns the member of `params` that routes the request and that `Mcp-Name` mirrors (2026-07-28 streamable HTTP; SEP-2663 for tasks).
    #[must_use]
    pub fn name_key(self) -> Option<&'static str> {
        match self {
            Self::Name(_) => Some("name"),
            Self::Uri => Some("uri"),
            Self::Task => Some("taskId"),
            _ => None,
        }
    }
}

/// One method or notification in one direction, over a range of revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodInfo {
    /// The method.
    pub name: &'static str,
    /// Whether it is a request or a notification.
    pub kind: MethodKind,
    /// The end that sends it.
    pub from: Side,
    /// The first revision that has it as a message of its own.
    pub first: Revision,
    /// The last revision that has it as a message of its own.
    pub last: Revision,
    /// How the gateway routes it.
    pub route: Route,
    /// The path of the server capability that it needs; empty where it needs none.
    pub server: &'static [&'static str],
    /// The path of the client capability that it needs; empty where it needs none.
    pub client: &'static [&'static str],
}

impl MethodInfo {
    /// Returns whether `revision` has the method as a message of its own.
    #[must_use]
    pub fn in_revision(&self, revision: Revision) -> bool {
        self.first <= revision && revision <= self.last
    }

    /// Returns whether modern results of this method must carry `ttlMs` and `cacheScope` (2026-07-28
    /// server/utilities/caching).
    #[must_use]
    pub fn is_cacheable(&self) -> bool {
        is_cacheable(self.name)
    }

    /// Returns whether a modern server may answer this method with `input_required` (2026-07-28 basic/patterns/mrtr,
    /// supported requests).
    #[must_use]
    pub fn may_ask(&self) -> bool {
        may_ask(self.name)
    }
}

/// Returns [`MethodInfo::is_cacheable`] of a method by its name.
#[must_use]
pub fn is_cacheable(method: &str) -> bool {
    matches!(
        method,
        "server/discover" | "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list" | "resources/read"
    )
}

/// Returns [`MethodInfo::may_ask`] of a method by its name.
#[must_use]
pub fn may_ask(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get" | "resources/read")
}
