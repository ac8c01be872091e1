//! Rows of one width in one flat vector, each once, numbered as they come.

use std::sync::{Arc, RwLock};

use hashbrown::{HashTable, hash_table::Entry};

use super::{
    hash::{fold, fold_pair},
    index::{Columns, Index},
};

/// Hash of a row or of the key columns of a row.
#[inline(always)]
pub(crate) fn hash_row(row: &[u64]) -> u64 {
    match *row {
        [a] => fold(1, a),
        [a, b] => fold_pair(a, b),
        _ => row.iter().fold(1, |hash, &word| fold(hash, word)),
    }
}

/// Rows and what finds them. A predicate without arguments has rows of one word that is zero.
#[derive(Debug)]
pub(crate) struct Segment {
    pub width: usize,
    /// The number of the first row: how many rows the segment below has.
    pub first: u32,
    pub rows: Vec<u64>,
    table: HashTable<u32>,
    /// Indexes made so far. A lock, because a frozen segment gets them while requests share it.
    indexes: RwLock<Vec<(Columns, Arc<Index>)>>,
}

impl Segment {
    pub(crate) fn new(width: usize, first: u32) -> Self {
        Self {
            width,
            first,
            rows: Vec::new(),
            table: HashTable::new(),
            indexes: RwLock::default(),
        }
    }

    /// The same rows once more.
    pub(crate) fn copy(&self) -> Self {
        Self {
            rows: self.rows.clone(),
            table: self.table.clone(),
            ..Self::new(self.width, self.first)
        }
    }

    /// How many rows are in this segment.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    /// A row by its place in this segment.
    #[inline(always)]
    pub(crate) fn row(&self, at: usize) -> &[u64] {
        &self.rows[at * self.width..(at + 1) * self.width]
    }

    /// The place of a row in this segment.
    #[inline(always)]
    pub(crate) fn find(&self, row: &[u64], hash: u64) -> Option<usize> {
        self.table.find(hash, |&at| self.row(at as usize) == row).map(|&at| at as usize)
    }

    /// Adds a row if it is new.
    #[inline(always)]
    pub(crate) fn insert(&mut self, row: &[u64], hash: u64) -> Option<usize> {
        let Self { rows, table, width, .. } = self;
        let width = *width;
        if table.find(hash, |&at| &rows[at as usize * width..][..width] == row).is_some() {
            return None;
        }
        let at = rows.len() / width;
        rows.extend_from_slice(row);
        table.insert_unique(hash, at as u32, |&at| hash_row(&rows[at as usize * width..][..width]));
        Some(at)
    }

    /// As [`Self::insert`], with the width known to the compiler.
    #[inline(always)]
    pub(crate) fn insert_array<const W: usize>(&mut self, row: [u64; W], hash: u64) -> bool {
        let Self { rows, table, .. } = self;
        let array = |rows: &[u64], at: u32| -> [u64; W] {
            let mut array = [0; W];
            array.copy_from_slice(&rows[at as usize * W..][..W]);
            array
        };
        let place = table.entry(hash, |&at| array(rows, at) == row, |&at| hash_row(&array(rows, at)));
        let Entry::Vacant(place) = place else { return false };
        place.insert((rows.len() / W) as u32);
        rows.extend_from_slice(&row);
        true
    }

    /// Makes room for so many more rows.
    pub(crate) fn reserve(&mut self, more: usize) {
        let Self { rows, table, width, .. } = self;
        rows.reserve(more * *width);
        table.reserve(more, |&at| hash_row(&rows[at as usize * *width..][..*width]));
    }

    /// The index over `columns`, if it is there.
    pub(crate) fn index(&self, columns: &Columns) -> Option<Arc<Index>> {
        let indexes = self.indexes.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        let found = indexes.iter().find(|(of, _)| of == columns)?;
        Some(Arc::clone(&found.1))
    }

    /// The index over `columns`, made if need be, for a segment that grows no more. The second is how many rows were indexed.
    pub(crate) fn index_or_build(&self, columns: &Columns) -> (Arc<Index>, usize) {
        if let Some(index) = self.index(columns) {
            return (index, 0);
        }
        let index = Arc::new(Index::fixed(&self.rows, self.width, columns));
        self.keep(columns.clone(), Arc::clone(&index));
        (index, self.len())
    }

    fn keep(&self, columns: Columns, index: Arc<Index>) {
        let mut indexes = self.indexes.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        indexes.retain(|(of, _)| *of != columns);
        indexes.push((columns, index));
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        let indexes = self.indexes.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        self.moving() + indexes.iter().map(|(_, index)| index.heap()).sum::<usize>()
    }

    /// Bytes of rows and their table, without indexes: what grows while a rule runs.
    #[inline(always)]
    pub(crate) fn moving(&self) -> usize {
        8 * self.rows.capacity() + 5 * self.table.capacity()
    }

    /// Forgets all indexes: the rows have changed in another way than by growing.
    pub(crate) fn drop_indexes(&mut self) {
        self.indexes = RwLock::default();
    }
}
