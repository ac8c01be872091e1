//! The calendar by which everything expires: the machine's clock, which here never goes back.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Instant;

use model::Timestamp;
use store::Clock;

/// The number of milliseconds by which the machine's clock may be behind before its operator is told.
const WORTH_TELLING: i64 = 2_000;

/// The calendar by which tokens, grants, permissions and consents expire.
///
/// Law: it follows the machine's clock forwards at once, and never goes back or stands still. Where that clock is set back, it goes on from
/// where it was at the pace of the monotonic one. So nothing that has expired comes back, and nothing lives longer than was said.
#[derive(Debug)]
pub struct Calendar {
    clock: Clock,
    started: Instant,
    /// The most milliseconds by which the machine's clock has ever been ahead of the time since `started`.
    ahead: AtomicI64,
    is_told: AtomicBool,
}

impl Calendar {
    pub(crate) fn new(clock: Clock) -> Self {
        Self {
            clock,
            started: runtime::now(),
            ahead: AtomicI64::new(i64::MIN),
            is_told: AtomicBool::new(false),
        }
    }

    /// Reads the calendar.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.read(self.clock.now(), runtime::now())
    }

    fn read(&self, machine: Timestamp, now: Instant) -> Timestamp {
        let elapsed = now.saturating_duration_since(self.started).as_millis();
        let elapsed = i64::try_from(elapsed).unwrap_or(i64::MAX);
        let ahead = machine.0.saturating_sub(elapsed);
        let mut most = self.ahead.load(Ordering::Relaxed);
        if ahead > most {
            most = self.ahead.fetch_max(ahead, Ordering::Relaxed).max(ahead);
        }
        self.tell(most.saturating_sub(ahead));
        Timestamp(most.saturating_add(elapsed))
    }

    /// Logs once that the machine's clock is behind, and again only after it has caught up.
    fn tell(&self, behind: i64) {
        let is_behind = behind > WORTH_TELLING;
        if is_behind != self.is_told.load(Ordering::Relaxed) && self.is_told.swap(is_behind, Ordering::Relaxed) != is_behind && is_behind {
            tracing::warn!(
                behind_ms = behind,
                "the machine's clock was set back: what expires goes by the time before; if that was wrong, start the gateway anew"
            );
        }
    }
}

#[cfg(test)]
mod tests;
