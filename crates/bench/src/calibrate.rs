//! A fixed amount of arithmetic that shows how fast this machine is at this moment, with its other load.

use std::hint::black_box;
use std::time::Instant;

use serde::Serialize;

/// The number of steps of the loop; around 0.2 s on a machine of 2024.
const STEPS: u64 = 200_000_000;

/// The time one calibration took.
#[derive(Debug, Serialize)]
pub(crate) struct Calibration {
    ms: f64,
}

/// Runs the loop once. It uses nothing but the processor: no allocation, no system call, no memory traffic.
pub(crate) fn run() -> Calibration {
    let start = Instant::now();
    black_box(xorshift(black_box(0x9e37_79b9_7f4a_7c15)));
    Calibration {
        ms: start.elapsed().as_secs_f64() * 1e3,
    }
}

fn xorshift(seed: u64) -> u64 {
    let mut x = seed;
    for _ in 0..STEPS {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    x
}
