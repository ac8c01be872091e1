//! The configuration of a server's permissions, and the state of each permission by it.

use std::collections::BTreeSet;

use model::{Permission, PermissionAnswer, PermissionDecision};

use super::policy::ApprovalPolicy;
use super::standing::{Basis, Standing};

/// The configuration of one server's permissions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The policy that decides.
    pub policy: ApprovalPolicy,
    /// The permissions that are approved beforehand.
    pub configured: BTreeSet<Permission>,
    /// Whether a server that gets none of its permissions is disconnected (D2).
    pub strict: bool,
}

impl Settings {
    /// Returns the state of a permission, with the decision of a person that holds, if there is one. A denial beats everything (D16); an approval
    /// counts if the policy asks people.
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
