//! Names on the wire, and back to who is meant by them (DESIGN 3).

use std::sync::Arc;

use mcp::method::ListKind;
use model::{ServerId, ToolId};

use crate::Item;
use crate::index::{Holder, Key};
use crate::marks::Marks;
use crate::naming::{Naming, Sole, claims_bare, row};
use crate::part::Part;
use crate::roster::{Difference, Roster, Seat};
use crate::shown::Shown;

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

/// The names of all tools, or of all prompts, of a view.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    kind: ListKind,
    /// Per slot of the roster.
    shown: Vec<Option<Arc<Shown>>>,
    marks: Arc<Marks>,
}

impl Names {
    pub(crate) fn new(kind: ListKind) -> Self {
        Self {
            kind,
            shown: Vec::new(),
            marks: Arc::default(),
        }
    }

    /// What a part with that slot is shown as.
    pub(crate) fn shown(&self, slot: u32) -> Option<&Arc<Shown>> {
        self.shown.get(slot as usize)?.as_ref()
    }

    /// All of one part, in its server's order.
    pub(crate) fn targets<'a>(&'a self, seat: &'a Seat) -> impl Iterator<Item = Target<'a>> {
        let rows = 0..seat.part.named(self.kind).len();
        rows.filter_map(|row| self.target(&seat.part, seat.slot, row))
    }

    fn target<'a>(&'a self, part: &'a Part, slot: u32, row: usize) -> Option<Target<'a>> {
        Some(Target {
            server: &part.offer.server,
            item: part.item(self.kind, row),
            wire: self.shown(slot)?.wire(part, self.kind, row),
        })
    }

    /// What a name stands for: as the list has it; by `server__name`, which is always callable; or as the server itself calls it, where no other
    /// server has that name, also of a server that lists qualified names, or where the list has to spell it otherwise.
    pub(crate) fn find<'a>(&'a self, roster: &'a Roster, name: &str) -> Option<Target<'a>> {
        let found = self.marks.owner(name).or_else(|| self.holder(roster, name))?;
        self.target(roster.part(found.slot), found.slot, found.row as usize)
    }

    fn holder(&self, roster: &Roster, name: &str) -> Option<Holder> {
        let (mut bare, mut own) = (Sole::None, Sole::None);
        for (holder, part) in roster.holders(Key::listed(self.kind, name)) {
            let (named, item) = row(self.kind, part, holder);
            if *named.qualified == *name && self.marks.name(holder).is_none() {
                return Some(holder);
            }
            if claims_bare(self.kind, part, holder, name) {
                bare.add(holder, named);
            }
            if item.key == name {
                own.add(holder, named);
            }
        }
        bare.unreserved().or_else(|| own.unreserved())
    }

    /// The names in the next version of a roster. `known` are names by which parts are shown elsewhere, with the rosters that they belong to.
    pub(crate) fn updated(&self, roster: &Roster, difference: &Difference, known: &[(&Roster, &Self)]) -> Self {
        let marks = self.marks.updated(self.kind, roster, difference);
        let mut shown = if difference.is_whole { Vec::new() } else { self.shown.clone() };
        shown.resize(roster.slots(), None);
        for removed in &difference.removed {
            shown[removed.slot as usize] = None;
        }
        let naming = Naming::new(self.kind, roster, &marks, &shown, &difference.added);
        let wires = naming.settled(difference, &self.marks);
        for (slot, wires) in wires {
            let elsewhere = |(roster_there, names): &(&Roster, &Self)| names.shown(roster_there.slot(roster.part(slot))?).cloned();
            let found = known.iter().filter_map(elsewhere).find(|shown| *shown.wires() == wires[..]);
            shown[slot as usize] = Some(found.unwrap_or_else(|| Arc::new(Shown::new(wires))));
        }
        Self {
            kind: self.kind,
            shown,
            marks: Arc::new(marks),
        }
    }
}
