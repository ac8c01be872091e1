//! The shapes of calls that wait for a person.

use kernel::operator::Waiting;
use model::{ApprovalState, By};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::Instant;
use crate::page::{Cursor, Limit, lists};

/// A call that waits for a person
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Approval {
    /// Names it in `/approvals/{request_id}/decision`
    pub(crate) request_id: String,
    /// Who wants to call
    principal: String,
    /// The server
    server: String,
    /// The tool
    tool: String,
    /// Why a person is asked
    because: String,
    /// The arguments without secrets, cut where they are long
    arguments: String,
    /// The digest of the arguments that will be sent
    arguments_sha256: String,
    asked_at: Instant,
    /// When it expires, and counts as denied
    expires_at: Instant,
}

impl From<Waiting> for Approval {
    fn from(waiting: Waiting) -> Self {
        let Waiting {
            approval,
            because,
            arguments,
        } = waiting;
        Self {
            request_id: approval.request.to_string(),
            principal: approval.principal.to_string(),
            server: approval.tool.server.to_string(),
            tool: approval.tool.name.to_string(),
            because,
            arguments,
            arguments_sha256: approval.arguments.to_string(),
            asked_at: Instant(approval.asked),
            expires_at: Instant(approval.expires),
        }
    }
}

/// Which calls are listed
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Filter {
    /// Who wants to call
    principal: Option<String>,
    /// The server
    server: Option<String>,
    /// The tool
    tool: Option<String>,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

lists!(Filter => Approval: principal, server, tool);

/// All calls that wait, the oldest first
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Approvals {
    pub(crate) items: Vec<Approval>,
}

/// The call that is decided about
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Path {
    /// Its `request_id` in the list of calls that wait
    pub(crate) request_id: String,
}

/// What is decided about one call
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Decision {
    Approve,
    Deny,
}

/// A decision about a call that waits
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApprovalDecision {
    pub(crate) decision: Decision,
    /// Also let the principal call this tool from now on without being asked: a standing grant
    #[serde(default)]
    pub(crate) always: bool,
    /// How long `always` holds
    pub(crate) until: Option<Instant>,
}

/// The state of an approval
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum State {
    Pending,
    Approved,
    Denied,
    Used,
}

/// A call that was decided about
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DecidedApproval {
    request_id: String,
    /// Who wanted to call
    principal: String,
    /// The server
    server: String,
    /// The tool
    tool: String,
    state: State,
    /// The operator who decided
    decided_by: Option<String>,
    decided_at: Option<Instant>,
}

impl From<&model::Approval> for DecidedApproval {
    fn from(approval: &model::Approval) -> Self {
        let (state, by): (State, Option<&By>) = match &approval.state {
            ApprovalState::Pending => (State::Pending, None),
            ApprovalState::Approved(by) => (State::Approved, Some(by)),
            ApprovalState::Denied(by) => (State::Denied, Some(by)),
            ApprovalState::Used(by) => (State::Used, Some(by)),
        };
        Self {
            request_id: approval.request.to_string(),
            principal: approval.principal.to_string(),
            server: approval.tool.server.to_string(),
            tool: approval.tool.name.to_string(),
            state,
            decided_by: by.map(|by| by.principal.to_string()),
            decided_at: by.map(|by| Instant(by.at)),
        }
    }
}
