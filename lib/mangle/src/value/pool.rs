//! Pools that store equal items once: bytes, words, and slices of words. Numbers continue from the pool below.

use crate::eval::{Exceeded, hash::Keys, parts::Meter, room::make_room, table::Table};

/// A pool of byte strings.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    table: Table,
}

/// A pool of slices of words.
#[derive(Clone, Debug, Default)]
pub(super) struct Slices {
    words: Vec<u64>,
    ends: Vec<u32>,
    shapes: Vec<Shape>,
    table: Table,
}

/// A pool of single words.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    words: Vec<u64>,
    table: Table,
}

/// The size of a value when it is written out: a shared part counts as often as it occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The approximate number of bytes, up to the maximum that is counted.
    pub(crate) bytes: u32,
    /// How deeply values nest.
    pub(crate) depth: u32,
}

impl Shape {
    /// Returns the shape of a value without nested values.
    pub(super) const fn flat(bytes: usize) -> Self {
        let bytes = if bytes > u32::MAX as usize { u32::MAX } else { bytes as u32 };
        Self { bytes, depth: 0 }
    }

    /// Returns the shape after adding this nested value.
    pub(super) const fn around(self, inner: Self) -> Self {
        let depth = inner.depth.saturating_add(1);
        Self {
            bytes: self.bytes.saturating_add(inner.bytes),
            depth: if depth > self.depth { depth } else { self.depth },
        }
    }
}

impl Texts {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.bytes[start..self.ends[at] as usize]
    }

    pub(super) fn find(&self, keys: Keys, text: &[u8]) -> Option<u32> {
        self.table.find(keys.bytes(text), |at| self.get(at as usize) == text)
    }

    /// Adds an item that [`Self::find`] did not find.
    pub(super) fn add(&mut self, keys: Keys, text: &[u8]) -> u32 {
        let at = self.ends.len() as u32;
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len() as u32);
        self.table.insert(keys.bytes(text), at);
        at
    }

    /// Reserves room for `more` items of `bytes` bytes together, at most as many as there are; see [`make_room`].
    pub(super) fn make_room(&mut self, more: usize, bytes: usize, meter: &Meter, moving: usize) -> Result<(), Exceeded> {
        let bytes = bytes.min(self.bytes.len());
        make_room(&mut self.bytes, bytes, meter, moving)?;
        make_room(&mut self.ends, more, meter, moving)?;
        self.table.make_room(more, meter, moving)
    }

    pub(super) fn heap(&self) -> usize {
        self.bytes.capacity() + 4 * self.ends.capacity() + self.table.heap()
    }
}

impl Slices {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, at: usize) -> &[u64] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.words[start..self.ends[at] as usize]
    }

    pub(super) fn find(&self, keys: Keys, slice: &[u64]) -> Option<u32> {
        let hash = keys.words(slice.iter().copied());
        self.table.find(hash, |at| self.get(at as usize) == slice)
    }

    pub(super) fn shape(&self, at: usize) -> Shape {
        self.shapes[at]
    }

    pub(super) fn add(&mut self, keys: Keys, slice: &[u64], shape: Shape) -> u32 {
        let at = self.ends.len() as u32;
        self.shapes.push(shape);
        self.words.extend_from_slice(slice);
        self.ends.push(self.words.len() as u32);
        self.table.insert(keys.words(slice.iter().copied()), at);
        at
    }

    /// Reserves room for `more` items of `bytes` bytes together, at most as many as there are; see [`make_room`].
    pub(super) fn make_room(&mut self, more: usize, bytes: usize, meter: &Meter, moving: usize) -> Result<(), Exceeded> {
        let words = (bytes / size_of::<u64>()).min(self.words.len());
        make_room(&mut self.words, words, meter, moving)?;
        make_room(&mut self.ends, more, meter, moving)?;
        make_room(&mut self.shapes, more, meter, moving)?;
        self.table.make_room(more, meter, moving)
    }

    pub(super) fn heap(&self) -> usize {
        8 * self.words.capacity() + 4 * self.ends.capacity() + 8 * self.shapes.capacity() + self.table.heap()
    }
}

impl Words {
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    pub(super) fn get(&self, at: usize) -> u64 {
        self.words[at]
    }

    pub(super) fn find(&self, keys: Keys, word: u64) -> Option<u32> {
        self.table.find(keys.row(&[word]), |at| self.words[at as usize] == word)
    }

    pub(super) fn add(&mut self, keys: Keys, word: u64) -> u32 {
        let at = self.words.len() as u32;
        self.words.push(word);
        self.table.insert(keys.row(&[word]), at);
        at
    }

    /// Reserves room for `more` items; see [`make_room`].
    pub(super) fn make_room(&mut self, more: usize, meter: &Meter, moving: usize) -> Result<(), Exceeded> {
        make_room(&mut self.words, more, meter, moving)?;
        self.table.make_room(more, meter, moving)
    }

    pub(super) fn heap(&self) -> usize {
        8 * self.words.capacity() + self.table.heap()
    }
}
