//! Calls that wait for their modern client to come back with an answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use guard::Subject;
use mcp::adapt::InputRequired;
use model::{Deadline, PrincipalId, ServerId};
use upstream::{Call, Line, Question};

/// The number of calls that may be parked at the same time.
const MAX_PARKED: usize = 1024;

/// A parked call and the question whose answer it waits for.
pub(crate) struct Parked {
    /// The subject that made the call.
    pub(crate) subject: Subject,
    pub(crate) call: Call,
    pub(crate) line: Arc<Line>,
    pub(crate) question: Question,
    pub(crate) asked: InputRequired,
    pub(crate) until: Deadline,
}

/// All parked calls. A call is removed once; one whose client does not send the answer is cancelled.
#[derive(Default)]
pub(crate) struct ParkedCalls {
    calls: Mutex<HashMap<u64, Parked>>,
}

impl ParkedCalls {
    fn calls(&self) -> MutexGuard<'_, HashMap<u64, Parked>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Parks a call until its deadline.
    #[expect(clippy::result_large_err, reason = "the refused call goes back to its owner, who drives it on")]
    pub(crate) fn put(&self, parked: Parked) -> Result<(u64, InputRequired), Parked> {
        let asked = parked.asked.clone();
        let number = {
            let mut calls = self.calls();
            if calls.len() >= MAX_PARKED {
                return Err(parked);
            }
            let number = std::iter::repeat_with(runtime::number)
                .find(|number| !calls.contains_key(number))
                .unwrap_or_default();
            calls.insert(number, parked);
            number
        };
        Ok((number, asked))
    }

    pub(crate) fn take(&self, number: u64) -> Option<Parked> {
        self.calls().remove(&number)
    }

    /// Cancels the calls whose clients have not sent the answer in time.
    pub(crate) fn expire(&self, now: Instant) {
        self.give_up(|parked| parked.until.has_passed(now));
    }

    /// Cancels the calls of subjects that are not let in any more.
    pub(crate) fn dismiss(&self, lets_in: impl Fn(&Subject) -> bool) {
        self.give_up(|parked| !lets_in(&parked.subject));
    }

    fn give_up(&self, is_over: impl Fn(&Parked) -> bool) {
        // They are dropped when the lock is free.
        let over: Vec<Parked> = self
            .calls()
            .extract_if(|_, parked| is_over(parked))
            .map(|(_, parked)| parked)
            .collect();
        drop(over);
    }

    /// Cancels the call of a principal to a server that has been parked for longest.
    pub(crate) fn give_up_oldest(&self, server: &ServerId, principal: &PrincipalId) {
        let oldest = {
            let mut calls = self.calls();
            let theirs = calls
                .iter()
                .filter(|(_, parked)| parked.line.server.spec.id == *server && parked.line.key.principal == *principal);
            let oldest = theirs.min_by_key(|(_, parked)| parked.until).map(|(number, _)| *number);
            oldest.and_then(|number| calls.remove(&number))
        };
        drop(oldest);
    }

    pub(crate) fn len(&self) -> usize {
        self.calls().len()
    }

    pub(crate) fn clear(&self) {
        let all = std::mem::take(&mut *self.calls());
        drop(all);
    }
}
