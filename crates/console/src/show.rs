//! How things are shown: instants in RFC 3339, states in the words of the specification.

use kernel::Health;
use kernel::ServerStatus;
use kernel::office::{JudgedTool, Waiting};
use model::{Access, Approval, ApprovalState, By, Grant, GrantScope, PermissionAnswer, PermissionDecision, Pin, Timestamp, Token};
use policy::{PinState, Standing};
use serde_json::{Value, json};
use store::{PermissionRequest, Stored};

pub(crate) fn instant(at: Timestamp) -> String {
    mgp::time::format(at)
}

fn maybe(at: Option<Timestamp>) -> Option<String> {
    at.map(instant)
}

fn target(scope: &GrantScope) -> (String, Option<String>) {
    match scope {
        GrantScope::Server(server) => (server.to_string(), None),
        GrantScope::Tool(tool) => (tool.server.to_string(), Some(tool.name.to_string())),
    }
}

pub(crate) fn waiting(waiting: &Waiting) -> Value {
    let Waiting {
        approval,
        because,
        arguments,
    } = waiting;
    json!({
        "request_id": approval.request.as_str(),
        "principal": approval.principal.as_str(),
        "server": approval.tool.server.as_str(),
        "tool": &*approval.tool.name,
        "because": because,
        "arguments": arguments,
        "arguments_sha256": approval.arguments.to_string(),
        "asked_at": instant(approval.asked),
        "expires_at": instant(approval.expires),
    })
}

pub(crate) fn decided(approval: &Approval) -> Value {
    let (state, by): (&str, Option<&By>) = match &approval.state {
        ApprovalState::Pending => ("pending", None),
        ApprovalState::Approved(by) => ("approved", Some(by)),
        ApprovalState::Denied(by) => ("denied", Some(by)),
        ApprovalState::Used(by) => ("used", Some(by)),
    };
    json!({
        "request_id": approval.request.as_str(),
        "principal": approval.principal.as_str(),
        "server": approval.tool.server.as_str(),
        "tool": &*approval.tool.name,
        "state": state,
        "decided_by": by.map(|by| by.principal.as_str()),
        "decided_at": by.map(|by| instant(by.at)),
    })
}

pub(crate) fn token(token: &Token, now: Timestamp) -> Value {
    let state = match (&token.revoked, token.expires) {
        (Some(_), _) => "revoked",
        (None, Some(at)) if at.has_come(now) => "expired",
        _ => "valid",
    };
    json!({
        "id": &*token.id,
        "principal": token.principal.as_str(),
        "role": token.role.as_str(),
        "scopes": token.scopes.iter().map(model::ServerId::as_str).collect::<Vec<_>>(),
        "state": state,
        "created_by": token.created.principal.as_str(),
        "created_at": instant(token.created.at),
        "expires_at": maybe(token.expires),
        "revoked_by": token.revoked.as_ref().map(|by| by.principal.as_str()),
        "revoked_at": token.revoked.as_ref().map(|by| instant(by.at)),
    })
}

fn access(access: Access) -> &'static str {
    match access {
        Access::Allow => "allow",
        Access::Deny => "deny",
    }
}

pub(crate) fn grant(grant: &Grant) -> Value {
    let (server, tool) = target(&grant.scope);
    json!({
        "principal": grant.principal.as_str(),
        "server": server,
        "tool": tool,
        "access": access(grant.access),
        "confirms": grant.confirms,
        "granted_by": grant.granted.principal.as_str(),
        "granted_at": instant(grant.granted.at),
        "expires_at": maybe(grant.expires),
        "justification": grant.justification.as_deref(),
    })
}

pub(crate) fn standing(standing: &Standing) -> Value {
    json!({
        "access": access(standing.access),
        "source": standing.source.as_str(),
        "grant": standing.grant.as_deref().map(grant),
    })
}

pub(crate) fn decision(decision: &PermissionDecision) -> Value {
    let state = match decision.answer {
        PermissionAnswer::Approved => "approved",
        PermissionAnswer::Denied => "denied",
        PermissionAnswer::Deferred => "deferred",
    };
    json!({
        "server": decision.server.as_str(),
        "permission": decision.permission.as_str(),
        "risk": mgp::permission::risk(&decision.permission).as_str(),
        "state": state,
        "request_id": decision.request.as_str(),
        "decided_by": decision.decided.principal.as_str(),
        "decided_at": instant(decision.decided.at),
        "expires_at": maybe(decision.expires),
    })
}

pub(crate) fn asked(request: &PermissionRequest) -> Value {
    json!({
        "server": request.server.as_str(),
        "permission": request.permission.as_str(),
        "risk": mgp::permission::risk(&request.permission).as_str(),
        "state": "waiting",
        "request_id": request.request.as_str(),
        "asked_at": instant(request.asked),
        "expires_at": maybe(request.expires),
    })
}

/// The event as it was stored, with its number.
pub(crate) fn event(event: &Stored) -> Value {
    let mut shown = serde_json::Map::from_iter([("seq".to_owned(), json!(event.seq))]);
    match serde_json::from_slice(&event.body) {
        Ok(Value::Object(body)) => shown.extend(body),
        Ok(other) => drop(shown.insert("event".to_owned(), other)),
        Err(_) => {}
    }
    Value::Object(shown)
}

pub(crate) fn server(status: &ServerStatus) -> Value {
    let (state, why) = match &status.health {
        Health::Configured => ("configured", None),
        Health::Known => ("known", None),
        Health::Started => ("connected", None),
        Health::Error(why) => ("error", Some(why.to_string())),
    };
    let [tools, resources, templates, prompts] = status.counts;
    json!({
        "id": status.id.as_str(),
        "state": state,
        "why": why,
        "revision": status.revision.map(|revision| revision.to_string()),
        "tools": tools,
        "resources": resources,
        "resource_templates": templates,
        "prompts": prompts,
        "pids": status.pids,
    })
}

pub(crate) fn tool(tool: &JudgedTool) -> Value {
    let definition = match &tool.pin {
        None | Some(PinState::Unpinned) => "unpinned",
        Some(PinState::Same) => "approved",
        Some(PinState::Changed { .. }) => "changed",
    };
    let because: Vec<String> = tool.assessment.reasons.iter().map(ToString::to_string).collect();
    let permissions: Vec<&str> = tool.facts.permissions.iter().map(model::Permission::as_str).collect();
    json!({
        "server": tool.id.server.as_str(),
        "tool": &*tool.id.name,
        "risk": tool.facts.risk.as_str(),
        "because": because,
        "confirm": tool.facts.confirm,
        "permissions": permissions,
        "definition": definition,
        "definition_sha256": tool.facts.digest.to_string(),
        "hidden": tool.hidden.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

pub(crate) fn pin(pin: &Pin) -> Value {
    json!({
        "server": pin.tool.server.as_str(),
        "tool": &*pin.tool.name,
        "definition_sha256": pin.digest.to_string(),
        "approved_by": pin.pinned.principal.as_str(),
        "approved_at": instant(pin.pinned.at),
    })
}
