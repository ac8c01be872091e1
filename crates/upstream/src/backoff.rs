//! Exponential back-off between attempts, with jitter so that many attempts do not come at once.

use std::time::Duration;

/// A back-off whose wait doubles from a least to a greatest.
#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    least: Duration,
    most: Duration,
    attempts: u32,
}

impl Backoff {
    pub(crate) fn new(least: Duration, most: Duration) -> Self {
        Self { least, most, attempts: 0 }
    }

    /// Returns the next wait: between half of the doubled one and the whole of it.
    pub(crate) fn next(&mut self) -> Duration {
        let whole = self.least.saturating_mul(1 << self.attempts.min(16)).min(self.most);
        self.attempts = self.attempts.saturating_add(1);
        whole.mul_f64(0.5 + fastrand::f64() / 2.0)
    }

    pub(crate) fn reset(&mut self) {
        self.attempts = 0;
    }
}
