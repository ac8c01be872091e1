//! The machine of approvals: which calls wait, in which order, and until when.

use std::collections::{BTreeMap, BTreeSet};

use model::{Access, Approval, ApprovalState, By, Grant, GrantScope, PrincipalId, RequestId, Timestamp};

use super::{Answer, Asked, Bounds, Call, Confirmed, DecideError, Decided, NotConfirmed};
use crate::{Action, Policy, Reason, Revision};

/// All approvals: those that wait for a person, were decided and have not expired, or were used.
#[derive(Clone, Debug, Default)]
pub struct Approvals {
    bounds: Bounds,
    list: BTreeMap<RequestId, Approval>,
    /// The latest approval of each call that can still be redeemed, or still refuses.
    of_call: BTreeMap<Call, RequestId>,
    by_expiry: BTreeSet<(Timestamp, RequestId)>,
    /// The number of waiting calls, by principal.
    pending: BTreeMap<PrincipalId, usize>,
    pending_all: usize,
    over: Vec<Approval>,
    /// The latest time that was ever given: when a clock jumps back, an approval that is over does not wait again.
    latest: Option<Timestamp>,
}

impl Approvals {
    /// Creates a machine without approvals.
    #[must_use]
    pub fn new(bounds: Bounds) -> Self {
        Self { bounds, ..Self::default() }
    }

    /// Asks for the consent to a call, for so many milliseconds. A call that is already waiting, or decided, is not asked about twice.
    ///
    /// # Errors
    /// When too many calls wait: [`Reason::ApprovalsFull`].
    pub fn ask(&mut self, now: Timestamp, policy: &Policy, request: RequestId, call: Call, lasts_ms: i64) -> Result<Asked, Reason> {
        let now = self.advance(now);
        if let Some(approval) = self.live(&call, policy) {
            return Ok(Asked { approval, is_new: false });
        }
        self.has_room(&call.principal)?;
        let approval = Approval {
            request: request.clone(),
            principal: call.principal.clone(),
            tool: call.tool.clone(),
            arguments: call.arguments,
            revision: policy.revision().0,
            asked: now,
            expires: now.after(lasts_ms),
            state: ApprovalState::Pending,
        };
        // An id that was given twice would name two calls: the earlier approval is over.
        if let Some(earlier) = self.take(&request) {
            self.over.push(earlier);
        }
        self.put(approval.clone());
        Ok(Asked { approval, is_new: true })
    }

    /// Takes a person's answer. Of two answers, the first counts, and the second gets an error. Policy decides whether `by` may answer.
    ///
    /// # Errors
    /// When the request does not wait (any more).
    pub fn decide(&mut self, now: Timestamp, request: &RequestId, answer: Answer, by: PrincipalId) -> Result<Decided, DecideError> {
        let found = self.list.get(request).cloned();
        let now = self.advance(now);
        let before = found.ok_or_else(|| DecideError::Unknown(request.clone()))?;
        if before.state != ApprovalState::Pending {
            return Err(DecideError::Already(request.clone(), before.state));
        }
        if before.expires.has_come(now) {
            return Err(DecideError::Expired(request.clone()));
        }
        let by = By { principal: by, at: now };
        let grant = match answer {
            Answer::Always { until } => Some(Grant {
                principal: before.principal.clone(),
                scope: GrantScope::Tool(before.tool.clone()),
                access: Access::Allow,
                confirms: true,
                granted: by.clone(),
                expires: until,
                justification: Some(format!("always, said to the request {request}").into()),
            }),
            Answer::Approve | Answer::Deny => None,
        };
        let state = match answer {
            Answer::Deny => ApprovalState::Denied(by),
            Answer::Approve | Answer::Always { .. } => ApprovalState::Approved(by),
        };
        let approval = self.change(&before, state);
        self.forget_decided();
        Ok(Decided { approval, grant, before })
    }

    /// Removes an approval if its policy has changed since it was asked for. The caller does this before a decision, because "always" would otherwise
    /// grant again what was revoked in the meantime.
    pub fn refresh(&mut self, policy: &Policy, request: &RequestId) {
        if let Some(call) = self.list.get(request).map(call_of) {
            self.live(&call, policy);
        }
    }

    /// Redeems the consent to a call, once: policy allows that call with the returned value. The returned record says that the consent was used.
    ///
    /// # Errors
    /// When there is no consent.
    pub fn redeem(&mut self, now: Timestamp, policy: &Policy, call: &Call) -> Result<(Confirmed, Approval), NotConfirmed> {
        let now = self.advance(now);
        let approval = self.live(call, policy).ok_or(NotConfirmed::Nothing)?;
        let request = approval.request.clone();
        match &approval.state {
            ApprovalState::Pending => Err(NotConfirmed::Pending(request)),
            ApprovalState::Denied(by) => Err(NotConfirmed::Denied(request, by.clone())),
            ApprovalState::Used(_) => Err(NotConfirmed::Nothing),
            ApprovalState::Approved(_) => {
                let confirmed = Confirmed {
                    call: call.clone(),
                    request,
                    revision: Revision(approval.revision),
                };
                let by = By {
                    principal: call.principal.clone(),
                    at: now,
                };
                let used = self.change(&approval, ApprovalState::Used(by));
                Ok((confirmed, used))
            }
        }
    }

