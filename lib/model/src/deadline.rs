//! The instant by which a request must be answered.

use std::time::{Duration, Instant};

/// The instant by which an answer is due. Deadlines are compared here only, so that every wait ends by one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    /// Returns the deadline `after` from `now`.
    #[must_use]
    pub fn after(now: Instant, after: Duration) -> Self {
        Self(now + after)
    }

    /// Returns the instant itself.
    #[must_use]
    pub fn instant(self) -> Instant {
        self.0
    }

    /// Returns whether the deadline has come.
    #[must_use]
    pub fn has_passed(self, now: Instant) -> bool {
        now >= self.0
    }

    /// Returns the time that is left, or zero once the deadline has passed.
    #[must_use]
    pub fn remaining(self, now: Instant) -> Duration {
        self.0.saturating_duration_since(now)
    }
}
