//! Requests that the peer sent and that we have not answered yet.

use std::collections::HashMap;

use crate::Id;

/// Requests that the peer sent and that we have not answered yet, by the peer's ids.
///
/// Laws: an id that is in flight is not accepted a second time (JSON-RPC 2.0 could not tell the answers apart); there
/// are no more than `capacity` requests at a time; each value leaves once, by `take` or `drain`.
#[derive(Debug)]
pub struct InFlight<T> {
    capacity: usize,
    requests: HashMap<Id, T>,
}

/// The reason why a request was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The peer used the id of a request that is not answered yet.
    #[error("a request with this id is not answered yet")]
    Duplicate,
    /// The peer has too many open requests.
    #[error("too many requests are not answered yet")]
    Full,
}

impl<T> InFlight<T> {
    /// Returns an empty table with room for `capacity` requests.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            requests: HashMap::new(),
        }
    }

    /// Adds a request.
    ///
    /// # Errors
    /// Its id is in flight, or the table is full.
    pub fn insert(&mut self, id: Id, value: T) -> Result<(), Refused> {
        if self.requests.contains_key(&id) {
            return Err(Refused::Duplicate);
        }
        if self.requests.len() >= self.capacity {
            return Err(Refused::Full);
        }
        self.requests.insert(id, value);
        Ok(())
    }

    /// Returns the value stored with a request.
    pub fn get(&self, id: &Id) -> Option<&T> {
        self.requests.get(id)
    }

    /// Returns the value stored with a request.
    pub fn get_mut(&mut self, id: &Id) -> Option<&mut T> {
        self.requests.get_mut(id)
    }

    /// Removes a request that is answered now, or never will be, and returns its value.
    pub fn take(&mut self, id: &Id) -> Option<T> {
        self.requests.remove(id)
    }

    /// Returns how many requests are open.
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Returns whether no request is open.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// Iterates over all open requests, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&Id, &T)> {
        self.requests.iter()
    }

    /// Removes and returns all open requests, in no particular order.
    pub fn drain(&mut self) -> impl Iterator<Item = (Id, T)> {
        self.requests.drain()
    }
}
