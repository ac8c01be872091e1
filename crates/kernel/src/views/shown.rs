//! The security members of tools as clients read them: clients that negotiated security read the gateway's judgement, others nothing (MGP §2.4.3,
//! §4.2, MGP D6).

use std::collections::BTreeMap;
use std::sync::Arc;

use catalog::{Item, Offer};
use guard::{Definition, Guard, Judged, Source};
use jsonrpc::Raw;
use mgp::tool;
use upstream::ServerState;

/// Returns an offer as it is shown to clients that negotiated security (`speaks`), or did not. In an open gateway it is what the server wrote.
pub(super) fn offer(guard: &Guard, server: &ServerState, offer: &Arc<Offer>, speaks: bool) -> Arc<Offer> {
    if !guard.is_guarded() {
        return offer.clone();
    }
    let judged = match speaks {
        true => judge(guard, server),
        false => BTreeMap::new(),
    };
    let shown = |item: &Item| match judged.get(&item.key) {
        Some(judged) => tool::with_security(&item.raw, &judged.assessment),
        None => tool::strip(&item.raw),
    };
    let tools: Vec<Raw> = offer.tools.items.iter().map(shown).collect();
    if tools.iter().zip(&offer.tools.items).all(|(shown, item)| *shown == item.raw) {
        return offer.clone();
    }
    let mut secured = Offer::clone(offer);
    for (item, raw) in secured.tools.items.iter_mut().zip(tools) {
        item.raw = raw;
    }
    Arc::new(secured)
}

fn judge(guard: &Guard, server: &ServerState) -> BTreeMap<String, Judged> {
    let offers = server.offers();
    guard.judged(None, &source(server, &offers))
}

/// Describes a server's offers for the guard, which judges them.
pub(crate) fn source<'a>(server: &'a ServerState, offers: &'a [Arc<Offer>]) -> Source<'a> {
    let items = offers.iter().flat_map(|offer| &offer.tools.items);
    let tools = items.map(|item| Definition {
        name: &item.key,
        raw: &item.raw,
    });
    Source {
        server: &server.spec.id,
        claims: server.claimed_trust(),
        tools: tools.collect(),
    }
}
