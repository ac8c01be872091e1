//! The lifecycle of the process: its start, the tasks that it waits for, and its shutdown.

use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::Metrics;

/// The process-wide state that all crates share.
#[derive(Debug)]
pub struct Runtime {
    shutdown: CancellationToken,
    tracker: TaskTracker,
    started: Instant,
    metrics: Metrics,
}

impl Default for Runtime {
    fn default() -> Self {
        Self {
            shutdown: CancellationToken::new(),
            tracker: TaskTracker::new(),
            started: crate::now(),
            metrics: Metrics::default(),
        }
    }
}

impl Runtime {
    /// Creates the runtime of a gateway that starts now.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Returns the token that is cancelled when the gateway begins to shut down.
    #[must_use]
    pub fn shutdown(&self) -> &CancellationToken {
        &self.shutdown
    }

    /// Starts a task that the shutdown waits for.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.tracker.spawn(task));
    }

    /// Starts a task that is dropped when the shutdown begins.
    pub fn spawn_until_shutdown(&self, task: impl Future<Output = ()> + Send + 'static) {
        let shutdown = self.shutdown.clone();
        self.spawn(async move {
            shutdown.run_until_cancelled(task).await;
        });
    }

    /// Returns the tracker of all tasks, for the shutdown, which waits for them.
    #[must_use]
    pub fn tasks(&self) -> &TaskTracker {
        &self.tracker
    }

    /// Returns the gateway's metrics.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Returns the milliseconds since the gateway started.
    #[must_use]
    pub fn uptime_ms(&self) -> u64 {
        u64::try_from(crate::now().saturating_duration_since(self.started).as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns the whole seconds since the gateway started. Sealed states expire by this clock: it never jumps, and they live as long as the process.
    #[must_use]
    pub fn uptime_secs(&self) -> u64 {
        self.uptime_ms() / 1000
    }
}
