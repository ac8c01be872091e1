//! Requests that the peer sent and that we have not answered yet.

use std::collections::HashMap;

use crate::Id;

/// Requests that the peer sent and that we have not answered yet, by the peer's ids.
///
/// Laws: an id that is in flight is not taken a second time (JSON-RPC 2.0 could not tell the answers apart); no more
/// than `capacity` at a time; each value leaves once, by `take` or `drain`.
#[derive(Debug)]
pub struct InFlight<T> {
    capacity: usize,
    requests: HashMap<Id, T>,
}

/// Why a request was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The peer uses the id of a request that is not answered yet.
    #[error("a request with this id is not answered yet")]
    Duplicate,
    /// The peer has too many requests open.
    #[error("too many requests are not answered yet")]
    Full,
}

impl<T> InFlight<T> {
    /// Room for `capacity` requests.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            requests: HashMap::new(),
        }
    }

    /// Books a request.
    ///
    /// # Errors
    /// Its id is in flight, or there is no room.
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

    /// What goes with a request.
    pub fn get(&self, id: &Id) -> Option<&T> {
        self.requests.get(id)
    }

    /// What goes with a request.
    pub fn get_mut(&mut self, id: &Id) -> Option<&mut T> {
        self.requests.get_mut(id)
    }

    /// Settles a request: it is answered now, or never.
    pub fn take(&mut self, id: &Id) -> Option<T> {
        self.requests.remove(id)
    }

    /// How many requests are open.
    pub fn len(&self) -> usize {
        self.requests.len()
    }

    /// Whether none is open.
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// All of them, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&Id, &T)> {
        self.requests.iter()
    }

    /// Takes all of them, in no order.
    pub fn drain(&mut self) -> impl Iterator<Item = (Id, T)> {
        self.requests.drain()
    }
}
