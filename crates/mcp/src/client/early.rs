//! Cancellations that overtook their request.
//!
//! A client over HTTP sends the two on connections of their own, so either may arrive first. 2025-11-25
//! basic/utilities/cancellation lets a receiver ignore an unknown id; then the request that arrives a moment later
//! would run although the client does not wait for it.

use std::collections::VecDeque;

use jsonrpc::Id;

/// The most cancellations that are remembered at the same time.
const MAX_REMEMBERED: usize = 64;
/// The number of later requests of the same client after which a cancellation is forgotten: its own request was
/// answered before, or never came.
const REQUESTS: u64 = 256;

/// The ids that were cancelled before their request arrived, oldest first, each with the count of requests at that
/// time.
#[derive(Debug, Default)]
pub(super) struct Early(VecDeque<(Id, u64)>);

impl Early {
    pub(super) fn remember(&mut self, id: Id, requests: u64) {
        if self.0.len() >= MAX_REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back((id, requests));
    }

    /// Returns whether the request of this id was cancelled already, and forgets the cancellation.
    pub(super) fn take(&mut self, id: &Id, requests: u64) -> bool {
        while self.0.front().is_some_and(|(_, at)| requests > at + REQUESTS) {
            self.0.pop_front();
        }
        let found = self.0.iter().position(|(early, _)| early == id);
        found.is_some_and(|at| self.0.remove(at).is_some())
    }
}
