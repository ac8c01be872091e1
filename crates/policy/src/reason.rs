//! The reasons of decisions: for people a sentence with the way out, for machines the rule, the code of MGP §14 and what to do next.

use std::fmt;
use std::sync::Arc;

use model::{Access, Digest, Permission, PrincipalId, RequestId, Risk, ServerId};
use validators::arguments::Resolve;

use crate::action::shown;
use crate::blocked::Blocked;
use crate::index::{Standing, TokenRefusal};
use crate::tables::PermissionPolicy;
use crate::{Source, code};

/// The reason of a decision. The three groups of variants allow, ask and refuse.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// No policy is configured.
    Open,
    /// The action concerns only the principal itself.
    Own,
    /// The principal is an operator.
    Operator,
    /// A grant or the default allows it.
    Access {
        /// The grant or default that decided.
        standing: Standing,
        /// The request of the consent, if one was needed.
        consent: Option<RequestId>,
    },

    /// A person has to consent to this call.
    Confirm {
        /// What is called.
        target: Target,
        /// Its risk.
        risk: Risk,
    },
    /// The tool's definition differs from the approved one: a person has to review it.
    Review {
        /// What is called.
        target: Target,
        /// The definition that was approved.
        approved: Digest,
        /// The present definition.
        found: Digest,
    },
    /// Names in the arguments have to be resolved; the answers come back in [`crate::Query::resolved`].
    Resolve {
        /// The names.
        names: Vec<Resolve>,
    },

    /// The gateway is closed.
    Closed {
        /// The principal.
        principal: PrincipalId,
        /// The action, in words.
        action: String,
    },
    /// The token does not allow its holder the action.
    Token(TokenRefusal),
    /// Only operators may do that.
    OperatorOnly {
        /// The action, in words.
        action: String,
    },
    /// The principal has no access.
    NoAccess {
        /// The principal.
        principal: PrincipalId,
        /// The server or tool.
        target: Target,
        /// The grant or default that decided.
        standing: Standing,
    },
    /// The tool is unknown, so that nothing can be decided about it.
    Unknown {
        /// What was called.
        target: Target,
    },
    /// The server waits for a permission.
    PermissionPending {
        /// What was called.
        target: Target,
        /// The permission.
        permission: Permission,
        /// The open request; none if no person was asked yet.
        request: Option<RequestId>,
    },
    /// The server does not have a permission that the tool requires.
    PermissionDenied {
        /// What was called.
        target: Target,
        /// The permission.
        permission: Permission,
        /// The policy that denies it; none if a person did.
        policy: Option<PermissionPolicy>,
    },
    /// The arguments are not valid text, so that they cannot be judged.
    NotText,
    /// The validators refuse the arguments.
    Blocked(Box<Blocked>),
    /// The configuration refuses dangerous tools without asking a person.
    Dangerous {
        /// What was called.
        target: Target,
    },
    /// The tool's definition differs from the approved one, and the configuration refuses that without asking a person.
    Changed {
        /// What was called.
        target: Target,
    },
    /// A person was asked, and refused.
    ApprovalDenied {
        /// The request.
        request: RequestId,
        /// The person who refused.
        by: PrincipalId,
    },
    /// A person was asked, and no answer came in time.
    ApprovalExpired {
        /// The request.
        request: RequestId,
    },
    /// A person is being asked.
    ApprovalPending {
        /// The request.
        request: RequestId,
    },
    /// Too many calls wait for a person.
    ApprovalsFull {
        /// Whether the limit is that of the principal, or that of all principals together.
        own: bool,
        /// The number of calls that may wait.
        most: usize,
    },
    /// Too many calls in too short a time.
    RateLimited {
        /// The principal, server or tool.
        of: String,
        /// The number of calls that are admitted.
        limit: u32,
        /// The time in milliseconds.
        per_ms: u64,
        /// The time in milliseconds after which to try again.
        retry_after_ms: u64,
    },
}

/// The target of an action in reasons, a server or a tool: `fs`, `fs/read`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The server.
    pub server: ServerId,
    /// The tool; none if the target is the server.
    pub tool: Option<Arc<str>>,
}

