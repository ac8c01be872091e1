//! The state of a permission, and its basis.

use model::{Permission, PermissionDecision, RequestId, Timestamp};

use super::policy::ApprovalPolicy;
use crate::audit::Actor;

/// The state of a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// The server has it.
    Approved,
    /// The server does not get it.
    Denied,
    /// No person has decided, or a person deferred the decision (D4).
    Pending,
}

impl Standing {
    /// Returns the word of §3.6 for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Pending => "pending",
        }
    }
}

/// The basis of a permission's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A person decided.
    Decision(PermissionDecision),
    /// It is configured.
    Configuration,
    /// The policy decided, in the absence of a decision.
    Policy(ApprovalPolicy),
}

impl Basis {
    /// Returns the value of `approved_by`: a principal, or the part of the gateway that decided.
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
    /// The state of its request.
    pub(super) asked: Asked,
    /// Its state at the last comparison.
    pub(super) shown: Option<(Standing, Basis)>,
}

/// The part of a server that wants a permission.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted {
    ByServer,
    ByTools,
}

/// The state of a permission's request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    No,
    /// The kernel was told to ask, and has not reported the id yet.
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

    /// Returns the request that a person has to decide on.
    pub(super) fn request(&self) -> Option<&RequestId> {
        match &self.asked {
            Asked::As(request) => Some(request),
            Asked::No | Asked::Soon => None,
        }
    }
}

/// One permission in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Which.
    pub permission: Permission,
    /// Its state.
    pub standing: Standing,
    /// Why.
    pub basis: Basis,
    /// The request, if a person has to decide on it, or has decided.
    pub request: Option<RequestId>,
}
