//! The time in which answers count: closed while the load warms up, open while it is measured, then over.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::message::FIRST_ID;
use crate::histogram::Histogram;

/// How many error texts are kept.
const SAMPLES: usize = 3;

/// The phase of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Warmup,
    Measured,
    Over,
}

/// The phase that all workers of one load share, and the ids of their requests.
#[derive(Debug)]
pub(crate) struct Window {
    phase: AtomicU8,
    /// How many requests may still be counted.
    left: AtomicU64,
    filled: Notify,
    next_id: AtomicU64,
}

impl Window {
    /// Returns a window for `limit` requests, or for as many as fit.
    pub(crate) fn new(limit: Option<u64>) -> Self {
        Self {
            phase: AtomicU8::new(Phase::Warmup as u8),
            left: AtomicU64::new(limit.unwrap_or(u64::MAX)),
            filled: Notify::new(),
            next_id: AtomicU64::new(FIRST_ID),
        }
    }

    /// Returns the present phase.
    pub(crate) fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Relaxed) {
            0 => Phase::Warmup,
            1 => Phase::Measured,
            _ => Phase::Over,
        }
    }

    /// Begins the measurement.
    pub(crate) fn open(&self) -> Instant {
        self.phase.store(Phase::Measured as u8, Ordering::Relaxed);
        Instant::now()
    }

    /// Ends the load.
    pub(crate) fn close(&self) {
        self.phase.store(Phase::Over as u8, Ordering::Relaxed);
    }

    /// Waits until as many requests are counted as the window has room for.
    pub(crate) async fn filled(&self) {
        self.filled.notified().await;
    }

    /// Returns an id that no other request of this load has.
    pub(crate) fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Takes the room of one request; returns `false` when the answer doesn't count (any more).
    fn admit(&self) -> bool {
        if self.phase() != Phase::Measured {
            return false;
        }
        let taken = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if taken == Ok(1) {
            self.close();
            self.filled.notify_one();
        }
        taken.is_ok()
    }
}

/// The results of one worker while the window was open.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) latencies: Histogram,
    pub(crate) bytes: u64,
    pub(crate) errors: u64,
    pub(crate) samples: Vec<String>,
}

impl Recorder {
    /// Counts one answer, if the window is open. A wrong answer is counted at any time: it has no latency, but it takes
    /// its room in the window, and a measurement with one is worth nothing.
    pub(crate) fn record(&mut self, window: &Window, latency: Duration, answer: Result<usize, String>) {
        match answer {
            Ok(bytes) => {
                if window.admit() {
                    self.latencies.record(latency.as_nanos() as u64);
                    self.bytes += bytes as u64;
                }
            }
            Err(error) => {
                window.admit();
                self.errors += 1;
                if self.samples.len() < SAMPLES {
                    self.samples.push(error);
                }
            }
        }
    }

    /// Adds the results of another worker.
    pub(crate) fn merge(&mut self, other: Self) {
        self.latencies.merge(&other.latencies);
        self.bytes += other.bytes;
        self.errors += other.errors;
        self.samples.extend(other.samples);
        self.samples.truncate(SAMPLES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ends_in_the_window_counts() {
        let window = Window::new(Some(2));
        let mut recorder = Recorder::default();
        let latency = Duration::from_micros(10);
        recorder.record(&window, latency, Ok(1));
        assert_eq!(recorder.latencies.len(), 0, "still warming up");
        window.open();
        for _ in 0..3 {
            recorder.record(&window, latency, Ok(10));
        }
        assert_eq!((recorder.latencies.len(), recorder.bytes), (2, 20), "room for two");
        assert_eq!(window.phase(), Phase::Over, "a full window is over");
    }

    #[test]
    fn errors_always_count_and_the_first_are_kept() {
        let window = Window::new(None);
        let mut recorder = Recorder::default();
        for n in 0..5 {
            recorder.record(&window, Duration::ZERO, Err(n.to_string()));
        }
        assert_eq!(
            (recorder.errors, recorder.samples),
            (5, vec!["0".to_owned(), "1".to_owned(), "2".to_owned()])
        );
    }
}
