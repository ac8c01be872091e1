//! Records of decisions about who may do what: policy reads them, a store keeps them.
//!
//! Law: a record is never changed in place. A later record about the same subject replaces it, and the earlier one
//! stays in the audit.

use std::fmt;
use std::sync::Arc;

use crate::{PrincipalId, Role, ServerId, Timestamp, ToolId};

/// A SHA-256 digest: of a token, of arguments, of a tool's definition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 32]);

/// Written as hexadecimal digits.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
        let text: String = self.0.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
        f.write_str(&text)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// A permission by its canonical name: one of the eleven of MGP §3.2, or a custom reverse-domain name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Permission(Arc<str>);

impl Permission {
    /// Returns a permission from its canonical name. Code that reads names from peers normalises them first (MGP D5).
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// Returns the permission's canonical name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of something that waits for a person's decision: a permission request, an approval. Never reused, and not
/// guessable.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// Returns a request id from its text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The author and the time of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct By {
    /// The principal whose connection decided.
    pub principal: PrincipalId,
    /// The time of the decision.
    pub at: Timestamp,
}

/// A credential that authenticates a principal. The token itself is shown once and never stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The token's public name; not secret.
    pub id: Arc<str>,
    /// The SHA-256 of the token.
    pub digest: Digest,
    /// The principal that holds the token.
    pub principal: PrincipalId,
    /// The role of the holder.
    pub role: Role,
    /// The servers that the token is limited to; an empty list allows everything that the principal may do.
    pub scopes: Vec<ServerId>,
    /// Who created the token, and when.
    pub created: By,
    /// The time from which the token is no longer accepted.
    pub expires: Option<Timestamp>,
    /// Who revoked the token, and when.
    pub revoked: Option<By>,
}

/// The subject of a grant, the most specific first (MGP §5.2).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GrantScope {
    /// One tool.
    Tool(ToolId),
    /// Every tool of a server.
    Server(ServerId),
}

impl GrantScope {
    /// Reads `server` or `server/tool`; none when the text has neither form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.contains('/') {
            true => ToolId::parse(text).map(Self::Tool),
            false => ServerId::new(text).ok().map(Self::Server),
        }
    }
}

/// Whether a grant allows or denies access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// The principal is allowed access.
    Allow,
    /// The principal is denied access; at the same level this overrides `Allow` (MGP D16).
    Deny,
}

/// A rule that a principal may, or may not, use a tool or a server (MGP §5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The principal that the grant concerns.
    pub principal: PrincipalId,
    /// The tool or server that the grant concerns.
    pub scope: GrantScope,
    /// Whether access is allowed or denied.
    pub access: Access,
    /// Whether the grant also replaces the confirmation that a dangerous tool needs: a standing grant (MGP §4.4).
    pub confirms: bool,
    /// Who gave the grant, and when.
    pub granted: By,
    /// The time from which the grant no longer holds.
    pub expires: Option<Timestamp>,
    /// The reason, in the words of the principal that gave the grant.
    pub justification: Option<Arc<str>>,
}

/// The answer to a server that requests a permission (MGP §3.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PermissionAnswer {
    /// The server gets the permission.
    Approved,
    /// The server does not get the permission.
    Denied,
    /// The decision is postponed; until it is made, this counts as denied (MGP D4).
    Deferred,
}

/// A decision about one permission of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionDecision {
    /// The request that the decision answers.
    pub request: RequestId,
    /// The server that asked.
    pub server: ServerId,
    /// The permission that the server asked for.
    pub permission: Permission,
    /// The answer.
    pub answer: PermissionAnswer,
    /// Who decided, and when.
    pub decided: By,
    /// The time from which the decision no longer holds.
    pub expires: Option<Timestamp>,
}

/// A call that needs a person's consent (MGP §4.4). An approval is bound to the exact call, expires, and is used once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// The id by which people and clients refer to the approval.
    pub request: RequestId,
    /// The principal that wants to call.
    pub principal: PrincipalId,
    /// The tool to be called.
    pub tool: ToolId,
    /// The digest of the arguments, as the bytes that will be sent.
    pub arguments: Digest,
    /// The policy revision under which consent was asked. Under a later revision it is asked again.
    pub revision: u64,
    /// The time at which consent was asked.
    pub asked: Timestamp,
    /// The time from which the approval counts as denied.
    pub expires: Timestamp,
    /// The current state.
    pub state: ApprovalState,
}

/// The state of an approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalState {
    /// No decision has been made.
    Pending,
    /// A person consented; the approval lets one call through.
    Approved(By),
    /// A person refused.
    Denied(By),
    /// The one call has been let through.
    Used(By),
}

/// A tool as it was when it was approved (MGP §4: a changed description may be an attack).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The pinned tool.
    pub tool: ToolId,
    /// The digest of its name, description and schemas.
    pub digest: Digest,
    /// Who approved the definition; the gateway itself for a tool that was there when its server was first seen.
    pub pinned: By,
}
