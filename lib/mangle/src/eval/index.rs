//! From the values of some columns to the rows that have them. Rows that no longer change lie grouped by key, so that a
//! lookup reads one run of memory; rows that still come are chained.

use hashbrown::HashTable;

use super::{
    hash::{fold, fold_pair},
    segment::hash_row,
};

/// Which columns make the key, in ascending order.
pub(crate) type Columns = Box<[u16]>;

/// Rows by key.
#[derive(Debug)]
pub(crate) enum Index {
    /// One column whose words are close together: key `k` has the rows `starts[k - least]..starts[k - least + 1]`.
    Dense { least: u64, starts: Vec<u32>, rows: Vec<u64> },
    /// Any key: an entry is the range of a group.
    Hashed { groups: HashTable<(u32, u32)>, rows: Vec<u64> },
}

/// An index of rows that still come: for each key its newest row, for each row the one of the same key before it.
#[derive(Debug, Default)]
pub(crate) struct Chain {
    pub columns: Columns,
    newest: HashTable<u32>,
    before: Vec<u32>,
}

/// No row.
pub(crate) const NONE: u32 = u32::MAX;

/// Words of inline numbers and of interned things differ above the tag.
const TAG: u64 = 15;

#[inline(always)]
fn key_equals(row: &[u64], columns: &[u16], key: &[u64]) -> bool {
    columns.iter().zip(key).all(|(&column, &word)| row[column as usize] == word)
}

/// The same as [`hash_row`] of the key.
fn hash_key(row: &[u64], columns: &[u16]) -> u64 {
    match *columns {
        [a, b] => fold_pair(row[a as usize], row[b as usize]),
        _ => columns.iter().fold(1, |hash, &column| fold(hash, row[column as usize])),
    }
}

fn key_of(row: &[u64], columns: &[u16], key: &mut Vec<u64>) {
    key.clear();
    key.extend(columns.iter().map(|&column| row[column as usize]));
}

impl Index {
    /// Over rows that do not change any more.
    pub(crate) fn fixed(rows: &[u64], width: usize, columns: &Columns) -> Self {
        if let [column] = **columns
            && let Some(dense) = Self::dense(rows, width, column as usize)
        {
            return dense;
        }
        Self::hashed(rows, width, columns)
    }

