//! Tokens: which principals they admit, until when, and to which servers.

use std::fmt;

use model::{ServerId, Timestamp, Token};

use crate::Revision;

/// A token, with the revision of its last change.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(super) token: Token,
    pub(super) changed: Revision,
}

/// The reason why a token is refused, or refused for a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenRefusal {
    /// The token is unknown, or belongs to another principal.
    Unknown,
    /// The token was revoked.
    Revoked,
    /// The token has expired.
    Expired,
    /// The token is limited to other servers.
    OutOfScope,
}

impl Kept {
    /// Checks that the token is valid now.
    pub(super) fn lets(&self, now: Timestamp) -> Result<(), TokenRefusal> {
        if self.token.revoked.is_some() {
            return Err(TokenRefusal::Revoked);
        }
        match self.token.expires {
            Some(at) if at.has_come(now) => Err(TokenRefusal::Expired),
            _ => Ok(()),
        }
    }

    /// Returns whether the token is valid for a server: a token without scopes is valid for all.
    pub(super) fn covers(&self, server: &ServerId) -> bool {
        self.token.scopes.is_empty() || self.token.scopes.contains(server)
    }
}

impl fmt::Display for TokenRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "the token is not known",
            Self::Revoked => "the token was taken back",
            Self::Expired => "the token has expired",
            Self::OutOfScope => "the token is for other servers",
        })
    }
}

impl std::error::Error for TokenRefusal {}
