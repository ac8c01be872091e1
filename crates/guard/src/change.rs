//! Changes permissions: a change is stored first, then put in force, then reported (DESIGN 8, 9).

use std::sync::Arc;

use mgp::audit::{Actor, Draft, EventType, Outcome, Target};
use mgp::error::Refusal;
use model::{Approval, ApprovalState, Principal, RequestId, Trace};
use policy::{Answer, DecideError, Decided, Edit, PinState};
use store::{Change, Commit, CommitError, StoreError};

use crate::grants::granted;
use crate::guard::Guard;
use crate::record::{details, event, unstored};

/// The reason why a person's answer had no effect.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AnswerError {
    /// The request waits no longer, or never did.
    #[error(transparent)]
    Decide(#[from] DecideError),
    /// The answer could not be stored.
    #[error(transparent)]
    Store(#[from] CommitError),
}

impl AnswerError {
    /// Returns what a client is told where the answer could not be stored; none where there was nothing to decide.
    #[must_use]
    pub fn unstored(&self) -> Option<Refusal> {
        match self {
            Self::Store(CommitError::Store(error)) => Some(unstored(error)),
            Self::Store(CommitError::Conflict(_)) | Self::Decide(_) => None,
        }
    }
}

impl Guard {
    /// Stores a change, and puts it in force when it is stored. When it resolves, no message is written any more that the change forbids (DESIGN 9).
    /// A caller that stops waiting changes nothing about that.
    ///
    /// # Errors
    /// When the change could not be stored: then it is not in force.
    pub async fn change(self: &Arc<Self>, commit: Commit, change: impl FnOnce(&mut Edit) + Send + 'static) -> Result<(), CommitError> {
        let guard = self.clone();
        let deciding = tokio::spawn(async move {
            let _order = guard.decisions.order.lock().await;
            guard.store(commit).await?;
            guard.enforced.edit(change);
            guard.enforced.epochs.settle().await;
            // A call that waits for a person may be allowed or refused now, or has to be asked about anew.
            guard.decisions.tell();
            Ok(())
        });
        deciding.await.unwrap_or_else(|_| Err(StoreError::Closed.into()))
    }

    /// Accepts a person's answer to a call that waits: the answer is stored and in force when the future resolves. A caller that stops waiting
    /// changes nothing about that.
    ///
    /// # Errors
    /// When nothing waits under that id any more, or the answer could not be stored.
    pub async fn answer(self: &Arc<Self>, by: &Principal, request: &RequestId, answer: Answer) -> Result<Approval, AnswerError> {
        let (guard, by, request) = (self.clone(), by.clone(), request.clone());
        let deciding = tokio::spawn(async move { guard.decide_approval(&by, &request, answer).await });
        deciding.await.unwrap_or_else(|_| Err(CommitError::from(StoreError::Closed).into()))
    }

    /// Wakes the tasks and operators that wait for decisions: the operators' queue has a new entry that is not a call.
    pub fn tell_decision(&self) {
        self.decisions.tell();
    }

    async fn store(&self, commit: Commit) -> Result<(), CommitError> {
        match self.record().store() {
            Some(store) => store.commit(commit).await.map(drop),
            None => Ok(()),
        }
    }

    async fn decide_approval(&self, by: &Principal, request: &RequestId, answer: Answer) -> Result<Approval, AnswerError> {
        let _order = self.decisions.order.lock().await;
        let decided = {
            let approvals = &mut self.decisions.waiting().approvals;
            approvals.refresh(&self.policy(), request);
            approvals.decide(self.calendar().now(), request, answer, by.id.clone())?
        };
        let pin = self.new_pin(&decided);
        let mut changes = vec![Change::MoveApproval {
            request: request.clone(),
            state: decided.approval.state.clone(),
        }];
        changes.extend(decided.grant.clone().map(Change::PutGrant));
        changes.extend(pin.clone().map(|(pin, instead)| Change::PutPin {
            pin,
            instead_of: Some(instead),
        }));
        if let Err(error) = self.store(Commit::new(changes, events_of(by, &decided))).await {
            self.decisions.waiting().approvals.undo(decided.before);
            return Err(error.into());
        }
        if decided.grant.is_some() || pin.is_some() {
            self.enforced.edit(|edit| {
                if let Some(grant) = &decided.grant {
                    edit.grant(grant.clone());
                }
                if let Some((pin, _)) = &pin {
                    edit.pin(pin.clone());
                }
            });
        }
        self.decisions.tell();
        Ok(decided.approval)
    }

    /// Makes the pin of a tool that has changed, if a person answered "always": that person has seen its present definition.
    fn new_pin(&self, decided: &Decided) -> Option<(model::Pin, model::Digest)> {
        let grant = decided.grant.as_ref()?;
        let tool = &decided.approval.tool;
        let policy = self.policy();
        let (_, state) = policy.pins(&tool.server).find(|(facts, _)| facts.name == tool.name)?;
        let PinState::Changed { approved, now } = state else { return None };
        let pin = model::Pin {
            tool: tool.clone(),
            digest: now,
            pinned: grant.granted.clone(),
        };
        Some((pin, approved.digest))
    }
}

fn events_of(by: &Principal, decided: &Decided) -> Vec<store::Event> {
    let approval = &decided.approval;
    let actor = || Actor::principal(&by.id, by.role);
    let (answer, result) = match (&approval.state, &decided.grant) {
        (ApprovalState::Denied(_), _) => ("deny", Outcome::Blocked),
        (_, Some(_)) => ("always", Outcome::Success),
        (_, None) => ("approve", Outcome::Success),
    };
    let draft = Draft::new(EventType::APPROVAL_DECIDED, actor(), Target::tool(&approval.tool), result);
    let members = [
        ("request_id", approval.request.as_str()),
        ("answer", answer),
        ("principal", approval.principal.as_str()),
    ];
    let decision = event(draft.details(details(&members)), &Trace::default());
    let granted = decided.grant.as_ref().map(|grant| granted(by, grant));
    std::iter::once(decision).chain(granted).collect()
}
