//! Which server has a resource: by its exact entry, then by the one matching template (DESIGN 4).

use mcp::method::ListKind;
use model::ServerId;

use crate::index::Key;
use crate::roster::Roster;

/// Where something is, as far as the catalogue knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located<'a> {
    /// With this server.
    One(&'a ServerId),
    /// With any of these, in the order of the configuration: who read it last decides, else the error names them.
    Many(Vec<&'a ServerId>),
    /// Nobody listed it.
    None,
}

/// Steps that the templates of one server may take to match one URI: under a millisecond, and two thousand usual templates.
const BUDGET: usize = 1 << 18;

/// The servers that may have a resource. URIs are never rewritten, so two servers may have the same.
pub(crate) fn resource<'a>(roster: &'a Roster, uri: &str) -> Located<'a> {
    match listed(roster, ListKind::Resources, uri) {
        Located::None => matching(roster, uri),
        found => found,
    }
}

/// The servers that may have a template; a resource may be named instead (2025-11-25 server/utilities/completion).
pub(crate) fn template<'a>(roster: &'a Roster, uri_template: &str) -> Located<'a> {
    match listed(roster, ListKind::ResourceTemplates, uri_template) {
        Located::None => resource(roster, uri_template),
        found => found,
    }
}

fn listed<'a>(roster: &'a Roster, kind: ListKind, text: &str) -> Located<'a> {
    let holders = roster.holders(Key::listed(kind, text));
    let holders = holders.filter(|(holder, part)| part.item(kind, holder.row as usize).key == text);
    let mut places: Vec<usize> = holders.map(|(holder, _)| roster.place(holder.slot)).collect();
    places.sort_unstable();
    located(roster, &places)
}

fn matching<'a>(roster: &'a Roster, uri: &str) -> Located<'a> {
    let matching = roster.seats().iter().enumerate().filter(|(_, seat)| {
        let mut budget = BUDGET;
        seat.part.patterns.iter().any(|pattern| pattern.matches(uri, &mut budget))
    });
    let places: Vec<usize> = matching.map(|(place, _)| place).collect();
    located(roster, &places)
}

fn located<'a>(roster: &'a Roster, places: &[usize]) -> Located<'a> {
    let server = |place: &usize| &roster.seats()[*place].part.offer.server;
    match places {
        [] => Located::None,
        [only] => Located::One(server(only)),
        several => Located::Many(several.iter().map(server).collect()),
    }
}
