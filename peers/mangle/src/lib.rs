//! Compares rule engines: each gets equal rows in memory, and is timed from there to the last derived row; parsing is
//! measured separately.

pub mod data;
pub mod intent;
pub mod ours;
pub mod programs;
pub mod with_ascent;
pub mod with_datafrog;

use std::{fs, time::Instant};

/// The result of an engine.
pub struct Outcome {
    /// The number of rows derived, summed over the predicates that the case names: engines have to agree.
    pub rows: usize,
    pub milliseconds: f64,
}

/// Runs `work` and measures it.
pub fn timed(work: impl FnOnce() -> usize) -> Outcome {
    let start = Instant::now();
    let rows = work();
    Outcome {
        rows,
        milliseconds: start.elapsed().as_secs_f64() * 1e3,
    }
}

/// Returns the most memory that this process ever had, in KiB.
pub fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}
