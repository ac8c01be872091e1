//! Parses the clients of a transcript: `alice`, `alice#5` for one with a session of that number, and its capabilities.

use std::sync::Arc;

use jsonrpc::Raw;
use mcp::capabilities::ClientCapabilities;
use mcp::exchange::Peer;
use mcp::revision::Revision;
use model::PrincipalId;
use upstream::Sharer;

/// Reads a client from its name and the words behind it: `modern` for one of the modern era, `asked` for one that can be asked.
pub(crate) fn sharer(name: &str, words: &[&str]) -> Sharer {
    let (principal, client) = match name.split_once('#') {
        Some((principal, client)) => (principal, Some(client.parse().expect("a number"))),
        None => (name, None),
    };
    let capabilities = match words.contains(&"asked") {
        true => serde_json::json!({"elicitation": {}}),
        false => serde_json::json!({}),
    };
    let revision = match words.contains(&"modern") {
        true => Revision::V2026_07_28,
        false => Revision::LATEST_LEGACY,
    };
    let peer = Peer {
        revision,
        capabilities: ClientCapabilities::new(Raw::of(&capabilities)),
        info: None,
    };
    Sharer {
        principal: PrincipalId::new(principal),
        client,
        peer: Arc::new(peer),
    }
}
