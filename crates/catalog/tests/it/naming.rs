//! Tests of tools' names: the rule by example, and its laws (DESIGN 3).

use std::collections::HashSet;

use catalog::{Offer, View};
use mcp::method::ListKind;
use proptest::prelude::*;

use crate::fixture::{id, tools, view};

/// A tool: its server, its own name, and whether its name is always qualified.
type Tool = (String, String, bool);

/// Returns a view of tools in that order. A server with qualified and unqualified tools is given as two offers.
fn view_of(tools_of: &[Tool]) -> View {
    let mut offers: Vec<Offer> = Vec::new();
    for (server, name, prefix) in tools_of {
        let mut next = tools(server, &[name]);
        next.prefix = *prefix;
        match offers.last_mut() {
            Some(last) if last.server == next.server && last.prefix == next.prefix => {
                last.list_mut(ListKind::Tools).items.append(&mut next.tools.items);
            }
            _ => offers.push(next),
        }
    }
    view(offers)
}

/// Returns the names on the wire of those tools, in their order.
fn wires(tools: &[Tool]) -> Vec<String> {
    view_of(tools).wire_names().map(|(wire, _)| wire.to_owned()).collect()
}

/// Parses `server/tool`; a trailing `!` forces the prefix.
fn parse(tools: &[&str]) -> Vec<Tool> {
    let parse = |tool: &&str| {
        let (server, tool) = tool.split_once('/').expect("server/tool");
        (server.to_owned(), tool.trim_end_matches('!').to_owned(), tool.ends_with('!'))
    };
    tools.iter().map(parse).collect()
}

fn named(tools: &[&str]) -> Vec<String> {
    wires(&parse(tools))
}

#[test]
fn bare_where_unique_else_qualified() {
    let cases: [(&[&str], &[&str]); 9] = [
        (&["a/read", "b/write"], &["read", "write"]),
        (&["a/read", "b/read", "b/write"], &["a__read", "b__read", "write"]),
        (&["a/read!", "b/read"], &["a__read", "read"]),
        (&["a/read!", "a/write"], &["a__read", "write"]),
        // An unqualified name that is the qualified one of another tool.
        (&["a/read", "b/a__read"], &["read", "b__a__read"]),
        (&["a/read", "b/read", "c/a__read"], &["a__read", "b__read", "c__a__read"]),
        // `x` is no server here, or has no such tool.
        (&["a/x__y", "b/z"], &["x__y", "z"]),
        (&["a/x__y", "x/z"], &["x__y", "z"]),
        (
            &["a/mgp.tools.discover", "a/mgp_tools_discover"],
            &["a__mgp.tools.discover", "a__mgp_tools_discover"],
        ),
    ];
    for (tools, names) in cases {
        assert_eq!(named(tools), names, "{tools:?}");
    }
}

#[test]
fn a_reserved_name_is_bare_for_the_gateway_only() {
    let tools = ["kernel/mgp.tools.discover", "a/mgp.tools.discover", "kernel/other"];
    assert_eq!(named(&tools), ["kernel__mgp.tools.discover", "a__mgp.tools.discover", "other"]);
    assert_eq!(named(&tools[..1]), ["mgp.tools.discover"]);
}

#[test]
fn a_name_that_imitates_a_mark_does_not_win() {
    let marked = named(&["a/x y", "a/read"])[0].clone();
    let imitation = format!("a/{marked}");
    let names = named(&["a/x y", &imitation]);
    assert!(
        names[0] != names[1] && names.iter().all(|name| name.starts_with("a__x_y_")),
        "{names:?}"
    );
    assert_eq!(names[1], format!("a__{marked}"));
}

