//! Requests that we sent and that have no answer yet.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// Requests that we sent and that have no answer yet, by our own integer ids.
///
/// Laws: an id is never given twice; there are no more than `capacity` requests at a time; each value leaves once, by
/// `take`, `expired` or `drain`. There is no clock: times are arguments.
#[derive(Debug)]
pub struct Pending<T> {
    next: u64,
    capacity: usize,
    requests: BTreeMap<u64, (Option<Instant>, T)>,
    deadlines: BTreeSet<(Instant, u64)>,
}

/// The error that there is no room for another request, with the value that was to be stored with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many requests are waiting for an answer")]
pub struct Full<T>(pub T);

impl<T> Pending<T> {
    /// Returns an empty table with room for `capacity` requests; ids start at 1.
    pub fn new(capacity: usize) -> Self {
        Self {
            next: 1,
            capacity,
            requests: BTreeMap::new(),
            deadlines: BTreeSet::new(),
        }
    }

    /// Adds a request and returns its id.
    ///
    /// # Errors
    /// The value back, if the table is full.
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

    /// Returns the id that the next `insert` will give.
    pub fn next_id(&self) -> u64 {
        self.next
    }

    /// Returns the value stored with a request.
    pub fn get(&self, id: u64) -> Option<&T> {
        self.requests.get(&id).map(|(_, value)| value)
    }

    /// Returns the value stored with a request.
    pub fn get_mut(&mut self, id: u64) -> Option<&mut T> {
        self.requests.get_mut(&id).map(|(_, value)| value)
    }

    /// Sets or clears the deadline of a request; returns whether there is such a request.
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

    /// Removes a request that is answered or given up, and returns its value.
    pub fn take(&mut self, id: u64) -> Option<T> {
        let (deadline, value) = self.requests.remove(&id)?;
        if let Some(at) = deadline {
            self.deadlines.remove(&(at, id));
        }
        Some(value)
    }

    /// Removes and returns all requests whose deadline is `now` or earlier, the earliest first.
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

    /// Returns when `expired` is to be called next.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.first().map(|&(at, _)| at)
    }

    /// Returns how many requests are open.
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Returns whether no request is open.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// Iterates over all requests, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.requests.iter().map(|(&id, (_, value))| (id, value))
    }

    /// Removes and returns all requests, in the order in which they were added; later ids continue the sequence.
    pub fn drain(&mut self) -> impl Iterator<Item = (u64, T)> + use<T> {
        self.deadlines.clear();
        std::mem::take(&mut self.requests).into_iter().map(|(id, (_, value))| (id, value))
    }
}
