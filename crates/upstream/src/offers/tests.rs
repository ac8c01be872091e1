//! Tests which changes of an offer clients are told of, and which caller reads it.

use std::collections::HashSet;
use std::sync::Arc;

use catalog::{Item, Offer};
use jsonrpc::{Limits, Raw};
use mcp::exchange::Advertised;
use mcp::method::ListKind;
use mcp::revision::Revision;
use model::ServerId;

use super::{Capabilities, Offers, Turn};

fn plain() -> Capabilities {
    b"{}".as_slice().into()
}

fn offer(tools: &[&str]) -> Offer {
    let advertised = Advertised {
        capabilities: Raw::object_empty(),
        info: Raw::object_empty(),
        instructions: None,
    };
    let server = ServerId::new("fs").expect("two letters");
    let mut offer = Offer::new(server, false, Revision::LATEST, advertised);
    let item = |name: &&str| {
        let raw = Raw::parse(format!("{{\"name\":\"{name}\"}}"), &Limits::default()).ok()?;
        Item::read(ListKind::Tools, &raw)
    };
    offer.tools.items = tools.iter().filter_map(item).collect();
    offer
}

fn told(kinds: &HashSet<ListKind>) -> Vec<&'static str> {
    let mut told: Vec<&str> = kinds.iter().map(|kind| kind.key()).collect();
    told.sort_unstable();
    told
}

#[test]
fn clients_are_told_of_lists_that_differ() {
    let mut offers = Offers::default();
    let mut publish = |tools: &[&str], announced: &[ListKind]| told(&offers.publish(&plain(), &Arc::new(offer(tools)), announced));
    assert_eq!(
        publish(&["read"], &ListKind::ALL),
        ["tools"],
        "the first sight of a list that has something"
    );
    assert_eq!(
        publish(&["read"], &ListKind::ALL),
        [] as [&str; 0],
        "a new connection, the same list"
    );
    assert_eq!(publish(&["read", "write"], &ListKind::ALL), ["tools"]);
    assert_eq!(
        publish(&["read", "write"], &[ListKind::Tools]),
        ["tools"],
        "what the server announces is announced on"
    );
    assert_eq!(publish(&["read", "write"], &[ListKind::Prompts]), ["prompts"]);
}

#[test]
fn what_the_cache_remembers_is_no_news_and_never_replaces_what_was_read() {
    let mut offers = Offers::default();
    offers.remember(plain(), Arc::new(offer(&["old"])));
    assert_eq!(
        told(&offers.publish(&plain(), &Arc::new(offer(&["old"])), &[ListKind::Tools])),
        [] as [&str; 0]
    );
    offers.remember(plain(), Arc::new(offer(&["older"])));
    let known = offers.get(&plain(), &plain()).expect("it is known");
    assert_eq!(known.tools.items[0].key, "old");
}

#[test]
fn clients_of_unknown_capabilities_see_what_those_without_any_see() {
    let mut offers = Offers::default();
    let rich: Capabilities = b"{\"roots\":{}}".as_slice().into();
    assert!(offers.get(&rich, &plain()).is_none());
    offers.remember(plain(), Arc::new(offer(&["read"])));
    assert!(offers.get(&rich, &plain()).is_some());
    assert!(!offers.has(&rich));
    offers.remember(rich.clone(), Arc::new(offer(&["ask"])));
    let first = |offers: &[Arc<Offer>]| offers[0].tools.items[0].key.clone();
    assert_eq!(first(&offers.all(&plain())), "read");
    assert_eq!(first(&offers.all(&rich)), "ask");
}

#[test]
fn one_more_reading_is_enough_for_all_who_ask_meanwhile() {
    let mut offers = Offers::default();
    let tools = [ListKind::Tools];
    assert_eq!(offers.turn(&plain(), &tools), Turn::Now);
    assert_eq!(
        offers.turn(&plain(), &[ListKind::Prompts]),
        Turn::Now,
        "another list is another turn"
    );
    assert_eq!(offers.turn(&plain(), &tools), Turn::Later);
    assert_eq!(offers.turn(&plain(), &tools), Turn::Never);
    offers.end_turn(&plain(), &tools);
    assert_eq!(offers.turn(&plain(), &tools), Turn::Now);
}
