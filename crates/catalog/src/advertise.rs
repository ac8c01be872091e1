//! What the gateway advertises to clients: the capabilities and instructions of its servers, merged.

use jsonrpc::Raw;
use mcp::capabilities::{ServerCapabilities, merge_servers};
use mcp::method::ListKind;

use crate::Offer;
use crate::parts::Entry;

/// What a client receives in the handshake.
#[derive(Clone, Debug)]
pub struct Advertisement {
    /// The merged capabilities of the servers, in the form of the latest legacy revision; the client's face translates them for the client's
    /// revision.
    pub capabilities: ServerCapabilities,
    /// The instructions for using the servers: the one server's text, or a section for each that has any, headed by its
    /// id.
    pub instructions: Option<String>,
}

impl Advertisement {
    /// Merges what the servers advertise; a single server's capabilities are repeated as they are. The gateway
    /// announces list changes whether or not the servers do, because a reload can change every list. While some servers
    /// are missing, every list is promised, because a client does not ask again for a list that was not offered in the
    /// handshake.
    pub(crate) fn build(parts: &[Entry], missing: usize) -> Self {
        let together = match parts {
            [only] => only.part.capabilities.clone(),
            several => merge_servers(several.iter().map(|entry| &entry.part.capabilities)),
        };
        let lists = [ListKind::Tools, ListKind::Resources, ListKind::Prompts];
        let told = lists.into_iter().filter(|kind| missing > 0 || together.offers(*kind));
        let edit = told.fold(together.raw().edit(), |edit, kind| {
            edit.set(&[kind.capability(), "listChanged"], &Raw::boolean(true))
        });
        Self {
            capabilities: ServerCapabilities::new(edit.finish()),
            instructions: instructions(parts, missing),
        }
    }
}

/// Returns whether a client receives equal members for two offers in the handshake.
pub(crate) fn greets_alike(one: &Offer, other: &Offer) -> bool {
    let said = |offer: &Offer| (offer.revision, offer.advertised.capabilities.clone());
    one.server == other.server && said(one) == said(other) && one.advertised.instructions == other.advertised.instructions
}

fn instructions(parts: &[Entry], missing: usize) -> Option<String> {
    if let ([only], 0) = (parts, missing) {
        return only.part.offer.advertised.instructions.clone();
    }
    let section = |entry: &Entry| {
        let offer = &entry.part.offer;
        let text = offer.advertised.instructions.as_deref()?.trim();
        (!text.is_empty()).then(|| format!("# {}\n\n{text}", offer.server))
    };
    let sections: Vec<String> = parts.iter().filter_map(section).collect();
    (!sections.is_empty()).then(|| sections.join("\n\n"))
}
