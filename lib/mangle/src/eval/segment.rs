//! Rows of one width end to end, without duplicates, and the tables that find them.

use std::{
    convert::Infallible,
    sync::{Arc, OnceLock, PoisonError, RwLock},
};

use super::{
    budget::{Exceeded, Meter},
    hash::Keys,
    index::{Columns, Index},
    room::make_room,
    table::Table,
};

/// Rows and the tables that find them. A predicate without arguments has rows of one word that is zero.
#[derive(Debug)]
pub(crate) struct Segment {
    pub width: usize,
    /// The number of the first row: how many rows the segment below has.
    pub first: u32,
    pub rows: Vec<u64>,
    pub keys: Keys,
    /// The table, built when a row is first looked up: many relations are only ever scanned.
    table: OnceLock<Table>,
    /// The indexes built so far. They are behind a lock, because a frozen segment gets them while requests share it.
    indexes: RwLock<Vec<(Columns, Arc<Index>)>>,
}

impl Segment {
    pub(crate) fn new(width: usize, first: u32, keys: Keys) -> Self {
        Self {
            width,
            first,
            rows: Vec::new(),
            keys,
            table: OnceLock::new(),
            indexes: RwLock::default(),
        }
    }

    /// Copies the rows.
    pub(crate) fn copy(&self) -> Self {
        Self {
            rows: self.rows.clone(),
            table: self.table.clone(),
            ..Self::new(self.width, self.first, self.keys)
        }
    }

    /// Returns the number of rows in this segment.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    /// Returns a row by its place in this segment.
    #[inline(always)]
    pub(crate) fn row(&self, at: usize) -> &[u64] {
        &self.rows[at * self.width..(at + 1) * self.width]
    }

    /// Returns the place of a row in this segment.
    #[inline(always)]
    pub(crate) fn find(&self, row: &[u64], hash: u64) -> Option<usize> {
        let found = self.table().find(hash, |at| self.row(at as usize) == row);
        found.map(|at| at as usize)
    }

    /// Adds a row if it is new; returns its place then, or as an error the place of the equal one.
    #[inline(always)]
    pub(crate) fn insert(&mut self, row: &[u64], hash: u64) -> Result<usize, usize> {
        self.table();
        let Self { rows, table, width, .. } = self;
        let at = rows.len() / *width;
        let table = table.get_mut().expect("it was just made");
        match table.find_or_insert(hash, at as u32, |at| &rows[at as usize * *width..][..*width] == row) {
            Some(there) => Err(there as usize),
            None => {
                rows.extend_from_slice(row);
                Ok(at)
            }
        }
    }

    /// Does the work of [`Self::insert`], with the width known to the compiler.
    #[inline(always)]
    pub(crate) fn insert_array<const W: usize>(&mut self, row: [u64; W], hash: u64) -> bool {
        self.table();
        let Self { rows, table, .. } = self;
        let at = rows.len() / W;
        let table = table.get_mut().expect("it was just made");
        let found = table.find_or_insert(hash, at as u32, |at| rows[at as usize * W..][..W] == row);
        if found.is_none() {
            rows.extend_from_slice(&row);
        }
        found.is_none()
    }

    /// Reads in advance what [`Self::find`] and [`Self::insert`] of rows with these hashes will read.
    pub(crate) fn fetch(&self, hashes: &[u64]) {
        let row = |at: u32| self.rows.get(at as usize * self.width).copied().unwrap_or_default();
        let read = self.table().fetch(hashes, row);
        // The sum is not needed, but without its use the compiler would remove the reads.
        std::hint::black_box(read);
    }

    /// Adds a row that is known to be new.
    #[inline(always)]
    pub(crate) fn push(&mut self, row: &[u64]) {
        if let Some(table) = self.table.get_mut() {
            table.insert(self.keys.row(row), (self.rows.len() / self.width) as u32);
        }
        self.rows.extend_from_slice(row);
    }

