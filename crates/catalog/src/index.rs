//! The index of a view: one flat table from the keys of names, URIs, templates and extensions to the rows that hold them.
//!
//! An entry is a hash and two numbers, without text and without a reference count. So the copy of the table for the next version of a view costs about a
//! nanosecond an entry, while an offer costs some hundred nanoseconds for each of its names.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use hashbrown::HashTable;
use mcp::method::ListKind;

/// The sort of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A name, a URI or a template of such a list.
    Listed(ListKind),
    /// The first segment of an extension's methods.
    Extension,
}

/// The hash of a text, with the sort in it. Two texts of one sort may have the same key, so the caller compares the text of what it finds; keys of two
/// sorts differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(u64);

/// The hash state of the process: parts keep their keys and belong to many views. Servers do not know it, so they cannot make keys equal.
static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// The lowest of the three bits of a key that say its sort. The table uses the bits far below it and far above it.
const SORT: u32 = 40;

impl Key {
    pub(crate) fn new(sort: Sort, text: &str) -> Self {
        let sort = match sort {
            Sort::Listed(kind) => kind as u64,
            Sort::Extension => 7,
        };
        Self(STATE.hash_one(text) & !(7 << SORT) | sort << SORT)
    }

    pub(crate) fn listed(kind: ListKind, text: &str) -> Self {
        Self::new(Sort::Listed(kind), text)
    }
}

/// A row of the part that has this slot in the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Holder {
    pub(crate) slot: u32,
    pub(crate) row: u32,
}

/// The index: keys and the rows that have them; several rows may have one key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index(HashTable<(Key, Holder)>);

impl Index {
    pub(crate) fn reserve(&mut self, more: usize) {
        self.0.reserve(more, |(key, _)| key.0);
    }

    pub(crate) fn add(&mut self, key: Key, holder: Holder) {
        self.0.insert_unique(key.0, (key, holder), |(key, _)| key.0);
    }

    pub(crate) fn remove(&mut self, key: Key, holder: Holder) {
        if let Ok(entry) = self.0.find_entry(key.0, |entry| *entry == (key, holder)) {
            entry.remove();
        }
    }

    /// Returns all rows that have the key, in no order.
    pub(crate) fn holders(&self, key: Key) -> impl Iterator<Item = Holder> {
        let entries = self.0.iter_hash(key.0).filter(move |(other, _)| *other == key);
        entries.map(|(_, holder)| *holder)
    }
}

/// A set of texts, which are found by keys that are known already.
#[derive(Debug)]
pub(crate) struct Seen<'a>(HashTable<(Key, &'a str)>);

impl<'a> Seen<'a> {
    pub(crate) fn with_capacity(texts: usize) -> Self {
        Self(HashTable::with_capacity(texts))
    }

    /// Adds a text; returns whether it is new.
    pub(crate) fn insert(&mut self, key: Key, text: &'a str) -> bool {
        let is_known = self.0.find(key.0, |(_, known)| *known == text).is_some();
        if !is_known {
            self.0.insert_unique(key.0, (key, text), |(key, _)| key.0);
        }
        !is_known
    }
}
