//! Names on the wire, and back to who is meant by them (DESIGN 3).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use mcp::method::ListKind;
use mcp::name::{self, Offered};
use model::{ServerId, ToolId};

use crate::listing::Row;
use crate::{Item, Offer};

/// The server that the gateway's own tools belong to.
pub const KERNEL: &str = "kernel";
/// How the names of the gateway's own tools begin, dotted and underscored.
const RESERVED: [&str; 2] = ["mgp.", "mgp_"];

/// What a name on the wire stands for.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The server that offers it.
    pub server: &'a ServerId,
    /// Its definition, with the name that the server itself knows.
    pub item: &'a Item,
    /// The name under which it is listed. What was asked for may be another of its names: a request is renamed where that differs from the item's key.
    pub wire: &'a str,
}

impl Target<'_> {
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
    /// Listed and qualified names.
    wire: name::Names,
    /// Servers' own names that are neither, where no other server has them.
    own: HashMap<Box<str>, usize>,
}

impl Names {
    /// Gives the tools or prompts of all offers their names on the wire. Where a server lists a name twice, the first definition counts and the other
    /// is not shown: nobody could say which of the two a call means.
    pub(crate) fn build(offers: &[Arc<Offer>], kind: ListKind) -> (Self, Vec<Row>) {
        let mut rows: Vec<Row> = offers.iter().enumerate().flat_map(|(o, offer)| distinct(o, offer, kind)).collect();
        let offered = |row: &Row| {
            let (offer, item) = (&offers[row.offer], row.item(offers, kind));
            Offered {
                server: &offer.server,
                name: &item.key,
                force_prefix: offer.prefix,
            }
        };
        let offered: Vec<Offered<'_>> = rows.iter().map(offered).collect();
        let wire = name::Names::new(&offered, &is_the_kernel_s);
        let own = own_names(&offered, &wire);
        for (i, (row, offered)) in rows.iter_mut().zip(&offered).enumerate() {
            row.wire = wire.wire(i).filter(|wire| *wire != offered.name).map(Box::from);
        }
        (Self { wire, own }, rows)
    }

    /// The row that a name stands for.
    pub(crate) fn row(&self, name: &str) -> Option<usize> {
        self.wire.resolve(name).or_else(|| self.own.get(name).copied())
    }
}

/// DESIGN 3: whether a name belongs to the gateway's own tools, and somebody else has taken it.
fn is_the_kernel_s(offered: &Offered<'_>) -> bool {
    let is_reserved = RESERVED.iter().any(|prefix| offered.name.starts_with(prefix));
    is_reserved && offered.server.as_str() != KERNEL
}

/// The definitions of a server whose name no earlier one has.
fn distinct(o: usize, offer: &Offer, kind: ListKind) -> impl Iterator<Item = Row> {
    let mut seen = HashSet::new();
    let items = offer.list(kind).items.iter().enumerate();
    let first = items.filter(move |(_, item)| seen.insert(item.key.as_str()));
    first.map(move |(item, _)| Row {
        offer: o,
        item,
        wire: None,
    })
}

/// DESIGN 3: a bare name is callable wherever it is unique, also of a server that lists qualified names, or where the list has to spell it otherwise.
fn own_names(offered: &[Offered<'_>], wire: &name::Names) -> HashMap<Box<str>, usize> {
    let mut own: HashMap<&str, Option<usize>> = HashMap::new();
    for (row, one) in offered.iter().enumerate() {
        own.entry(one.name).and_modify(|holder| *holder = None).or_insert(Some(row));
    }
    let others = own.into_iter().filter(|(name, row)| {
        let is_taken = row.is_some_and(|row| is_the_kernel_s(&offered[row]));
        wire.resolve(name).is_none() && !is_taken
    });
    others.filter_map(|(name, row)| Some((name.into(), row?))).collect()
}
