//! The operations that calls of kernel tools request.

use std::collections::BTreeMap;
use std::sync::Arc;

use jsonrpc::Raw;
use model::{
    Access, By, GrantScope, Permission, PermissionAnswer, PermissionDecision, Principal, PrincipalId, RequestId, Role, ServerId, Timestamp,
    ToolId,
};

use super::KernelTool;
use super::arguments::Arguments;
use crate::error::{Code, Refusal};
use crate::permission::{self, Standing};

/// The number of permissions that one call can decide about.
const MOST_DECISIONS: usize = 256;

/// The highest number that every reader of JSON reads exactly.
const MOST_EVENTS: u64 = (1 << 53) - 1;

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Returns a principal's access.
    AccessQuery(AccessQuery),
    /// Grants or denies access to a principal.
    AccessGrant(AccessGrant),
    /// Revokes a principal's grants.
    AccessRevoke(AccessRevoke),
    /// Lists the permissions that servers want.
    PermissionList(PermissionList),
    /// Decides about permissions that servers want.
    PermissionDecide(PermissionDecide),
    /// Returns audit events.
    AuditReplay(AuditReplay),
}

/// A query of a principal's access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessQuery {
    /// The principal.
    pub agent: PrincipalId,
    /// The server, or the tool.
    pub scope: GrantScope,
}

/// A grant or denial of access. The kernel checks that the server and the tool exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessGrant {
    /// The principal.
    pub agent: PrincipalId,
    /// The server, or the tool.
    pub scope: GrantScope,
    /// Allowed or denied.
    pub access: Access,
    /// The justification.
    pub justification: Option<Arc<str>>,
    /// The time at which it expires.
    pub expires: Option<Timestamp>,
}

/// A revocation of a principal's grants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessRevoke {
    /// The principal.
    pub agent: PrincipalId,
    /// The server, or the tool.
    pub scope: GrantScope,
}

/// A query of servers' permissions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PermissionList {
    /// The only server to list, if set.
    pub server: Option<ServerId>,
    /// The only state to list, if set.
    pub standing: Option<Standing>,
}

/// Decisions about servers' permissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionDecide {
    /// The request or the server that they are about.
    pub about: Decisions,
    /// The decision about each permission, by canonical names.
    pub grants: BTreeMap<Permission, PermissionAnswer>,
    /// The time at which approvals expire.
    pub expires: Option<Timestamp>,
}

impl PermissionDecide {
    /// Returns the decisions to store, and to pass to the server's machine. Only approvals expire: a denial holds until a person decides otherwise.
    #[must_use]
    pub fn decisions(&self, server: &ServerId, request: &RequestId, by: &By) -> Vec<PermissionDecision> {
        let decision = |(permission, answer): (&Permission, &PermissionAnswer)| PermissionDecision {
            request: request.clone(),
            server: server.clone(),
            permission: permission.clone(),
            answer: *answer,
            decided: by.clone(),
            expires: self.expires.filter(|_| *answer == PermissionAnswer::Approved),
        };
        self.grants.iter().map(decision).collect()
    }
}

/// The subject of decisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decisions {
    /// A request in the queue, or a decided one.
    Request(RequestId),
    /// Any permissions that the server wants.
    Server(ServerId),
}

/// A query of audit events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditReplay {
    /// The number of the event after which to begin.
    pub after: u64,
    /// The number of events at most.
    pub limit: u64,
}

/// Reads a call.
///
/// # Errors
/// 1000 if the caller may not make the call, 4000 if its arguments are not exact.
pub fn parse(tool: KernelTool, caller: &Principal, arguments: Option<&Raw>, now: Timestamp) -> Result<Operation, Refusal> {
    if !tool.may_call(caller.role) {
        let text = format!("`{}` is for operators, and `{}` is an agent", tool.name(), caller.id);
        return Err(Refusal::new(Code::PermissionDenied, text).with_hint("ask an operator to do it"));
    }
    match tool {
        KernelTool::AccessQuery => access_query(tool, caller, arguments).map(Operation::AccessQuery),
        KernelTool::AccessGrant => access_grant(tool, arguments, now).map(Operation::AccessGrant),
        KernelTool::AccessRevoke => access_revoke(tool, arguments).map(Operation::AccessRevoke),
        KernelTool::PermissionList => permission_list(tool, arguments).map(Operation::PermissionList),
        KernelTool::PermissionDecide => permission_decide(tool, arguments, now).map(Operation::PermissionDecide),
        KernelTool::AuditReplay => audit_replay(tool, arguments).map(Operation::AuditReplay),
    }
}

fn access_query(tool: KernelTool, caller: &Principal, arguments: Option<&Raw>) -> Result<AccessQuery, Refusal> {
    let read = Arguments::read(tool, arguments, &["agent_id", "server_id", "tool_name"])?;
    let agent = read.principal("agent_id")?;
    if caller.role != Role::Operator && agent != caller.id {
        // D14: the caller is known from the connection; an agent asks about itself.
        let text = format!("`{}` may only ask about itself, as `{}`", caller.id, caller.id);
        return Err(Refusal::new(Code::PermissionDenied, text).with_hint(format!("give `{}` as `agent_id`, or ask an operator", caller.id)));
    }
    let server = read.required("server_id", read.server("server_id")?)?;
    let scope = match read.name("tool_name")? {
        Some(name) => GrantScope::Tool(ToolId { server, name: name.into() }),
        None => GrantScope::Server(server),
    };
    Ok(AccessQuery { agent, scope })
}