    /// Works if the words have one tag and span little more than there are rows.
    fn dense(rows: &[u64], width: usize, column: usize) -> Option<Self> {
        let count = rows.len() / width;
        let words = || rows[column.min(rows.len())..].iter().step_by(width);
        let tag = words().next().copied().unwrap_or_default() & TAG;
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        for &word in words() {
            if word & TAG != tag {
                return None;
            }
            least = least.min(word as i64);
            most = most.max(word as i64);
        }
        let span = if count == 0 {
            0
        } else {
            (most.checked_sub(least)? as u64 / (TAG + 1)) as usize + 1
        };
        if span > 2 * count + 1024 {
            return None;
        }
        let place = |word: u64| ((word as i64 - least) as u64 / (TAG + 1)) as usize;
        let mut starts = vec![0_u32; span + 1];
        for &word in words() {
            starts[place(word)] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        let mut grouped = vec![0; rows.len()];
        for row in rows.chunks_exact(width) {
            let next = &mut starts[place(row[column])];
            grouped[*next as usize * width..][..width].copy_from_slice(row);
            *next += 1;
        }
        // Each start has moved on to the next group's: move them back by one.
        starts.rotate_right(1);
        starts[0] = 0;
        Some(Self::Dense {
            least: least as u64,
            starts,
            rows: grouped,
        })
    }

    fn hashed(rows: &[u64], width: usize, columns: &Columns) -> Self {
        let mut key = Vec::with_capacity(columns.len());
        // First the size of each group and the group of each row, then the rows in their places.
        let mut groups: HashTable<(u32, u32)> = HashTable::new();
        let mut firsts: Vec<u32> = Vec::new();
        let mut sizes: Vec<u32> = Vec::new();
        let mut group_of: Vec<u32> = Vec::with_capacity(rows.len() / width);
        for (at, row) in rows.chunks_exact(width).enumerate() {
            key_of(row, columns, &mut key);
            let hash = hash_row(&key);
            let found = groups.find(hash, |&(group, _)| {
                key_equals(&rows[firsts[group as usize] as usize * width..][..width], columns, &key)
            });
            let group = match found {
                Some(&(group, _)) => group,
                None => {
                    let group = firsts.len() as u32;
                    firsts.push(at as u32);
                    sizes.push(0);
                    groups.insert_unique(hash, (group, 0), |&(group, _)| {
                        hash_key(&rows[firsts[group as usize] as usize * width..][..width], columns)
                    });
                    group
                }
            };
            sizes[group as usize] += 1;
            group_of.push(group);
        }
        let mut sum = 0;
        let mut starts: Vec<u32> = sizes
            .iter()
            .map(|&size| {
                sum += size;
                sum - size
            })
            .collect();
        for (start, size) in groups.iter_mut() {
            let group = *start as usize;
            (*start, *size) = (starts[group], starts[group] + sizes[group]);
        }
        let mut grouped = vec![0; rows.len()];
        for (row, &group) in rows.chunks_exact(width).zip(&group_of) {
            let next = &mut starts[group as usize];
            grouped[*next as usize * width..][..width].copy_from_slice(row);
            *next += 1;
        }
        Self::Hashed { groups, rows: grouped }
    }

    /// The rows of a key, end to end.
    #[inline(always)]
    pub(crate) fn get(&self, width: usize, columns: &[u16], key: &[u64]) -> &[u64] {
        match self {
            Self::Dense { least, starts, rows } => {
                let offset = key[0].wrapping_sub(*least);
                let place = (offset / (TAG + 1)) as usize;
                // Another tag leaves a remainder; what is smaller than the least wraps around to a large place.
                if offset & TAG != 0 || place + 1 >= starts.len() {
                    return &[];
                }
                &rows[starts[place] as usize * width..starts[place + 1] as usize * width]
            }
            Self::Hashed { groups, rows } => groups
                .find(hash_row(key), |&(start, _)| {
                    key_equals(&rows[start as usize * width..][..width], columns, key)
                })
                .map_or(&[], |&(start, end)| &rows[start as usize * width..end as usize * width]),
        }
    }

    pub(crate) fn heap(&self) -> usize {
        match self {
            Self::Dense { starts, rows, .. } => 4 * starts.capacity() + 8 * rows.capacity(),
            Self::Hashed { groups, rows } => 9 * groups.capacity() + 8 * rows.capacity(),
        }
    }
}

impl Chain {
    pub(crate) fn new(columns: Columns) -> Self {
        Self {
            columns,
            ..Self::default()
        }
    }

    /// Takes in the rows that came since the last time; gives how many.
    pub(crate) fn extend(&mut self, rows: &[u64], width: usize) -> usize {
        let Self { columns, newest, before } = self;
        let known = before.len();
        let mut key = Vec::with_capacity(columns.len());
        for (at, row) in rows.chunks_exact(width).enumerate().skip(known) {
            key_of(row, columns, &mut key);
            let hash = hash_row(&key);
            let found = newest.find_mut(hash, |&last| key_equals(&rows[last as usize * width..][..width], columns, &key));
            match found {
                Some(last) => before.push(std::mem::replace(last, at as u32)),
                None => {
                    before.push(NONE);
                    newest.insert_unique(hash, at as u32, |&last| hash_key(&rows[last as usize * width..][..width], columns));
                }
            }
        }
        before.len() - known
    }

    /// The newest row of a key.
    #[inline(always)]
    pub(crate) fn newest(&self, rows: &[u64], width: usize, key: &[u64]) -> u32 {
        let found = self.newest.find(hash_row(key), |&last| {
            key_equals(&rows[last as usize * width..][..width], &self.columns, key)
        });
        found.copied().unwrap_or(NONE)
    }

    /// The row of the same key before this one.
    #[inline(always)]
    pub(crate) fn before(&self, at: u32) -> u32 {
        self.before[at as usize]
    }

    pub(crate) fn heap(&self) -> usize {
        5 * self.newest.capacity() + 4 * self.before.capacity()
    }
}
