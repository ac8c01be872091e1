//! The permissions of one server: recorded decisions, open requests, and the policy for the rest (MGP §3, MGP D2, MGP D4).

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{Permission, PermissionAnswer, PermissionDecision, RequestId, Timestamp};

use crate::tables::PermissionPolicy;

/// The state of one permission of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermissionState {
    /// The server has it.
    Approved,
    /// No person has decided yet; nothing of the server is called before (MGP D2). With the request, once a person was asked.
    Undecided(Option<RequestId>),
    /// A person has deferred the decision, or an approval has expired: the permission is denied until a person decides (MGP D4).
    Deferred(Option<RequestId>),
    /// A person has denied it.
    Denied,
    /// The policy denies it, without asking a person.
    Barred(PermissionPolicy),
}

/// The decisions and requests about the permissions of one server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Permissions {
    /// The entries, by permission; a server has few.
    list: BTreeMap<Permission, Entry>,
}

#[derive(Clone, Debug, Default)]
struct Entry {
    decision: Option<Arc<PermissionDecision>>,
    asked: Option<RequestId>,
}

impl Permissions {
    /// Notes that a person was asked.
    pub(crate) fn ask(&mut self, permission: Permission, request: RequestId) {
        self.list.entry(permission).or_default().asked = Some(request);
    }

    /// Notes a decision, which replaces an earlier one.
    pub(crate) fn decide(&mut self, decision: Arc<PermissionDecision>) {
        let entry = self.list.entry(decision.permission.clone()).or_default();
        entry.asked = (decision.answer == PermissionAnswer::Deferred).then(|| decision.request.clone());
        entry.decision = Some(decision);
    }

    /// Returns the decisions, including expired ones.
    pub(crate) fn decisions(&self) -> impl Iterator<Item = &Arc<PermissionDecision>> {
        self.list.values().filter_map(|entry| entry.decision.as_ref())
    }

    /// Returns the state of a permission. A person's decision holds, except that it cannot grant what only the configuration may.
    pub(crate) fn state(
        &self,
        permission: &Permission,
        policy: PermissionPolicy,
        approved: &[Permission],
        now: Timestamp,
    ) -> PermissionState {
        let entry = self.list.get(permission);
        let decision = entry.and_then(|entry| entry.decision.as_ref());
        let in_force = decision.filter(|decision| !decision.expires.is_some_and(|at| at.has_come(now)));
        let asked = || entry.and_then(|entry| entry.asked.clone());
        match in_force.map(|decision| decision.answer) {
            Some(PermissionAnswer::Approved) if policy != PermissionPolicy::ConfigOnly => return PermissionState::Approved,
            Some(PermissionAnswer::Denied) => return PermissionState::Denied,
            Some(PermissionAnswer::Deferred) => return PermissionState::Deferred(asked()),
            Some(PermissionAnswer::Approved) | None => {}
        }
        match policy {
            PermissionPolicy::AutoApprove => PermissionState::Approved,
            _ if approved.contains(permission) => PermissionState::Approved,
            PermissionPolicy::Interactive if decision.is_some() => PermissionState::Deferred(asked()),
            PermissionPolicy::Interactive => PermissionState::Undecided(asked()),
            PermissionPolicy::DenyAll | PermissionPolicy::ConfigOnly => PermissionState::Barred(policy),
        }
    }
}
