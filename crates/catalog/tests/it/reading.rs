//! Tests of reading pages and definitions as servers send them.

use catalog::{Item, PageError, read_page};
use mcp::method::ListKind;
use mcp::tasks::TaskSupport;

use crate::fixture::raw;

#[test]
fn a_page_keeps_what_stands_beside_its_list() {
    let result = raw(
        r#"{"resultType":"complete","_meta":{"a/b":1.0},"tools":[{"name":"a"},{"title":"none"},{"name":"b"}],"x":[1e0],"nextCursor":"","ttlMs":5,"cacheScope":"public"}"#,
    );
    let page = read_page(ListKind::Tools, &result).expect("a page");
    assert_eq!(page.items.iter().map(|item| item.key.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!((page.dropped, page.next.as_deref()), (1, Some("")));
    let extras: Vec<(&str, &str)> = page.extras.iter().map(|(key, value)| (key.as_str(), value.text())).collect();
    assert_eq!(extras, [("_meta", r#"{"a/b":1.0}"#), ("x", "[1e0]")]);
}

#[test]
fn what_is_no_page_says_why() {
    let list = PageError::List {
        method: "resources/templates/list",
        key: "resourceTemplates",
    };
    let cases = [
        (r"[]", None),
        (r"null", None),
        (r#"{"resourceTemplates":[],"resourceTemplates":[]}"#, None),
        (r"{}", Some(list.clone())),
        (r#"{"resourceTemplates":{}}"#, Some(list.clone())),
        (r#"{"resources":[]}"#, Some(list)),
        (
            r#"{"resourceTemplates":[],"nextCursor":7}"#,
            Some(PageError::Cursor {
                method: "resources/templates/list",
            }),
        ),
    ];
    for (result, expected) in cases {
        let error = read_page(ListKind::ResourceTemplates, &raw(result)).expect_err(result);
        assert!(
            error.to_string().starts_with("read the result of `resources/templates/list`: "),
            "{error}"
        );
        match expected {
            Some(expected) => assert_eq!(error, expected, "{result}"),
            None => assert!(matches!(error, PageError::Result { .. }), "{result}: {error:?}"),
        }
    }
    let page = read_page(ListKind::Prompts, &raw(r#"{"prompts":[],"nextCursor":null}"#)).expect("a page");
    assert_eq!((page.next, page.items.len()), (None, 0));
}

#[test]
fn definitions_without_a_usable_key_are_dropped() {
    let odd = [
        (ListKind::Tools, r#"{"name":7}"#),
        (ListKind::Tools, r#"{"name":""}"#),
        (ListKind::Tools, r#"{"name":"\ud800"}"#),
        (ListKind::Tools, r#"{"name":"a","name":"b"}"#),
        (ListKind::Tools, r#"{"name":"a","n\u0061me":"b"}"#),
        (ListKind::Tools, r#""a""#),
        (ListKind::Resources, r#"{"name":"a"}"#),
        (ListKind::ResourceTemplates, r#"{"uri":"a"}"#),
        (ListKind::Prompts, "[]"),
    ];
    for (kind, item) in odd {
        assert!(Item::read(kind, &raw(item)).is_none(), "{item}");
        let page = raw(&format!("{{\"{}\":[{item}]}}", kind.key()));
        assert_eq!(read_page(kind, &page).expect("a page").dropped, 1, "{item}");
    }
    let escaped = Item::read(ListKind::Tools, &raw(r#"{"n\u0061me":"\u0061b"}"#)).expect("a tool");
    assert_eq!(escaped.key, "ab");
}

#[test]
fn of_tools_only_headers_and_task_support_are_read() {
    let definition = r#"{"name":"q","uri":"q","execution":{"taskSupport":"required"},"inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"Region"}}}}"#;
    let tool = Item::read(ListKind::Tools, &raw(definition)).expect("a tool");
    assert!(tool.headers.is_some());
    assert_eq!(tool.task_support, TaskSupport::Required);
    for kind in [ListKind::Prompts, ListKind::Resources] {
        let other = Item::read(kind, &raw(definition)).expect("usable");
        assert!(other.headers.is_none());
        assert_eq!(other.task_support, TaskSupport::Forbidden);
    }
    for schema in [
        r#"{"type":"object"}"#,
        r#"{"type":"object","properties":{"r":{"type":"object","x-mcp-header":"Region"}}}"#,
    ] {
        let tool = Item::read(ListKind::Tools, &raw(&format!("{{\"name\":\"q\",\"inputSchema\":{schema}}}"))).expect("a tool");
        assert!(tool.headers.is_none(), "{schema}");
    }
}
