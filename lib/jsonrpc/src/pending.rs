//! Requests that we sent and that have no answer yet.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Requests that we sent and that have no answer yet, by our own integer ids.
///
/// Laws: an id is never given twice; no more than `capacity` at a time; each value leaves once, by `take`, `expired`
/// or `drain`. No clock: times are arguments.
#[derive(Debug)]
pub struct Pending<T> {
    next: u64,
    capacity: usize,
    requests: BTreeMap<u64, (Option<Instant>, T)>,
    deadlines: BTreeSet<(Instant, u64)>,
}

/// There is no room for another request; here is what was to go with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many requests are waiting for an answer")]
pub struct Full<T>(pub T);

impl<T> Pending<T> {
    /// Room for `capacity` requests; ids start at 1.
    pub fn new(capacity: usize) -> Self {
        Self {
            next: 1,
            capacity,
            requests: BTreeMap::new(),
            deadlines: BTreeSet::new(),
        }
    }

    /// Books a request and gives its id.
    ///
    /// # Errors
    /// The value back, where there is no room.
    pub fn insert(&mut self, deadline: Option<Instant>, value: T) -> Result<u64, Full<T>> {
        if self.requests.len() >= self.capacity {
            return Err(Full(value));
        }
        let id = self.next;
        self.next += 1;
        self.requests.insert(id, (deadline, value));
        self.deadlines.extend(deadline.map(|at| (at, id)));
        Ok(id)
    }

    /// The id that the next `insert` will give.
    pub fn next_id(&self) -> u64 {
        self.next
    }

    /// What goes with a request.
    pub fn get(&self, id: u64) -> Option<&T> {
        self.requests.get(&id).map(|(_, value)| value)
    }

    /// What goes with a request.
    pub fn get_mut(&mut self, id: u64) -> Option<&mut T> {
        self.requests.get_mut(&id).map(|(_, value)| value)
    }

    /// Gives a request another deadline, or none; whether there is such a request.
    pub fn set_deadline(&mut self, id: u64, deadline: Option<Instant>) -> bool {
        let Some((current, _)) = self.requests.get_mut(&id) else {
            return false;
        };
        if let Some(at) = std::mem::replace(current, deadline) {
            self.deadlines.remove(&(at, id));
        }
        self.deadlines.extend(deadline.map(|at| (at, id)));
        true
    }

    /// Settles a request: it is answered, or given up.
    pub fn take(&mut self, id: u64) -> Option<T> {
        let (deadline, value) = self.requests.remove(&id)?;
        if let Some(at) = deadline {
            self.deadlines.remove(&(at, id));
        }
        Some(value)
    }

    /// Takes all requests whose deadline is `now` or earlier, the earliest first.
    pub fn expired(&mut self, now: Instant) -> Vec<(u64, T)> {
        let mut expired = Vec::new();
        while let Some(&(at, id)) = self.deadlines.first()
            && at <= now
        {
            self.deadlines.pop_first();
            expired.extend(self.requests.remove(&id).map(|(_, value)| (id, value)));
        }
        expired
    }

    /// When to call `expired` next.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.first().map(|&(at, _)| at)
    }

    /// How many requests wait.
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// All of them, in the order in which they were booked.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.requests.iter().map(|(&id, (_, value))| (id, value))
    }

    /// Takes all of them, in the order in which they were booked; ids go on from where they were.
    pub fn drain(&mut self) -> impl Iterator<Item = (u64, T)> + use<T> {
        self.deadlines.clear();
        std::mem::take(&mut self.requests).into_iter().map(|(id, (_, value))| (id, value))
    }
}
