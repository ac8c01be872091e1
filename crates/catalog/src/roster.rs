//! Which parts a view has, in which order, and what is found in them by key.

use std::collections::HashMap;
use std::sync::Arc;

use crate::Offer;
use crate::index::{Holder, Index, Key};
use crate::part::Part;

/// The parts of a view. Each keeps its slot from version to version, wherever its place in the order is, so that what refers to it stays true.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roster {
    /// In the order of the configuration.
    seats: Vec<Seat>,
    /// Per slot the place of its part in that order; [`FREE`] where there is none.
    places: Vec<usize>,
    index: Index,
}

/// A part and its slot.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    pub(crate) slot: u32,
    pub(crate) part: Arc<Part>,
}

/// What is another in the next version of a roster.
#[derive(Debug, Default)]
pub(crate) struct Difference {
    /// The next version was begun anew: no slot of the earlier one means anything in it.
    pub(crate) is_whole: bool,
    /// The parts that are no longer there. Their slots may be others' now.
    pub(crate) removed: Vec<Seat>,
    /// The slots that have another part than before.
    pub(crate) added: Vec<u32>,
}

const FREE: usize = usize::MAX;

impl Roster {
    pub(crate) fn seats(&self) -> &[Seat] {
        &self.seats
    }

    /// How many slots there are, those without a part among them.
    pub(crate) fn slots(&self) -> usize {
        self.places.len()
    }

    /// The place in the order of what has a slot.
    pub(crate) fn place(&self, slot: u32) -> usize {
        self.places[slot as usize]
    }

    pub(crate) fn part(&self, slot: u32) -> &Arc<Part> {
        &self.seats[self.place(slot)].part
    }

    /// What holds a key, and the part that it is in; in no order. The caller compares the text.
    pub(crate) fn holders(&self, key: Key) -> impl Iterator<Item = (Holder, &Part)> {
        self.index.holders(key).map(|holder| (holder, &**self.part(holder.slot)))
    }

    /// The slot of a part, if it is here.
    pub(crate) fn slot(&self, part: &Arc<Part>) -> Option<u32> {
        self.seats.iter().find(|seat| Arc::ptr_eq(&seat.part, part)).map(|seat| seat.slot)
    }

    /// The roster of these offers. Parts that are here or in `other` are taken over, and the index where that is less work than making it anew.
    pub(crate) fn updated(&self, offers: &[Arc<Offer>], other: &Self) -> (Self, Difference) {
        let known = |roster: &Self| {
            roster
                .seats
                .iter()
                .map(|seat| (Arc::as_ptr(&seat.part.offer), seat.clone()))
                .collect()
        };
        let (mut own, others): (HashMap<*const Offer, Seat>, HashMap<*const Offer, Seat>) = (known(self), known(other));
        let mut stays = vec![false; self.slots()];
        let mut seats: Vec<(Arc<Part>, Option<u32>)> = Vec::with_capacity(offers.len());
        for offer in offers {
            seats.push(match (own.remove(&Arc::as_ptr(offer)), others.get(&Arc::as_ptr(offer))) {
                (Some(seat), _) => {
                    stays[seat.slot as usize] = true;
                    (seat.part, Some(seat.slot))
                }
                (None, Some(seat)) => (seat.part.clone(), None),
                (None, None) => (Arc::new(Part::new(offer.clone())), None),
            });
        }
        let removed: Vec<Seat> = self.seats.iter().filter(|seat| !stays[seat.slot as usize]).cloned().collect();
        let kept: usize = seats.iter().filter(|(_, slot)| slot.is_some()).map(|(part, _)| part.weight()).sum();
        let gone: usize = removed.iter().map(|seat| seat.part.weight()).sum();
        if kept <= gone {
            Self::whole(seats)
        } else {
            self.changed(seats, removed)
        }
    }

    fn whole(seats: Vec<(Arc<Part>, Option<u32>)>) -> (Self, Difference) {
        let mut next = Self::default();
        next.index.reserve(seats.iter().map(|(part, _)| part.weight()).sum());
        for (part, _) in seats {
            let slot = next.another_slot();
            next.sit(slot, part, true);
        }
        let difference = Difference {
            is_whole: true,
            removed: Vec::new(),
            added: next.seats.iter().map(|seat| seat.slot).collect(),
        };
        (next, difference)
    }

    fn changed(&self, seats: Vec<(Arc<Part>, Option<u32>)>, removed: Vec<Seat>) -> (Self, Difference) {
        let mut next = Self {
            seats: Vec::with_capacity(seats.len()),
            places: vec![FREE; self.slots()],
            index: self.index.clone(),
        };
        for Seat { slot, part } in &removed {
            part.each_key(|key, row| next.index.remove(key, Holder { slot: *slot, row }));
        }
        let unused = (0..).zip(&self.places).filter(|(_, place)| **place == FREE).map(|(slot, _)| slot);
        let mut free: Vec<u32> = unused.chain(removed.iter().map(|seat| seat.slot)).collect();
        let mut added = Vec::new();
        for (part, slot) in seats {
            let is_new = slot.is_none();
            let slot = slot.or_else(|| free.pop()).unwrap_or_else(|| next.another_slot());
            if is_new {
                added.push(slot);
            }
            next.sit(slot, part, is_new);
        }
        let difference = Difference {
            is_whole: false,
            removed,
            added,
        };
        (next, difference)
    }

    fn another_slot(&mut self) -> u32 {
        self.places.push(FREE);
        u32::try_from(self.places.len() - 1).unwrap_or(u32::MAX)
    }

    /// Puts a part behind the others.
    fn sit(&mut self, slot: u32, part: Arc<Part>, is_new: bool) {
        if is_new {
            part.each_key(|key, row| self.index.add(key, Holder { slot, row }));
        }
        self.places[slot as usize] = self.seats.len();
        self.seats.push(Seat { slot, part });
    }
}
