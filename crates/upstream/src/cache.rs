//! The cache of the last known offers of servers, from one process to the next.

use std::fmt;
use std::sync::Arc;

/// Keeps offers by the digest of a server's configuration and the capabilities of its clients. Losing an offer costs only a wait at start-up.
pub trait OfferCache: Send + Sync + fmt::Debug + 'static {
    /// Returns every offer that is kept for a server: the capabilities' key and the bytes.
    fn load(&self, server_digest: &str) -> Vec<(Arc<[u8]>, Vec<u8>)>;
    /// Keeps an offer. Must not block for long; failing is allowed.
    fn save(&self, server_digest: &str, capabilities: &[u8], offer: &[u8]);
}

/// A cache that keeps nothing.
#[derive(Debug)]
pub struct NoCache;

impl OfferCache for NoCache {
    fn load(&self, _server_digest: &str) -> Vec<(Arc<[u8]>, Vec<u8>)> {
        Vec::new()
    }

    fn save(&self, _server_digest: &str, _capabilities: &[u8], _offer: &[u8]) {}
}