    /// Reserves room for `more` rows.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.rows.reserve(more * self.width);
        if let Some(table) = self.table.get_mut() {
            table.reserve(more);
        }
    }

    /// Does the work of [`Self::reserve`] for a segment that becomes large: it can be interrupted while it grows, and
    /// does not begin if that exceeded the budget beside the `moving` bytes, its own among them. Other segments grow
    /// when they have to.
    pub(crate) fn make_room(&mut self, more: usize, meter: &Meter, moving: usize) -> Result<(), Exceeded> {
        let before = self.moving();
        make_room(&mut self.rows, more * self.width, meter, moving)?;
        let moving = moving + self.moving() - before;
        self.table.get_mut().map_or(Ok(()), |table| table.make_room(more, meter, moving))
    }

    /// Returns the table, built if necessary.
    #[inline(always)]
    fn table(&self) -> &Table {
        self.table.get_or_init(|| self.whole_table())
    }

    #[cold]
    #[inline(never)]
    fn whole_table(&self) -> Table {
        let Ok(table) = self.table_within(|_| Ok::<(), Infallible>(()));
        table
    }

    fn table_within<E>(&self, look: impl Fn(usize) -> Result<(), E>) -> Result<Table, E> {
        let mut table = Table::default();
        table.reserve(self.rows.capacity() / self.width);
        for (at, row) in self.rows.chunks_exact(self.width).enumerate() {
            look(at)?;
            table.insert(self.keys.row(row), at as u32);
        }
        Ok(table)
    }

    /// Builds the table now; returns how many bytes it has.
    pub(crate) fn prepare_to_find(&self, meter: &Meter) -> Result<usize, Exceeded> {
        if self.table.get().is_some() {
            return Ok(0);
        }
        let made = self.table_within(|at| meter.glance(at))?;
        Ok(self.table.get_or_init(|| made).heap())
    }

    /// Frees the table, which is built again when a row is looked up; returns how many bytes it had.
    pub(crate) fn forget_table(&mut self) -> usize {
        self.table.take().map_or(0, |table| table.heap())
    }

    /// Returns the index over `columns`, if it exists.
    pub(crate) fn index(&self, columns: &Columns) -> Option<Arc<Index>> {
        let indexes = self.indexes.read().unwrap_or_else(PoisonError::into_inner);
        let found = indexes.iter().find(|(of, _)| of == columns)?;
        Some(Arc::clone(&found.1))
    }

    /// Returns the index over `columns`, built if necessary, for a segment that grows no more, and how many rows were
    /// indexed.
    pub(crate) fn index_or_build(&self, columns: &Columns, meter: &Meter) -> Result<(Arc<Index>, usize), Exceeded> {
        if let Some(index) = self.index(columns) {
            return Ok((index, 0));
        }
        let index = Arc::new(Index::fixed(self, columns, meter)?);
        self.keep(columns.clone(), Arc::clone(&index));
        Ok((index, self.len()))
    }

    fn keep(&self, columns: Columns, index: Arc<Index>) {
        let mut indexes = self.indexes.write().unwrap_or_else(PoisonError::into_inner);
        indexes.retain(|(of, _)| *of != columns);
        indexes.push((columns, index));
    }

    /// Returns the bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        let indexes = self.indexes.read().unwrap_or_else(PoisonError::into_inner);
        self.moving() + indexes.iter().map(|(_, index)| index.heap()).sum::<usize>()
    }

    /// Returns the bytes of rows and their table, without indexes: what grows while a rule runs.
    #[inline(always)]
    pub(crate) fn moving(&self) -> usize {
        8 * self.rows.capacity() + self.table.get().map_or(0, Table::heap)
    }

    /// Drops all indexes, because the rows have changed otherwise than by growing.
    pub(crate) fn drop_indexes(&mut self) {
        self.indexes = RwLock::default();
    }
}
