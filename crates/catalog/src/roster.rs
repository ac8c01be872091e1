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
    pub(crate) added: Vec<Added>,
}

/// A part that has its slot since this version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Added {
    pub(crate) slot: u32,
    /// The slot that it had in the earlier version.
    pub(crate) before: Option<u32>,
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

    /// The roster of these offers. Parts that are here already are taken over, and the index where that is less work than making it anew.
    pub(crate) fn updated(&self, offers: &[Arc<Offer>]) -> (Self, Difference) {
        let known = self.seats.iter().map(|seat| (Arc::as_ptr(&seat.part.offer), seat));
        let mut known: HashMap<*const Offer, &Seat> = known.collect();
        let mut stays = vec![false; self.slots()];
        let seats = offers.iter().map(|offer| match known.remove(&Arc::as_ptr(offer)) {
            Some(seat) => {
                stays[seat.slot as usize] = true;
                (seat.part.clone(), Some(seat.slot))
            }
            None => (Arc::new(Part::new(offer.clone())), None),
        });
        let seats: Vec<(Arc<Part>, Option<u32>)> = seats.collect();
        let removed: Vec<Seat> = self.seats.iter().filter(|seat| !stays[seat.slot as usize]).cloned().collect();
        let all: usize = seats.iter().map(|(part, _)| part.weight()).sum();
        let kept: usize = seats.iter().filter(|(_, slot)| slot.is_some()).map(|(part, _)| part.weight()).sum();
        let gone: usize = removed.iter().map(|seat| seat.part.weight()).sum();
        if kept <= gone {
            Self::whole(seats, all)
        } else {
            self.changed(seats, removed)
        }
    }

    fn whole(seats: Vec<(Arc<Part>, Option<u32>)>, weight: usize) -> (Self, Difference) {
        let mut next = Self::default();
        next.index.reserve(weight);
        let mut added = Vec::with_capacity(seats.len());
        for (slot, (part, before)) in (0..).zip(seats) {
            next.places.push(FREE);
            next.sit(slot, part, true);
            added.push(Added { slot, before });
        }
        let difference = Difference {
            is_whole: true,
            removed: Vec::new(),
            added,
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
        let mut free: Vec<u32> = (0..)
            .zip(&self.places)
            .filter(|(_, place)| **place == FREE)
            .map(|(slot, _)| slot)
            .collect();
        free.extend(removed.iter().map(|seat| seat.slot));
        let mut added = Vec::new();
        for (part, slot) in seats {
            let Some(slot) = slot else {
                let slot = free.pop().unwrap_or_else(|| next.another_slot());
                next.sit(slot, part, true);
                added.push(Added { slot, before: None });
                continue;
            };
            next.sit(slot, part, false);
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
