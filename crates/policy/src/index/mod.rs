//! Everything that a policy knows: grants, servers and their tools, permissions, tokens. One immutable version of it each revision; versions
//! share what they have in common.

mod edit;
mod grants;
mod permissions;
mod servers;
mod tokens;

use std::sync::Arc;

use model::{Access, Digest, Principal, PrincipalId, ServerId, Timestamp, Token};

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

/// How a principal comes in (DESIGN 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// An stdio launch, or loopback without credentials.
    Local,
    /// Anything else.
    Remote,
}

/// One version of what is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct PolicyIndex {
    pub(crate) tables: Arc<Tables>,
    /// When something changed that concerns everybody: the tables, or who is alone here.
    all: Revision,
    principals: Sorted<PrincipalId, Arc<Held>>,
    servers: Sorted<ServerId, Arc<Server>>,
    tokens: Sorted<Arc<str>, Arc<tokens::Kept>>,
    by_digest: Sorted<Digest, Arc<tokens::Kept>>,
    /// How many agents are known that come in locally, and in another way.
    locals: usize,
    remotes: usize,
    /// How many tokens were not taken back.
    valid: usize,
}

impl PolicyIndex {
    pub(crate) fn held(&self, principal: &PrincipalId) -> Option<&Arc<Held>> {
        self.principals.get(principal)
    }

    pub(crate) fn server(&self, id: &ServerId) -> Option<&Arc<Server>> {
        self.servers.get(id)
    }

    /// Whether a principal has access to a server, or to a tool of it, and why (MGP §5.2).
    pub(crate) fn standing(&self, held: Option<&Arc<Held>>, server: &ServerId, tool: Option<&str>, now: Timestamp) -> Standing {
        let granted = held.and_then(|held| held.standing(server, tool, now));
        granted.unwrap_or_else(|| Standing::of_default(self.default_for(held, server)))
    }

    /// Whether a principal may use something of a server: the server, or one of its tools.
    pub(crate) fn reach(&self, held: Option<&Arc<Held>>, server: &ServerId, now: Timestamp) -> Standing {
        let whole = self.standing(held, server, None, now);
        if whole.access == Access::Allow {
            return whole;
        }
        let of_tool = held.and_then(|held| held.any_tool(server, now));
        of_tool.unwrap_or(whole)
    }

    /// What holds where no grant speaks: as configured, else as DESIGN 7 has it. The gateway's own tools are there for everybody: they look at
    /// roles themselves, and show nobody more than he may see.
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

    /// Whether a token still lets its holder do something at a server.
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

    /// The token of a digest, if it lets somebody in.
    pub(crate) fn authenticate(&self, digest: &Digest, now: Timestamp) -> Result<&Token, TokenRefusal> {
        let kept = self.by_digest.get(digest).ok_or(TokenRefusal::Unknown)?;
        kept.lets(now)?;
        Ok(&kept.token)
    }

    /// When a grant of a principal, or a token, expires next.
    pub(crate) fn next_expiry(&self, principal: &PrincipalId, token: Option<&str>, now: Timestamp) -> Option<Timestamp> {
        let grants = self
            .held(principal)
            .into_iter()
            .flat_map(|held| held.grants())
            .filter_map(|grant| grant.expires);
        let token = token.and_then(|id| self.tokens.get(id)).and_then(|kept| kept.token.expires);
        grants.chain(token).filter(|at| !at.has_come(now)).min()
    }

    /// Whether there are tokens that were not taken back. That all have expired does not count: what holds by default never loosens by itself.
    pub(crate) fn has_tokens(&self) -> bool {
        self.valid > 0
    }

    /// The revision since when the answer about an action has been what it is, but for time.
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
