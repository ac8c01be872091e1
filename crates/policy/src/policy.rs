//! The policy as a value: decisions, the visibility of list entries, and edits to the next version.

use std::sync::Arc;

use model::{
    Access, Digest, Grant, GrantScope, Permission, PermissionDecision, Principal, PrincipalId, ServerId, Timestamp, Token, ToolId,
};

use crate::decide::{self, Visibility};
use crate::index::{Edit, PermissionState, PinState, PolicyIndex, Server, Standing, TokenRefusal};
use crate::tables::Tables;
use crate::{Action, Decision, Query, Reason, Revision, ToolFacts, Verdict};

/// A policy, which answers queries. It is immutable: another policy is another value, with a later revision. A clone is cheap.
#[derive(Clone, Debug)]
pub struct Policy {
    rules: Rules,
    revision: Revision,
}

#[derive(Clone, Debug)]
enum Rules {
    AllowAll,
    DenyAll,
    Indexed(Arc<PolicyIndex>),
}

/// The problem with a grant that an operator wants to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrantProblem {
    /// The server is unknown.
    UnknownServer(ServerId),
    /// The tool is unknown.
    UnknownTool(ToolId),
    /// The grant would have expired already.
    Expired,
    /// The grant denies access and confirms calls.
    DeniesAndConfirms,
}

impl std::fmt::Display for GrantProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownServer(server) => write!(f, "there is no server `{server}`"),
            Self::UnknownTool(tool) => write!(f, "`{}` offers no tool `{}`", tool.server, crate::action::shown(&tool.name)),
            Self::Expired => f.write_str("it would have expired already: give a time that is to come, or none"),
            Self::DeniesAndConfirms => f.write_str("what denies confirms nothing: give one or the other"),
        }
    }
}

impl std::error::Error for GrantProblem {}

impl Policy {
    /// Returns a policy that allows everything, with revision 1. It is in force until a policy is configured.
    #[must_use]
    pub fn allow_all() -> Self {
        Self {
            rules: Rules::AllowAll,
            revision: Revision(1),
        }
    }

    /// Returns a policy that denies everything: the gateway is closed.
    #[must_use]
    pub fn deny_all(revision: Revision) -> Self {
        Self {
            rules: Rules::DenyAll,
            revision,
        }
    }

    /// Begins a policy from tables alone: at the start, and when a configuration is read again. `after` is the revision of the policy that it
    /// replaces.
    pub fn begin(tables: Tables, after: Revision) -> Edit {
        let mut edit = Edit::new(PolicyIndex::default(), after.next());
        edit.tables(tables);
        edit
    }

    /// Begins the next version of this policy. For an open or closed gateway it begins without records.
    pub fn edit(&self) -> Edit {
        match &self.rules {
            Rules::Indexed(index) => Edit::new(PolicyIndex::clone(index), self.revision.next()),
            Rules::AllowAll | Rules::DenyAll => Self::begin(Tables::default(), self.revision),
        }
    }

    /// Decides about a query. Equal queries to one policy get equal answers.
    pub fn decide(&self, query: &Query<'_>) -> Decision {
        let (verdict, because) = match &self.rules {
            Rules::AllowAll => (Verdict::Allow, Reason::Open),
            Rules::DenyAll => (
                Verdict::Deny,
                Reason::Closed {
                    principal: query.principal.id.clone(),
                    action: query.action.to_string(),
                },
            ),
            Rules::Indexed(index) => decide::decide(index, query),
        };
        Decision {
            verdict,
            because,
            revision: self.revision,
        }
    }

    /// Returns whether a decision of an earlier revision still holds, apart from time: nothing that concerns the principal, the token, the server or
    /// the tool has changed since. A writer checks this before the first byte (DESIGN 9).
    #[must_use]
    pub fn stands(&self, principal: &PrincipalId, token: Option<&str>, action: &Action<'_>, since: Revision) -> bool {
        match &self.rules {
            Rules::Indexed(index) => since <= self.revision && index.changed(principal, token, action) <= since,
            Rules::AllowAll | Rules::DenyAll => since == self.revision,
        }
    }

