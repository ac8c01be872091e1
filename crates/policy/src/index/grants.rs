//! The grants that one principal holds, by server and tool, and the choice of the one that decides (MGP §5.2, MGP D16).

use std::sync::Arc;

use model::{Access, Grant, GrantScope, ServerId, Timestamp};

use crate::Revision;
use crate::sorted::Sorted;
use crate::tables::DefaultAccess;

/// The grants of one principal, and how it comes in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    /// Whether it comes in locally, as an agent.
    pub(crate) local: bool,
    /// Whether it was added as one that comes in otherwise, as an agent.
    pub(crate) remote: bool,
    /// The number of its agent tokens that are not revoked.
    pub(crate) tokens: usize,
    /// The revision in which the last grant at some server was removed.
    emptied: Revision,
    servers: Sorted<ServerId, Arc<AtServer>>,
}

/// The grants of one principal at one server.
#[derive(Clone, Debug, Default)]
struct AtServer {
    whole: Slot,
    tools: Sorted<Arc<str>, Slot>,
    /// The revision in which the last grant of some tool was removed.
    emptied: Revision,
}

/// The grants of one scope: those that operators made and those of the configuration, which hold beside each other.
#[derive(Clone, Debug, Default)]
struct Slot {
    made: Pair,
    configured: Pair,
    changed: Revision,
}

/// At most one grant of each kind. A later one replaces an earlier one of its kind.
#[derive(Clone, Debug, Default)]
struct Pair {
    allow: Option<Arc<Grant>>,
    deny: Option<Arc<Grant>>,
}

/// The source of a decision about access (MGP §5.4, `source`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A grant of the tool.
    ToolGrant,
    /// A grant of the whole server.
    ServerGrant,
    /// The default policy.
    DefaultPolicy,
}

/// The access of a principal, with its source: the answer of `mgp.access.query`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The access.
    pub access: Access,
    /// The source that decides.
    pub source: Source,
    /// The grant that decides; none for the default policy.
    pub grant: Option<Arc<Grant>>,
}

impl Source {
    /// Returns the specification's word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ToolGrant => "tool_grant",
            Self::ServerGrant => "server_grant",
            Self::DefaultPolicy => "default_policy",
        }
    }
}

impl Standing {
    /// Returns whether it includes the confirmation of dangerous calls, which only the deciding grant can.
    #[must_use]
    pub fn confirms(&self) -> bool {
        self.access == Access::Allow && self.grant.as_ref().is_some_and(|grant| grant.confirms)
    }

    pub(crate) fn of_default(default: DefaultAccess) -> Self {
        Self {
            access: match default {
                DefaultAccess::OptIn => Access::Deny,
                DefaultAccess::OptOut => Access::Allow,
            },
            source: Source::DefaultPolicy,
            grant: None,
        }
    }
}

impl Held {
    /// Returns whether the principal comes in locally, and in no other way.
    pub(crate) fn is_local(&self) -> bool {
        self.local
    }

    /// Returns whether the principal comes in otherwise than locally.
    pub(crate) fn is_remote(&self) -> bool {
        !self.local && (self.remote || self.tokens > 0)
    }

    /// Returns the standing by the grant that decides, if one does.
    pub(crate) fn standing(&self, server: &ServerId, tool: Option<&str>, now: Timestamp) -> Option<Standing> {
        let at = self.servers.get(server)?;
        let of_tool = tool
            .and_then(|tool| at.tools.get(tool))
            .and_then(|slot| slot.standing(Source::ToolGrant, now));
        of_tool.or_else(|| at.whole.standing(Source::ServerGrant, now))
    }

    /// Returns the standing by a grant in force that allows any tool of a server.
    pub(crate) fn any_tool(&self, server: &ServerId, now: Timestamp) -> Option<Standing> {
        let slots = self.servers.get(server)?.tools.iter();
        slots
            .filter_map(|(_, slot)| slot.standing(Source::ToolGrant, now))
            .find(|standing| standing.access == Access::Allow)
    }

