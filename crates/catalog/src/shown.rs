//! The tools or prompts of one part, with the names that they have in a view.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use jsonrpc::Raw;
use mcp::adapt;
use mcp::method::ListKind;
use mcp::revision::Revision;

use crate::part::Part;

/// The name of one tool or prompt on the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    /// Its own name, made to fit, which no other server has.
    Bare,
    /// The qualified name `server__name`.
    Qualified,
    /// The qualified name with a mark, because without it the name would equal another one.
    Marked(Box<str>),
}

/// The rows whose definitions are shown in changed bytes, and these bytes.
type Altered = Box<[(usize, Raw)]>;

/// One list of a part as a view shows it. Views in which the part has equal names share it, with the definitions that were edited for it.
#[derive(Debug)]
pub(crate) struct Shown {
    /// The names by row.
    wires: Box<[Wire]>,
    /// The altered rows by revision of clients.
    altered: [OnceLock<Altered>; Revision::ALL.len()],
    digest: OnceLock<u64>,
}

impl Shown {
    pub(crate) fn new(wires: Vec<Wire>) -> Self {
        Self {
            wires: wires.into(),
            altered: Default::default(),
            digest: OnceLock::new(),
        }
    }

    pub(crate) fn wires(&self) -> &[Wire] {
        &self.wires
    }

    /// Returns the name on the wire of the tool or prompt in a row.
    pub(crate) fn wire<'a>(&'a self, part: &'a Part, kind: ListKind, row: usize) -> &'a str {
        let named = &part.named(kind)[row];
        match &self.wires[row] {
            Wire::Bare => named.bare(part.item(kind, row)),
            Wire::Qualified => &named.qualified,
            Wire::Marked(marked) => marked,
        }
    }

    /// Returns a definition in the form for a client of revision `to`.
    pub(crate) fn definition<'a>(&'a self, part: &'a Part, kind: ListKind, row: usize, to: Revision) -> &'a Raw {
        let altered = self.altered[to as usize].get_or_init(|| self.alter(part, kind, to));
        match altered.binary_search_by_key(&row, |(row, _)| *row) {
            Ok(found) => &altered[found].1,
            Err(_) => &part.item(kind, row).raw,
        }
    }

    fn alter(&self, part: &Part, kind: ListKind, to: Revision) -> Altered {
        let alter = |row: usize| {
            let item = part.item(kind, row);
            let wire = self.wire(part, kind, row);
            let named = (wire != item.key).then(|| item.raw.edit().set(&[kind.item_key()], &Raw::string(wire)).finish());
            if kind != ListKind::Tools {
                return named;
            }
            let adapted = adapt::tool(named.as_ref().unwrap_or(&item.raw), part.offer.revision, to);
            let is_as_it_came = adapted.bytes().as_ptr() == item.raw.bytes().as_ptr();
            (!is_as_it_came).then_some(adapted)
        };
        (0..self.wires.len()).filter_map(|row| Some((row, alter(row)?))).collect()
    }

    /// Returns a hash of all names, own and on the wire, in their order.
    pub(crate) fn digest(&self, part: &Part, kind: ListKind) -> u64 {
        *self.digest.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            for row in 0..self.wires.len() {
                (&part.item(kind, row).key, self.wire(part, kind, row)).hash(&mut hasher);
            }
            hasher.finish()
        })
    }
}
