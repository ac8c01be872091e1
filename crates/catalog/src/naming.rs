//! How tools and prompts get their names on the wire (DESIGN 3).
//!
//! Law: the names depend on what is offered, not on the order in which it came; no two are equal; each is at most 64 of `A-Z a-z 0-9 _ - .`; and a
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

/// The only holder of a name, if there is one.
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

    /// The only holder, unless the name is reserved for the gateway's own tools.
    pub(crate) fn unreserved(self) -> Option<Holder> {
        match self {
            Self::One(holder, named) => (!named.is_reserved).then_some(holder),
            Self::None | Self::Several => None,
        }
    }
}

/// The tool or prompt in a row, and its definition.
pub(crate) fn row(kind: ListKind, part: &Part, holder: Holder) -> (&Named, &Item) {
    let row = holder.row as usize;
    (&part.named(kind)[row], part.item(kind, row))
}

/// Whether a tool or prompt would be listed under that name, were it the only one.
pub(crate) fn claims_bare(kind: ListKind, part: &Part, holder: Holder, name: &str) -> bool {
    let (named, item) = row(kind, part, holder);
    !part.offer.prefix && named.bare(item) == name
}

/// Decides the names of the next version of the parts, for those rows whose name could have changed.
pub(crate) struct Naming<'a> {
    kind: ListKind,
    parts: &'a Parts,
    marks: &'a Marks,
    /// Per slot how a part is shown that was there before.
    shown: &'a [Option<Arc<Shown>>],
    /// Per slot whether its part is new.
    is_new: Vec<bool>,
    /// Per slot the names, where they differ from those in `shown`.
    wires: HashMap<u32, Vec<Wire>>,
}

impl<'a> Naming<'a> {
    /// Begins with the qualified names for the parts that are new.
    pub(crate) fn new(kind: ListKind, parts: &'a Parts, marks: &'a Marks, shown: &'a [Option<Arc<Shown>>], added: &[u32]) -> Self {
        let mut is_new = vec![false; parts.slots()];
        let mut wires = HashMap::new();
        for slot in added {
            is_new[*slot as usize] = true;
            wires.insert(*slot, vec![Wire::Qualified; parts.part(*slot).named(kind).len()]);
        }
        Self {
            kind,
            parts,
            marks,
            shown,
            is_new,
            wires,
        }
    }

    /// Decides every name that could have changed hands: those of the parts that came or went, and those around the marks of this version and of the
    /// one before. Returns the names per slot, for slots where any differs.
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

    /// Decides the names that the rows of a part have or had. `slot` is that of a part which is new, `None` for a part that went.
    fn decide_part(&mut self, part: &Part, slot: Option<u32>) {
        for (row, named) in (0..).zip(part.named(self.kind)) {
            let own = slot.map(|slot| Holder { slot, row });
            let bare = named.bare(part.item(self.kind, row as usize));
            if part.offer.prefix {
                own.into_iter().for_each(|own| self.put(own, self.qualified(own)));
            } else if !self.is_left_to_another(bare, named.bare_key(), own) {
                self.decide(bare, named.bare_key());
            }
            self.decide(&named.qualified, named.qualified_key);
        }
    }

    /// Whether another row decides this name: of all new rows that claim it, the first one does.
    fn is_left_to_another(&self, name: &str, key: Key, own: Option<Holder>) -> bool {
        let is_new = |(holder, part): &(Holder, &Part)| self.is_new[holder.slot as usize] && claims_bare(self.kind, part, *holder, name);
        let first = self.parts.holders(key).find(is_new);
        first.is_some_and(|(first, _)| own != Some(first))
    }

    /// Decides both names of one row.
    fn decide_row(&mut self, holder: Holder) {
        let part = self.parts.part(holder.slot);
        let (named, item) = row(self.kind, part, holder);
        match part.offer.prefix {
            true => self.put(holder, self.qualified(holder)),
            false => self.decide(named.bare(item), named.bare_key()),
        }
        self.decide(&named.qualified, named.qualified_key);
    }

    /// Decides which row is listed under a name without its server's: the only one that claims the name, unless it is the qualified name of another row,
    /// because qualified names can always be called.
    fn decide(&mut self, name: &str, key: Key) {
        let (mut sole, mut taken) = (Sole::None, self.marks.owner(name));
        for (holder, part) in self.parts.holders(key) {
            let (named, _) = row(self.kind, part, holder);
            if claims_bare(self.kind, part, holder, name) {
                sole.add(holder, named);
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

    fn put(&mut self, holder: Holder, wire: Wire) {
        let row = holder.row as usize;
        if let Some(wires) = self.wires.get_mut(&holder.slot) {
            wires[row] = wire;
            return;
        }
        let known = self.shown[holder.slot as usize].as_ref().map_or(&[][..], |shown| shown.wires());
        if known[row] != wire {
            let mut wires = known.to_vec();
            wires[row] = wire;
            self.wires.insert(holder.slot, wires);
        }
    }
}
