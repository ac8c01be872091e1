//! Tests of where resources are (DESIGN 4), and which server receives the methods of extensions.

use catalog::{Located, Offer};
use mcp::method::ListKind;

use crate::fixture::{declaring, keys, offer, view, with};

fn resources(server: &str, uris: &[&str], templates: &[&str]) -> Offer {
    with(
        with(offer(server), ListKind::Resources, uris),
        ListKind::ResourceTemplates,
        templates,
    )
}

/// Returns the servers, comma-separated.
fn shown(located: &Located<'_>) -> String {
    match located {
        Located::One(server) => server.to_string(),
        Located::Many(servers) => servers.iter().map(|server| server.as_str()).collect::<Vec<_>>().join(" or "),
        Located::None => "none".to_owned(),
    }
}

#[test]
fn resources_are_found_by_entry_then_by_template() {
    let view = view(vec![
        resources(
            "fs",
            &["file:///a", "x://both", "x://both"],
            &["file:///{+path}", "x://fs/{id}", "x://{+any}"],
        ),
        resources("git", &["file:///b", "x://both"], &["git://{repo}", "x://git/{id}"]),
    ]);
    let cases = [
        ("file:///a", "fs"),
        ("file:///b", "git"), // the entry comes before the other server's template
        ("file:///c/d", "fs"),
        ("git://r", "git"),
        ("git://r/s", "none"),
        ("x://both", "fs or git"),
        ("x://fs/1", "fs"), // two templates of one server are not ambiguous
        ("x://git/1", "fs or git"),
        ("y://z", "none"),
        ("", "none"),
    ];
    for (uri, expected) in cases {
        assert_eq!(shown(&view.resource(uri)), expected, "`{uri}`");
    }
    let references = [
        ("git://{repo}", "git"),
        ("x://{+any}", "fs"),
        ("file:///a", "fs"),
        ("git://r", "git"),
        ("y://{a}", "none"),
    ];
    for (reference, expected) in references {
        assert_eq!(shown(&view.template(reference)), expected, "`{reference}`");
    }
}

#[test]
fn what_two_servers_have_is_listed_twice_as_it_is() {
    let view = view(vec![
        resources("fs", &["x://both"], &["x://{a}"]),
        resources("git", &["x://both"], &["x://{a}"]),
    ]);
    assert_eq!(keys(&view, ListKind::Resources), ["x://both", "x://both"]);
    assert_eq!(keys(&view, ListKind::ResourceTemplates), ["x://{a}", "x://{a}"]);
    assert_eq!(shown(&view.template("x://{a}")), "fs or git");
}

#[test]
fn contrived_templates_cost_only_their_own_server() {
    let contrived: Vec<String> = (0..2_000).map(|i| format!("{}{i}", "{+a}a".repeat(32))).collect();
    let contrived: Vec<&str> = contrived.iter().map(String::as_str).collect();
    let view = view(vec![resources("evil", &[], &contrived), resources("fs", &[], &["aa{+rest}"])]);
    let uri = "a".repeat(8_000);
    assert_eq!(shown(&view.resource(&uri)), "fs");
}

#[test]
fn extensions_belong_to_whoever_declared_them() {
    let view = view(vec![
        declaring(
            "fs",
            r#"{"tools":{},"extensions":{"com.acme/search":{},"io.example.labs/off":null},"experimental":{"mcpl":{},"both":{}}}"#,
        ),
        declaring(
            "git",
            r#"{"mgp":{"version":"0.5"},"off":false,"experimental":{"both":{}},"extensions":{"plain":{}}}"#,
        ),
        declaring("odd", r#"{"twice":{},"twice":{}}"#),
    ]);
    let cases = [
        ("search/run", Some("fs")),
        ("acme/run", Some("fs")),
        ("com.acme/run", Some("fs")),
        ("com.acme/search", Some("fs")),
        ("com/run", None),
        ("mcpl/push/event", Some("fs")),
        ("mcpl", Some("fs")),
        ("mgp/permission/await", Some("git")),
        ("notifications/mgp/changed", Some("git")),
        ("notifications/search", Some("fs")),
        ("notifications/other", None),
        ("plain/x", Some("git")),
        ("both/x", None),
        ("off/x", None),
        ("labs/x", None),
        ("twice/x", None),
        ("tools/x", None),
        ("extensions/x", None),
        ("experimental/x", None),
        ("unknown", None),
        ("", None),
        ("/", None),
    ];
    for (method, expected) in cases {
        assert_eq!(view.extension_owner(method).map(|server| server.as_str()), expected, "`{method}`");
    }
}
