//! The next version of a policy: records, facts and tables go in, a policy with a later revision comes out. What is not touched is shared.

use std::sync::Arc;

use model::{Grant, GrantScope, Permission, PermissionDecision, Pin, PrincipalId, RequestId, Role, ServerId, Token};

use super::grants::Held;
use super::servers::Server;
use super::tokens::Kept;
use super::{Origin, PolicyIndex};
use crate::{Revision, ServerFacts, Tables, ToolFacts};

/// The next version in the making. Nothing takes effect before [`Edit::finish`], and the policy that it began with stays as it is.
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

    /// The index and the revision of the next version.
    pub(crate) fn into_parts(self) -> (PolicyIndex, Revision) {
        (self.index, self.revision)
    }

    /// The revision that the next version will have.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Puts other tables in force. Everything that was asked before is asked again.
    pub fn tables(&mut self, tables: Tables) -> &mut Self {
        self.index.tables = Arc::new(tables);
        self.index.all = self.revision;
        self
    }

    // === principals ===

    /// Makes known that an agent may come in without a token. Agents with tokens are known by these.
    pub fn know(&mut self, principal: &PrincipalId, origin: Origin) -> &mut Self {
        self.with_held(principal, |held| match origin {
            Origin::Local => held.local = true,
            Origin::Remote => held.remote = true,
        });
        self
    }

    /// Takes in a token, or what has become of one.
    ///
    /// An agent's token makes its principal one of those who share the gateway, until it is revoked. That it expires does not count: what
    /// holds by default never loosens by itself.
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

    /// Changes what a principal holds, and counts anew who shares the gateway.
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

    /// Takes in a grant. It takes the place of one of the same principal, scope and kind.
    pub fn grant(&mut self, grant: Grant) -> &mut Self {
        let held = self.index.principals.entry(&grant.principal, Arc::default);
        Arc::make_mut(held).grant(Arc::new(grant), self.revision);
        self
    }

    /// Takes back what a principal was granted and denied in one scope, and returns it: nothing, when there was nothing.
    pub fn revoke(&mut self, principal: &PrincipalId, scope: &GrantScope) -> Vec<Arc<Grant>> {
        match self.index.principals.get_mut(principal) {
            Some(held) => Arc::make_mut(held).revoke(scope, self.revision),
            None => Vec::new(),
        }
    }

    // === servers ===

    /// Takes in what a server says of itself.
    pub fn server(&mut self, id: &ServerId, facts: ServerFacts) -> &mut Self {
        self.with_server(id, |server, now| {
            if server.facts != facts {
                server.facts = facts;
                server.changed = now;
            }
        })
    }

    /// Takes in the whole list of a server's tools.
    pub fn tools(&mut self, id: &ServerId, tools: Vec<ToolFacts>) -> &mut Self {
        self.with_server(id, |server, now| server.set_tools(tools, now))
    }

    /// Takes in which definition of a tool is approved.
    pub fn pin(&mut self, pin: Pin) -> &mut Self {
        let id = pin.tool.server.clone();
        self.with_server(&id, |server, now| server.pin(pin, now))
    }

    /// Notes that a person was asked whether a server gets a permission, so that refusals name the request.
    pub fn ask_permission(&mut self, id: &ServerId, permission: Permission, request: RequestId) -> &mut Self {
        // Nothing is decided by that: what was allowed before still is.
        self.with_server(id, |server, _| server.permissions.ask(permission, request))
    }

    /// Takes in what was decided about a permission.
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