impl Target {
    pub(crate) fn of(server: &ServerId, tool: Option<&str>) -> Self {
        Self {
            server: server.clone(),
            tool: tool.map(Into::into),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.tool {
            Some(tool) => write!(f, "{}/{}", self.server, shown(tool)),
            None => self.server.fmt(f),
        }
    }
}

impl Reason {
    /// Returns the rule as `subject.rule`, which is stable, for audit, tests and statistics.
    #[must_use]
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Open => "policy.open",
            Self::Own => "policy.own",
            Self::Operator => "role.operator",
            Self::Access { standing, .. } | Self::NoAccess { standing, .. } => match standing.source {
                Source::ToolGrant => "access.tool_grant",
                Source::ServerGrant => "access.server_grant",
                Source::DefaultPolicy => "access.default_policy",
            },
            Self::Confirm { .. } => "risk.confirm",
            Self::Review { .. } => "pin.review",
            Self::Resolve { .. } => "validators.resolve",
            Self::Closed { .. } => "policy.closed",
            Self::Token(TokenRefusal::Unknown) => "token.unknown",
            Self::Token(TokenRefusal::Revoked) => "token.revoked",
            Self::Token(TokenRefusal::Expired) => "token.expired",
            Self::Token(TokenRefusal::OutOfScope) => "token.scope",
            Self::OperatorOnly { .. } => "role.agent",
            Self::Unknown { .. } => "tool.unknown",
            Self::PermissionPending { .. } => "permission.pending",
            Self::PermissionDenied { .. } => "permission.denied",
            Self::NotText => "arguments.text",
            Self::Blocked(blocked) => blocked.rule(),
            Self::Dangerous { .. } => "risk.refused",
            Self::Changed { .. } => "pin.changed",
            Self::ApprovalDenied { .. } => "approval.denied",
            Self::ApprovalExpired { .. } => "approval.expired",
            Self::ApprovalPending { .. } => "approval.pending",
            Self::ApprovalsFull { .. } => "approval.full",
            Self::RateLimited { .. } => "rate.limited",
        }
    }

    /// Returns the code of MGP §14.3 for a refusal; none if nothing is refused.
    #[must_use]
    pub fn code(&self) -> Option<u16> {
        Some(match self {
            Self::Open | Self::Own | Self::Operator | Self::Access { .. } | Self::Resolve { .. } => return None,
            // If no person can be asked, waiting for one is a refusal.
            Self::Confirm { .. }
            | Self::Review { .. }
            | Self::OperatorOnly { .. }
            | Self::PermissionPending { .. }
            | Self::PermissionDenied { .. }
            | Self::Dangerous { .. }
            | Self::Changed { .. }
            | Self::ApprovalDenied { .. }
            | Self::ApprovalExpired { .. }
            | Self::ApprovalPending { .. } => code::PERMISSION_DENIED,
            Self::Closed { .. } | Self::NoAccess { .. } | Self::Token(TokenRefusal::OutOfScope) => code::ACCESS_DENIED,
            Self::Token(TokenRefusal::Unknown | TokenRefusal::Revoked) => code::AUTH_REQUIRED,
            Self::Token(TokenRefusal::Expired) => code::AUTH_EXPIRED,
            Self::Unknown { .. } => code::SERVER_NOT_READY,
            Self::NotText => code::INVALID_TOOL_ARGS,
            Self::Blocked(blocked) => blocked.code(),
            Self::ApprovalsFull { .. } => code::RESOURCE_EXHAUSTED,
            Self::RateLimited { .. } => code::RATE_LIMITED,
        })
    }

    /// Returns whether the call may pass later without a change by the caller (MGP §14.5).
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Confirm { .. }
                | Self::Review { .. }
                | Self::Resolve { .. }
                | Self::Unknown { .. }
                | Self::PermissionPending { .. }
                | Self::ApprovalExpired { .. }
                | Self::ApprovalPending { .. }
                | Self::ApprovalsFull { .. }
                | Self::RateLimited { .. }
        )
    }

    /// Returns the milliseconds to wait before a retry, if known (MGP §14.5).
    #[must_use]
    pub fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::RateLimited { retry_after_ms, .. } => Some(*retry_after_ms),
            _ => None,
        }
    }

    /// Returns the request that a person has decided, or has to decide.
    #[must_use]
    pub fn request(&self) -> Option<&RequestId> {
        match self {
            Self::Access { consent, .. } => consent.as_ref(),
            Self::PermissionPending { request, .. } => request.as_ref(),
            Self::ApprovalDenied { request, .. } | Self::ApprovalExpired { request } | Self::ApprovalPending { request } => Some(request),
            _ => None,
        }
    }

    /// Returns the way out of a refusal: whom to ask, what to change, when to try again. Returns none if nothing is refused.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Open | Self::Own | Self::Operator | Self::Access { .. } | Self::Resolve { .. } => return None,
            Self::Closed { .. } => "ask its operator to open it".to_owned(),
            Self::Confirm { .. } => "have a person approve this call, or ask an operator for a standing grant".to_owned(),
            Self::Review { target, .. } | Self::Changed { target } => {
                format!("ask an operator to look at `{target}` and approve it as it is now")
            }
            Self::Token(TokenRefusal::OutOfScope) => "use a token for this server, or one for all".to_owned(),
            Self::Token(_) => "ask an operator for a new token".to_owned(),
            Self::OperatorOnly { .. } => "ask an operator to do it".to_owned(),
            Self::NoAccess {
                principal,
                target,
                standing,
            } => match standing.source {
                Source::DefaultPolicy => format!("ask an operator to grant `{target}` to `{principal}`"),
                _ => format!("ask an operator to take back what denies `{target}` to `{principal}`"),
            },
            Self::Unknown { target } => format!("list the tools of `{}`, then try again", target.server),
            Self::PermissionPending {
                request: Some(request), ..
            } => format!("try again when an operator has decided the request `{request}`"),
            Self::PermissionPending { target, permission, .. } => {
                format!(
                    "ask an operator to decide about `{permission}` for `{}`, then try again",
                    target.server
                )
            }
            Self::PermissionDenied { target, permission, .. } => {
                format!("ask an operator to approve `{permission}` for `{}`", target.server)
            }
            Self::NotText => "send the arguments as JSON in UTF-8".to_owned(),
            Self::Blocked(blocked) => blocked.hint(),
            Self::Dangerous { .. } => "ask an operator for a standing grant".to_owned(),
            Self::ApprovalDenied { .. } => "do without it, or ask for something else".to_owned(),
            Self::ApprovalExpired { .. } => "call again to ask again".to_owned(),
            Self::ApprovalPending { .. } => "call again when a person has decided".to_owned(),
            Self::ApprovalsFull { .. } => "try again when some of them are decided".to_owned(),
            Self::RateLimited { retry_after_ms, .. } => format!("try again in {retry_after_ms} ms"),
        })
    }
}

