//! Generates the table of methods in ARCHITECTURE.md: rows and routes from `mcp::method::METHODS`, the last column from
//! a list here.

use std::fmt::Write;

use anyhow::bail;
use mcp::method::{ListKind, METHODS, MethodInfo, MethodKind, Route, Side};
use mcp::revision::Revision;

/// What happens when the other end is of the other era: method, sender, text. `=` means that it crosses as it is,
/// except for what every modern result carries.
#[rustfmt::skip]
const ACROSS: &[(&str, Side, &str)] = &[
    ("completion/complete", Side::Client, "="),
    ("elicitation/create", Side::Server, "modern client: inside `inputRequests`, the call parked; modern servers ask in results"),
    ("initialize", Side::Client, "modern clients send none; each side has its own handshake"),
    ("logging/setLevel", Side::Client, "modern server: the level goes into each request's `_meta`"),
    ("notifications/cancelled", Side::Client, "modern HTTP: closing the stream; the server is told in its era's way"),
    ("notifications/cancelled", Side::Server, "takes a question back, or ends a listen stream; not forwarded as such"),
    ("notifications/elicitation/complete", Side::Server, "dropped towards modern clients, which have no such message"),
    ("notifications/initialized", Side::Client, "modern: none"),
    ("notifications/message", Side::Server, "modern client: only on a request that asked for a level"),
    ("notifications/progress", Side::Client, "concerns a question; modern clients get none"),
    ("notifications/progress", Side::Server, "under the receiver's own token"),
    ("notifications/prompts/list_changed", Side::Server, "the gateway reads the list anew and tells whom it concerns"),
    ("notifications/resources/list_changed", Side::Server, "the same, for resources and templates"),
    ("notifications/resources/updated", Side::Server, "to subscribers of either era"),
    ("notifications/roots/list_changed", Side::Client, "modern servers have no such message"),
    ("notifications/subscriptions/acknowledged", Side::Server, "not forwarded; the gateway acknowledges its own streams"),
    ("notifications/tasks", Side::Server, "legacy client: `notifications/tasks/status`"),
    ("notifications/tasks/status", Side::Client, "dropped"),
    ("notifications/tasks/status", Side::Server, "modern client: `notifications/tasks`, to streams that listen to the task"),
    ("notifications/tools/list_changed", Side::Server, "as for prompts"),
    ("ping", Side::Client, "modern: none"),
    ("ping", Side::Server, "modern: none"),
    ("prompts/get", Side::Client, "as for tools"),
    ("prompts/list", Side::Client, "in the words of the client's revision; `ttlMs`, `cacheScope` for modern clients"),
    ("resources/list", Side::Client, "the same"),
    ("resources/read", Side::Client, "as for tools"),
    ("resources/subscribe", Side::Client, "modern server: a URI in the gateway's own `subscriptions/listen`"),
    ("resources/templates/list", Side::Client, "as for prompts"),
    ("resources/unsubscribe", Side::Client, "the URI is taken out of that stream"),
    ("roots/list", Side::Server, "as for elicitation"),
    ("sampling/createMessage", Side::Server, "as for elicitation"),
    ("server/discover", Side::Client, "legacy clients send none"),
    ("subscriptions/listen", Side::Client, "legacy server: `resources/subscribe` for each URI; list changes are there anyway"),
    ("tasks/cancel", Side::Client, "acknowledged in the client's shape"),
    ("tasks/cancel", Side::Server, "only between legacy ends"),
    ("tasks/get", Side::Client, "status, questions and result in the client's shape"),
    ("tasks/get", Side::Server, "only between legacy ends"),
    ("tasks/list", Side::Client, "modern servers list no tasks"),
    ("tasks/list", Side::Server, "only between legacy ends"),
    ("tasks/result", Side::Client, "modern server: polled with `tasks/get` until it is over, questions put to the client meanwhile"),
    ("tasks/result", Side::Server, "only between legacy ends"),
    ("tasks/update", Side::Client, "legacy server: the answers to its questions"),
    ("tools/call", Side::Client, "`input_required` and back; results lose only what the client's revision refuses"),
    ("tools/list", Side::Client, "as for prompts"),
];

