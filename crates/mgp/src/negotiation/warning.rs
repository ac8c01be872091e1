//! Warnings about a negotiation, for operators; none of them ends a connection.

use super::{DeclarationError, Version};
use crate::permission::Remark;

/// A warning, for the log, the audit and `doctor`.
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
    /// It names an unknown extension.
    #[error("it declares the extension `{0}`, which is unknown")]
    UnknownExtension(String),
    /// §2.4.3: it declares MGP to a peer that did not.
    #[error("it declares MGP although it was not asked for it")]
    Uninvited,
    /// D1: its unknown claim counts as the least trust.
    #[error("its trust level {0} is unknown: it counts as `sandboxed`")]
    UnknownTrust(String),
    /// A remark on the name of a permission.
    #[error("{0}")]
    Permission(Remark),
}
