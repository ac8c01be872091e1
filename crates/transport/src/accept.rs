//! Handles connections that can't be accepted.

use std::io;
use std::time::Duration;

/// Waits where the reason (for example no free descriptors) will last for a moment.
pub(crate) async fn after_error(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    // These concern one connection only.
    if !matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted) {
        tracing::warn!(%error, "failed to accept a connection; trying again in 100 ms");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
