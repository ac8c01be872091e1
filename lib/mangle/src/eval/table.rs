//! A table from hashes to numbers of rows that are stored elsewhere. A slot holds the upper half of the hash beside the
//! number, so that looking for an absent row reads no row, and neither does growing.

use std::convert::Infallible;

use super::budget::{Exceeded, Meter};

/// A hash table with open addressing and linear probing; the upper bits of a hash give the first place.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// The slots: zero if free, else the upper half of the hash above the number plus one. Their count is a power of
    /// two.
    slots: Vec<u64>,
    /// How many more entries there is room for.
    left: usize,
    /// The number of bits by which a hash is shifted down to give its place.
    shift: u32,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            left: 0,
            shift: u64::BITS - 1,
        }
    }
}

const UPPER: u64 = !(u32::MAX as u64);
const LEAST: usize = 8;
/// The number of slots above which growing takes milliseconds.
const LARGE: usize = 1 << 18;

/// Returns how many entries fit: at most three in four slots are taken.
const fn room_of(slots: usize) -> usize {
    slots / 4 * 3
}

impl Table {
    /// Reserves room for `more` entries.
    pub(crate) fn reserve(&mut self, more: usize) {
        if self.left < more {
            self.grow(self.slots_with(more));
        }
    }

    /// Does the work of [`Self::reserve`] for a table that becomes large: it can be interrupted while it grows, and
    /// does not begin if that exceeded the budget beside the `moving` bytes. Other tables grow when they have to.
    pub(crate) fn make_room(&mut self, more: usize, meter: &Meter, moving: usize) -> Result<(), Exceeded> {
        let slots = self.slots_with(more);
        if self.left >= more || slots < LARGE {
            return Ok(());
        }
        meter.check_bytes(moving + 8 * (slots - self.slots.len()))?;
        self.grow_within(slots, |at| meter.glance(at))
    }

    /// Returns how many slots are needed for `more` entries.
    fn slots_with(&self, more: usize) -> usize {
        let wanted = room_of(self.slots.len()) - self.left + more;
        (wanted + wanted / 3 + 1).next_power_of_two()
    }

    /// Returns the number with this hash for which `same` holds.
    #[inline(always)]
    pub(crate) fn find(&self, hash: u64, same: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        self.probe(hash, same).ok().map(|at| number_of(self.slots[at]))
    }

    /// Adds a number if there is none with this hash for which `same` holds; else returns that one.
    #[inline(always)]
    pub(crate) fn find_or_insert(&mut self, hash: u64, number: u32, same: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.left == 0 {
            self.grow(2 * self.slots.len());
        }
        match self.probe(hash, same) {
            Ok(at) => Some(number_of(self.slots[at])),
            Err(free) => {
                self.slots[free] = entry(hash, number);
                self.left -= 1;
                None
            }
        }
    }

    /// Adds a number that is known to be absent.
    #[inline(always)]
    pub(crate) fn insert(&mut self, hash: u64, number: u32) {
        let _: Option<u32> = self.find_or_insert(hash, number, |_| false);
    }

    /// Replaces the number for which `same` holds, and returns it; adds the new one if there is none.
    #[inline(always)]
    pub(crate) fn replace(&mut self, hash: u64, number: u32, same: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.left == 0 {
            self.grow(2 * self.slots.len());
        }
        match self.probe(hash, same) {
            Ok(at) => Some(number_of(std::mem::replace(&mut self.slots[at], entry(hash, number)))),
            Err(free) => {
                self.slots[free] = entry(hash, number);
                self.left -= 1;
                None
            }
        }
    }

    /// Reads the first slots of these hashes, and `row` of the number there if it may match. The sum is of no use.
    #[inline(always)]
    pub(crate) fn fetch(&self, hashes: &[u64], row: impl Fn(u32) -> u64) -> u64 {
        let slot = |hash: u64| self.slots.get((hash >> self.shift) as usize).copied().unwrap_or_default();
        // Two passes without a branch: the processor executes all reads of a pass at the same time.
        let slots = hashes.iter().fold(0, |sum, &hash| sum ^ slot(hash));
        let rows = hashes.iter().map(|&hash| {
            let slot = slot(hash);
            let same = (slot ^ hash) & UPPER == 0;
            row(number_of(slot) * u32::from(same))
        });
        rows.fold(slots, |sum, word| sum ^ word)
    }

    /// Returns the place of the number, or else the free place for it. Some slot is always free, so this ends.
    #[inline(always)]
    fn probe(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(at);
            }
            if (slot ^ hash) & UPPER == 0 && same(number_of(slot)) {
                return Ok(at);
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, slots: usize) {
        let Ok(()) = self.grow_within(slots, |_| Ok::<(), Infallible>(()));
    }

    /// Grows the table. Entries move in the order of their places, so memory is written sequentially. `look` may
    /// interrupt it at any of them; then the table cannot be used any more.
    fn grow_within<E>(&mut self, slots: usize, look: impl Fn(usize) -> Result<(), E>) -> Result<(), E> {
        let slots = slots.max(LEAST);
        let taken = room_of(self.slots.len()) - self.left;
        let old = std::mem::replace(&mut self.slots, vec![0; slots]);
        self.left = room_of(slots) - taken;
        self.shift = u64::BITS - slots.trailing_zeros();
        let mask = slots - 1;
        for (at, slot) in old.into_iter().enumerate() {
            look(at)?;
            if slot == 0 {
                continue;
            }
            // A number has 32 bits, so there are no more slots than the upper half of a hash can distinguish.
            let mut at = ((slot & UPPER) >> self.shift) as usize & mask;
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
        Ok(())
    }

    /// Returns the bytes on the heap.
    #[inline(always)]
    pub(crate) fn heap(&self) -> usize {
        8 * self.slots.capacity()
    }
}

#[inline(always)]
const fn entry(hash: u64, number: u32) -> u64 {
    (hash & UPPER) | (number as u64 + 1)
}

#[inline(always)]
const fn number_of(slot: u64) -> u32 {
    (slot as u32).wrapping_sub(1)
}

#[cfg(test)]
mod tests;
