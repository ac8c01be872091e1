//! Prefetching: what later steps will look up for the rows of a scan is read a few dozen at a time. The place of a key
//! in memory is practically random, so each lookup would wait for memory by itself; in batches they wait together.

use super::{Found, Machine, Own};
use crate::eval::{
    hash::Keys,
    plan::{Access, Key, Plan, Step},
};
use crate::program::PredId;

/// How many rows are prefetched for at once.
pub(super) const BATCH: usize = 32;

/// The size in bytes below which data is in a near cache already, or soon will be.
const NEAR: usize = 64 << 10;

/// A lookup of a later step whose whole key is in the row of a scan.
#[derive(Debug)]
pub(super) struct Ahead {
    step: usize,
    pred: PredId,
    /// The columns of the row that make the key.
    columns: Vec<u16>,
    whole_row: bool,
}

impl Ahead {
    /// Returns the lookups that are worth prefetching for the rows of the step at `at`.
    pub(super) fn of(plan: &Plan, found: &[Found], at: usize) -> Vec<Self> {
        let Step::Rows(scanned) = &plan.steps[at] else { return Vec::new() };
        if !matches!(scanned.access, Access::Scan) {
            return Vec::new();
        }
        let column = |key: &Key| {
            let Key::Slot(slot) = key else { return None };
            let bind = scanned.binds.iter().find(|(_, bound)| bound == slot)?;
            Some(bind.0)
        };
        let lookups = plan.steps.iter().enumerate().skip(at + 1);
        lookups
            .filter_map(|(step, next)| {
                let (Step::Rows(rows) | Step::Absent(rows)) = next else {
                    return None;
                };
                let (keys, whole_row) = match &rows.access {
                    Access::Scan => return None,
                    Access::Find(keys) => (keys, true),
                    Access::Index(_, keys) => (keys, false),
                };
                let columns = keys.iter().map(column).collect::<Option<Vec<u16>>>()?;
                let far = whole_row || found[step].bytes() > NEAR;
                (far && !columns.is_empty()).then_some(Self {
                    step,
                    pred: rows.pred,
                    columns,
                    whole_row,
                })
            })
            .collect()
    }
}

impl Found {
    /// Returns the bytes of the indexes.
    fn bytes(&self) -> usize {
        let own = match &self.own {
            Own::Fixed(index) => index.heap(),
            Own::Chain(_) | Own::Empty | Own::Whole => 0,
        };
        own + self.frozen_index.as_ref().map_or(0, |index| index.heap())
    }
}

impl Machine<'_, '_> {
    /// Reads what later steps will read for some rows of the scan at `at`, which lie end to end.
    #[inline(always)]
    pub(super) fn look_ahead(&self, at: usize, rows: &[u64], width: usize) {
        for ahead in &self.found[at].ahead {
            self.fetch(ahead, rows, width);
        }
    }

    fn fetch(&self, ahead: &Ahead, rows: &[u64], width: usize) {
        let found = &self.found[ahead.step];
        let relation = self.relation(ahead.pred);
        let hashes = Hashes::of(relation.own.keys, rows, width, &ahead.columns);
        if ahead.whole_row {
            let segments = found.frozen.iter().map(|frozen| &frozen.segment).chain([&relation.own]);
            segments
                .filter(|segment| 8 * segment.rows.len() > NEAR)
                .for_each(|segment| segment.fetch(hashes.get()));
            return;
        }
        let own = if let Own::Fixed(index) = &found.own { Some(index) } else { None };
        for index in found.frozen_index.iter().chain(own) {
            index.fetch(relation.width(), rows, width, &ahead.columns, hashes.get());
        }
    }
}

/// The hashes of the keys of some rows.
struct Hashes {
    words: [u64; BATCH],
    count: usize,
}

impl Hashes {
    fn of(keys: Keys, rows: &[u64], width: usize, columns: &[u16]) -> Self {
        let mut words = [0; BATCH];
        let mut count = 0;
        for (word, row) in words.iter_mut().zip(rows.chunks_exact(width)) {
            *word = keys.columns(row, columns);
            count += 1;
        }
        Self { words, count }
    }

    fn get(&self) -> &[u64] {
        &self.words[..self.count]
    }
}
