//! The runtime of the gateway, which every crate may use: shutdown, tracked tasks, the monotonic clock, randomness, digests and metrics.
//!
//! Law: a [`Runtime`] holds no state of a protocol, a server or a client. What only two crates share does not belong here.

#![forbid(unsafe_code)]

mod digest;
mod metrics;
mod random;
mod tasks;

use std::future::Future;
use std::pin::Pin;

pub use digest::sha256;
pub use metrics::{CallCounts, Gauges, Metrics};
pub use random::{fill, number, token};
pub use tasks::Runtime;

/// A boxed future, for traits at the line between two crates.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Reads the monotonic clock, for deadlines and durations. The kernel's crates read it here only, so that a test can pause it.
#[must_use]
pub fn now() -> std::time::Instant {
    tokio::time::Instant::now().into_std()
}
