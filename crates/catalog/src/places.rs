//! Finds the server that has a resource: by its exact entry, then by the one matching template (DESIGN 4).

use mcp::method::ListKind;
use model::ServerId;

use crate::index::Key;
use crate::parts::Parts;

/// The server or servers that may have a resource, as far as the catalogue knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located<'a> {
    /// One server has it.
    One(&'a ServerId),
    /// Several servers may have it, in the order of the configuration: the last one from which it was read decides, else the error names them.
    Many(Vec<&'a ServerId>),
    /// No server is known to have it.
    None,
}

/// The number of steps that the templates of one server may take to match one URI: under a millisecond, and two
/// thousand usual templates.
const BUDGET: usize = 1 << 18;

/// Returns the servers that may have a resource. URIs are never rewritten, so two servers may have one URI.
pub(crate) fn resource<'a>(parts: &'a Parts, uri: &str) -> Located<'a> {
    match listed(parts, ListKind::Resources, uri) {
        Located::None => matching(parts, uri),
        found => found,
    }
}

/// Returns the servers that may have a template; the request may name a resource instead (2025-11-25 server/utilities/completion).
pub(crate) fn template<'a>(parts: &'a Parts, uri_template: &str) -> Located<'a> {
    match listed(parts, ListKind::ResourceTemplates, uri_template) {
        Located::None => resource(parts, uri_template),
        found => found,
    }
}

fn listed<'a>(parts: &'a Parts, kind: ListKind, text: &str) -> Located<'a> {
    let holders = parts.holders(Key::listed(kind, text));
    let holders = holders.filter(|(holder, part)| part.item(kind, holder.row as usize).key == text);
    let mut positions: Vec<usize> = holders.map(|(holder, _)| parts.position(holder.slot)).collect();
    positions.sort_unstable();
    located(parts, &positions)
}

fn matching<'a>(parts: &'a Parts, uri: &str) -> Located<'a> {
    let matching = parts.entries().iter().enumerate().filter(|(_, entry)| {
        let mut budget = BUDGET;
        entry.part.patterns.iter().any(|pattern| pattern.matches(uri, &mut budget))
    });
    let positions: Vec<usize> = matching.map(|(position, _)| position).collect();
    located(parts, &positions)
}

fn located<'a>(parts: &'a Parts, positions: &[usize]) -> Located<'a> {
    let server = |position: &usize| &parts.entries()[*position].part.offer.server;
    match positions {
        [] => Located::None,
        [only] => Located::One(server(only)),
        several => Located::Many(several.iter().map(server).collect()),
    }
}
