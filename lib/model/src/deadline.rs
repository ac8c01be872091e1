//! The instant by which somebody must have been answered.

use std::time::{Duration, Instant};

/// The instant by which an answer is due. Compared only here, so that every wait ends by the same rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    /// The deadline `after` from `now`.
    #[must_use]
    pub fn after(now: Instant, after: Duration) -> Self {
        Self(now + after)
    }

    /// The instant itself.
    #[must_use]
    pub fn instant(self) -> Instant {
        self.0
    }

    /// Whether the deadline has come.
    #[must_use]
    pub fn has_passed(self, now: Instant) -> bool {
        now >= self.0
    }

    /// What is left; zero once it has passed.
    #[must_use]
    pub fn remaining(self, now: Instant) -> Duration {
        self.0.saturating_duration_since(now)
    }
}
