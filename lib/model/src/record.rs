//! What was decided about who may do what, as it is remembered: policy reads it, a store keeps it.
//!
//! Law: a record is never changed in place. A later record about the same thing takes its place, and the earlier one stays in the audit.

use std::fmt;
use std::sync::Arc;

use crate::{PrincipalId, Role, ServerId, Timestamp, ToolId};

/// A SHA-256 digest: of a token, of arguments, of a tool's definition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 32]);

/// In hexadecimal digits.
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

/// A permission by its canonical name: one of the eleven of MGP §3.2, or a reverse-domain name of somebody's own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Permission(Arc<str>);

impl Permission {
    /// A permission from its canonical name; whoever reads names of peers normalises them first (MGP D5).
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// Its name.
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

/// Names something that waits for a person: a permission request, an approval. Unique for ever, and not to be guessed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// A request id from its text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// The id as text.
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

/// Who decided, and when.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct By {
    /// The principal whose connection decided.
    pub principal: PrincipalId,
    /// When.
    pub at: Timestamp,
}

/// A credential that lets somebody in. The token itself is shown once and never kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Names the token; not secret.
    pub id: Arc<str>,
    /// The SHA-256 of the token.
    pub digest: Digest,
    /// Who holds it.
    pub principal: PrincipalId,
    /// What the holder is.
    pub role: Role,
    /// What it is for: nothing means everything that the principal may; else only these servers.
    pub scopes: Vec<ServerId>,
    /// Who made it.
    pub created: By,
    /// From when on it lets nobody in.
    pub expires: Option<Timestamp>,
    /// Who took it back.
    pub revoked: Option<By>,
}

/// What a grant is about, from the most particular (MGP §5.2).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GrantScope {
    /// One tool.
    Tool(ToolId),
    /// Every tool of a server.
    Server(ServerId),
}

/// Whether a grant gives or withholds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// The principal may.
    Allow,
    /// The principal may not; at the same level it beats `Allow` (MGP D16).
    Deny,
}

/// Says that a principal may, or may not, use a tool or a server (MGP §5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Whom it is about.
    pub principal: PrincipalId,
    /// What it is about.
    pub scope: GrantScope,
    /// What it says.
    pub access: Access,
    /// Whether it also stands for the confirmation that a dangerous tool needs: a standing grant (MGP §4.4).
    pub confirms: bool,
    /// Who gave it.
    pub granted: By,
    /// From when on it no longer holds.
    pub expires: Option<Timestamp>,
    /// Why, in the words of the one who gave it.
    pub justification: Option<Arc<str>>,
}

/// The answer to a server that wants a permission (MGP §3.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PermissionAnswer {
    /// It has it.
    Approved,
    /// It does not get it.
    Denied,
    /// Not yet: as good as denied until somebody decides (MGP D4).
    Deferred,
}

/// What was decided about one permission of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionDecision {
    /// The request it answers.
    pub request: RequestId,
    /// The server that asked.
    pub server: ServerId,
    /// What it asked for.
    pub permission: Permission,
    /// The answer.
    pub answer: PermissionAnswer,
    /// Who decided.
    pub decided: By,
    /// From when on it no longer holds.
    pub expires: Option<Timestamp>,
}

/// A call that needs a person's consent (MGP §4.4). It is bound to the exact call, expires, and is used once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// Names it towards people and clients.
    pub request: RequestId,
    /// Who wants to call.
    pub principal: PrincipalId,
    /// What.
    pub tool: ToolId,
    /// With what: the digest of the bytes that will be sent.
    pub arguments: Digest,
    /// The policy under which it was asked. A later one asks again.
    pub revision: u64,
    /// When it was asked.
    pub asked: Timestamp,
    /// From when on it is as good as denied.
    pub expires: Timestamp,
    /// How it stands.
    pub state: ApprovalState,
}

/// How an approval stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalState {
    /// Nobody has decided.
    Pending,
    /// Somebody consented; it lets one call through.
    Approved(By),
    /// Somebody refused.
    Denied(By),
    /// The one call has been let through.
    Used(By),
}

/// A tool as it was when it was approved (MGP §4: a changed description may be an attack).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The tool.
    pub tool: ToolId,
    /// The digest of its name, description and schemas.
    pub digest: Digest,
    /// Who approved that; the gateway itself for a tool that was there at first sight.
    pub pinned: By,
}
