//! The names of a view on the wire, and the tools and prompts that they mean (DESIGN 3).

use std::sync::Arc;

use mcp::method::ListKind;
use model::{ServerId, ToolId};

use crate::Item;
use crate::index::{Holder, Key};
use crate::marks::Marks;
use crate::naming::{Naming, Sole, claims_bare, row};
use crate::part::Part;
use crate::parts::{Difference, Entry, Parts};
use crate::shown::Shown;

/// The tool or prompt that a name on the wire stands for.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The server that offers it.
    pub server: &'a ServerId,
    /// Its definition, with the name by which the server knows it.
    pub item: &'a Item,
    /// The name under which it is listed. The client may have used another of its names: a request is renamed where
    /// this differs from the item's key.
    pub wire: &'a str,
}

impl Target<'_> {
    /// Returns server and own name, which policy, logs and the CLI use.
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
    /// The shown lists, by slot of the parts.
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

    /// Returns how the part in a slot is shown.
    pub(crate) fn shown(&self, slot: u32) -> Option<&Arc<Shown>> {
        self.shown.get(slot as usize)?.as_ref()
    }

    /// Returns the tools or prompts of one part, in its server's order.
    pub(crate) fn targets<'a>(&'a self, entry: &'a Entry) -> impl Iterator<Item = Target<'a>> {
        let rows = 0..entry.part.named(self.kind).len();
        rows.filter_map(|row| self.target(&entry.part, entry.slot, row))
    }

    fn target<'a>(&'a self, part: &'a Part, slot: u32, row: usize) -> Option<Target<'a>> {
        Some(Target {
            server: &part.offer.server,
            item: part.item(self.kind, row),
            wire: self.shown(slot)?.wire(part, self.kind, row),
        })
    }

    /// Returns the tool or prompt that a name stands for. The name is the listed one; `server__name`, which can always be called; or the server's own
    /// name if no other server has it, even if the list shows the qualified name or spells it differently.
    pub(crate) fn find<'a>(&'a self, parts: &'a Parts, name: &str) -> Option<Target<'a>> {
        let found = self.marks.owner(name).or_else(|| self.holder(parts, name))?;
        self.target(parts.part(found.slot), found.slot, found.row as usize)
    }

    fn holder(&self, parts: &Parts, name: &str) -> Option<Holder> {
        let (mut bare, mut own) = (Sole::None, Sole::None);
        for (holder, part) in parts.holders(Key::listed(self.kind, name)) {
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

    /// Returns the names for the next version of the parts. `known` are views that may show a part with equal names; then both share it.
    pub(crate) fn updated(&self, parts: &Parts, difference: &Difference, known: &[(&Parts, &Self)]) -> Self {
        let marks = self.marks.updated(self.kind, parts, difference);
        let mut shown = if difference.is_whole { Vec::new() } else { self.shown.clone() };
        shown.resize(parts.slots(), None);
        for removed in &difference.removed {
            shown[removed.slot as usize] = None;
        }
        let naming = Naming::new(self.kind, parts, &marks, &shown, &difference.added);
        let wires = naming.decided(difference, &self.marks);
        for (slot, wires) in wires {
            let elsewhere = |(there, names): &(&Parts, &Self)| names.shown(there.slot(parts.part(slot))?).cloned();
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
