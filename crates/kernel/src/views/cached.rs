//! A cached view, with the state of the catalogue and policy that it was built from.

use std::sync::Arc;

use catalog::{Restricted, View};
use model::Timestamp;

/// The cached view of one shape of client, or of one subject.
#[derive(Debug)]
pub(crate) struct CachedView {
    /// The epoch of the catalogue from which it was built.
    pub(super) epoch: u64,
    /// The policy by which it was restricted.
    pub(super) policy: policy::Revision,
    /// The time at which a grant or a token of its subject expires.
    pub(super) until: Option<Timestamp>,
    pub(super) view: Arc<View>,
    /// Whether every usable server had its own offer for such a client.
    pub(super) settled: bool,
    /// The part of the whole that the subject sees; none in the view of a shape.
    pub(super) restricted: Option<Restricted>,
}

impl CachedView {
    /// Returns the view.
    pub(crate) fn view(&self) -> &Arc<View> {
        &self.view
    }

    /// Returns whether no server's offer is missing that could still come.
    pub(crate) fn is_settled(&self) -> bool {
        self.settled
    }
}
