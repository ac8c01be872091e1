//! The status of servers and tools, for `doctor`, `tools list` and `/readyz`: plain data.

use std::time::Duration;

use jsonrpc::Raw;
use mcp::method::ListKind;
use mcp::revision::Revision;
use model::{ServerId, ToolId};
use upstream::{Health, Server};

/// The status of one server.
#[derive(Clone, Debug)]
pub struct ServerStatus {
    /// Its id.
    pub id: ServerId,
    /// Its health.
    pub health: Health,
    /// The problem with its lists, although it can be used.
    pub note: Option<String>,
    /// The revision of its session.
    pub revision: Option<Revision>,
    /// `serverInfo`, as it came.
    pub info: Option<Raw>,
    /// The numbers of tools, resources, resource templates and prompts that it offers.
    pub counts: [usize; 4],
    /// The process ids of its children.
    pub pids: Vec<u32>,
    /// The time that a ping took, or the nearest equivalent of its era.
    pub latency: Option<Duration>,
}

impl ServerStatus {
    /// Returns the present status of a server.
    pub(crate) fn of(server: &Server) -> Self {
        let offer = server.state.offer(&server.offer_key_of_gateway());
        let live = server.live_sessions();
        let revision = live.first().map(|session| session.revision());
        Self {
            id: server.spec().id.clone(),
            health: server.state.health(),
            note: server.state.trouble(),
            revision: revision.or(offer.as_ref().map(|offer| offer.revision)),
            info: offer.as_ref().map(|offer| offer.advertised.info.clone()),
            counts: offer
                .as_ref()
                .map_or([0; 4], |offer| ListKind::ALL.map(|kind| offer.list(kind).items.len())),
            pids: live.iter().filter_map(|session| session.pid()).collect(),
            latency: None,
        }
    }
}

/// One tool, as clients see it.
#[derive(Clone, Debug)]
pub struct ToolStatus {
    /// Its name on the wire.
    pub wire: String,
    /// Its server and its own name.
    pub id: ToolId,
    /// Its definition, as its server wrote it.
    pub definition: Raw,
}