#[test]
fn names_that_come_out_alike_are_told_apart() {
    let alike = ["a/_b", "a_/b"];
    let names = named(&alike);
    assert_eq!(names, ["_b", "b"]);
    let view = view_of(&parse(&alike));
    let reached = |name: &str| view.tool(name).map(|target| target.id().to_string());
    assert_eq!(
        reached("a___b").as_deref(),
        Some("a/_b"),
        "the first in the order of the configuration"
    );
    let marked = mcp::name::fit("a___b", 1);
    assert_eq!(reached(&marked).as_deref(), Some("a_/b"));
    assert_eq!(named(&["a/_b!", "a_/b!"]), ["a___b".to_owned(), marked.clone()]);
    assert_eq!(named(&["a_/b!", "a/_b!"]), ["a___b".to_owned(), marked]);
}

#[test]
fn both_names_lead_back() {
    let view = view_of(&parse(&["a/read", "b/read", "b/write"]));
    let reached = |name: &str| view.tool(name).map(|target| target.id().to_string());
    assert_eq!(reached("write").as_deref(), Some("b/write"));
    assert_eq!(reached("b__write").as_deref(), Some("b/write"));
    assert_eq!(reached("a__read").as_deref(), Some("a/read"));
    assert_eq!(reached("read"), None);
    assert_eq!(view.wire_names().nth(2).map(|(wire, _)| wire), Some("write"));
}

/// Generates servers `a`, `b`, `a_b` … with tools from few letters, so that names collide often.
fn some_tools() -> impl Strategy<Value = Vec<Tool>> {
    let server = prop::sample::select(vec!["a", "b", "c", "a_b"]).prop_map(str::to_owned);
    let tool = prop_oneof![4 => "[ab_]{1,4}", 1 => "[ab_ /é]{1,5}", 1 => "(a|b|c)__[ab]{1,2}", 1 => "[ab]{60,70}"];
    prop::collection::vec((server, tool, prop::bool::weighted(0.1)), 0..24).prop_map(|mut tools| {
        tools.sort();
        tools.dedup_by(|x, y| (&x.0, &x.1) == (&y.0, &y.1));
        tools
    })
}

/// Returns the names of these tools, and checks that both names of each find it.
fn name_all(tools: &[Tool]) -> Vec<String> {
    let view = view_of(tools);
    for ((server, name, _), (wire, _)) in tools.iter().zip(view.wire_names()) {
        for asked in [wire, &mcp::name::qualified(&id(server), name)] {
            let target = view.tool(asked).expect("a tool");
            assert_eq!(
                (target.server.as_str(), target.item.key.as_str()),
                (server.as_str(), name.as_str()),
                "`{asked}`"
            );
        }
    }
    wires(tools)
}

proptest! {
    #[test]
    fn names_differ_and_fit(tools in some_tools()) {
        let names = name_all(&tools);
        let distinct: HashSet<_> = names.iter().collect();
        prop_assert_eq!(distinct.len(), tools.len());
        prop_assert!(names.iter().all(|name| mcp::name::fits(name)));
    }

    #[test]
    fn the_order_of_the_offers_does_not_matter(tools in some_tools(), turn in 0_usize..24) {
        let mut turned: Vec<_> = tools.iter().cloned().zip(name_all(&tools)).collect();
        let middle = turn.min(turned.len());
        turned.rotate_left(middle);
        let (tools, names): (Vec<_>, Vec<_>) = turned.into_iter().unzip();
        prop_assert_eq!(name_all(&tools), names);
    }

    #[test]
    fn a_server_that_shares_no_name_changes_none(tools in some_tools(), others in prop::collection::hash_set("[de_]{1,3}", 0..6)) {
        let before = name_all(&tools);
        let mut more = tools.clone();
        // No tool above has this name, and none is called `new__…`.
        let shared = |other: &String| tools.iter().any(|(_, name, _)| name == other);
        more.extend(others.into_iter().filter(|other| !shared(other)).map(|other| ("new".to_owned(), other, false)));
        let after = name_all(&more);
        prop_assert_eq!(&after[..before.len()], &before[..]);
    }
}
