//! What is worth an operator's look about a negotiation; nothing of it stops a connection.

use super::{DeclarationError, Version};
use crate::permission::Remark;

/// One remark, for the log, the audit and `doctor`.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Warning {
    /// §2.5: another 0.x.
    #[error("it speaks MGP {0}, another minor version than {ours}: details may differ", ours = Version::OURS)]
    OtherMinor(Version),
    /// §2.4.4: the connection is plain MCP.
    #[error("it speaks MGP {0}, which does not go with {ours}: the connection is plain MCP", ours = Version::OURS)]
    OtherMajor(Version),
    /// The declaration does not count: the connection is plain MCP.
    #[error("its declaration of MGP is refused, and the connection is plain MCP: {0}")]
    Refused(DeclarationError),
    /// §2.4.1: it names an extension that it was not offered.
    #[error("it declares `{0}`, which it was not offered: it is not used")]
    NotOffered(String),
    /// It names an extension that nobody knows.
    #[error("it declares the extension `{0}`, which is unknown")]
    UnknownExtension(String),
    /// §2.4.3: it declares MGP to somebody who did not.
    #[error("it declares MGP although it was not asked for it")]
    Uninvited,
    /// D1: its claim is as good as the least.
    #[error("its trust level {0} is unknown: it counts as `sandboxed`")]
    UnknownTrust(String),
    /// A permission by an odd name.
    #[error("{0}")]
    Permission(Remark),
}
