//! Assigns names on the wire to tools and prompts (DESIGN 3).
//!
//! Law: the names depend on the offers, not on the order in which they came; no two are equal; each is at most 64 of `A-Z a-z 0-9 _ - .`; and a
//! server that shares no name with the others changes none of theirs.

use std::collections::HashMap;
use std::sync::Arc;

use mcp::method::ListKind;

use crate::Item;
use crate::index::{Holder, Key};
use crate::marks::Marks;
use crate::part::{Named, Part};
use crate::parts::{Difference, Parts};
use crate::shown::{Shown, Wire};

/// The search for the only holder of a name.
#[derive(Clone, Copy)]
pub(crate) enum Sole<'a> {
    None,
    One(Holder, &'a Named),
    Several,
}

impl<'a> Sole<'a> {
    pub(crate) fn add(&mut self, holder: Holder, named: &'a Named) {
        *self = match self {
            Self::None => Self::One(holder, named),
            Self::One(..) | Self::Several => Self::Several,
        };
    }

    /// Returns the only holder, unless the name is reserved for the gateway's own tools.
    pub(crate) fn unreserved(self) -> Option<Holder> {
        match self {
            Self::One(holder, named) => (!named.is_reserved).then_some(holder),
            Self::None | Self::Several => None,
        }
    }
}

/// Returns the tool or prompt in a row, and its definition.
pub(crate) fn row(kind: ListKind, part: &Part, holder: Holder) -> (&Named, &Item) {
    let row = holder.row as usize;
    (&part.named(kind)[row], part.item(kind, row))
}

/// Returns whether a tool or prompt would be listed under that name if it were the only one.
pub(crate) fn claims_bare(kind: ListKind, part: &Part, holder: Holder, name: &str) -> bool {
    let (named, item) = row(kind, part, holder);
    !part.offer.prefix && named.bare(item) == name
}

/// Decides the names of the next version of the parts, for those rows whose name could have changed.
pub(crate) struct Naming<'a> {
    kind: ListKind,
    parts: &'a Parts,
    marks: &'a Marks,
    /// The earlier shown lists, by slot.
    shown: &'a [Option<Arc<Shown>>],
    /// Whether the part in each slot is new.
    is_new: Vec<bool>,
    /// The names by slot, where they differ from those in `shown`.
    wires: HashMap<u32, Vec<Wire>>,
}

impl<'a> Naming<'a> {
    /// Begins with the qualified names, for the parts that are new.
    pub(crate) fn new(kind: ListKind, parts: &'a Parts, marks: &'a Marks, shown: &'a [Option<Arc<Shown>>], added: &[u32]) -> Self {
        let mut naming = Self {
            kind,
            parts,
            marks,
            shown,
            is_new: vec![false; parts.slots()],
            wires: HashMap::new(),
        };
        for slot in added {
            let rows = (0..).take(parts.part(*slot).named(kind).len());
            let wires = rows.map(|row| naming.qualified(Holder { slot: *slot, row })).collect();
            naming.wires.insert(*slot, wires);
            naming.is_new[*slot as usize] = true;
        }
        naming
    }

    /// Decides every name whose holder could have changed: those of added and removed parts, and those around the marks of this version and the
    /// earlier one. Returns the names by slot, for slots where any differs.
    pub(crate) fn decided(mut self, difference: &Difference, before: &Marks) -> HashMap<u32, Vec<Wire>> {
        for removed in &difference.removed {
            self.decide_part(&removed.part, None);
        }
        let parts = self.parts;
        for slot in &difference.added {
            self.decide_part(parts.part(*slot), Some(*slot));
        }
        if difference.is_whole {
            return self.wires;
        }
        for (holder, mark) in before.iter().chain(self.marks.iter()) {
            self.decide(mark, Key::listed(self.kind, mark));
            if difference.removed.iter().all(|removed| removed.slot != holder.slot) {
                self.decide_row(holder);
            }
        }
        self.wires
    }

    /// Decides the names that the rows of a part have or had. `slot` is that of a new part, `None` for a removed one.
    fn decide_part(&mut self, part: &Part, slot: Option<u32>) {
        for (row, named) in (0..).zip(part.named(self.kind)) {
            let own = slot.map(|slot| Holder { slot, row });
            let bare = named.bare(part.item(self.kind, row as usize));
            if !part.offer.prefix && !self.is_left_to_another(bare, named.bare_key(), own) {
                self.decide(bare, named.bare_key());
            }
            self.decide(&named.qualified, named.qualified_key);
        }
    }

    /// Returns whether another row decides this name: of all new rows that claim it, the first one does.
    fn is_left_to_another(&self, name: &str, key: Key, own: Option<Holder>) -> bool {
        let is_new = |(holder, part): &(Holder, &Part)| self.is_new[holder.slot as usize] && claims_bare(self.kind, part, *holder, name);
        let first = self.parts.holders(key).find(is_new);
        first.is_some_and(|(first, _)| own != Some(first))
    }

    /// Decides both names of one row.
    fn decide_row(&mut self, holder: Holder) {
        let (named, item) = row(self.kind, self.parts.part(holder.slot), holder);
        if *self.wire(holder) != Wire::Bare {
            self.put(holder, self.qualified(holder));
        }
        self.decide(named.bare(item), named.bare_key());
        self.decide(&named.qualified, named.qualified_key);
    }

    /// Decides which row is listed under a name without its server's: the only one that claims the name, unless it is the qualified name of another row,
    /// because qualified names can always be called. Where two rows that were there before claim the name, neither had it, and nothing changes.
    fn decide(&mut self, name: &str, key: Key) {
        let (mut sole, mut taken, mut old) = (Sole::None, self.marks.owner(name), 0);
        for (holder, part) in self.parts.holders(key) {
            let (named, _) = row(self.kind, part, holder);
            if claims_bare(self.kind, part, holder, name) {
                sole.add(holder, named);
                old += usize::from(!self.is_new[holder.slot as usize]);
            }
            if old > 1 {
                return;
            }
            if *named.qualified == *name && self.marks.name(holder).is_none() {
                taken = taken.or(Some(holder));
            }
        }
        if matches!(sole, Sole::None) {
            return;
        }
        let bare = sole.unreserved().filter(|holder| taken.is_none_or(|owner| owner == *holder));
        let parts = self.parts;
        for (holder, part) in parts.holders(key) {
            if claims_bare(self.kind, part, holder, name) {
                let wire = if bare == Some(holder) { Wire::Bare } else { self.qualified(holder) };
                self.put(holder, wire);
            }
        }
    }

    fn qualified(&self, holder: Holder) -> Wire {
        self.marks.name(holder).map_or(Wire::Qualified, |name| Wire::Marked(name.into()))
    }

    /// Returns the name of a row, as far as it is decided.
    fn wire(&self, holder: Holder) -> &Wire {
        let before = || self.shown[holder.slot as usize].as_ref().map_or(&[][..], |shown| shown.wires());
        let wires = self.wires.get(&holder.slot).map_or_else(before, Vec::as_slice);
        &wires[holder.row as usize]
    }

    fn put(&mut self, holder: Holder, wire: Wire) {
        if *self.wire(holder) != wire {
            let shown = &self.shown[holder.slot as usize];
            let before = || shown.as_ref().map_or_else(Vec::new, |shown| shown.wires().to_vec());
            self.wires.entry(holder.slot).or_insert_with(before)[holder.row as usize] = wire;
        }
    }
}
