//! How tools and prompts come to their names on the wire (DESIGN 3).
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
use crate::roster::{Difference, Roster};
use crate::shown::{Shown, Wire};

/// The only one that has a name, if there is one.
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

    /// The one, unless the name is kept for the gateway's own tools.
    pub(crate) fn unreserved(self) -> Option<Holder> {
        match self {
            Self::One(holder, named) => (!named.is_reserved).then_some(holder),
            Self::None | Self::Several => None,
        }
    }
}

/// What a holder of a name is.
pub(crate) fn row(kind: ListKind, part: &Part, holder: Holder) -> (&Named, &Item) {
    let row = holder.row as usize;
    (&part.named(kind)[row], part.item(kind, row))
}

/// Whether a holder would be listed under that name without its server's.
pub(crate) fn claims_bare(kind: ListKind, part: &Part, holder: Holder, name: &str) -> bool {
    let (named, item) = row(kind, part, holder);
    !part.offer.prefix && named.bare(item) == name
}

/// The next version of the names in the making.
pub(crate) struct Naming<'a> {
    kind: ListKind,
    roster: &'a Roster,
    marks: &'a Marks,
    /// Per slot what is shown of the parts that were there before.
    shown: &'a [Option<Arc<Shown>>],
    /// Per slot whether its part was not there before.
    is_new: Vec<bool>,
    /// Per slot the names, where they are others than before.
    wires: HashMap<u32, Vec<Wire>>,
}

impl<'a> Naming<'a> {
    /// What is new is listed under its qualified names until it is settled.
    pub(crate) fn new(kind: ListKind, roster: &'a Roster, marks: &'a Marks, shown: &'a [Option<Arc<Shown>>], added: &[u32]) -> Self {
        let mut is_new = vec![false; roster.slots()];
        let mut wires = HashMap::new();
        for slot in added {
            is_new[*slot as usize] = true;
            wires.insert(*slot, vec![Wire::Qualified; roster.part(*slot).named(kind).len()]);
        }
        Self {
            kind,
            roster,
            marks,
            shown,
            is_new,
            wires,
        }
    }

    /// Settles every name that could have changed hands, and says per slot which names are others than before. `before` are the marks of the earlier
    /// version.
    pub(crate) fn settled(mut self, difference: &Difference, before: &Marks) -> HashMap<u32, Vec<Wire>> {
        for removed in &difference.removed {
            self.settle_part(&removed.part, None);
        }
        let roster = self.roster;
        for slot in &difference.added {
            self.settle_part(roster.part(*slot), Some(*slot));
        }
        let is_there = |holder: &Holder| !difference.is_whole && difference.removed.iter().all(|seat| seat.slot != holder.slot);
        let before = before.iter().filter(|(holder, _)| is_there(holder));
        for (holder, mark) in before.chain(self.marks.iter()) {
            self.settle_marked(holder, mark);
        }
        self.wires
    }

    fn settle_part(&mut self, part: &Part, slot: Option<u32>) {
        for (row, named) in (0..).zip(part.named(self.kind)) {
            let own = slot.map(|slot| Holder { slot, row });
            let bare = named.bare(part.item(self.kind, row as usize));
            if !part.offer.prefix && !self.is_left_to_another(bare, named.bare_key(), own) {
                self.settle(bare, named.bare_key());
            }
            self.settle(&named.qualified, named.qualified_key);
        }
    }

    /// Of the new ones that would have a name, the first sees to it.
    fn is_left_to_another(&self, name: &str, key: Key, own: Option<Holder>) -> bool {
        let is_new = |(holder, part): &(Holder, &Part)| self.is_new[holder.slot as usize] && claims_bare(self.kind, part, *holder, name);
        let first = self.roster.holders(key).find(is_new);
        first.is_some_and(|(first, _)| own != Some(first))
    }

    /// Marks are few: whatever one of them could have changed is settled again.
    fn settle_marked(&mut self, holder: Holder, mark: &str) {
        let part = self.roster.part(holder.slot);
        let (named, item) = row(self.kind, part, holder);
        self.put(holder, self.qualified(holder));
        for (name, key) in [
            (named.bare(item), named.bare_key()),
            (&named.qualified, named.qualified_key),
            (mark, Key::listed(self.kind, mark)),
        ] {
            self.settle(name, key);
        }
    }

    /// A name is listed bare where only one server would have it so, and where it is not another's qualified name: that is always callable, and must
    /// not mean this one.
    fn settle(&mut self, name: &str, key: Key) {
        let (mut sole, mut taken) = (Sole::None, self.marks.owner(name));
        for (holder, part) in self.roster.holders(key) {
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
        let roster = self.roster;
        for (holder, part) in roster.holders(key) {
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
