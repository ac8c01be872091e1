//! Tokens: whom they let in, until when, and to which servers.

use std::fmt;

use model::{ServerId, Timestamp, Token};

use crate::Revision;

/// A token as it is known, since when.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(super) token: Token,
    pub(super) changed: Revision,
}

/// Why a token lets nobody in, or not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenRefusal {
    /// Nobody here knows it, or it belongs to somebody else.
    Unknown,
    /// It was taken back.
    Revoked,
    /// Its time is over.
    Expired,
    /// It is for other servers only.
    OutOfScope,
}

impl Kept {
    /// Whether it lets somebody in now.
    pub(super) fn lets(&self, now: Timestamp) -> Result<(), TokenRefusal> {
        if self.token.revoked.is_some() {
            return Err(TokenRefusal::Revoked);
        }
        match self.token.expires {
            Some(at) if at.has_come(now) => Err(TokenRefusal::Expired),
            _ => Ok(()),
        }
    }

    /// Whether it is for a server: no scopes means all.
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
