//! Rows of one width end to end, each once, and what finds them.

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

/// Rows and what finds them. A predicate without arguments has rows of one word that is zero.
#[derive(Debug)]
pub(crate) struct Segment {
    pub width: usize,
    /// The number of the first row: how many rows the segment below has.
    pub first: u32,
    pub rows: Vec<u64>,
    pub keys: Keys,
    /// Made when somebody first looks for a row: many relations are only ever gone through.
    table: OnceLock<Table>,
    /// Indexes made so far. A lock, because a frozen segment gets them while requests share it.
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

    /// The same rows once more.
    pub(crate) fn copy(&self) -> Self {
        Self {
            rows: self.rows.clone(),
            table: self.table.clone(),
            ..Self::new(self.width, self.first, self.keys)
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
        let found = self.table().find(hash, |at| self.row(at as usize) == row);
        found.map(|at| at as usize)
    }

    /// Adds a row if it is new; its place then, or the place of the same one.
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

    /// As [`Self::insert`], with the width known to the compiler.
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

    /// Reads what [`Self::find`] and [`Self::insert`] of rows with these hashes will look at, all of it before any is used.
    pub(crate) fn fetch(&self, hashes: &[u64]) {
        let row = |at: u32| self.rows.get(at as usize * self.width).copied().unwrap_or_default();
        let read = self.table().fetch(hashes, row);
        // Nobody needs the sum, but without it nothing would be read.
        std::hint::black_box(read);
    }

    /// Adds a row of which it is known that it is new.
    #[inline(always)]
    pub(crate) fn push(&mut self, row: &[u64]) {
        if let Some(table) = self.table.get_mut() {
            table.insert(self.keys.row(row), (self.rows.len() / self.width) as u32);
        }
        self.rows.extend_from_slice(row);
    }

    /// Makes room for so many more rows.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.rows.reserve(more * self.width);
        if let Some(table) = self.table.get_mut() {
            table.reserve(more);
        }
    }

    /// As [`Self::reserve`] for a segment that becomes large: it can be stopped while it grows, and does not begin if that were too much
    /// beside the `moving` bytes, its own among them. Others grow when they have to.
    pub(crate) fn make_room(&mut self, more: usize, meter: &Meter, moving: usize) -> Result<(), Exceeded> {
        let before = self.moving();
        make_room(&mut self.rows, more * self.width, meter, moving)?;
        let moving = moving + self.moving() - before;
        self.table.get_mut().map_or(Ok(()), |table| table.make_room(more, meter, moving))
    }

    /// The table, made if need be.
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

    /// Makes the table now; gives how many bytes came with it.
    pub(crate) fn prepare_to_find(&self, meter: &Meter) -> Result<usize, Exceeded> {
        if self.table.get().is_some() {
            return Ok(0);
        }
        let made = self.table_within(|at| meter.glance(at))?;
        Ok(self.table.get_or_init(|| made).heap())
    }

    /// Lets go of the table, which comes back when somebody looks for a row; gives how many bytes it had.
    pub(crate) fn forget_table(&mut self) -> usize {
        self.table.take().map_or(0, |table| table.heap())
    }

    /// The index over `columns`, if it is there.
    pub(crate) fn index(&self, columns: &Columns) -> Option<Arc<Index>> {
        let indexes = self.indexes.read().unwrap_or_else(PoisonError::into_inner);
        let found = indexes.iter().find(|(of, _)| of == columns)?;
        Some(Arc::clone(&found.1))
    }

    /// The index over `columns`, made if need be, for a segment that grows no more. The second is how many rows were indexed.
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

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        let indexes = self.indexes.read().unwrap_or_else(PoisonError::into_inner);
        self.moving() + indexes.iter().map(|(_, index)| index.heap()).sum::<usize>()
    }

    /// Bytes of rows and their table, without indexes: what grows while a rule runs.
    #[inline(always)]
    pub(crate) fn moving(&self) -> usize {
        8 * self.rows.capacity() + self.table.get().map_or(0, Table::heap)
    }

    /// Forgets all indexes: the rows have changed in another way than by growing.
    pub(crate) fn drop_indexes(&mut self) {
        self.indexes = RwLock::default();
    }
}
