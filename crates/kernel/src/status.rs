//! How the servers do, for `doctor`, `tools list` and `/readyz`: plain data.

use std::time::Duration;

use jsonrpc::Raw;
use mcp::revision::Revision;
use model::{ServerId, ToolId};

use crate::upstream::server::Health;

/// One server.
#[derive(Clone, Debug)]
pub struct ServerStatus {
    /// Its id.
    pub id: ServerId,
    /// How it does.
    pub health: Health,
    /// What is amiss with what it offers, though it can be used.
    pub note: Option<String>,
    /// The revision that is spoken with it.
    pub revision: Option<Revision>,
    /// `serverInfo`, as it came.
    pub info: Option<Raw>,
    /// Tools, resources, resource templates and prompts that it offers.
    pub counts: [usize; 4],
    /// The process ids of its children.
    pub pids: Vec<u32>,
    /// How long a ping (or the nearest thing its era has) took.
    pub latency: Option<Duration>,
}

/// One tool as clients see it.
#[derive(Clone, Debug)]
pub struct ToolStatus {
    /// Its name on the wire.
    pub wire: String,
    /// Whose it is.
    pub id: ToolId,
    /// Its definition, as its server gives it.
    pub definition: Raw,
}
