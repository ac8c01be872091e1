//! A view, and when it was made.

use std::sync::Arc;

use catalog::{Restricted, View};
use model::Timestamp;

/// A view as one shape of client, or one subject, sees it.
#[derive(Debug)]
pub(crate) struct CachedView {
    /// The state of the catalogue of which it was made.
    pub(super) epoch: u64,
    /// The policy by which it was restricted.
    pub(super) policy: policy::Revision,
    /// When a grant or a token of the subject that sees it expires.
    pub(super) until: Option<Timestamp>,
    pub(super) view: Arc<View>,
    /// Whether every usable server had its own offer for such a client.
    pub(super) settled: bool,
    /// What of the whole the subject sees; none in the view of a shape.
    pub(super) restricted: Option<Restricted>,
}

impl CachedView {
    /// Returns the view.
    pub(crate) fn view(&self) -> &Arc<View> {
        &self.view
    }

    /// Returns whether nothing is missing from it that could still come.
    pub(crate) fn is_settled(&self) -> bool {
        self.settled
    }
}
