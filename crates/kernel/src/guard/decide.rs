//! Changes who may do what: stored first, then in force, then told (DESIGN 8, 9).

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use mgp::audit::{Actor, Draft, EventType, Outcome, Target};
use model::{Access, Approval, ApprovalState, Grant, GrantScope, Principal, RequestId, Trace};
use policy::{Answer, Approvals, DecideError, Decided, Edit, PinState};
use store::{Change, Commit, CommitError, StoreError};

use super::Guard;
use super::consent::Shown;
use crate::inner::Inner;

/// Calls that wait for a person, and what that person is shown of them.
pub(super) struct Waiting {
    pub(super) machine: Approvals,
    shown: BTreeMap<RequestId, Shown>,
}

impl Waiting {
    pub(super) fn new(machine: Approvals) -> Self {
        Self {
            machine,
            shown: BTreeMap::new(),
        }
    }

    pub(super) fn show(&mut self, request: &RequestId, shown: Shown) {
        let machine = &self.machine;
        self.shown.retain(|request, _| machine.get(request).is_some());
        self.shown.insert(request.clone(), shown);
    }
}

/// Why an answer of a person came to nothing.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum AnswerError {
    /// There is nothing to decide, any more.
    #[error(transparent)]
    Decide(#[from] DecideError),
    /// It was not stored.
    #[error(transparent)]
    Store(#[from] CommitError),
}

/// Stores a change, and puts it in force when it is stored. When it resolves, nothing is written any more that the change forbids (DESIGN 9).
/// Whoever does not wait for it changes nothing about that.
pub(crate) async fn decided(
    inner: &Arc<Inner>,
    commit: Commit,
    change: impl FnOnce(&mut Edit) + Send + 'static,
) -> Result<(), CommitError> {
    let inner = inner.clone();
    let deciding = tokio::spawn(async move {
        let guard = &inner.guard;
        let _deciding = guard.deciding.lock().await;
        guard.store(commit).await?;
        guard.edit(change);
        guard.waves.settle().await;
        Ok(())
    });
    deciding.await.unwrap_or_else(|_| Err(StoreError::Closed.into()))
}

/// A person's answer to a call that waits, stored and in force when it resolves; likewise.
pub(crate) async fn answer(inner: &Arc<Inner>, by: &Principal, request: &RequestId, answer: Answer) -> Result<Approval, AnswerError> {
    let (inner, by, request) = (inner.clone(), by.clone(), request.clone());
    let deciding = tokio::spawn(async move { inner.guard.answer(&by, &request, answer).await });
    deciding.await.unwrap_or_else(|_| Err(CommitError::from(StoreError::Closed).into()))
}

impl Guard {
    async fn store(&self, commit: Commit) -> Result<(), CommitError> {
        match &self.ledger {
            Some(ledger) => ledger.store.commit(commit).await.map(drop),
            None => Ok(()),
        }
    }

    async fn answer(&self, by: &Principal, request: &RequestId, answer: Answer) -> Result<Approval, AnswerError> {
        let _deciding = self.deciding.lock().await;
        let decided = {
            let machine = &mut self.approvals().machine;
            machine.refresh(&self.policy(), request);
            machine.decide(self.calendar.now(), request, answer, by.id.clone())?
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
            self.approvals().machine.undo(decided.before);
            return Err(error.into());
        }
        if decided.grant.is_some() || pin.is_some() {
            self.edit(|edit| {
                if let Some(grant) = &decided.grant {
                    edit.grant(grant.clone());
                }
                if let Some((pin, _)) = &pin {
                    edit.pin(pin.clone());
                }
            });
        }
        self.tell_decision();
        Ok(decided.approval)
    }

    /// Who says "always" to a tool that has changed has seen it as it is now.
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

    /// The calls that wait, in the order of asking, and what is shown of them.
    pub(crate) fn waiting(&self) -> Vec<(Approval, Option<Shown>)> {
        let mut waiting = self.approvals.lock().unwrap_or_else(PoisonError::into_inner);
        drop(waiting.machine.over(self.calendar.now()));
        let list: Vec<Approval> = waiting.machine.waiting().into_iter().cloned().collect();
        list.into_iter()
            .map(|approval| {
                let shown = waiting.shown.get(&approval.request).cloned();
                (approval, shown)
            })
            .collect()
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
    let details = [
        ("request_id", approval.request.as_str()),
        ("answer", answer),
        ("principal", approval.principal.as_str()),
    ];
    let decision = Guard::event(draft.details(Guard::details(&details)), &Trace::default());
    let granted = decided.grant.as_ref().map(|grant| granted(by, grant));
    std::iter::once(decision).chain(granted).collect()
}

/// The event of a grant that is made.
pub(crate) fn granted(by: &Principal, grant: &Grant) -> store::Event {
    let kind = match grant.access {
        Access::Allow => EventType::AccessGranted,
        Access::Deny => EventType::AccessRevoked,
    };
    about_grant(by, kind, grant)
}

/// The event of a grant that is made or taken back.
pub(crate) fn about_grant(by: &Principal, kind: EventType, grant: &Grant) -> store::Event {
    let target = match &grant.scope {
        GrantScope::Tool(tool) => Target::tool(tool),
        GrantScope::Server(server) => Target::server(server),
    };
    let access = if grant.access == Access::Allow { "allow" } else { "deny" };
    let mut details = vec![("principal", grant.principal.as_str()), ("access", access)];
    if grant.confirms {
        details.push(("confirms", "true"));
    }
    if let Some(justification) = &grant.justification {
        details.push(("justification", justification));
    }
    let draft = Draft::new(kind, Actor::principal(&by.id, by.role), target, Outcome::Success);
    Guard::event(draft.details(Guard::details(&details)), &Trace::default())
}
