//! What is configured about the permissions of a server, and how each of them stands by that.

use std::collections::BTreeSet;

use model::{Permission, PermissionAnswer, PermissionDecision};

use super::policy::ApprovalPolicy;
use super::standing::{Basis, Standing};

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
