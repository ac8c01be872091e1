//! The four policies of §3.3, and what each makes of a permission.

use std::collections::BTreeSet;
use std::fmt;

use model::{Permission, PermissionAnswer, PermissionDecision};

use super::standing::{Basis, Standing};

/// Who decides on permissions that a server wants (§3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ApprovalPolicy {
    /// A person, permission by permission. What is configured is approved.
    #[default]
    Interactive,
    /// Nobody: all are approved, but what a person has denied.
    AutoApprove,
    /// Nobody is asked: what is neither configured nor approved by a person beforehand is denied.
    DenyAll,
    /// The configuration alone: a person can take away what it gives, and give nothing.
    ConfigOnly,
}

impl ApprovalPolicy {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Interactive, Self::AutoApprove, Self::DenyAll, Self::ConfigOnly];

    /// Its word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::AutoApprove => "auto_approve",
            Self::DenyAll => "deny_all",
            Self::ConfigOnly => "config_only",
        }
    }

    /// By its word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.as_str() == word)
    }
}

impl fmt::Display for ApprovalPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What the configuration says about the permissions of one server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Who decides.
    pub policy: ApprovalPolicy,
    /// What is approved beforehand.
    pub configured: BTreeSet<Permission>,
    /// Whether a server that gets nothing of what it wants is disconnected (D2).
    pub strict: bool,
}

impl Settings {
    /// How a permission stands, given the decision of a person that holds, if there is one.
    pub(super) fn judge(&self, permission: &Permission, decision: Option<&PermissionDecision>) -> (Standing, Basis) {
        let by_policy = |standing| (standing, Basis::Policy(self.policy));
        let configured = self.configured.contains(permission);
        let answer = decision.map(|decision| decision.answer);
        if let Some(decision) = decision
            && !(self.policy == ApprovalPolicy::ConfigOnly && answer == Some(PermissionAnswer::Approved))
        {
            let standing = match decision.answer {
                PermissionAnswer::Approved => Standing::Approved,
                PermissionAnswer::Denied => Standing::Denied,
                PermissionAnswer::Deferred => Standing::Pending,
            };
            return (standing, Basis::Decision(decision.clone()));
        }
        match self.policy {
            ApprovalPolicy::AutoApprove => by_policy(Standing::Approved),
            _ if configured => (Standing::Approved, Basis::Configuration),
            ApprovalPolicy::Interactive => by_policy(Standing::Pending),
            ApprovalPolicy::DenyAll | ApprovalPolicy::ConfigOnly => by_policy(Standing::Denied),
        }
    }
}
