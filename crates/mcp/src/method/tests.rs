//! The table against the schemas, and what can be asked of it.

use super::*;
use crate::revision::Revision;

/// Returns the rows of the data file: revision, method, senders.
fn literals() -> Vec<(Revision, &'static str, &'static str)> {
    let lines = include_str!("methods.txt").lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<_> = lines.map(|line| line.split(' ').collect::<Vec<_>>()).collect();
    rows.into_iter()
        .map(|row| (Revision::parse(row[0]).expect("a revision"), row[1], row[2]))
        .collect()
}

#[test]
fn every_literal_of_every_schema_is_in_the_table() {
    for (revision, name, senders) in literals() {
        for (side, letter) in [(Side::Client, 'C'), (Side::Server, 'S')] {
            let found = lookup(name, side, revision).is_some();
            assert_eq!(found, senders.contains(letter), "{revision} {name} from {side:?}");
        }
        if senders == "E" {
            assert!(named(name).iter().any(|row| row.route == Route::Reverse), "{revision} {name}");
        }
    }
}

#[test]
fn the_table_holds_nothing_that_no_schema_has() {
    let known = literals();
    // SEP-2663; the extension has no schema.ts among the revisions.
    let extension = ["notifications/tasks", "tasks/cancel", "tasks/get", "tasks/update"];
    for row in METHODS {
        for revision in Revision::ALL.into_iter().filter(|revision| row.in_revision(*revision)) {
            let letter = if row.from == Side::Client { 'C' } else { 'S' };
            let in_schema = known
                .iter()
                .any(|(r, name, senders)| *r == revision && *name == row.name && senders.contains(letter));
            let in_extension = revision.is_modern() && row.server.last() == Some(&crate::capabilities::TASKS_EXTENSION);
            assert!(in_schema || (in_extension && extension.contains(&row.name)), "{revision} {row:?}");
        }
    }
}

#[test]
fn rows_are_sorted_and_never_compete() {
    assert!(METHODS.is_sorted_by_key(|row| row.name));
    for (i, a) in METHODS.iter().enumerate() {
        assert!(a.first <= a.last);
        assert_eq!(a.name.starts_with("notifications/"), a.kind == MethodKind::Notification);
        for b in &METHODS[i + 1..] {
            let meet = a.name == b.name && a.from == b.from && a.first <= b.last && b.first <= a.last;
            assert!(!meet, "{a:?} and {b:?}");
        }
    }
}

#[test]
fn names_are_found_by_direction_and_revision() {
    let route = |name, from, revision| lookup(name, from, revision).map(|row| row.route);
    use Revision::*;
    assert_eq!(route("tools/call", Side::Client, V2024_11_05), Some(Route::Name(ListKind::Tools)));
    assert_eq!(route("tools/call", Side::Server, V2024_11_05), None);
    assert_eq!(route("initialize", Side::Client, V2026_07_28), None);
    assert_eq!(route("server/discover", Side::Client, V2025_11_25), None);
    assert_eq!(route("tasks/result", Side::Server, V2025_11_25), Some(Route::Task));
    assert_eq!(route("sampling/createMessage", Side::Server, V2026_07_28), None);
    assert_eq!(named("sampling/createMessage").len(), 1);
    assert!(named("mgp/permission/await").is_empty() && named("").is_empty() && named("zzz").is_empty());
    assert_eq!(
        lookup("tasks/get", Side::Client, V2025_11_25).map(|row| row.server),
        Some(&["tasks"][..])
    );
}

#[test]
fn lists_agree_with_the_table() {
    for list in ListKind::ALL {
        let row = lookup(list.method(), Side::Client, Revision::LATEST).expect("a list method");
        assert_eq!(row.route, Route::Merge(list));
        assert_eq!(row.server, [list.capability()]);
        assert!(row.is_cacheable() && !row.may_ask());
        assert!(lookup(list.changed(), Side::Server, Revision::LATEST).is_some());
    }
    let cacheable: Vec<_> = METHODS.iter().filter(|row| row.is_cacheable()).map(|row| row.name).collect();
    assert_eq!(cacheable.len(), 6);
    let asking: Vec<_> = METHODS.iter().filter(|row| row.may_ask()).map(|row| row.name).collect();
    assert_eq!(asking, ["prompts/get", "resources/read", "tools/call"]);
}
