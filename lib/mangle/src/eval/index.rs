//! Indexes from the values of some columns to the rows that have them. Rows that no longer change lie grouped by key,
//! so that a lookup reads one run of memory; rows that are still being added are chained.

use super::{
    budget::{Exceeded, GLANCE, Meter},
    hash::Keys,
    segment::Segment,
    table::Table,
};

/// The columns that make the key, in ascending order.
pub(crate) type Columns = Box<[u16]>;

/// An index of rows by key.
#[derive(Debug)]
pub(crate) struct Index {
    groups: Groups,
    /// Whether no key has two rows.
    unique: bool,
}

#[derive(Debug)]
enum Groups {
    /// One column whose words are close together: key `k` has the rows `starts[k - least]..starts[k - least + 1]`.
    Dense { least: u64, starts: Vec<u32>, rows: Vec<u64> },
    /// Any key: the table gives the group, whose rows are `starts[group]..starts[group + 1]`.
    Hashed {
        keys: Keys,
        groups: Table,
        starts: Vec<u32>,
        rows: Vec<u64>,
    },
}

/// An index of rows that are still being added: for each key its newest row, for each row the one of the same key
/// before it.
#[derive(Debug)]
pub(crate) struct Chain {
    pub columns: Columns,
    keys: Keys,
    newest: Table,
    before: Vec<u32>,
}

/// The number that means no row.
pub(crate) const NONE: u32 = u32::MAX;

/// The tag bits of a word: inline numbers and interned values differ above them.
const TAG: u64 = 15;

#[inline(always)]
fn key_equals(row: &[u64], columns: &[u16], key: &[u64]) -> bool {
    columns.iter().zip(key).all(|(&column, &word)| row[column as usize] == word)
}

impl Index {
    /// Builds an index of rows that do not change any more.
    pub(crate) fn fixed(segment: &Segment, columns: &Columns, meter: &Meter) -> Result<Self, Exceeded> {
        if let [column] = **columns
            && let Some(dense) = Self::dense(&segment.rows, segment.width, column as usize, meter)?
        {
            return Ok(dense);
        }
        Self::hashed(&segment.rows, segment.width, segment.keys, columns, meter)
    }

