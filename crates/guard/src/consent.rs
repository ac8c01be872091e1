//! Consents of people to exact calls: each is asked for, stored, and redeemed once (MGP §4.4).

use mgp::audit::{Actor, Draft, EventType, Outcome, Target};
use mgp::error::Refusal;
use model::{Approval, RequestId, Trace};
use policy::{Call, Confirmed, NotConfirmed, Policy, Reason};
use store::{Change, Commit, CommitError};

use crate::decisions::Shown;
use crate::guard::Guard;
use crate::record::{details, event, unstored};
use crate::subject::Subject;

/// The reason why a consent was not redeemed.
pub(crate) enum Unredeemed {
    /// There is no consent, or not yet, or a person has refused.
    Not(NotConfirmed),
    /// Its use could not be stored.
    Unstored(Refusal),
}

/// The reason why a call was not added to those that wait.
pub(crate) enum Unasked {
    /// Policy does not let it wait.
    Refused(Reason),
    /// It could not be stored.
    Unstored(Refusal),
    /// The stored state has changed in the meantime: policy has to be asked again.
    Again,
}

impl Guard {
    /// Redeems the consent to a call: once, and stored before it counts.
    pub(crate) async fn redeem(&self, policy: &Policy, call: &Call) -> Result<Confirmed, Unredeemed> {
        // A decision that is not stored yet must not be redeemed.
        let _order = self.decisions.order.lock().await;
        let now = self.calendar().now();
        let redeemed = self.decisions.waiting().approvals.redeem(now, policy, call);
        let (confirmed, used) = redeemed.map_err(Unredeemed::Not)?;
        let Some(store) = self.record().store() else { return Ok(confirmed) };
        let change = Change::MoveApproval {
            request: used.request.clone(),
            state: used.state,
        };
        match store.commit(Commit::new(vec![change], Vec::new())).await {
            Ok(_) => Ok(confirmed),
            Err(error) => {
                self.decisions.withdraw(&used.request);
                Err(match error {
                    CommitError::Store(error) => Unredeemed::Unstored(unstored(&error)),
                    // Another task used it, or it is too old: then there is none.
                    CommitError::Conflict(_) => Unredeemed::Not(NotConfirmed::Nothing),
                })
            }
        }
    }

    /// Adds a call to those that wait for a person. A call that is waiting already is not added twice.
    pub(crate) async fn ask(
        &self,
        subject: &Subject,
        trace: &Trace,
        policy: &Policy,
        call: &Call,
        shown: Shown,
    ) -> Result<Approval, Unasked> {
        let id = RequestId::new(&runtime::token());
        let lasts = i64::try_from(self.approval_ttl().as_millis()).unwrap_or(i64::MAX);
        // No person may decide about a request that is not stored yet.
        let _order = self.decisions.order.lock().await;
        let asked = {
            let mut waiting = self.decisions.waiting();
            let asked = waiting
                .approvals
                .ask(self.calendar().now(), policy, id, call.clone(), lasts)
                .map_err(Unasked::Refused)?;
            if asked.is_new {
                waiting.show(&asked.approval.request, shown);
            }
            asked
        };
        let approval = asked.approval;
        if !asked.is_new {
            return Ok(approval);
        }
        if let Some(store) = self.record().store() {
            let actor = Actor::principal(&subject.principal.id, subject.principal.role);
            let draft = Draft::new(EventType::APPROVAL_REQUESTED, actor, Target::tool(&approval.tool), Outcome::Pending);
            let draft = draft.details(details(&[("request_id", approval.request.as_str())]));
            let commit = Commit::new(vec![Change::AskApproval(approval.clone())], vec![event(draft, trace)]);
            if let Err(error) = store.commit(commit).await {
                self.decisions.withdraw(&approval.request);
                return Err(match error {
                    CommitError::Store(error) => Unasked::Unstored(unstored(&error)),
                    CommitError::Conflict(_) => Unasked::Again,
                });
            }
        }
        self.decisions.tell();
        Ok(approval)
    }

    /// Removes a call that waits: a person closed the question without deciding.
    pub fn withdraw(&self, request: &RequestId) {
        self.decisions.withdraw(request);
    }
}
