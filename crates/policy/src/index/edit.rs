//! Edits of a policy: records, facts and tables go in, and a policy with a later revision comes out. Both versions share what is not changed.

use std::sync::Arc;

use model::{Grant, GrantScope, Permission, PermissionDecision, Pin, PrincipalId, RequestId, Role, ServerId, Token};

use super::grants::Held;
use super::servers::Server;
use super::tokens::Kept;
use super::{Origin, PolicyIndex};
use crate::{Revision, ServerFacts, Tables, ToolFacts};

/// An edit that builds the next version of a policy. Nothing takes effect before [`Edit::finish`], and the policy that it began with stays as it is.
#[derive(Clone, Debug)]
#[must_use]
pub struct Edit {
    index: PolicyIndex,
    revision: Revision,
}

impl Edit {
    pub(crate) fn new(index: PolicyIndex, revision: Revision) -> Self {
        Self { index, revision }
    }

    /// Returns the index and the revision of the next version.
    pub(crate) fn into_parts(self) -> (PolicyIndex, Revision) {
        (self.index, self.revision)
    }

    /// Returns the revision that the next version will have.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Replaces the tables. All earlier decisions have to be made again.
    pub fn tables(&mut self, tables: Tables) -> &mut Self {
        self.index.tables = Arc::new(tables);
        self.index.all = self.revision;
        self
    }

    // === principals ===

    /// Adds a principal that may come in without a token, as an agent. Agents with tokens are known by these.
    pub fn know(&mut self, principal: &PrincipalId, origin: Origin) -> &mut Self {
        self.with_held(principal, |held| match origin {
            Origin::Local => held.local = true,
            Origin::Remote => held.remote = true,
        });
        self
    }

    /// Adds a token, or replaces its record.
    ///
    /// An agent's token makes its principal one of those that share the gateway, until it is revoked. Expiry does not count, so that the default
    /// never becomes more permissive by itself.
    pub fn token(&mut self, token: Token) -> &mut Self {
        let counts = |token: &Token| token.role == Role::Agent && token.revoked.is_none();
        let kept = Arc::new(Kept {
            token,
            changed: self.revision,
        });
        let before = self.index.tokens.insert(kept.token.id.clone(), kept.clone());
        self.index.valid += usize::from(kept.token.revoked.is_none());
        if let Some(before) = before {
            self.index.valid -= usize::from(before.token.revoked.is_none());
            self.index.by_digest.remove(&before.token.digest);
            if counts(&before.token) {
                self.with_held(&before.token.principal, |held| held.tokens -= 1);
            }
        }
        if counts(&kept.token) {
            self.with_held(&kept.token.principal, |held| held.tokens += 1);
        }
        self.index.by_digest.insert(kept.token.digest, kept);
        self
    }

    /// Changes what a principal holds, and updates the counts of principals that share the gateway.
    fn with_held(&mut self, principal: &PrincipalId, change: impl FnOnce(&mut Held)) {
        let held = Arc::make_mut(self.index.principals.entry(principal, Arc::default));
        let before = (held.is_local(), held.is_remote());
        change(held);
        let after = (held.is_local(), held.is_remote());
        if before == after {
            return;
        }
        let count = |count: usize, before: bool, after: bool| count + usize::from(after) - usize::from(before);
        self.index.locals = count(self.index.locals, before.0, after.0);
        self.index.remotes = count(self.index.remotes, before.1, after.1);
        self.index.all = self.revision;
    }

    // === access ===

    /// Makes these the grants of the configuration, in place of those before. They hold beside the grants that operators make.
    pub fn configure(&mut self, grants: &[Grant]) -> &mut Self {
        let before = std::mem::replace(&mut self.index.configured, grants.into());
        let removed: Vec<&Grant> = before.iter().filter(|grant| !grants.contains(grant)).collect();
        for grant in &removed {
            if let Some(held) = self.index.principals.get_mut(&grant.principal) {
                Arc::make_mut(held).unconfigure(grant, self.revision);
            }
        }
        // One that was removed may have stood in the place of another.
        let stood_there =
            |grant: &Grant, other: &Grant| (&grant.principal, &grant.scope, grant.access) == (&other.principal, &other.scope, other.access);
        let is_kept = |grant: &Grant| before.contains(grant) && !removed.iter().any(|removed| stood_there(removed, grant));
        for grant in grants.iter().filter(|grant| !is_kept(grant)) {
            let held = self.index.principals.entry(&grant.principal, Arc::default);
            Arc::make_mut(held).configure(Arc::new(grant.clone()), self.revision);
        }
        self
    }

    /// Adds a grant that an operator made. It replaces one of the same principal, scope and kind.
    pub fn grant(&mut self, grant: Grant) -> &mut Self {
        let held = self.index.principals.entry(&grant.principal, Arc::default);
        Arc::make_mut(held).grant(Arc::new(grant), self.revision);
        self
    }

    /// Revokes the grants and denials that operators made to a principal in one scope, and returns them. Those of the configuration stay.
    pub fn revoke(&mut self, principal: &PrincipalId, scope: &GrantScope) -> Vec<Arc<Grant>> {
        match self.index.principals.get_mut(principal) {
            Some(held) => Arc::make_mut(held).revoke(scope, self.revision),
            None => Vec::new(),
        }
    }

    // === servers ===

    /// Sets the facts about a server.
    pub fn server(&mut self, id: &ServerId, facts: ServerFacts) -> &mut Self {
        self.with_server(id, |server, now| {
            if server.facts != facts {
                server.facts = facts;
                server.changed = now;
            }
        })
    }

    /// Sets the whole list of a server's tools.
    pub fn tools(&mut self, id: &ServerId, tools: Vec<ToolFacts>) -> &mut Self {
        self.with_server(id, |server, now| server.set_tools(tools, now))
    }

    /// Sets the approved definition of a tool.
    pub fn pin(&mut self, pin: Pin) -> &mut Self {
        let id = pin.tool.server.clone();
        self.with_server(&id, |server, now| server.pin(pin, now))
    }

    /// Notes that a person was asked whether a server gets a permission, so that refusals name the request.
    pub fn ask_permission(&mut self, id: &ServerId, permission: Permission, request: RequestId) -> &mut Self {
        // This decides nothing: what was allowed before still is.
        self.with_server(id, |server, _| server.permissions.ask(permission, request))
    }

    /// Adds a decision about a permission.
    pub fn permission(&mut self, decision: PermissionDecision) -> &mut Self {
        let id = decision.server.clone();
        self.with_server(&id, |server, now| {
            server.permissions.decide(Arc::new(decision));
            server.changed = now;
        })
    }

    fn with_server(&mut self, id: &ServerId, change: impl FnOnce(&mut Server, Revision)) -> &mut Self {
        change(Arc::make_mut(self.index.servers.entry(id, Arc::default)), self.revision);
        self
    }
}
