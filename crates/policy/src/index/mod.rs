//! The index of a policy's records: grants, servers and their tools, permissions, tokens. Each revision has one immutable version; versions share
//! what they have in common.

mod edit;
mod grants;
mod permissions;
mod servers;
mod tokens;

use std::sync::Arc;

use model::{Access, Digest, Grant, Principal, PrincipalId, ServerId, Timestamp, Token};

pub use edit::Edit;
pub(crate) use grants::Held;
pub use grants::{Source, Standing};
pub use permissions::PermissionState;
pub(crate) use permissions::Permissions;
pub use servers::PinState;
pub(crate) use servers::Server;
pub use tokens::TokenRefusal;

use crate::facts::KERNEL;
use crate::sorted::Sorted;
use crate::tables::{DefaultAccess, Tables};
use crate::{Action, Revision};

/// The way in which a principal comes in (DESIGN 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// An stdio launch, or loopback without credentials.
    Local,
    /// Anything else.
    Remote,
}

/// One version of a policy's records, by principal, server and token.
#[derive(Clone, Debug, Default)]
pub(crate) struct PolicyIndex {
    pub(crate) tables: Arc<Tables>,
    /// The revision of the last change that concerns all principals: of the tables, or of whether a principal is the only one.
    all: Revision,
    principals: Sorted<PrincipalId, Arc<Held>>,
    servers: Sorted<ServerId, Arc<Server>>,
    tokens: Sorted<Arc<str>, Arc<tokens::Kept>>,
    by_digest: Sorted<Digest, Arc<tokens::Kept>>,
    /// The grants of the configuration.
    configured: Arc<[Grant]>,
    /// The number of agents that come in locally; `remotes` counts the others.
    locals: usize,
    remotes: usize,
    /// The number of tokens that were not revoked.
    valid: usize,
}

impl PolicyIndex {
    pub(crate) fn held(&self, principal: &PrincipalId) -> Option<&Arc<Held>> {
        self.principals.get(principal)
    }

    pub(crate) fn server(&self, id: &ServerId) -> Option<&Arc<Server>> {
        self.servers.get(id)
    }

    /// Returns a principal's access to a server, or to a tool of it, with its source (MGP §5.2).
    pub(crate) fn standing(&self, held: Option<&Arc<Held>>, server: &ServerId, tool: Option<&str>, now: Timestamp) -> Standing {
        let granted = held.and_then(|held| held.standing(server, tool, now));
        granted.unwrap_or_else(|| Standing::of_default(self.default_for(held, server)))
    }

    /// Returns a principal's access to anything of a server: to the server, or to one of its tools.
    pub(crate) fn reach(&self, held: Option<&Arc<Held>>, server: &ServerId, now: Timestamp) -> Standing {
        let whole = self.standing(held, server, None, now);
        if whole.access == Access::Allow {
            return whole;
        }
        let of_tool = held.and_then(|held| held.any_tool(server, now));
        of_tool.unwrap_or(whole)
    }

    /// Returns the access without a grant: as configured, else by DESIGN 7. All principals have access to the gateway's own tools, which check roles
    /// themselves, and show each principal only what it may see.
    fn default_for(&self, held: Option<&Arc<Held>>, server: &ServerId) -> DefaultAccess {
        if let Some(configured) = self.tables.server(server).access {
            return configured;
        }
        if server.as_str() == KERNEL {
            return DefaultAccess::OptOut;
        }
        if let Some(configured) = self.tables.access {
            return configured;
        }
        let is_local = held.is_some_and(|held| held.is_local());
        match is_local && self.locals == 1 && self.remotes == 0 {
            true => DefaultAccess::OptOut,
            false => DefaultAccess::OptIn,
        }
    }

    /// Checks that a token still admits its holder to a server.
    pub(crate) fn token(&self, id: &str, principal: &Principal, server: Option<&ServerId>, now: Timestamp) -> Result<(), TokenRefusal> {
        let kept = self.tokens.get(id).ok_or(TokenRefusal::Unknown)?;
        kept.lets(now)?;
        if kept.token.principal != principal.id || kept.token.role < principal.role {
            return Err(TokenRefusal::Unknown);
        }
        match server {
            Some(server) if !kept.covers(server) => Err(TokenRefusal::OutOfScope),
            _ => Ok(()),
        }
    }

    /// Returns the token of a digest, if it is valid.
    pub(crate) fn authenticate(&self, digest: &Digest, now: Timestamp) -> Result<&Token, TokenRefusal> {
        let kept = self.by_digest.get(digest).ok_or(TokenRefusal::Unknown)?;
        kept.lets(now)?;
        Ok(&kept.token)
    }

    /// Returns the time at which a grant of a principal, or a token, expires next.
    pub(crate) fn next_expiry(&self, principal: &PrincipalId, token: Option<&str>, now: Timestamp) -> Option<Timestamp> {
        let grants = self
            .held(principal)
            .into_iter()
            .flat_map(|held| held.grants())
            .filter_map(|grant| grant.expires);
        let token = token.and_then(|id| self.tokens.get(id)).and_then(|kept| kept.token.expires);
        grants.chain(token).filter(|at| !at.has_come(now)).min()
    }

    /// Returns whether there are tokens that were not revoked. Expiry does not count, so that the default never becomes more permissive by itself.
    pub(crate) fn has_tokens(&self) -> bool {
        self.valid > 0
    }

    /// Returns the revision of the last change that concerns what a principal may see of a server, apart from time.
    pub(crate) fn seen_changed(&self, held: Option<&Arc<Held>>, token: Option<&str>, server: &ServerId) -> Revision {
        let token = token.and_then(|id| self.tokens.get(id)).map(|kept| kept.changed);
        let grants = held.map(|held| held.changed(Some(server), None));
        let facts = self.server(server).map(|server| server.last_changed());
        [token, grants, facts].into_iter().flatten().fold(self.all, Revision::max)
    }

    /// Returns the revision of the last change that concerns the answer about an action, apart from time.
    pub(crate) fn changed(&self, principal: &PrincipalId, token: Option<&str>, action: &Action<'_>) -> Revision {
        let tool = match action {
            Action::CallTool { tool, .. } => Some(*tool),
            _ => None,
        };
        let token = token.and_then(|id| self.tokens.get(id)).map(|kept| kept.changed);
        let server = action.server();
        let grants = self.held(principal).map(|held| held.changed(server, tool));
        let facts = server.and_then(|id| self.server(id)).map(|server| server.changed(tool));
        [token, grants, facts].into_iter().flatten().fold(self.all, Revision::max)
    }
}
