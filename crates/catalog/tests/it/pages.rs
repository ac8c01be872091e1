//! Tests of lists as results.

use std::sync::Arc;

use catalog::{InvalidCursor, MISSING, Offer, View};
use mcp::method::ListKind;
use mcp::revision::Revision;

use crate::fixture::{all, id, keys, offer, raw, tools, view, with};

const LEGACY: Revision = Revision::V2025_11_25;
const MODERN: Revision = Revision::V2026_07_28;

fn paged(offers: &[Offer], page_size: usize) -> View {
    View::build(offers.iter().cloned().map(Arc::new).collect(), Vec::new(), page_size)
}

/// Returns the cursor of the second page.
fn next(view: &View) -> String {
    let page = view.page(ListKind::Tools, None, LEGACY).expect("a page");
    page.get("nextCursor").expect("another page").as_str().expect("a text").into_owned()
}

#[test]
fn one_servers_list_stays_as_it_came() {
    let mut fs = tools("fs", &["a"]);
    fs.tools.extras = vec![("_meta".into(), raw(r#"{"v/x":1.0}"#)), ("total".into(), raw("1e2"))];
    let view = view(vec![fs]);
    let page = view.page(ListKind::Tools, None, LEGACY).expect("a page");
    assert_eq!(page.text(), r#"{"tools":[{"name":"a"}],"_meta":{"v/x":1.0},"total":1e2}"#);
    let page = view.page(ListKind::Tools, None, MODERN).expect("a page");
    assert_eq!(
        page.text(),
        r#"{"tools":[{"name":"a"}],"_meta":{"v/x":1.0},"total":1e2,"resultType":"complete","ttlMs":0,"cacheScope":"private"}"#
    );
}

#[test]
fn a_modern_servers_own_words_do_not_reach_legacy_clients() {
    let mut fs = tools("fs", &["a"]);
    fs.revision = MODERN;
    fs.tools.extras = vec![(
        "_meta".into(),
        raw(r#"{"io.modelcontextprotocol/serverInfo":{"name":"fs","version":"1"},"v/x":1}"#),
    )];
    let view = view(vec![fs]);
    let page = view.page(ListKind::Tools, None, LEGACY).expect("a page");
    assert_eq!(page.text(), r#"{"tools":[{"name":"a"}],"_meta":{"v/x":1}}"#);
    let page = view.page(ListKind::Tools, None, MODERN).expect("a page");
    assert!(page.at(&["_meta", "io.modelcontextprotocol/serverInfo"]).is_some());
}

#[test]
fn what_stands_beside_the_lists_of_several_is_said_of_neither() {
    let mut fs = tools("fs", &["a"]);
    fs.tools.extras = vec![("total".into(), raw("1"))];
    let view = view(vec![fs, tools("git", &["b"])]);
    assert_eq!(
        view.page(ListKind::Tools, None, LEGACY).expect("a page").text(),
        r#"{"tools":[{"name":"a"},{"name":"b"}]}"#
    );
}

#[test]
fn missing_servers_are_named_on_every_page() {
    let mut fs = tools("fs", &["a", "b"]);
    fs.tools.extras = vec![("_meta".into(), raw(r#"{"v/x":1}"#))];
    let view = View::build(vec![Arc::new(fs)], vec![id("git"), id("db")], 1);
    for (kind, cursor) in [
        (ListKind::Tools, None),
        (ListKind::Tools, Some(next(&view))),
        (ListKind::Prompts, None),
    ] {
        let page = view.page(kind, cursor.as_deref(), LEGACY).expect("a page");
        assert_eq!(page.at(&["_meta", MISSING]).expect("named").text(), r#"["git","db"]"#, "{kind:?}");
        assert!(page.at(&["_meta", "v/x"]).is_none(), "it was said of one server's list");
    }
    assert_eq!(view.missing(), [id("git"), id("db")]);
}

#[test]
fn an_empty_view_has_empty_lists() {
    let view = view(Vec::new());
    for kind in ListKind::ALL {
        let page = view.page(kind, None, LEGACY).expect("a page");
        assert_eq!(page.text(), format!("{{\"{}\":[]}}", kind.key()));
        assert_eq!(view.page(kind, Some(""), LEGACY), Err(InvalidCursor));
    }
}

#[test]
fn pages_hold_what_was_asked_for() {
    let offers = [tools("fs", &["a", "b", "c"]), tools("git", &["d", "e"])];
    for (size, lengths) in [
        (0, &[5][..]),
        (1, &[1, 1, 1, 1, 1]),
        (2, &[2, 2, 1]),
        (5, &[5]),
        (6, &[5]),
        (usize::MAX, &[5]),
    ] {
        let view = paged(&offers, size);
        let (mut cursor, mut seen) = (None::<String>, Vec::new());
        loop {
            let page = view.page(ListKind::Tools, cursor.as_deref(), MODERN).expect("a page");
            seen.push(page.get("tools").expect("the list").items().len());
            match page.get("nextCursor") {
                Some(next) => cursor = Some(next.as_str().expect("a text").into_owned()),
                None => break,
            }
        }
        assert_eq!(seen, lengths, "page size {size}");
        assert_eq!(keys(&view, ListKind::Tools), ["a", "b", "c", "d", "e"]);
    }
}

#[test]
fn cursors_live_as_long_as_the_list_is_the_same() {
    let offers = [tools("fs", &["a", "b"]), tools("git", &["c"])];
    let cursor = next(&paged(&offers, 1));
    let page = |view: &View, cursor: &str| view.page(ListKind::Tools, Some(cursor), LEGACY).map(|page| page.get("tools"));
    let second = Ok(Some(raw(r#"[{"name":"b"}]"#)));
    assert_eq!(page(&paged(&offers, 1), &cursor), second, "another view of the same list");
    let mut described = offers.clone();
    described[0].tools = crate::fixture::list(ListKind::Tools, &[r#"{"name":"a","title":"A"}"#, r#"{"name":"b"}"#]);
    assert_eq!(page(&paged(&described, 1), &cursor), second, "the same places");
    let prompts = [offers[0].clone(), with(offers[1].clone(), ListKind::Prompts, &["p"])];
    assert_eq!(page(&paged(&prompts, 1), &cursor), second, "another list changed");

    let longer = [offers[0].clone(), tools("git", &["c", "d"])];
    let swapped = [offers[1].clone(), offers[0].clone()];
    let renamed = [offers[0].clone(), tools("hub", &["c"])];
    for (changed, size) in [(&longer[..], 1), (&swapped, 1), (&renamed, 1), (&offers[..1], 1), (&offers, 2)] {
        assert_eq!(page(&paged(changed, size), &cursor), Err(InvalidCursor));
    }
    let view = paged(&offers, 1);
    assert_eq!(
        view.page(ListKind::Prompts, Some(&cursor), LEGACY),
        Err(InvalidCursor),
        "of another list"
    );
}

#[test]
fn made_up_cursors_are_refused() {
    let view = paged(&[tools("fs", &["a", "b", "c"])], 1);
    let cursor = next(&view);
    assert!(view.page(ListKind::Tools, Some(&cursor), LEGACY).is_ok());
    let digest = cursor.split('-').next().expect("the digest");
    let forged = [
        "",
        "-",
        "0",
        "1",
        "null",
        "0-1",
        &cursor.to_uppercase(),
        &format!("{cursor} "),
        &format!(" {cursor}"),
        &format!("{cursor}0"),
    ]
    .map(str::to_owned)
    .into_iter()
    .chain(
        [
            "0",
            "3",
            "01",
            "+1",
            "-1",
            "1-1",
            "18446744073709551616",
            "18446744073709551615",
            "",
        ]
        .map(|offset| format!("{digest}-{offset}")),
    );
    for forged in forged.filter(|forged| *forged != cursor) {
        assert_eq!(view.page(ListKind::Tools, Some(&forged), LEGACY), Err(InvalidCursor), "`{forged}`");
    }
}

#[test]
fn a_page_is_made_once_and_shared() {
    let view = view(vec![tools("fs", &["a"]), tools("git", &["a"])]);
    let page = |to| view.page(ListKind::Tools, None, to).expect("a page").bytes().as_ptr();
    assert_eq!(page(LEGACY), page(LEGACY));
    assert_eq!(page(MODERN), page(MODERN));
    assert_ne!(page(LEGACY), page(MODERN));
}

#[test]
fn every_revision_gets_every_definition() {
    let mut fs = offer("fs");
    fs.revision = MODERN;
    for kind in ListKind::ALL {
        *fs.list_mut(kind) = crate::fixture::bare(kind, &["a", "b"]);
    }
    let view = view(vec![fs]);
    for (kind, to) in ListKind::ALL.into_iter().flat_map(|kind| Revision::ALL.map(|to| (kind, to))) {
        let expected = ["a", "b"].map(|key| raw(&format!("{{\"{}\":\"{key}\"}}", kind.item_key())));
        assert_eq!(all(&view, kind, to), expected, "{kind:?} {to}");
        let page = view.page(kind, None, to).expect("a page");
        assert_eq!(page.get("resultType").is_some(), to.is_modern());
    }
}

#[test]
fn tools_of_the_modern_era_are_put_in_the_words_of_the_legacy_one() {
    let mut fs = offer("fs");
    fs.revision = MODERN;
    let definition = r#"{"name":"a","inputSchema":{"type":"object","properties":{"x":true}}}"#;
    fs.tools = crate::fixture::list(ListKind::Tools, &[definition]);
    let view = view(vec![fs]);
    assert_eq!(all(&view, ListKind::Tools, MODERN)[0].text(), definition);
    assert_eq!(
        all(&view, ListKind::Tools, LEGACY)[0].text(),
        r#"{"name":"a","inputSchema":{"type":"object","properties":{"x":{}}}}"#
    );
}

#[test]
fn what_nests_too_deep_together_is_no_list() {
    let deep = |depth: usize| format!("{{\"name\":\"a\",\"x\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    let page = |depth: usize, to| {
        let mut fs = offer("fs");
        let limits = jsonrpc::Limits {
            max_bytes: usize::MAX,
            max_depth: jsonrpc::MAX_DEPTH,
        };
        let definition = jsonrpc::Raw::parse(deep(depth), &limits).expect("JSON");
        fs.tools.items = catalog::Item::read(ListKind::Tools, &definition).into_iter().collect();
        view(vec![fs]).page(ListKind::Tools, None, to).expect("a page")
    };
    // The object of the page, its list and the definition are three levels.
    let most = jsonrpc::MAX_DEPTH - 3;
    assert_eq!(page(most, LEGACY).text(), format!("{{\"tools\":[{}]}}", deep(most)));
    assert_eq!(page(most + 1, LEGACY).text(), "{}");
    assert!(page(most, MODERN).get("tools").is_some() && page(most + 1, MODERN).get("tools").is_none());
}
