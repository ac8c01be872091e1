//! The data that the service reads: the stored events, and how long they are kept.

use std::sync::Arc;

use chancery_sdk::{Error, Result};
use store::{AuditStore, Retention, StoreError};

/// The most bytes of events in one answer, beyond the first event.
pub(super) const MOST_BYTES: usize = 512 * 1024;

/// The audit that a gateway keeps, if it keeps one.
#[derive(Clone, Debug)]
pub(crate) struct Audit {
    store: Option<Arc<dyn AuditStore>>,
    /// How long events are kept.
    pub(super) retention: Retention,
}

impl Audit {
    /// Makes the audit of a store. Without a store every query is answered with an error.
    pub(crate) fn new(store: Option<Arc<dyn AuditStore>>, retention: Retention) -> Self {
        Self { store, retention }
    }

    /// Returns the store.
    ///
    /// # Errors
    /// When the gateway has none; the error tells the caller where there may be one.
    pub(super) fn store(&self) -> Result<&Arc<dyn AuditStore>> {
        let nothing = || {
            Error::tool(
                "failed to read the audit: this gateway keeps none; ask the one that `chancery serve` runs, or use `chancery audit query`",
            )
        };
        self.store.as_ref().ok_or_else(nothing)
    }
}

/// Returns the error that the caller gets when the store can't be read.
pub(super) fn unread(error: StoreError) -> Error {
    Error::tool(format!("failed to {error}"))
}
