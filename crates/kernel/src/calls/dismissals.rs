//! The end of callers' requests with the token that let the callers in (DESIGN 9).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use guard::{Guard, Subject};
use tokio::sync::Notify;

use super::parked::ParkedCalls;

type Registered = HashMap<u64, (Subject, Arc<Notify>), RandomState>;

/// The registry of the callers that a token let in, by their numbers.
pub(crate) struct Dismissals {
    guard: Arc<Guard>,
    parked: Arc<ParkedCalls>,
    registered: Mutex<Registered>,
}

/// A caller's place in the registry, until it is dropped.
pub(super) struct Dismissal {
    registry: Arc<Dismissals>,
    number: u64,
    dismissed: Arc<Notify>,
}

impl Dismissals {
    pub(crate) fn new(guard: &Arc<Guard>, parked: &Arc<ParkedCalls>) -> Arc<Self> {
        Arc::new(Self {
            guard: guard.clone(),
            parked: parked.clone(),
            registered: Mutex::default(),
        })
    }

    fn registered(&self) -> MutexGuard<'_, Registered> {
        self.registered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a caller to the registry; none when no token let it in.
    pub(super) fn register(self: &Arc<Self>, subject: &Subject) -> Option<Dismissal> {
        let number = subject.session.filter(|_| subject.token.is_some())?;
        let dismissed = Arc::<Notify>::default();
        self.registered().insert(number, (subject.clone(), dismissed.clone()));
        Some(Dismissal {
            registry: self.clone(),
            number,
            dismissed,
        })
    }

    /// Ends the requests in progress of each caller whose token was revoked or has expired, and the calls that are parked for it. The guard refuses its
    /// next request.
    pub(crate) fn dismiss_unwelcome(&self) {
        for (subject, dismissed) in self.registered().values() {
            if !self.lets_in(subject) {
                dismissed.notify_waiters();
            }
        }
        self.parked.dismiss(|subject| self.lets_in(subject));
    }

    /// Returns whether the token that let a subject in still does so.
    pub(crate) fn lets_in(&self, subject: &Subject) -> bool {
        self.guard.lets_in(subject)
    }
}

impl Dismissal {
    /// Resolves when the caller is dismissed after this was polled for the first time.
    pub(super) async fn dismissed(&self) {
        self.dismissed.notified().await;
    }
}

impl std::fmt::Debug for Dismissals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dismissals").finish_non_exhaustive()
    }
}

impl Drop for Dismissal {
    fn drop(&mut self) {
        self.registry.registered().remove(&self.number);
    }
}
