//! How a permission stands, and why.

use model::{Permission, PermissionDecision, RequestId, Timestamp};

use super::policy::ApprovalPolicy;
use crate::audit::Actor;

/// How a permission stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// The server has it.
    Approved,
    /// The server does not get it.
    Denied,
    /// Nobody has decided, or somebody put it off (D4).
    Pending,
}

impl Standing {
    /// The word of §3.6 for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Pending => "pending",
        }
    }
}

/// Why a permission stands as it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Somebody decided.
    Decision(PermissionDecision),
    /// It is configured.
    Configuration,
    /// The policy, nobody having decided.
    Policy(ApprovalPolicy),
}

impl Basis {
    /// Who stands behind it, for `approved_by`: a principal, or what of the gateway decided.
    #[must_use]
    pub fn approved_by(&self) -> &str {
        match self {
            Self::Decision(decision) => decision.decided.principal.as_str(),
            Self::Configuration => "configuration",
            Self::Policy(policy) => policy.as_str(),
        }
    }

    pub(super) fn actor(&self) -> Actor {
        match self {
            Self::Decision(decision) => Actor {
                kind: crate::audit::ActorKind::Operator,
                id: decision.decided.principal.as_str().to_owned(),
            },
            Self::Configuration | Self::Policy(_) => Actor::kernel(self.approved_by()),
        }
    }

    pub(super) fn expires(&self) -> Option<Timestamp> {
        match self {
            Self::Decision(decision) => decision.expires,
            Self::Configuration | Self::Policy(_) => None,
        }
    }
}

/// One permission that a server wants.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    /// Whether the server wants it as a whole.
    pub(super) of_server: bool,
    /// Whether one of its tools wants it.
    pub(super) of_tools: bool,
    /// Where the question of it is.
    pub(super) asked: Asked,
    /// How it stood when it was last looked at.
    pub(super) shown: Option<(Standing, Basis)>,
}

/// Who wants a permission.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted {
    ByServer,
    ByTools,
}

/// Where the question of a permission is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    No,
    /// The kernel was told to ask, and has not said under which id.
    Soon,
    As(RequestId),
}

impl Wish {
    pub(super) fn new() -> Self {
        Self {
            of_server: false,
            of_tools: false,
            asked: Asked::No,
            shown: None,
        }
    }

    pub(super) fn wanted(&mut self, by: Wanted) -> &mut bool {
        match by {
            Wanted::ByServer => &mut self.of_server,
            Wanted::ByTools => &mut self.of_tools,
        }
    }

    /// The request that somebody has to decide on.
    pub(super) fn request(&self) -> Option<&RequestId> {
        match &self.asked {
            Asked::As(request) => Some(request),
            Asked::No | Asked::Soon => None,
        }
    }
}

/// One permission, for those who list them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Which.
    pub permission: Permission,
    /// How it stands.
    pub standing: Standing,
    /// Why.
    pub basis: Basis,
    /// The request to decide on, where somebody has to, or decided.
    pub request: Option<RequestId>,
}
