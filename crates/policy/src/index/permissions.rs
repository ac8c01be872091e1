//! What one server was permitted: recorded decisions, open requests, and the policy for the rest (MGP §3; D2, D4).

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{Permission, PermissionAnswer, PermissionDecision, RequestId, Timestamp};

use crate::tables::PermissionPolicy;

/// How it stands with one permission of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermissionState {
    /// The server has it.
    Approved,
    /// Nobody has answered yet; nothing of the server is called before (MGP D2). The request, once somebody was asked.
    Undecided(Option<RequestId>),
    /// Somebody has put it off, or what was approved has expired: as good as denied until somebody decides (MGP D4).
    Deferred(Option<RequestId>),
    /// Somebody has denied it.
    Denied,
    /// The policy denies it, and asks nobody.
    Barred(PermissionPolicy),
}

/// What was decided and asked about the permissions of one server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Permissions {
    /// A server has a handful.
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

    /// Notes an answer; a later one takes the place of an earlier one.
    pub(crate) fn decide(&mut self, decision: Arc<PermissionDecision>) {
        let entry = self.list.entry(decision.permission.clone()).or_default();
        entry.asked = (decision.answer == PermissionAnswer::Deferred).then(|| decision.request.clone());
        entry.decision = Some(decision);
    }

    /// What was decided, expired decisions too.
    pub(crate) fn decisions(&self) -> impl Iterator<Item = &Arc<PermissionDecision>> {
        self.list.values().filter_map(|entry| entry.decision.as_ref())
    }

    /// How it stands. What a person has decided holds, but that nobody can give what only the configuration may.
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
