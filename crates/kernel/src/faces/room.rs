//! The state of the module `faces`: everything that a client's connection uses, constructed once.

use std::sync::Arc;

use arc_swap::ArcSwap;
use jsonrpc::Limits;
use runtime::Runtime;

use super::registry::Clients;
use crate::calls::Calls;
use crate::settings::Settings;

/// The state that the faces of MCP clients share.
pub(crate) struct Faces {
    pub(crate) calls: Arc<Calls>,
    pub(crate) clients: Arc<Clients>,
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) settings: Arc<ArcSwap<Settings>>,
}

impl Faces {
    /// Returns the limits on each message.
    pub(crate) fn limits(&self) -> Limits {
        self.settings.load().limits
    }
}

impl std::fmt::Debug for Faces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Faces").finish_non_exhaustive()
    }
}
