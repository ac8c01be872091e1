//! The view that a caller saw last, so that its next call need not look it up.

use std::sync::{Arc, Mutex, PoisonError};

use super::cached::CachedView;

/// The view that one caller saw last.
#[derive(Debug, Default)]
pub(crate) struct LastView(Mutex<Option<Arc<CachedView>>>);

impl LastView {
    pub(super) fn get(&self) -> Option<Arc<CachedView>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set(&self, seen: &Arc<CachedView>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen.clone());
    }
}
