//! Short builders of offers for tests.

use std::sync::Arc;

use catalog::{Item, List, Offer, View};
use jsonrpc::{Limits, Raw};
use mcp::exchange::Advertised;
use mcp::method::ListKind;
use mcp::revision::Revision;
use model::ServerId;

pub(crate) fn raw(text: &str) -> Raw {
    Raw::parse(text.to_owned(), &Limits::default()).expect("JSON")
}

pub(crate) fn id(text: &str) -> ServerId {
    ServerId::new(text).expect("a server id")
}

/// Returns a legacy server that declares every list.
pub(crate) fn offer(server: &str) -> Offer {
    let capabilities = raw(r#"{"tools":{},"resources":{},"prompts":{}}"#);
    let info = raw(r#"{"name":"test","version":"1"}"#);
    Offer::new(
        id(server),
        false,
        Revision::V2025_11_25,
        Advertised {
            capabilities,
            info,
            instructions: None,
        },
    )
}

pub(crate) fn declaring(server: &str, capabilities: &str) -> Offer {
    let mut offer = offer(server);
    offer.advertised.capabilities = raw(capabilities);
    offer
}

pub(crate) fn list(kind: ListKind, items: &[&str]) -> List {
    let items = items.iter().map(|item| Item::read(kind, &raw(item)).expect("a usable definition"));
    List {
        items: items.collect(),
        extras: Vec::new(),
    }
}

/// Returns a list of definitions that have only what identifies them.
pub(crate) fn bare(kind: ListKind, keys: &[&str]) -> List {
    let items: Vec<String> = keys
        .iter()
        .map(|key| format!("{{\"{}\":{}}}", kind.item_key(), Raw::string(key).text()))
        .collect();
    list(kind, &items.iter().map(String::as_str).collect::<Vec<_>>())
}

pub(crate) fn tools(server: &str, names: &[&str]) -> Offer {
    with(offer(server), ListKind::Tools, names)
}

pub(crate) fn with(mut offer: Offer, kind: ListKind, keys: &[&str]) -> Offer {
    *offer.list_mut(kind) = bare(kind, keys);
    offer
}

pub(crate) fn view(offers: Vec<Offer>) -> View {
    View::build(offers.into_iter().map(Arc::new).collect(), Vec::new(), 0)
}

/// Returns all definitions of a list, read page by page.
pub(crate) fn all(view: &View, kind: ListKind, to: Revision) -> Vec<Raw> {
    let (mut items, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let page = view.page(kind, cursor.as_deref(), to).expect("a cursor that was handed out");
        items.extend(page.get(kind.key()).expect("the list").items());
        match page.get("nextCursor") {
            Some(next) => cursor = Some(next.as_str().expect("a text").into_owned()),
            None => return items,
        }
    }
}

/// Returns the names (or URIs) in a list.
pub(crate) fn keys(view: &View, kind: ListKind) -> Vec<String> {
    let key = |item: &Raw| item.get(kind.item_key()).expect("a key").as_str().expect("a text").into_owned();
    all(view, kind, Revision::LATEST_LEGACY).iter().map(key).collect()
}