    /// Returns whether a stored token still admits its holder.
    #[must_use]
    pub fn lets_in(&self, token: &str, principal: &Principal, now: Timestamp) -> bool {
        match &self.rules {
            Rules::Indexed(index) => index.token(token, principal, None, now).is_ok(),
            Rules::AllowAll => true,
            Rules::DenyAll => false,
        }
    }

    /// Returns the revision of the policy. Later policies have higher revisions.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    // === what lists show ===

    /// Returns a viewer, which decides what one principal may see while a list is built.
    #[must_use]
    pub fn viewer<'a>(&'a self, principal: &'a Principal, token: Option<&'a str>, now: Timestamp) -> Viewer<'a> {
        Viewer(match &self.rules {
            Rules::AllowAll => Visible::Everything,
            Rules::DenyAll => Visible::Nothing,
            Rules::Indexed(index) => Visible::ByRules(Visibility {
                index,
                held: index.held(&principal.id),
                principal,
                token,
                now,
            }),
        })
    }

    // === access of principals ===

    /// Returns a principal's access to a server or a tool, with its source: the answer of `mgp.access.query`.
    #[must_use]
    pub fn access(&self, principal: &PrincipalId, server: &ServerId, tool: Option<&str>, now: Timestamp) -> Standing {
        use crate::DefaultAccess::{OptIn, OptOut};
        match &self.rules {
            Rules::AllowAll => Standing::of_default(OptOut),
            Rules::DenyAll => Standing::of_default(OptIn),
            Rules::Indexed(index) => index.standing(index.held(principal), server, tool, now),
        }
    }

    /// Returns every grant that a principal holds, including expired ones, by tool and server.
    pub fn grants<'a>(&'a self, principal: &PrincipalId) -> impl Iterator<Item = &'a Arc<Grant>> + use<'a> {
        let held = self.index().and_then(|index| index.held(principal));
        let mut grants: Vec<_> = held.into_iter().flat_map(|held| held.grants()).collect();
        grants.sort_by_key(|grant| (grant.scope.clone(), grant.access == Access::Allow));
        grants.into_iter()
    }

    /// Returns the time at which a grant of a principal, or a token, expires next.
    #[must_use]
    pub fn next_expiry(&self, principal: &PrincipalId, token: Option<&str>, now: Timestamp) -> Option<Timestamp> {
        self.index()?.next_expiry(principal, token, now)
    }

    /// Checks a grant that an operator wants to make; stored records are not checked.
    ///
    /// # Errors
    /// When the grant would have no effect.
    pub fn check_grant(&self, grant: &Grant, now: Timestamp) -> Result<(), GrantProblem> {
        if grant.expires.is_some_and(|at| at.has_come(now)) {
            return Err(GrantProblem::Expired);
        }
        if grant.confirms && grant.access == Access::Deny {
            return Err(GrantProblem::DeniesAndConfirms);
        }
        let server = |id: &ServerId| {
            self.index()
                .and_then(|index| index.server(id))
                .ok_or_else(|| GrantProblem::UnknownServer(id.clone()))
        };
        match &grant.scope {
            GrantScope::Server(id) => server(id).map(drop),
            GrantScope::Tool(tool) => match server(&tool.server)?.tool(&tool.name) {
                Some(_) => Ok(()),
                None => Err(GrantProblem::UnknownTool(tool.clone())),
            },
        }
    }

    /// Returns the token of a digest, if it is valid. Digests are of secrets that no client can choose, so the duration of a look-up reveals nothing.
    ///
    /// # Errors
    /// When the token is unknown, revoked or expired.
    pub fn authenticate(&self, digest: &Digest, now: Timestamp) -> Result<&Token, TokenRefusal> {
        self.index().ok_or(TokenRefusal::Unknown)?.authenticate(digest, now)
    }

    /// Returns whether there are tokens that were not revoked: then clients need one by default.
    #[must_use]
    pub fn has_tokens(&self) -> bool {
        self.index().is_some_and(PolicyIndex::has_tokens)
    }

    // === facts about servers ===

    /// Returns the state of a server's permission.
    #[must_use]
    pub fn permission(&self, server: &ServerId, permission: &Permission, now: Timestamp) -> PermissionState {
        let Some(index) = self.index() else {
            return match self.rules {
                Rules::AllowAll => PermissionState::Approved,
                _ => PermissionState::Denied,
            };
        };
        let table = index.tables.server(server);
        let policy = table.permissions.unwrap_or(index.tables.permissions);
        match index.server(server) {
            Some(known) => known.permissions.state(permission, policy, &table.approved, now),
            None => crate::index::Permissions::default().state(permission, policy, &table.approved, now),
        }
    }

    /// Returns the decisions about a server's permissions, including expired ones.
    pub fn permissions<'a>(&'a self, server: &ServerId) -> impl Iterator<Item = &'a Arc<PermissionDecision>> + use<'a> {
        let known = self.index().and_then(|index| index.server(server));
        known.into_iter().flat_map(|known| known.permissions.decisions())
    }

    /// Returns the facts about a tool.
    #[must_use]
    pub fn tool(&self, server: &ServerId, name: &str) -> Option<&Arc<ToolFacts>> {
        Some(&self.index()?.server(server)?.tool(name)?.facts)
    }

    /// Returns the facts about a server's tools, by name.
    pub fn tools<'a>(&'a self, server: &ServerId) -> impl Iterator<Item = &'a Arc<ToolFacts>> + use<'a> {
        self.by_name(server).into_iter().map(|(facts, _)| facts)
    }

    /// Returns the relation of a server's tools to their pins, by name. The keeper of pins stores those that are missing, and records the tools that
    /// have changed.
    pub fn pins<'a>(&'a self, server: &ServerId) -> impl Iterator<Item = (&'a Arc<ToolFacts>, PinState)> + use<'a> {
        self.by_name(server)
            .into_iter()
            .map(|(facts, known)| (facts, known.pin_state(facts)))
    }

    fn by_name(&self, server: &ServerId) -> Vec<(&Arc<ToolFacts>, &Server)> {
        let known = self.index().and_then(|index| index.server(server));
        let mut tools: Vec<_> = known
            .into_iter()
            .flat_map(|known| known.tools().map(move |facts| (facts, &**known)))
            .collect();
        tools.sort_by_key(|(facts, _)| &facts.name);
        tools
    }

    /// Returns the tables in force.
    #[must_use]
    pub fn tables(&self) -> Option<&Tables> {
        self.index().map(|index| &*index.tables)
    }

    fn index(&self) -> Option<&PolicyIndex> {
        match &self.rules {
            Rules::Indexed(index) => Some(index),
            Rules::AllowAll | Rules::DenyAll => None,
        }
    }
}

