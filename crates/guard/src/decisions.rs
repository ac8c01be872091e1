//! The list of everything that waits for a person: what waits, what a person is shown of it, and a signal when something is decided.
//!
//! Approvals of calls are in it, and servers' requests for permissions wake the same waiters. Other things that wait for a person belong here too.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use model::{Approval, RequestId, Timestamp};
use policy::{Approvals, Bounds, Call, Confirmed, Policy};
use tokio::sync::watch;

/// The number of consents that are kept for the next round of their calls.
const MOST_CONTINUED: usize = 1024;

/// The part of a call that the people who decide about it are shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The reason why a person is asked.
    pub because: String,
    /// The call's arguments, without secrets, shortened to what people read.
    pub arguments: String,
}

/// Everything that waits for a person.
#[derive(Debug)]
pub(crate) struct Decisions {
    waiting: Mutex<Waiting>,
    continued: Mutex<Continued>,
    /// Held from storing a decision until it is in force, so that both happen in the same order.
    pub(crate) order: tokio::sync::Mutex<()>,
    changed: watch::Sender<u64>,
}

/// Calls that wait for a person, and what that person is shown of them.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) approvals: Approvals,
    shown: BTreeMap<RequestId, Shown>,
}

/// Consents to calls whose servers have asked for more input: the next round of such a call needs no other consent. Bounded; the oldest go first.
#[derive(Debug, Default)]
pub(crate) struct Continued(VecDeque<(Instant, Call, Confirmed)>);

impl Default for Decisions {
    fn default() -> Self {
        let waiting = Waiting {
            approvals: Approvals::new(Bounds::default()),
            shown: BTreeMap::new(),
        };
        Self {
            waiting: Mutex::new(waiting),
            continued: Mutex::default(),
            order: tokio::sync::Mutex::default(),
            changed: watch::Sender::new(0),
        }
    }
}

impl Decisions {
    pub(crate) fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn continued(&self) -> MutexGuard<'_, Continued> {
        self.continued.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes every task that waits for a decision, and every operator who watches what waits.
    pub(crate) fn tell(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// Returns a receiver that changes when something is decided, or begins to wait.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Removes a request that can no longer be granted.
    pub(crate) fn withdraw(&self, request: &RequestId) {
        self.waiting().approvals.withdraw(request);
        self.tell();
    }

    /// Lists the calls that wait, in the order of asking, and what a person is shown of each. A request that was made under another policy waits no more.
    pub(crate) fn list(&self, now: Timestamp, policy: &Policy) -> Vec<(Approval, Option<Shown>)> {
        let mut waiting = self.waiting();
        drop(waiting.approvals.over(now));
        let requests: Vec<RequestId> = waiting
            .approvals
            .waiting()
            .into_iter()
            .map(|approval| approval.request.clone())
            .collect();
        for request in &requests {
            waiting.approvals.refresh(policy, request);
        }
        let list: Vec<Approval> = waiting.approvals.waiting().into_iter().cloned().collect();
        list.into_iter()
            .map(|approval| {
                let shown = waiting.shown.get(&approval.request).cloned();
                (approval, shown)
            })
            .collect()
    }
}

impl Waiting {
    pub(crate) fn show(&mut self, request: &RequestId, shown: Shown) {
        let approvals = &self.approvals;
        self.shown.retain(|request, _| approvals.get(request).is_some());
        self.shown.insert(request.clone(), shown);
    }
}

impl Continued {
    pub(crate) fn put(&mut self, until: Instant, call: Call, confirmed: Confirmed) {
        if self.0.len() >= MOST_CONTINUED {
            self.0.pop_front();
        }
        self.0.push_back((until, call, confirmed));
    }

    pub(crate) fn take(&mut self, now: Instant, call: &Call) -> Option<Confirmed> {
        self.0.retain(|(until, _, _)| *until > now);
        let at = self.0.iter().position(|(_, known, _)| known == call)?;
        self.0.remove(at).map(|(_, _, confirmed)| confirmed)
    }
}
