//! The identity of the gateway towards servers.

use std::sync::Arc;

use jsonrpc::Raw;
use mcp::capabilities::ClientCapabilities;
use mcp::exchange::Peer;
use mcp::revision::Revision;

/// The gateway as a client of servers.
#[derive(Debug)]
pub struct Identity {
    /// `clientInfo`; the faces show it as `serverInfo`.
    pub info: Raw,
    /// The gateway as a client without capabilities.
    pub peer: Arc<Peer>,
    /// The gateway as it listens to modern servers: it takes tasks.
    pub listening_peer: Arc<Peer>,
    /// The key of a client without capabilities.
    pub no_capabilities: Arc<[u8]>,
}

impl Identity {
    /// Makes the identity of a gateway of that version.
    #[must_use]
    pub fn new(version: &str) -> Self {
        let info = Raw::of(&serde_json::json!({ "name": "chancery", "title": "Chancery", "version": version }));
        let peer = Arc::new(Peer {
            revision: Revision::LATEST_LEGACY,
            capabilities: ClientCapabilities::empty(),
            info: Some(info.clone()),
        });
        let listening_peer = Arc::new(Peer {
            capabilities: ClientCapabilities::empty().with_tasks_extension(),
            ..(*peer).clone()
        });
        Self {
            info,
            peer,
            listening_peer,
            no_capabilities: ClientCapabilities::empty().key().into(),
        }
    }
}