    /// Builds a dense index, if the words have one tag and span little more than the number of rows.
    fn dense(rows: &[u64], width: usize, column: usize, meter: &Meter) -> Result<Option<Self>, Exceeded> {
        let count = rows.len() / width;
        let words = || rows[column.min(rows.len())..].iter().step_by(width);
        let tag = words().next().copied().unwrap_or_default() & TAG;
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        for &word in words() {
            if word & TAG != tag {
                return Ok(None);
            }
            least = least.min(word as i64);
            most = most.max(word as i64);
        }
        let span = if count == 0 {
            0
        } else {
            let Some(span) = most.checked_sub(least) else { return Ok(None) };
            (span as u64 / (TAG + 1)) as usize + 1
        };
        if span > 2 * count + 1024 {
            return Ok(None);
        }
        let place = |word: u64| ((word as i64 - least) as u64 / (TAG + 1)) as usize;
        let mut starts = vec![0_u32; span + 1];
        let mut unique = true;
        for (at, &word) in words().enumerate() {
            meter.glance(at)?;
            let start = &mut starts[place(word)];
            unique &= *start == 0;
            *start += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        let mut grouped = vec![0; rows.len()];
        for (at, row) in rows.chunks_exact(width).enumerate() {
            meter.glance(at)?;
            let next = &mut starts[place(row[column])];
            grouped[*next as usize * width..][..width].copy_from_slice(row);
            *next += 1;
        }
        move_back(&mut starts);
        let groups = Groups::Dense {
            least: least as u64,
            starts,
            rows: grouped,
        };
        Ok(Some(Self { groups, unique }))
    }

    fn hashed(rows: &[u64], width: usize, keys: Keys, columns: &Columns, meter: &Meter) -> Result<Self, Exceeded> {
        // First the group of each row and the size of each group are computed, then the rows are placed.
        let mut groups = Table::default();
        let mut firsts: Vec<u32> = Vec::new();
        let mut starts: Vec<u32> = Vec::new();
        let mut group_of: Vec<u32> = Vec::with_capacity(rows.len() / width);
        for (at, row) in rows.chunks_exact(width).enumerate() {
            meter.glance(at)?;
            if at.is_multiple_of(GLANCE) {
                groups.make_room(GLANCE, meter, 0)?;
            }
            let group = groups.find_or_insert(keys.columns(row, columns), firsts.len() as u32, |group| {
                let first = &rows[firsts[group as usize] as usize * width..][..width];
                columns.iter().all(|&column| first[usize::from(column)] == row[usize::from(column)])
            });
            let group = group.unwrap_or_else(|| {
                firsts.push(at as u32);
                starts.push(0);
                firsts.len() as u32 - 1
            });
            starts[group as usize] += 1;
            group_of.push(group);
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        starts.push(sum);
        let mut grouped = vec![0; rows.len()];
        for (at, (row, &group)) in rows.chunks_exact(width).zip(&group_of).enumerate() {
            meter.glance(at)?;
            let next = &mut starts[group as usize];
            grouped[*next as usize * width..][..width].copy_from_slice(row);
            *next += 1;
        }
        move_back(&mut starts);
        let unique = firsts.len() == group_of.len();
        let groups = Groups::Hashed {
            keys,
            groups,
            starts,
            rows: grouped,
        };
        Ok(Self { groups, unique })
    }

    /// Returns the rows of a key, end to end.
    #[inline(always)]
    pub(crate) fn get(&self, width: usize, columns: &[u16], key: &[u64]) -> &[u64] {
        match &self.groups {
            Groups::Dense { least, starts, rows } => {
                let offset = key[0].wrapping_sub(*least);
                let place = (offset / (TAG + 1)) as usize;
                // Another tag leaves a remainder; a smaller word than the least wraps around to a large place.
                if offset & TAG != 0 || place + 1 >= starts.len() {
                    return &[];
                }
                &rows[starts[place] as usize * width..starts[place + 1] as usize * width]
            }
            Groups::Hashed {
                keys,
                groups,
                starts,
                rows,
            } => {
                let first = |group: u32| &rows[starts[group as usize] as usize * width..][..width];
                let Some(group) = groups.find(keys.row(key), |group| key_equals(first(group), columns, key)) else {
                    return &[];
                };
                let group = group as usize;
                &rows[starts[group] as usize * width..starts[group + 1] as usize * width]
            }
        }
    }

    /// Reads in advance what [`Self::get`] will read for the keys in these `columns` of some rows. `hashes` are those
    /// of the keys.
    pub(crate) fn fetch(&self, width: usize, rows: &[u64], row_width: usize, columns: &[u16], hashes: &[u64]) {
        let word = |grouped: &[u64], start: Option<&u32>| {
            let place = start.map(|&start| start as usize * width);
            place.and_then(|place| grouped.get(place)).copied().unwrap_or_default()
        };
        let read = match &self.groups {
            Groups::Dense {
                least,
                starts,
                rows: grouped,
            } => {
                let column = columns.first().map_or(0, |&column| usize::from(column));
                let start = |row: &[u64]| starts.get((row[column].wrapping_sub(*least) / (TAG + 1)) as usize);
                let rows = rows.chunks_exact(row_width);
                let sum = rows.clone().fold(0, |sum, row| sum ^ start(row).copied().unwrap_or_default());
                rows.fold(u64::from(sum), |sum, row| sum ^ word(grouped, start(row)))
            }
            Groups::Hashed {
                groups,
                starts,
                rows: grouped,
                ..
            } => groups.fetch(hashes, |group| word(grouped, starts.get(group as usize))),
        };
        // The sum is not needed, but without its use the compiler would remove the reads.
        std::hint::black_box(read);
    }

    /// Returns whether no key has two rows.
    pub(crate) fn is_unique(&self) -> bool {
        self.unique
    }

    pub(crate) fn heap(&self) -> usize {
        match &self.groups {
            Groups::Dense { starts, rows, .. } => 4 * starts.capacity() + 8 * rows.capacity(),
            Groups::Hashed { groups, starts, rows, .. } => groups.heap() + 4 * starts.capacity() + 8 * rows.capacity(),
        }
    }
}

/// Moves the starts back: while rows were placed, each start advanced to that of the next group.
fn move_back(starts: &mut [u32]) {
    starts.rotate_right(1);
    starts[0] = 0;
}

impl Chain {
    pub(crate) fn new(columns: Columns, keys: Keys) -> Self {
        Self {
            columns,
            keys,
            newest: Table::default(),
            before: Vec::new(),
        }
    }

    /// Adds the rows that were added since the last time; returns how many.
    pub(crate) fn extend(&mut self, rows: &[u64], width: usize, meter: &Meter) -> Result<usize, Exceeded> {
        let Self {
            columns,
            keys,
            newest,
            before,
        } = self;
        let known = before.len();
        for (at, row) in rows.chunks_exact(width).enumerate().skip(known) {
            meter.glance(at)?;
            if at.is_multiple_of(GLANCE) {
                newest.make_room(GLANCE, meter, 0)?;
            }
            let last = newest.replace(keys.columns(row, columns), at as u32, |last| {
                let last = &rows[last as usize * width..][..width];
                columns.iter().all(|&column| last[usize::from(column)] == row[usize::from(column)])
            });
            before.push(last.unwrap_or(NONE));
        }
        Ok(before.len() - known)
    }

    /// Returns the newest row of a key.
    #[inline(always)]
    pub(crate) fn newest(&self, rows: &[u64], width: usize, key: &[u64]) -> u32 {
        let found = self.newest.find(self.keys.row(key), |last| {
            key_equals(&rows[last as usize * width..][..width], &self.columns, key)
        });
        found.unwrap_or(NONE)
    }

    /// Returns the row of the same key before this one.
    #[inline(always)]
    pub(crate) fn before(&self, at: u32) -> u32 {
        self.before[at as usize]
    }

    pub(crate) fn heap(&self) -> usize {
        self.newest.heap() + 4 * self.before.capacity()
    }
}
