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
    /// Nobody is asked, and nobody can approve: what is not configured is denied.
    DenyAll,
    /// The configuration alone approves, and nobody is asked.
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
    /// How a permission stands, given the decision of a person that holds, if there is one. A denial beats everything (D16); an approval counts
    /// where people are asked.
    pub(super) fn judge(&self, permission: &Permission, decision: Option<&PermissionDecision>) -> (Standing, Basis) {
        let decided = |standing, decision: &PermissionDecision| (standing, Basis::Decision(decision.clone()));
        let by_policy = |standing| (standing, Basis::Policy(self.policy));
        match (self.policy, decision.map(|decision| (decision.answer, decision))) {
            (_, Some((PermissionAnswer::Denied, decision))) => decided(Standing::Denied, decision),
            _ if self.configured.contains(permission) => (Standing::Approved, Basis::Configuration),
            (ApprovalPolicy::DenyAll | ApprovalPolicy::ConfigOnly, _) => by_policy(Standing::Denied),
            (_, Some((PermissionAnswer::Deferred, decision))) => decided(Standing::Pending, decision),
            (_, Some((PermissionAnswer::Approved, decision))) => decided(Standing::Approved, decision),
            (ApprovalPolicy::AutoApprove, None) => by_policy(Standing::Approved),
            (ApprovalPolicy::Interactive, None) => by_policy(Standing::Pending),
        }
    }
}
