//! The shapes of servers' permissions.

use model::PermissionAnswer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::PermissionRequest;

use super::values::{Instant, Risk, Text};
use crate::page::{Cursor, Limit, lists};

/// The state of a permission
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum State {
    Waiting,
    Approved,
    Denied,
    Deferred,
}

/// A permission that a server asks for, or that was decided about
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Permission {
    /// The server
    pub(crate) server: String,
    /// The permission, by its canonical name
    pub(crate) permission: String,
    risk: Risk,
    state: State,
    /// The id of the server's request
    request_id: String,
    /// Given where the state is `waiting`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Instant")]
    asked_at: Option<Instant>,
    /// The operator who decided; given where the state is not `waiting`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    decided_by: Option<String>,
    /// Given where the state is not `waiting`
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Instant")]
    decided_at: Option<Instant>,
    /// When the decision, or the request, expires
    expires_at: Option<Instant>,
}

impl From<&PermissionRequest> for Permission {
    fn from(request: &PermissionRequest) -> Self {
        Self {
            server: request.server.to_string(),
            permission: request.permission.to_string(),
            risk: mgp::permission::risk(&request.permission).into(),
            state: State::Waiting,
            request_id: request.request.to_string(),
            asked_at: Some(Instant(request.asked)),
            decided_by: None,
            decided_at: None,
            expires_at: request.expires.map(Instant),
        }
    }
}

impl From<&model::PermissionDecision> for Permission {
    fn from(decision: &model::PermissionDecision) -> Self {
        let state = match decision.answer {
            PermissionAnswer::Approved => State::Approved,
            PermissionAnswer::Denied => State::Denied,
            PermissionAnswer::Deferred => State::Deferred,
        };
        Self {
            server: decision.server.to_string(),
            permission: decision.permission.to_string(),
            risk: mgp::permission::risk(&decision.permission).into(),
            state,
            request_id: decision.request.to_string(),
            asked_at: None,
            decided_by: Some(decision.decided.principal.to_string()),
            decided_at: Some(Instant(decision.decided.at)),
            expires_at: decision.expires.map(Instant),
        }
    }
}

/// Which permissions are listed
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Filter {
    /// The server
    server: Option<String>,
    /// `waiting`, `approved`, `denied` or `deferred`
    state: Option<String>,
    /// The permission
    permission: Option<String>,
    #[serde(default)]
    limit: Limit,
    cursor: Option<Cursor>,
}

lists!(Filter => Permission: server, state, permission);

/// What is decided about a permission
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Decision {
    Approved,
    Denied,
    Deferred,
}

impl From<Decision> for PermissionAnswer {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Approved => Self::Approved,
            Decision::Denied => Self::Denied,
            Decision::Deferred => Self::Deferred,
        }
    }
}

/// A decision about a permission of a server
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PermissionDecision {
    /// The server
    pub(crate) server: Text,
    /// The permission, by any of its names
    pub(crate) permission: Text,
    pub(crate) decision: Decision,
    /// When the decision expires
    pub(crate) expires_at: Option<Instant>,
}
