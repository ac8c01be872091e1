//! Tests of names on the wire and of what they reach (DESIGN 3).

use std::sync::Arc;

use catalog::View;
use mcp::method::ListKind;

use crate::fixture::{keys, offer, tools, view, with};

/// Returns `server/own name` of what a name reaches.
fn reached(view: &View, name: &str) -> Option<String> {
    view.tool(name).map(|target| target.id().to_string())
}

#[test]
fn names_are_bare_where_unique_and_qualified_where_not() {
    let view = view(vec![tools("fs", &["read", "write"]), tools("git", &["log", "read"])]);
    assert_eq!(keys(&view, ListKind::Tools), ["fs__read", "write", "log", "git__read"]);
    let cases = [
        ("fs__read", Some("fs/read")),
        ("git__read", Some("git/read")),
        ("read", None),
        ("write", Some("fs/write")),
        ("fs__write", Some("fs/write")),
        ("git__log", Some("git/log")),
        ("git__write", None),
        ("fs/write", None),
        ("", None),
    ];
    for (name, expected) in cases {
        assert_eq!(reached(&view, name).as_deref(), expected, "`{name}`");
    }
    let listed: Vec<(String, String)> = view.wire_names().map(|(wire, id)| (wire.to_owned(), id.to_string())).collect();
    assert_eq!(listed[0], ("fs__read".to_owned(), "fs/read".to_owned()));
    assert_eq!(listed[1], ("write".to_owned(), "fs/write".to_owned()));
}

#[test]
fn a_target_knows_its_listed_name_and_its_own() {
    let view = view(vec![tools("fs", &["read", "write"]), tools("git", &["read"])]);
    for (asked, wire, own) in [
        ("fs__read", "fs__read", "read"),
        ("write", "write", "write"),
        ("fs__write", "write", "write"),
    ] {
        let target = view.tool(asked).expect("a tool");
        assert_eq!(
            (target.wire, target.item.key.as_str(), target.server.as_str()),
            (wire, own, "fs"),
            "`{asked}`"
        );
    }
}

#[test]
fn a_prefixed_server_lists_qualified_names_only() {
    let mut fs = tools("fs", &["read", "write"]);
    fs.prefix = true;
    let view = view(vec![fs, tools("git", &["read"])]);
    assert_eq!(keys(&view, ListKind::Tools), ["fs__read", "fs__write", "read"]);
    assert_eq!(
        reached(&view, "read").as_deref(),
        Some("git/read"),
        "a listed name comes before another server's own"
    );
    assert_eq!(reached(&view, "write").as_deref(), Some("fs/write"));
}

#[test]
fn prompts_have_names_of_their_own() {
    let fs = with(tools("fs", &["review"]), ListKind::Prompts, &["review", "plan"]);
    let git = with(offer("git"), ListKind::Prompts, &["plan"]);
    let view = view(vec![fs, git]);
    assert_eq!(keys(&view, ListKind::Tools), ["review"]);
    assert_eq!(keys(&view, ListKind::Prompts), ["review", "fs__plan", "git__plan"]);
    let prompt = view.prompt("git__plan").expect("a prompt");
    assert_eq!((prompt.server.as_str(), prompt.item.key.as_str()), ("git", "plan"));
    assert!(view.prompt("plan").is_none());
}

#[test]
fn a_name_that_a_server_lists_twice_is_the_first_one() {
    let view = view(vec![with(offer("fs"), ListKind::Tools, &["a", "b", "a"])]);
    assert_eq!(keys(&view, ListKind::Tools), ["a", "b"]);
    assert_eq!(reached(&view, "a").as_deref(), Some("fs/a"));
}

#[test]
fn unspeakable_names_are_spelled_out_and_still_reach_their_tool() {
    let long = "x".repeat(100);
    let view = view(vec![tools("fs", &["with space", &long, "größe"]), tools("git", &[&long])]);
    let listed = keys(&view, ListKind::Tools);
    assert_eq!(listed.len(), 4);
    for ((wire, id), listed) in view.wire_names().zip(&listed) {
        assert_eq!(wire, listed);
        assert!(
            wire.len() <= 64 && wire.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b)),
            "`{wire}`"
        );
        assert_eq!(reached(&view, wire), Some(id.to_string()));
    }
    assert_eq!(
        reached(&view, "with space").as_deref(),
        Some("fs/with space"),
        "a caller that knows the own name may use it"
    );
    assert_eq!(reached(&view, &long), None);
}

#[test]
fn a_tool_that_looks_qualified_does_not_take_anothers_place() {
    let view = view(vec![tools("a", &["b"]), tools("x", &["a__b"])]);
    for (wire, id) in view.wire_names() {
        assert_eq!(reached(&view, wire), Some(id.to_string()), "`{wire}`");
    }
}

#[test]
fn only_the_name_is_spliced() {
    let mut offers = vec![offer("fs"), tools("git", &["read"])];
    let definition =
        r#"{ "x-first" : 1.0, "name" : "r\u0065ad" ,"inputSchema":{"name":"read"}, "big":123456789012345678901234567890,"s":"\ud800" }"#;
    offers[0].tools = crate::fixture::list(ListKind::Tools, &[definition]);
    let alone = view(vec![offers[0].clone()]);
    let listed = crate::fixture::all(&alone, ListKind::Tools, mcp::revision::Revision::V2025_11_25);
    assert_eq!(listed[0].text(), definition);
    let both = View::build(offers.into_iter().map(Arc::new).collect(), Vec::new(), 0);
    let listed = crate::fixture::all(&both, ListKind::Tools, mcp::revision::Revision::V2025_11_25);
    assert_eq!(listed[0].text(), definition.replacen(r#""r\u0065ad""#, r#""fs__read""#, 1));
}