    /// Returns the revision of the last change of the grants at a server or of a tool.
    pub(crate) fn changed(&self, server: Option<&ServerId>, tool: Option<&str>) -> Revision {
        let Some(at) = server.and_then(|server| self.servers.get(server)) else {
            return self.emptied;
        };
        let whole = self.emptied.max(at.emptied).max(at.whole.changed);
        match tool {
            Some(tool) => at.tools.get(tool).map_or(whole, |slot| slot.changed.max(whole)),
            // An action that is not about one tool may rest on a grant of any tool.
            None => at.tools.iter().fold(whole, |latest, (_, slot)| latest.max(slot.changed)),
        }
    }

    /// Adds a grant that an operator made.
    pub(crate) fn grant(&mut self, grant: Arc<Grant>, now: Revision) {
        self.slot(&grant.scope, now).made.put(grant);
    }

    /// Adds a grant of the configuration.
    pub(crate) fn configure(&mut self, grant: Arc<Grant>, now: Revision) {
        self.slot(&grant.scope, now).configured.put(grant);
    }

    fn slot(&mut self, scope: &GrantScope, now: Revision) -> &mut Slot {
        let at = Arc::make_mut(self.servers.entry(server_of(scope), Arc::default));
        let slot = match scope {
            GrantScope::Tool(tool) => at.tools.entry(&tool.name, Slot::default),
            GrantScope::Server(_) => &mut at.whole,
        };
        slot.changed = now;
        slot
    }

    /// Revokes the grants and denials that operators made in a scope; returns them.
    pub(crate) fn revoke(&mut self, scope: &GrantScope, now: Revision) -> Vec<Arc<Grant>> {
        let taken = self.take(scope, now, |slot| std::mem::take(&mut slot.made));
        taken
            .map(|made| made.allow.into_iter().chain(made.deny).collect())
            .unwrap_or_default()
    }

    /// Removes a grant of the configuration.
    pub(crate) fn unconfigure(&mut self, grant: &Grant, now: Revision) {
        self.take(&grant.scope, now, |slot| slot.configured.of(grant.access).take());
    }

    /// Takes something out of the slot of a scope, and removes what is empty then.
    fn take<T>(&mut self, scope: &GrantScope, now: Revision, take: impl FnOnce(&mut Slot) -> T) -> Option<T> {
        let server = server_of(scope);
        let at = Arc::make_mut(self.servers.get_mut(server)?);
        let slot = match scope {
            GrantScope::Tool(tool) => at.tools.get_mut(&tool.name)?,
            GrantScope::Server(_) => &mut at.whole,
        };
        let taken = take(slot);
        slot.changed = now;
        if let GrantScope::Tool(tool) = scope
            && slot.is_empty()
        {
            at.tools.remove(&tool.name);
            at.emptied = now;
        }
        if at.tools.is_empty() && at.whole.is_empty() {
            self.servers.remove(server);
            self.emptied = now;
        }
        Some(taken)
    }

    /// Returns every grant, including expired ones.
    pub(crate) fn grants(&self) -> impl Iterator<Item = &Arc<Grant>> {
        self.servers.iter().flat_map(|(_, at)| {
            let tools = at.tools.iter().flat_map(|(_, slot)| slot.iter());
            at.whole.iter().chain(tools)
        })
    }
}

impl Slot {
    /// Returns the standing by the grants in force: a denial beats an allowance (MGP D16).
    fn standing(&self, source: Source, now: Timestamp) -> Option<Standing> {
        let grant = self.iter().find(|grant| !grant.expires.is_some_and(|at| at.has_come(now)))?;
        Some(Standing {
            access: grant.access,
            source,
            grant: Some(grant.clone()),
        })
    }

    fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Returns the grants in the order in which they decide: a denial beats an allowance, and what operators made stands before the configuration,
    /// because it may allow more than that (`confirms`).
    fn iter(&self) -> impl Iterator<Item = &Arc<Grant>> {
        let denials = self.made.deny.iter().chain(&self.configured.deny);
        denials.chain(&self.made.allow).chain(&self.configured.allow)
    }
}

impl Pair {
    fn of(&mut self, access: Access) -> &mut Option<Arc<Grant>> {
        match access {
            Access::Allow => &mut self.allow,
            Access::Deny => &mut self.deny,
        }
    }

    fn put(&mut self, grant: Arc<Grant>) {
        let access = grant.access;
        *self.of(access) = Some(grant);
    }
}

fn server_of(scope: &GrantScope) -> &ServerId {
    match scope {
        GrantScope::Tool(tool) => &tool.server,
        GrantScope::Server(server) => server,
    }
}
