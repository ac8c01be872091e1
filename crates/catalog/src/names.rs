//! Names on the wire, and back to who is meant by them (DESIGN 3).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use mcp::method::ListKind;
use mcp::name::{self, Offered};
use model::{ServerId, ToolId};

use crate::listing::Row;
use crate::{Item, Offer};

/// What a name on the wire stands for.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The server that offers it.
    pub server: &'a ServerId,
    /// Its definition, with the name that the server itself knows.
    pub item: &'a Item,
    /// The name under which it is listed; the one that was asked for may be another of its names.
    pub wire: &'a str,
}

impl Target<'_> {
    /// The server's own name for it, where the client `asked` by another: what has to be spliced into the request.
    #[must_use]
    pub fn rename(&self, asked: &str) -> Option<Arc<str>> {
        (self.item.key != asked).then(|| self.item.key.as_str().into())
    }

    /// Server and own name: what policy, logs and the CLI call it.
    #[must_use]
    pub fn id(&self) -> ToolId {
        ToolId {
            server: self.server.clone(),
            name: self.item.key.as_str().into(),
        }
    }
}

/// Every name that can be asked for, and the row it stands for.
#[derive(Debug, Default)]
pub(crate) struct Names {
    index: HashMap<Box<str>, usize>,
}

impl Names {
    /// Gives the tools or prompts of all offers their names on the wire. Where a server lists a name twice, the first definition counts and the other
    /// is not shown: nobody could say which of the two a call means.
    pub(crate) fn build(offers: &[Arc<Offer>], kind: ListKind) -> (Self, Vec<Row>) {
        let rows: Vec<(usize, usize)> = offers
            .iter()
            .enumerate()
            .flat_map(|(o, offer)| distinct(offer, kind).map(move |i| (o, i)))
            .collect();
        let item = |&(o, i): &(usize, usize)| (&*offers[o], offers[o].list(kind).items[i].key.as_str());
        let offered: Vec<Offered<'_>> = rows
            .iter()
            .map(|row| {
                let (offer, name) = item(row);
                Offered {
                    server: &offer.server,
                    name,
                    force_prefix: offer.prefix,
                }
            })
            .collect();
        let wires = name::wire_names(&offered, &|_| false);
        let mut index = HashMap::with_capacity(rows.len() * 2);
        for (row, wire) in wires.iter().enumerate() {
            index.entry(wire.as_str().into()).or_insert(row);
        }
        for (alias, row) in aliases(&offered) {
            index.entry(alias).or_insert(row);
        }
        let rows = rows.iter().zip(wires).map(|(row, wire)| {
            let wire = (wire != item(row).1).then(|| wire.into());
            Row {
                offer: row.0,
                item: row.1,
                wire,
            }
        });
        (Self { index }, rows.collect())
    }

    /// The row that a name stands for.
    pub(crate) fn row(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }
}

/// The definitions of a server whose name no earlier one has.
fn distinct(offer: &Offer, kind: ListKind) -> impl Iterator<Item = usize> {
    let mut seen = HashSet::new();
    offer
        .list(kind)
        .items
        .iter()
        .enumerate()
        .filter(move |(_, item)| seen.insert(item.key.as_str()))
        .map(|(i, _)| i)
}

/// What can be called beside the listed names: the qualified name always, the server's own name where no other server has it. A name that would
/// stand for two is nobody's.
fn aliases(offered: &[Offered<'_>]) -> impl Iterator<Item = (Box<str>, usize)> {
    let mut aliases: HashMap<Box<str>, Option<usize>> = HashMap::with_capacity(offered.len() * 2);
    for (row, one) in offered.iter().enumerate() {
        for alias in [name::qualified(one.server, one.name).into(), Box::from(one.name)] {
            let holder = aliases.entry(alias).or_insert(Some(row));
            *holder = holder.filter(|holder| *holder == row);
        }
    }
    aliases.into_iter().filter_map(|(alias, row)| Some((alias, row?)))
}
