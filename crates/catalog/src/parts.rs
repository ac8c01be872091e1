//! The parts of a view in their order, and the index that finds their rows by key.

use std::collections::HashMap;
use std::sync::Arc;

use crate::Offer;
use crate::index::{Holder, Index, Key};
use crate::part::Part;

/// The parts of a view. A part keeps its slot from version to version although its position may change, so that the index refers to slots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    /// The entries, in the order of the configuration.
    entries: Vec<Entry>,
    /// The position of each slot's part in that order; [`FREE`] where the slot has no part.
    positions: Vec<usize>,
    index: Index,
}

/// A part and its slot.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) slot: u32,
    pub(crate) part: Arc<Part>,
}

/// The difference between two versions of the parts.
#[derive(Debug, Default)]
pub(crate) struct Difference {
    /// Whether the index was rebuilt: slots of the earlier version are not valid in the next one.
    pub(crate) is_whole: bool,
    /// The removed parts. Their slots may now belong to added parts.
    pub(crate) removed: Vec<Entry>,
    /// The slots that have a part which they did not have before.
    pub(crate) added: Vec<u32>,
}

const FREE: usize = usize::MAX;

impl Parts {
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the number of slots, with or without a part.
    pub(crate) fn slots(&self) -> usize {
        self.positions.len()
    }

    /// Returns the position of the part in a slot.
    pub(crate) fn position(&self, slot: u32) -> usize {
        self.positions[slot as usize]
    }

    pub(crate) fn part(&self, slot: u32) -> &Arc<Part> {
        &self.entries[self.position(slot)].part
    }

    /// Returns the rows that have a key, with their parts, in no order. The caller compares the text.
    pub(crate) fn holders(&self, key: Key) -> impl Iterator<Item = (Holder, &Part)> {
        self.index.holders(key).map(|holder| (holder, &**self.part(holder.slot)))
    }

    /// Returns the slot of a part, if it is contained.
    pub(crate) fn slot(&self, part: &Arc<Part>) -> Option<u32> {
        let entry = self.entries.iter().find(|entry| Arc::ptr_eq(&entry.part, part))?;
        Some(entry.slot)
    }

    /// Returns the part of an offer, which is created if it is not contained.
    fn part_of(&self, offer: &Arc<Offer>) -> Arc<Part> {
        let known = self.entries.iter().find(|entry| Arc::ptr_eq(&entry.part.offer, offer));
        known.map_or_else(|| Arc::new(Part::new(offer.clone())), |entry| entry.part.clone())
    }

    /// Returns the next version, with the parts of these offers, and the difference. It reuses the parts of this version and of `other`, and the
    /// index if that is less work than to rebuild it.
    pub(crate) fn updated(&self, offers: &[Arc<Offer>], other: &Self) -> (Self, Difference) {
        let known = self.entries.iter().map(|entry| (Arc::as_ptr(&entry.part.offer), entry));
        let mut known: HashMap<*const Offer, &Entry> = known.collect();
        let mut stays = vec![false; self.slots()];
        let mut entries: Vec<(Arc<Part>, Option<u32>)> = Vec::with_capacity(offers.len());
        for offer in offers {
            entries.push(match known.remove(&Arc::as_ptr(offer)) {
                Some(entry) => {
                    stays[entry.slot as usize] = true;
                    (entry.part.clone(), Some(entry.slot))
                }
                None => (other.part_of(offer), None),
            });
        }
        let removed: Vec<Entry> = self.entries.iter().filter(|entry| !stays[entry.slot as usize]).cloned().collect();
        let stay = entries.iter().filter(|(_, slot)| slot.is_some());
        let kept: usize = stay.map(|(part, _)| part.weight()).sum();
        let gone: usize = removed.iter().map(|entry| entry.part.weight()).sum();
        if kept <= gone {
            Self::whole(entries)
        } else {
            self.changed(entries, removed)
        }
    }

    fn whole(entries: Vec<(Arc<Part>, Option<u32>)>) -> (Self, Difference) {
        let mut next = Self::default();
        next.index.reserve(entries.iter().map(|(part, _)| part.weight()).sum());
        for (part, _) in entries {
            let slot = next.another_slot();
            next.push(slot, part, true);
        }
        let difference = Difference {
            is_whole: true,
            removed: Vec::new(),
            added: next.entries.iter().map(|entry| entry.slot).collect(),
        };
        (next, difference)
    }

    fn changed(&self, entries: Vec<(Arc<Part>, Option<u32>)>, removed: Vec<Entry>) -> (Self, Difference) {
        let mut next = Self {
            entries: Vec::with_capacity(entries.len()),
            positions: vec![FREE; self.slots()],
            index: self.index.clone(),
        };
        for Entry { slot, part } in &removed {
            part.each_key(|key, row| next.index.remove(key, Holder { slot: *slot, row }));
        }
        let unused = (0..)
            .zip(&self.positions)
            .filter(|(_, position)| **position == FREE)
            .map(|(slot, _)| slot);
        let mut free: Vec<u32> = unused.chain(removed.iter().map(|entry| entry.slot)).collect();
        let mut added = Vec::new();
        for (part, slot) in entries {
            let is_new = slot.is_none();
            let slot = slot.or_else(|| free.pop()).unwrap_or_else(|| next.another_slot());
            if is_new {
                added.push(slot);
            }
            next.push(slot, part, is_new);
        }
        let difference = Difference {
            is_whole: false,
            removed,
            added,
        };
        (next, difference)
    }

    fn another_slot(&mut self) -> u32 {
        self.positions.push(FREE);
        u32::try_from(self.positions.len() - 1).unwrap_or(u32::MAX)
    }

    /// Appends a part; the rows of a new one are added to the index.
    fn push(&mut self, slot: u32, part: Arc<Part>, is_new: bool) {
        if is_new {
            part.each_key(|key, row| self.index.add(key, Holder { slot, row }));
        }
        self.positions[slot as usize] = self.entries.len();
        self.entries.push(Entry { slot, part });
    }
}