/// Returns the table, in Markdown.
pub(crate) fn table() -> anyhow::Result<String> {
    let mut rows: Vec<Vec<&MethodInfo>> = Vec::new();
    for info in METHODS {
        match rows.iter_mut().find(|row| row[0].name == info.name && row[0].from == info.from) {
            Some(row) => row.push(info),
            None => rows.push(vec![info]),
        }
    }
    if let Some((name, from, _)) = ACROSS
        .iter()
        .find(|(name, from, _)| !rows.iter().any(|row| is(row[0], name, *from)))
    {
        bail!(
            "`{name}` from the {} is not in `mcp::method::METHODS` any more: take it out of xtask/src/codegen/methods.rs",
            side(*from)
        );
    }
    let mut out = "| method | from | revisions | answered by | policy is asked | across the eras |\n|---|---|---|---|---|---|\n".to_owned();
    for row in &rows {
        let info = row[0];
        let Some((_, _, across)) = ACROSS.iter().find(|(name, from, _)| is(info, name, *from)) else {
            bail!(
                "`{}` from the {} is new: say in xtask/src/codegen/methods.rs what happens to it across the eras",
                info.name,
                side(info.from)
            );
        };
        writeln!(
            out,
            "| `{}` | {} | {} | {} | {} | {across} |",
            info.name,
            side(info.from),
            revisions(row),
            answered_by(info),
            policy(info),
        )?;
    }
    Ok(out)
}

fn is(info: &MethodInfo, name: &str, from: Side) -> bool {
    info.name == name && info.from == from
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Client => "client",
        Side::Server => "server",
    }
}

/// Returns a range if the rows follow each other, else several revisions.
fn revisions(rows: &[&MethodInfo]) -> String {
    let first = rows.iter().map(|row| row.first).min().unwrap_or(Revision::LATEST);
    let last = rows.iter().map(|row| row.last).max().unwrap_or(Revision::LATEST);
    match (first, last) {
        (Revision::V2024_11_05, Revision::V2026_07_28) => "all".to_owned(),
        _ if first == last => first.as_str().to_owned(),
        (Revision::V2024_11_05, _) => format!("to {}", last.as_str()),
        (_, Revision::V2026_07_28) => format!("from {}", first.as_str()),
        _ => format!("{} to {}", first.as_str(), last.as_str()),
    }
}

fn answered_by(info: &MethodInfo) -> &'static str {
    match (info.kind, info.from, info.route) {
        (MethodKind::Notification, ..) => "–",
        (_, _, Route::Gateway) => "gateway",
        (_, _, Route::Merge(_)) => "gateway, all lists as one",
        (_, Side::Server, _) => "client",
        (_, _, Route::Name(ListKind::Tools)) => "server, by tool name",
        (_, _, Route::Name(_)) => "server, by prompt name",
        (_, _, Route::Uri) => "server, by URI",
        (_, _, Route::Reference) => "server, by `ref`",
        (_, _, Route::Listen) => "gateway holds the stream",
        (_, _, Route::Task) => "server, by task",
        (_, _, Route::TaskList) => "gateway, all servers",
        (_, _, Route::Reverse | Route::Session) => "client",
    }
}

/// Returns the `policy::Action` of a method; the gateway's own traffic needs none.
fn policy(info: &MethodInfo) -> &'static str {
    match (info.kind, info.from, info.route) {
        (MethodKind::Notification, Side::Client, _) if info.name == "notifications/roots/list_changed" => "`Notify`",
        (MethodKind::Notification, ..) => "–",
        (_, Side::Server, Route::Gateway) => "–",
        (_, Side::Server, _) => "`Ask`",
        (_, _, Route::Gateway) if info.name == "logging/setLevel" => "`SetLogLevel`",
        (_, _, Route::Gateway | Route::Merge(_) | Route::Session | Route::Reverse) => "–",
        (_, _, Route::Name(ListKind::Tools)) => "`CallTool`",
        (_, _, Route::Name(_)) => "`GetPrompt`",
        (_, _, Route::Uri) if info.name == "resources/read" => "`ReadResource`",
        (_, _, Route::Uri) => "`Subscribe`",
        (_, _, Route::Listen) => "`Subscribe`, each URI",
        (_, _, Route::Reference) => "`Complete`",
        (_, _, Route::Task) => "`UseTask`",
        (_, _, Route::TaskList) => "`UseTask`, each server",
    }
}

#[cfg(test)]
mod tests {
    use super::{ACROSS, METHODS, table};

    #[test]
    fn every_method_has_a_row() {
        let table = table().expect("a table");
        for info in METHODS {
            assert!(table.contains(&format!("| `{}` |", info.name)), "{}", info.name);
        }
        assert_eq!(table.lines().count(), ACROSS.len() + 2);
    }

    #[test]
    fn rows_of_one_method_are_one() {
        let table = table().expect("a table");
        assert!(table.contains("| `completion/complete` | client | all |"), "{table}");
        assert!(table.contains("| `tasks/result` | client | 2025-11-25 |"), "{table}");
        assert!(
            table.contains("| `tools/call` | client | all | server, by tool name | `CallTool` |"),
            "{table}"
        );
    }
}