    /// Restores an approval as it was before a step that could not be stored. Does nothing when the approval is over by now.
    pub fn undo(&mut self, before: Approval) {
        if self.take(&before.request).is_some() {
            self.put(before);
        }
    }

    /// Removes an approval that could not be stored, or that its caller no longer wants.
    pub fn withdraw(&mut self, request: &RequestId) -> Option<Approval> {
        self.take(request)
    }

    /// Returns the approvals that have ended since the last call without effect: no person answered, the caller did not use it, or the policy
    /// changed. The caller records them and wakes the calls that wait.
    pub fn over(&mut self, now: Timestamp) -> Vec<Approval> {
        self.advance(now);
        std::mem::take(&mut self.over)
    }

    /// Returns the time at which the next approval expires.
    #[must_use]
    pub fn next_expiry(&self) -> Option<Timestamp> {
        self.by_expiry.first().map(|(at, _)| *at)
    }

    /// Returns an approval.
    #[must_use]
    pub fn get(&self, request: &RequestId) -> Option<&Approval> {
        self.list.get(request)
    }

    /// Lists the approvals that wait, in the order of asking.
    #[must_use]
    pub fn waiting(&self) -> Vec<&Approval> {
        let waits = |approval: &&Approval| approval.state == ApprovalState::Pending;
        let mut waiting: Vec<&Approval> = self.list.values().filter(waits).collect();
        waiting.sort_by_key(|approval| (approval.asked, &approval.request));
        waiting
    }

    // === inside ===

    /// Applies the present time: expired approvals are over. Returns the time that counts.
    fn advance(&mut self, now: Timestamp) -> Timestamp {
        let now = self.latest.map_or(now, |latest| latest.max(now));
        self.latest = Some(now);
        while let Some((at, request)) = self.by_expiry.first()
            && at.has_come(now)
        {
            let request = request.clone();
            let expired = self.take(&request);
            // An approval that was used or refused has had an effect.
            let lost = |approval: &Approval| matches!(approval.state, ApprovalState::Pending | ApprovalState::Approved(_));
            self.over.extend(expired.filter(lost));
        }
        now
    }

    /// Returns the approval of a call, unless the policy about the call has changed since: then the approval is over.
    fn live(&mut self, call: &Call, policy: &Policy) -> Option<Approval> {
        let request = self.of_call.get(call)?.clone();
        let revision = Revision(self.list.get(&request)?.revision);
        let action = Action::CallTool {
            server: &call.tool.server,
            tool: &call.tool.name,
            arguments: None,
        };
        if !policy.stands(&call.principal, None, &action, revision) {
            let stale = self.take(&request);
            self.over.extend(stale);
            return None;
        }
        self.list.get(&request).cloned()
    }

    fn has_room(&self, principal: &PrincipalId) -> Result<(), Reason> {
        let own = self.pending.get(principal).copied().unwrap_or(0);
        let full = |own, most| Err(Reason::ApprovalsFull { own, most });
        if own >= self.bounds.pending_each {
            return full(true, self.bounds.pending_each);
        }
        if self.pending_all >= self.bounds.pending {
            return full(false, self.bounds.pending);
        }
        Ok(())
    }

    fn change(&mut self, before: &Approval, state: ApprovalState) -> Approval {
        self.take(&before.request);
        let approval = Approval { state, ..before.clone() };
        self.put(approval.clone());
        approval
    }

    /// Makes room among the decided approvals: those that expire first are removed first.
    fn forget_decided(&mut self) {
        while self.list.len() - self.pending_all > self.bounds.decided {
            let is_decided = |request: &RequestId| self.list.get(request).is_some_and(|one| one.state != ApprovalState::Pending);
            let first = self
                .by_expiry
                .iter()
                .map(|(_, request)| request)
                .find(|request| is_decided(request))
                .cloned();
            let forgotten = first.and_then(|request| self.take(&request));
            let unused = |approval: &Approval| matches!(approval.state, ApprovalState::Approved(_));
            self.over.extend(forgotten.filter(unused));
        }
    }

    fn put(&mut self, approval: Approval) {
        match approval.state {
            ApprovalState::Pending => {
                *self.pending.entry(approval.principal.clone()).or_default() += 1;
                self.pending_all += 1;
                self.of_call.insert(call_of(&approval), approval.request.clone());
            }
            ApprovalState::Approved(_) | ApprovalState::Denied(_) => {
                self.of_call.insert(call_of(&approval), approval.request.clone());
            }
            ApprovalState::Used(_) => {}
        }
        self.by_expiry.insert((approval.expires, approval.request.clone()));
        self.list.insert(approval.request.clone(), approval);
    }

    fn take(&mut self, request: &RequestId) -> Option<Approval> {
        let approval = self.list.remove(request)?;
        self.by_expiry.remove(&(approval.expires, request.clone()));
        let call = call_of(&approval);
        if self.of_call.get(&call) == Some(request) {
            self.of_call.remove(&call);
        }
        if approval.state == ApprovalState::Pending {
            self.pending_all -= 1;
            if let Some(count) = self.pending.get_mut(&approval.principal) {
                *count -= 1;
                if *count == 0 {
                    self.pending.remove(&approval.principal);
                }
            }
        }
        Some(approval)
    }
}

fn call_of(approval: &Approval) -> Call {
    Call {
        principal: approval.principal.clone(),
        tool: approval.tool.clone(),
        arguments: approval.arguments,
    }
}
