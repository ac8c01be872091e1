//! The messages `mgp/permission/await` and `mgp/permission/grant`, and the meaning of their answers (§3.5, §3.6, D3).

use std::time::Duration;

use jsonrpc::{ErrorObject, ObjectBuilder, Raw, code};
use model::{Permission, RequestId, Timestamp};

use super::{ApprovalPolicy, Basis};
use crate::time;

/// The method that tells the server to wait.
pub const AWAIT: &str = "mgp/permission/await";
/// The method that tells the server the decisions.
pub const GRANT: &str = "mgp/permission/grant";
/// The time-out of both methods (D3).
pub const TIMEOUT: Duration = Duration::from_secs(2);

/// Returns whether an error says that the peer has no such method, in any of the three ways of published servers (D3).
#[must_use]
pub fn is_unimplemented(error: &ErrorObject) -> bool {
    matches!(error.code, code::METHOD_NOT_FOUND | code::INVALID_PARAMS | code::INVALID_REQUEST)
}

pub(super) fn await_params(request: &RequestId, permissions: &[&Permission], policy: ApprovalPolicy) -> Raw {
    ObjectBuilder::new()
        .text("request_id", request.as_str())
        .texts("permissions", permissions.iter().map(|permission| permission.as_str()))
        .text("policy", policy.as_str())
        .text("message", "Waiting for operator approval")
        .finish()
}

/// The content of one grant message, which was decided at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) request: String,
    pub(super) by: String,
    pub(super) expires: Option<Timestamp>,
}

impl Said {
    pub(super) fn of(basis: &Basis) -> Self {
        let request = match basis {
            Basis::Decision(decision) => decision.request.as_str().to_owned(),
            // No person was asked, so there is no request, but the member is required.
            Basis::Configuration | Basis::Policy(_) => format!("policy-{}", basis.approved_by()),
        };
        Self {
            request,
            by: basis.approved_by().to_owned(),
            expires: basis.expires(),
        }
    }

    pub(super) fn params<'a>(&self, grants: impl IntoIterator<Item = (&'a Permission, &'static str)>) -> Raw {
        let grants = grants.into_iter().fold(ObjectBuilder::new(), |members, (permission, answer)| {
            members.text(permission.as_str(), answer)
        });
        let expires = self.expires.map(time::format);
        ObjectBuilder::new()
            .text("request_id", &self.request)
            .raw("grants", &grants.finish())
            .text("approved_by", &self.by)
            .maybe_text("expires_at", expires.as_deref())
            .finish()
    }
}