fn access_grant(tool: KernelTool, arguments: Option<&Raw>, now: Timestamp) -> Result<AccessGrant, Refusal> {
    let known = [
        "entry_type",
        "agent_id",
        "server_id",
        "tool_name",
        "permission",
        "justification",
        "expires_at",
    ];
    let read = Arguments::read(tool, arguments, &known)?;
    let access = read.choice("permission", &[("allow", Access::Allow), ("deny", Access::Deny)])?;
    Ok(AccessGrant {
        agent: read.principal("agent_id")?,
        scope: scope(&read)?,
        access: read.required("permission", access)?,
        justification: read.prose("justification")?.map(Arc::from),
        expires: read.expiry("expires_at", now)?,
    })
}

fn access_revoke(tool: KernelTool, arguments: Option<&Raw>) -> Result<AccessRevoke, Refusal> {
    let read = Arguments::read(tool, arguments, &["agent_id", "server_id", "entry_type", "tool_name"])?;
    Ok(AccessRevoke {
        agent: read.principal("agent_id")?,
        scope: scope(&read)?,
    })
}

/// Reads the scope of an entry (§5.3). A tool's name and the type of the entry have to agree, because of two meanings the wider one would be a
/// surprise.
fn scope(read: &Arguments) -> Result<GrantScope, Refusal> {
    let server = read.required("server_id", read.server("server_id")?)?;
    let is_tool = read.choice("entry_type", &[("tool_grant", true), ("server_grant", false)])?;
    match (read.required("entry_type", is_tool)?, read.name("tool_name")?) {
        (true, Some(name)) => Ok(GrantScope::Tool(ToolId { server, name: name.into() })),
        (false, None) => Ok(GrantScope::Server(server)),
        (true, None) => Err(read.refused("a `tool_grant` needs `tool_name`")),
        (false, Some(_)) => Err(read.refused("a `server_grant` is about all tools: leave `tool_name` out, or say `tool_grant`")),
    }
}

fn permission_list(tool: KernelTool, arguments: Option<&Raw>) -> Result<PermissionList, Refusal> {
    let read = Arguments::read(tool, arguments, &["server_id", "status"])?;
    let standings = [
        ("pending", Some(Standing::Pending)),
        ("approved", Some(Standing::Approved)),
        ("denied", Some(Standing::Denied)),
        ("all", None),
    ];
    Ok(PermissionList {
        server: read.server("server_id")?,
        standing: read.choice("status", &standings)?.flatten(),
    })
}

fn permission_decide(tool: KernelTool, arguments: Option<&Raw>, now: Timestamp) -> Result<PermissionDecide, Refusal> {
    let read = Arguments::read(tool, arguments, &["request_id", "server_id", "grants", "expires_at"])?;
    let about = match (read.name("request_id")?, read.server("server_id")?) {
        (Some(request), None) => Decisions::Request(RequestId::new(&request)),
        (None, Some(server)) => Decisions::Server(server),
        _ => return Err(read.refused("it needs either `request_id` or `server_id`")),
    };
    let given = read.required("grants", read.get("grants"))?;
    let given = given
        .object()
        .map_err(|error| read.refused(format_args!("`grants` can't be read: {error}")))?;
    if given.is_empty() || given.len() > MOST_DECISIONS {
        return Err(read.refused(format_args!("`grants` needs 1 to {MOST_DECISIONS} permissions")));
    }
    let mut grants = BTreeMap::new();
    for (name, answer) in given.iter() {
        let said = permission::read(name).map_err(|error| read.refused(error))?;
        let answer = answer.as_str().and_then(|word| answer_of(&word));
        let answer = answer.ok_or_else(|| read.refused(format_args!("`{name}` can be `approved`, `denied` or `deferred`")))?;
        for permission in said.permissions {
            // `shell` and `shell.execute` are one permission (D5).
            if grants.insert(permission.clone(), answer).is_some_and(|earlier| earlier != answer) {
                return Err(read.refused(format_args!("`grants` says two things of `{permission}`")));
            }
        }
    }
    Ok(PermissionDecide {
        about,
        grants,
        expires: read.expiry("expires_at", now)?,
    })
}

fn answer_of(word: &str) -> Option<PermissionAnswer> {
    Some(match word {
        "approved" => PermissionAnswer::Approved,
        "denied" => PermissionAnswer::Denied,
        "deferred" => PermissionAnswer::Deferred,
        _ => return None,
    })
}

fn audit_replay(tool: KernelTool, arguments: Option<&Raw>) -> Result<AuditReplay, Refusal> {
    let read = Arguments::read(tool, arguments, &["after_seq", "limit"])?;
    Ok(AuditReplay {
        after: read.required("after_seq", read.number("after_seq", 0, MOST_EVENTS)?)?,
        limit: read.number("limit", 1, 1_000)?.unwrap_or(100),
    })
}
