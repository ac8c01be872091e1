//! The answers of kernel tools: `structuredContent` by their output schemas, and its text (D17).

use std::collections::BTreeMap;

use jsonrpc::{ObjectBuilder, Raw};
use model::{Access, By, Grant, GrantScope, Permission, PermissionAnswer, ServerId, Timestamp};

use crate::permission::{self, Basis, Listed};
use crate::{carrier, time};

/// Returns a tool's result with an object, for programs and for models.
#[must_use]
pub fn result(structured: &Raw) -> Raw {
    let text = ObjectBuilder::new().text("type", "text").text("text", structured.text()).finish();
    ObjectBuilder::new()
        .raw("content", &Raw::of(&[text]))
        .raw("structuredContent", structured)
        .finish()
}

/// The source of an access state (§5.2): the first that decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessSource<'a> {
    /// A grant of the tool or of the server.
    Grant(&'a Grant),
    /// The default policy, because no grant applies.
    DefaultPolicy(Access),
}

/// The answer of `mgp.access.query`.
#[derive(Clone, Copy, Debug)]
pub struct AccessState<'a>(pub AccessSource<'a>);

impl AccessState<'_> {
    /// Returns the answer in the form of §5.4.
    #[must_use]
    pub fn to_raw(&self) -> Raw {
        let (access, source, grant) = match self.0 {
            AccessSource::Grant(grant) => (grant.access, entry_type(&grant.scope), Some(grant)),
            AccessSource::DefaultPolicy(access) => (access, "default_policy", None),
        };
        let at = grant.map(|grant| time::format(grant.granted.at));
        let expires = grant.and_then(|grant| grant.expires).map(time::format);
        ObjectBuilder::new()
            .text("permission", word(access))
            .text("source", source)
            .text_or_null("granted_by", grant.map(|grant| grant.granted.principal.as_str()))
            .text_or_null("granted_at", at.as_deref())
            .text_or_null("expires_at", expires.as_deref())
            .finish()
    }
}

/// Returns the answer of `mgp.access.grant`.
#[must_use]
pub fn granted(grant: &Grant) -> Raw {
    ObjectBuilder::new().text("status", "granted").raw("entry", &entry(grant)).finish()
}

/// Returns the answer of `mgp.access.revoke`, with the grant that held until now.
#[must_use]
pub fn revoked(grant: Option<&Grant>) -> Raw {
    let status = if grant.is_some() { "revoked" } else { "not_found" };
    ObjectBuilder::new()
        .text("status", status)
        .flag("revoked", grant.is_some())
        .maybe("entry", grant.map(entry).as_ref())
        .finish()
}

fn entry(grant: &Grant) -> Raw {
    let (server, tool) = match &grant.scope {
        GrantScope::Tool(tool) => (&tool.server, Some(&*tool.name)),
        GrantScope::Server(server) => (server, None),
    };
    let expires = grant.expires.map(time::format);
    ObjectBuilder::new()
        .text("entry_type", entry_type(&grant.scope))
        .text("agent_id", grant.principal.as_str())
        .text("server_id", server.as_str())
        .maybe_text("tool_name", tool)
        .text("permission", word(grant.access))
        .text_or_null("justification", grant.justification.as_deref())
        .text("granted_by", grant.granted.principal.as_str())
        .text("granted_at", &time::format(grant.granted.at))
        .text_or_null("expires_at", expires.as_deref())
        .finish()
}

/// Returns the entry type of a scope (§5.3).
fn entry_type(scope: &GrantScope) -> &'static str {
    match scope {
        GrantScope::Tool(_) => "tool_grant",
        GrantScope::Server(_) => "server_grant",
    }
}

fn word(access: Access) -> &'static str {
    match access {
        Access::Allow => "allow",
        Access::Deny => "deny",
    }
}

/// Returns the answer of `mgp.permission.list`.
#[must_use]
pub fn permissions<'a>(listed: impl IntoIterator<Item = (&'a ServerId, &'a Listed)>) -> Raw {
    let listed: Vec<Raw> = listed
        .into_iter()
        .map(|(server, listed)| listed_permission(server, listed))
        .collect();
    ObjectBuilder::new().raw("permissions", &Raw::of(&listed)).finish()
}

fn listed_permission(server: &ServerId, listed: &Listed) -> Raw {
    let decision = match &listed.basis {
        Basis::Decision(decision) => Some(decision),
        Basis::Configuration | Basis::Policy(_) => None,
    };
    let is_pending = listed.standing == permission::Standing::Pending;
    let by = (decision.is_some() || !is_pending).then(|| listed.basis.approved_by());
    let at = decision.map(|decision| time::format(decision.decided.at));
    let expires = decision.and_then(|decision| decision.expires).map(time::format);
    ObjectBuilder::new()
        .text_or_null("request_id", listed.request.as_ref().map(model::RequestId::as_str))
        .text("server_id", server.as_str())
        .text("permission", listed.permission.as_str())
        .text("risk_level", permission::risk(&listed.permission).as_str())
        .text_or_null("description", permission::description(&listed.permission))
        .text("status", listed.standing.as_str())
        .text_or_null("approved_by", by)
        .text_or_null("decided_at", at.as_deref())
        .text_or_null("expires_at", expires.as_deref())
        .finish()
}

/// Returns the answer of `mgp.permission.decide`.
#[must_use]
pub fn decided(server: &ServerId, grants: &BTreeMap<Permission, PermissionAnswer>, by: &By, expires: Option<Timestamp>) -> Raw {
    let grants = grants.iter().fold(ObjectBuilder::new(), |members, (permission, answer)| {
        let word = match answer {
            PermissionAnswer::Approved => "approved",
            PermissionAnswer::Denied => "denied",
            PermissionAnswer::Deferred => "deferred",
        };
        members.text(permission.as_str(), word)
    });
    ObjectBuilder::new()
        .text("status", "decided")
        .text("server_id", server.as_str())
        .raw("grants", &grants.finish())
        .text("approved_by", by.principal.as_str())
        .text("decided_at", &time::format(by.at))
        .text_or_null("expires_at", expires.map(time::format).as_deref())
        .finish()
}

/// The answer of `mgp.audit.replay`.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// The events that follow, with their numbers, in their stored bytes.
    pub events: Vec<(u64, Raw)>,
    /// The number of the newest event.
    pub latest: u64,
    /// The number of the oldest stored event.
    pub oldest: Option<u64>,
}

impl Replay {
    /// Returns the answer to a request for the events after `after`.
    #[must_use]
    pub fn to_raw(&self, after: u64) -> Raw {
        let next = self.events.last().map_or(after, |(seq, _)| *seq);
        let numbered = |(seq, event): &(u64, Raw)| carrier::set(event.edit(), "seq", &Raw::uint(*seq)).finish();
        let events: Vec<Raw> = self.events.iter().map(numbered).collect();
        ObjectBuilder::new()
            .raw("events", &Raw::of(&events))
            .uint("next_seq", next)
            .uint("latest_seq", self.latest)
            .flag("complete", next >= self.latest)
            .maybe("oldest_seq", self.oldest.map(Raw::uint).as_ref())
            .finish()
    }
}