impl Edit {
    /// Completes the edit, and returns the next version of the policy.
    #[must_use]
    pub fn finish(self) -> Policy {
        let (index, revision) = self.into_parts();
        Policy {
            rules: Rules::Indexed(Arc::new(index)),
            revision,
        }
    }
}

/// The view of one principal on lists. Entries to which it has no access are not listed (MGP §5).
#[derive(Debug)]
pub struct Viewer<'a>(Visible<'a>);

#[derive(Debug)]
enum Visible<'a> {
    Everything,
    Nothing,
    ByRules(Visibility<'a>),
}

impl Viewer<'_> {
    /// Returns whether a list shows a tool.
    #[must_use]
    pub fn is_visible(&self, server: &ServerId, tool: &str) -> bool {
        match &self.0 {
            Visible::Everything => true,
            Visible::Nothing => false,
            Visible::ByRules(visibility) => visibility.tool(server, tool),
        }
    }

    /// Returns whether what lists show of a server is as it was in an earlier policy of that revision, apart from time.
    #[must_use]
    pub fn is_unchanged(&self, server: &ServerId, since: Revision) -> bool {
        match &self.0 {
            Visible::Everything | Visible::Nothing => false,
            Visible::ByRules(visibility) => visibility.changed(server) <= since,
        }
    }

    /// Returns whether lists show what belongs to a server as a whole: its prompts and resources.
    #[must_use]
    pub fn is_server_visible(&self, server: &ServerId) -> bool {
        match &self.0 {
            Visible::Everything => true,
            Visible::Nothing => false,
            Visible::ByRules(visibility) => visibility.server(server),
        }
    }
}
