//! The audit events of grants.

use mgp::audit::{Actor, Draft, EventType, Outcome, Target};
use model::{Access, Grant, GrantScope, Principal, Trace};

use crate::record::{details, event};

/// Returns the event of a grant that is made.
#[must_use]
pub fn granted(by: &Principal, grant: &Grant) -> store::Event {
    let kind = match grant.access {
        Access::Allow => EventType::AccessGranted,
        Access::Deny => EventType::AccessRevoked,
    };
    about_grant(by, kind, grant)
}

/// Returns the event of a grant that is made or revoked.
#[must_use]
pub fn about_grant(by: &Principal, kind: EventType, grant: &Grant) -> store::Event {
    let target = match &grant.scope {
        GrantScope::Tool(tool) => Target::tool(tool),
        GrantScope::Server(server) => Target::server(server),
    };
    let access = if grant.access == Access::Allow { "allow" } else { "deny" };
    let mut members = vec![("principal", grant.principal.as_str()), ("access", access)];
    if grant.confirms {
        members.push(("confirms", "true"));
    }
    if let Some(justification) = &grant.justification {
        members.push(("justification", justification));
    }
    let draft = Draft::new(kind, Actor::principal(&by.id, by.role), target, Outcome::Success);
    event(draft.details(details(&members)), &Trace::default())
}
