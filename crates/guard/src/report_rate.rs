//! The rate at which events that servers report are kept.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use model::ServerId;
use policy::{Limits, Rate, Rates};

/// The number of events of one server that are kept: a server that reports too many must not displace the events of others.
const RATE: Rate = Rate {
    calls: 100,
    per: Duration::from_secs(60),
};

/// The rate at which each server's reports are kept.
#[derive(Debug)]
pub(crate) struct Reports(Mutex<Limits>);

impl Default for Reports {
    fn default() -> Self {
        let rates = Rates {
            server: Some(RATE),
            ..Rates::default()
        };
        Self(Mutex::new(Limits::new(rates)))
    }
}

impl Reports {
    /// Counts a report of a server. Returns whether there is room for it.
    pub(crate) fn has_room(&self, server: &ServerId) -> bool {
        let mut limits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        limits.leaves(runtime::now(), server, "").is_ok()
    }
}
