//! Properties that hold for every set of servers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use catalog::{Offer, View};
use mcp::method::ListKind;
use mcp::revision::Revision;
use proptest::prelude::*;

use crate::fixture::{all, bare, keys, offer};

/// Generates names that collide often, in all the ways they can: equal, qualified-looking, not allowed on the wire, too
/// long.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-d]",
        2 => "(fs|git|a)__[a-c]",
        1 => "[a-b ./é]{1,3}",
        1 => (60_usize..140, "[ab]").prop_map(|(n, c)| c.repeat(n)),
        1 => "x{60,66}",
    ]
}

fn offers() -> impl Strategy<Value = Vec<Offer>> {
    let ids = prop::sample::subsequence(
        vec![
            "fs",
            "git",
            "a",
            "b.c",
            "d-e_f",
            "long-long-long-long-long-long-long-long-long-long-long-long",
        ],
        0..=6,
    );
    ids.prop_shuffle().prop_flat_map(|ids| {
        let one = (
            prop::collection::vec(name(), 0..6),
            prop::collection::vec("x://[a-c]", 0..3),
            any::<bool>(),
        );
        let each = prop::collection::vec(one, ids.len());
        each.prop_map(move |each| {
            ids.iter()
                .zip(each)
                .map(|(id, (names, uris, prefix))| make(id, &names, &uris, prefix))
                .collect()
        })
    })
}

fn make(id: &str, names: &[String], uris: &[String], prefix: bool) -> Offer {
    let mut offer = offer(id);
    offer.prefix = prefix;
    let distinct: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let names: Vec<&str> = distinct.into_iter().collect();
    offer.tools = bare(ListKind::Tools, &names);
    offer.prompts = bare(ListKind::Prompts, &names);
    offer.resources = bare(ListKind::Resources, &uris.iter().map(String::as_str).collect::<Vec<_>>());
    offer
}

fn build(offers: &[Offer], page_size: usize) -> View {
    View::build(offers.iter().cloned().map(Arc::new).collect(), Vec::new(), page_size)
}

/// Returns wire names by server and own name.
fn wires(view: &View) -> BTreeMap<(String, String), String> {
    view.wire_names()
        .map(|(wire, id)| ((id.server.to_string(), id.name.to_string()), wire.to_owned()))
        .collect()
}

proptest! {
    #[test]
    fn the_same_offers_make_the_same_view(offers in offers(), page_size in 0_usize..4) {
        let (one, other) = (build(&offers, page_size), build(&offers, page_size));
        for kind in ListKind::ALL {
            for to in Revision::ALL {
                prop_assert_eq!(all(&one, kind, to), all(&other, kind, to));
                prop_assert_eq!(one.page(kind, None, to), other.page(kind, None, to));
            }
        }
        prop_assert_eq!(wires(&one), wires(&other));
    }

    #[test]
    fn every_listed_name_is_short_and_reaches_its_own(offers in offers()) {
        let view = build(&offers, 0);
        let mut seen = BTreeSet::new();
        for (wire, id) in view.wire_names() {
            prop_assert!(seen.insert(wire.to_owned()), "`{}` is listed twice", wire);
            prop_assert!(wire.len() <= 64 && wire.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b)), "`{}`", wire);
            for target in [view.tool(wire), view.prompt(wire)] {
                let target = target.expect("what is listed is found");
                prop_assert_eq!(target.id(), id.clone());
                prop_assert_eq!(target.wire, wire);
            }
        }
        prop_assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), keys(&view, ListKind::Tools).into_iter().collect());
    }

    #[test]
    fn qualified_names_reach_their_own(offers in offers()) {
        let view = build(&offers, 0);
        for (_, id) in view.wire_names() {
            let qualified = mcp::name::qualified(&id.server, &id.name);
            prop_assert_eq!(view.tool(&qualified).map(|target| target.id()), Some(id), "`{}`", qualified);
        }
    }

    #[test]
    fn all_pages_together_are_all_definitions(offers in offers(), page_size in 1_usize..5) {
        let (paged, whole) = (build(&offers, page_size), build(&offers, 0));
        for kind in ListKind::ALL {
            let count: usize = offers.iter().map(|offer| offer.list(kind).items.len()).sum();
            let items = all(&paged, kind, Revision::LATEST);
            prop_assert_eq!(items.len(), count);
            prop_assert_eq!(items, all(&whole, kind, Revision::LATEST));
        }
    }

    #[test]
    fn another_server_renames_only_what_it_collides_with(offers in offers()) {
        let Some((added, before)) = offers.split_last() else { return Ok(()) };
        let (old, new) = (wires(&build(before, 0)), wires(&build(&offers, 0)));
        let added: BTreeSet<String> = added.tools.items.iter().flat_map(|item| [item.key.clone(), mcp::name::qualified(&added.server, &item.key)]).collect();
        for ((server, name), wire) in &old {
            let collides = added.contains(name) || added.contains(wire);
            prop_assert!(collides || new[&(server.clone(), name.clone())] == *wire, "`{}` of {} is no longer `{}`", name, server, wire);
        }
    }

    #[test]
    fn listed_resources_are_found_with_those_who_list_them(offers in offers()) {
        let view = build(&offers, 0);
        for uri in keys(&view, ListKind::Resources) {
            let holders: Vec<&Offer> = offers.iter().filter(|offer| offer.resources.items.iter().any(|item| item.key == uri)).collect();
            match view.resource(&uri) {
                catalog::Located::One(server) => prop_assert!(holders.len() == 1 && holders[0].server == *server),
                catalog::Located::Many(servers) => {
                    prop_assert!(servers.len() > 1);
                    prop_assert_eq!(servers, holders.iter().map(|offer| &offer.server).collect::<Vec<_>>());
                }
                catalog::Located::None => prop_assert!(false, "`{}` is listed", uri),
            }
        }
    }

    #[test]
    fn any_name_and_cursor_is_taken(offers in offers(), text in prop_oneof!["\\PC{0,80}", name(), "x://[a-d]"]) {
        let view = build(&offers, 2);
        if let Some(target) = view.tool(&text) {
            let id = target.id();
            let qualified = mcp::name::qualified(&id.server, &id.name);
            prop_assert!(text == target.wire || text == *id.name || text == qualified);
        }
        let listed = offers.iter().any(|offer| offer.resources.items.iter().any(|item| item.key == text));
        prop_assert_eq!(view.resource(&text) == catalog::Located::None, !listed);
        prop_assert_eq!(view.template(&text), view.resource(&text));
        prop_assert_eq!(view.extension_owner(&text), None);
        prop_assert!(view.page(ListKind::Tools, Some(&text), Revision::LATEST).is_err());
    }
}