/// Formats the reason for the principal: the problem, then the way out.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => f.write_str("no policy is configured: everything is allowed"),
            Self::Own => f.write_str("it concerns no other principal"),
            Self::Operator => f.write_str("an operator may"),
            Self::Access { standing, consent } => {
                f.write_str(decided(standing))?;
                consent
                    .as_ref()
                    .map_or(Ok(()), |request| write!(f, ", and a person consented (`{request}`)"))
            }
            Self::Confirm { target, risk } => write!(f, "`{target}` is {risk} and needs a person's consent"),
            Self::Review { target, .. } | Self::Changed { target } => write!(f, "`{target}` is not what it was when it was approved"),
            Self::Resolve { names } => {
                f.write_str("names in the arguments have to be resolved first:")?;
                names.iter().try_for_each(|one| write!(f, " `{}`", shown(&one.name)))
            }
            Self::Closed { principal, action } => write!(f, "the gateway is closed: `{principal}` may not {action}"),
            Self::Token(refusal) => refusal.fmt(f),
            Self::OperatorOnly { action } => write!(f, "only an operator may {action}"),
            Self::NoAccess { target, standing, .. } => write!(f, "{} `{target}`", decided(standing)),
            Self::Unknown { target } => write!(f, "nothing is known of `{target}` yet"),
            Self::PermissionPending { target, permission, .. } => write!(f, "`{}` waits for the permission `{permission}`", target.server),
            Self::PermissionDenied {
                target,
                permission,
                policy,
            } => match policy {
                Some(policy) => write!(f, "the policy `{}` denies `{permission}` to `{}`", policy.as_str(), target.server),
                None => write!(f, "`{}` was denied the permission `{permission}`", target.server),
            },
            Self::NotText => f.write_str("the arguments are not UTF-8"),
            Self::Blocked(blocked) => blocked.fmt(f),
            Self::Dangerous { target } => write!(f, "`{target}` is dangerous, and no person is asked here"),
            Self::ApprovalDenied { request, by } => write!(f, "`{by}` refused the request `{request}`"),
            Self::ApprovalExpired { request } => write!(f, "no person has decided the request `{request}` in time"),
            Self::ApprovalPending { request } => write!(f, "the request `{request}` waits for a person"),
            Self::ApprovalsFull { own: true, most } => write!(f, "{most} calls of this principal wait for a person already"),
            Self::ApprovalsFull { own: false, most } => write!(f, "{most} calls wait for a person already"),
            Self::RateLimited { of, limit, per_ms, .. } => write!(f, "{of} may have {limit} calls in {per_ms} ms"),
        }?;
        self.hint().map_or(Ok(()), |hint| write!(f, "; {hint}"))
    }
}

/// Returns what decided about access, as the beginning of a sentence.
fn decided(standing: &Standing) -> &'static str {
    match (standing.access, standing.source) {
        (Access::Allow, Source::ToolGrant) => "a grant of the tool allows it",
        (Access::Allow, Source::ServerGrant) => "a grant of the server allows it",
        (Access::Allow, Source::DefaultPolicy) => "the default, opt-out, allows it",
        (Access::Deny, Source::ToolGrant) => "a grant of the tool denies",
        (Access::Deny, Source::ServerGrant) => "a grant of the server denies",
        (Access::Deny, Source::DefaultPolicy) => "there is no grant, and the default, opt-in, denies",
    }
}
