//! Which parts of a view hold a key: one flat table for names, URIs, templates and extensions.
//!
//! An entry is a hash and two numbers, without text and without a count of references: the copy of a view's table for the next view costs about a
//! nanosecond an entry, where adding an offer costs a hundred times that for each of its names.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use hashbrown::HashTable;
use mcp::method::ListKind;

/// What a key is a key to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A name, a URI or a template of such a list.
    Listed(ListKind),
    /// The first segment of an extension's methods.
    Extension,
}

/// The hash of a text, and the sort of key that it is. Two texts of one sort may have the same: what is found by a key is compared with the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(u64);

/// One state for the whole process, for parts keep their keys and stand in many views. Servers can't know it, and so can't make texts meet.
static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// Where a key says its sort: bits by which the table neither chooses a place nor tells neighbours apart.
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

/// What holds a key: a row of the part that has this slot in the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Holder {
    pub(crate) slot: u32,
    pub(crate) row: u32,
}

/// Keys and their holders; several of one key stand side by side.
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

    /// Everything that holds the key, in no order, and perhaps something that holds another text of the same hash.
    pub(crate) fn holders(&self, key: Key) -> impl Iterator<Item = Holder> {
        let entries = self.0.iter_hash(key.0).filter(move |(other, _)| *other == key);
        entries.map(|(_, holder)| *holder)
    }
}
