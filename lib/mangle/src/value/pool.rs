//! Pools of equal things stored once: bytes, words, and slices of words. Numbers count on from the pool below.

use hashbrown::HashTable;

use crate::eval::hash::{fold, fold_bytes};

/// Byte strings.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    table: HashTable<u32>,
}

/// Slices of words.
#[derive(Clone, Debug, Default)]
pub(super) struct Slices {
    words: Vec<u64>,
    ends: Vec<u32>,
    table: HashTable<u32>,
}

/// Single words.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    words: Vec<u64>,
    table: HashTable<u32>,
}

fn hash_words(words: &[u64]) -> u64 {
    words.iter().fold(words.len() as u64, |hash, &word| fold(hash, word))
}

impl Texts {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.bytes[start..self.ends[at] as usize]
    }

    pub(super) fn find(&self, text: &[u8]) -> Option<u32> {
        let hash = fold_bytes(text);
        self.table.find(hash, |&at| self.get(at as usize) == text).copied()
    }

    /// Adds what [`Self::find`] did not find.
    pub(super) fn add(&mut self, text: &[u8]) -> u32 {
        let at = self.ends.len() as u32;
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len() as u32);
        let Self { bytes, ends, table } = self;
        let get = |at: u32| {
            let start = at.checked_sub(1).map_or(0, |before| ends[before as usize] as usize);
            &bytes[start..ends[at as usize] as usize]
        };
        table.insert_unique(fold_bytes(text), at, |&at| fold_bytes(get(at)));
        at
    }

    pub(super) fn heap(&self) -> usize {
        self.bytes.capacity() + 4 * self.ends.capacity() + 5 * self.table.capacity()
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

    pub(super) fn find(&self, slice: &[u64]) -> Option<u32> {
        let hash = hash_words(slice);
        self.table.find(hash, |&at| self.get(at as usize) == slice).copied()
    }

    pub(super) fn add(&mut self, slice: &[u64]) -> u32 {
        let at = self.ends.len() as u32;
        self.words.extend_from_slice(slice);
        self.ends.push(self.words.len() as u32);
        let Self { words, ends, table } = self;
        let get = |at: u32| {
            let start = at.checked_sub(1).map_or(0, |before| ends[before as usize] as usize);
            &words[start..ends[at as usize] as usize]
        };
        table.insert_unique(hash_words(slice), at, |&at| hash_words(get(at)));
        at
    }

    pub(super) fn heap(&self) -> usize {
        8 * self.words.capacity() + 4 * self.ends.capacity() + 5 * self.table.capacity()
    }
}

impl Words {
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    pub(super) fn get(&self, at: usize) -> u64 {
        self.words[at]
    }

    pub(super) fn find(&self, word: u64) -> Option<u32> {
        self.table.find(fold(0, word), |&at| self.words[at as usize] == word).copied()
    }

    pub(super) fn add(&mut self, word: u64) -> u32 {
        let at = self.words.len() as u32;
        self.words.push(word);
        let words = &self.words;
        self.table.insert_unique(fold(0, word), at, |&at| fold(0, words[at as usize]));
        at
    }

    pub(super) fn heap(&self) -> usize {
        8 * self.words.capacity() + 5 * self.table.capacity()
    }
}
