//! Writes facts as text: in the syntax of a program, one a line.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Returns every fact of every predicate.
pub(super) fn all(facts: &BTreeMap<String, Vec<Vec<String>>>) -> String {
    let mut out = String::new();
    for (label, rows) in facts {
        for row in rows {
            // Writing to a string does not fail.
            let _infallible = writeln!(out, "{}.", text(label, row));
        }
    }
    out
}

/// Returns one fact of the predicate that `label`, `name/arity`, names; the bounds of a temporal fact follow its
/// arguments.
pub(super) fn text(label: &str, row: &[String]) -> String {
    let (name, arity) = label.rsplit_once('/').unwrap_or((label, "0"));
    let (args, time) = row.split_at(arity.parse().unwrap_or(0).min(row.len()));
    let time = match time {
        [] => String::new(),
        [start, end] if start == end && start != "_" => format!("@[{start}]"),
        time => format!("@[{}]", time.join(", ")),
    };
    format!("{name}({}){time}", args.join(", "))
}
