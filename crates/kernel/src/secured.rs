//! What clients read of a tool's security: those that negotiated it, what the gateway goes by; the others nothing (MGP §2.4.3, §4.2, D6).

use std::sync::Arc;

use catalog::{Item, Offer};
use jsonrpc::Raw;
use mcp::exchange::Peer;
use mgp::negotiation::Extension;
use mgp::tool;

use crate::inner::Inner;
use crate::upstream::Server;

/// What a server offers, as such a client is shown it. In an open gateway that is what the server wrote.
pub(crate) fn offer(inner: &Inner, server: &Server, offer: Arc<Offer>, peer: &Peer) -> Arc<Offer> {
    if !inner.guard.is_guarded() {
        return offer;
    }
    let speaks = inner.mgp().with_client(peer.capabilities.raw()).has(Extension::Security);
    let judged = match speaks {
        true => inner.guard.judged(None, &server.spec.id, &server.offers(), server.claimed_trust()),
        false => std::collections::BTreeMap::new(),
    };
    let shown = |item: &Item| match judged.get(&item.key) {
        Some(judged) => tool::with_security(&item.raw, &judged.assessment),
        None => tool::strip(&item.raw),
    };
    let tools: Vec<Raw> = offer.tools.items.iter().map(shown).collect();
    if tools.iter().zip(&offer.tools.items).all(|(shown, item)| *shown == item.raw) {
        return offer;
    }
    let mut secured = Offer::clone(&offer);
    for (item, raw) in secured.tools.items.iter_mut().zip(tools) {
        item.raw = raw;
    }
    Arc::new(secured)
}
