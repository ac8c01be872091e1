//! The rows of one predicate during an evaluation: a frozen part that requests share, and the rows that this evaluation
//! adds.

use std::sync::Arc;

use super::{
    budget::{Exceeded, Meter},
    hash::Keys,
    index::{Chain, Columns},
    interval_set::IntervalSet,
    past::Past,
    segment::Segment,
    times::Times,
};
use crate::program::Interval;

/// Rows that never change again, with the times at which they hold.
#[derive(Debug)]
pub(crate) struct Frozen {
    pub segment: Segment,
    pub times: Arc<Vec<IntervalSet>>,
    pub past: Past,
}

/// The rows of one predicate. Row numbers count through the frozen part and the own part.
#[derive(Debug)]
pub(crate) struct Relation {
    pub frozen: Option<Arc<Frozen>>,
    pub own: Segment,
    /// Indexes over own rows of a predicate whose stratum is being evaluated.
    pub chains: Vec<Chain>,
    /// For a temporal predicate, when each row holds. Shared with the rule that runs.
    pub times: Option<Arc<Times>>,
    /// The rows and intervals that are new since the last round, for temporal predicates only.
    pub fresh: Vec<(u32, Interval)>,
    /// The newest version of each row that can be replaced, for merged predicates only.
    pub versions: Option<super::merge::Versions>,
    /// How many rows there were when the last round began.
    pub old: usize,
    /// How many rows the running round may read.
    pub seen: usize,
    pub past: Past,
}

/// The rows that a premise reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Range {
    /// All rows that are present when the round begins.
    All,
    /// The rows from before the last round.
    Old,
    /// The rows of the last round.
    Delta,
}

impl Relation {
    /// Returns an empty relation that replaces another while that is in use.
    pub(crate) fn placeholder() -> Self {
        Self::new(0, false, None, Keys::default())
    }

    /// Returns a relation of `arity` arguments, over `frozen` rows if there are some, which use equal `keys`.
    pub(crate) fn new(arity: usize, temporal: bool, frozen: Option<Arc<Frozen>>, keys: Keys) -> Self {
        let first = frozen.as_ref().map_or(0, |frozen| frozen.segment.len());
        let over = |frozen: &Arc<Frozen>| Arc::new(Times::over(Arc::clone(&frozen.times), first as u32));
        let times = temporal.then(|| frozen.as_ref().map_or_else(Arc::default, over));
        Self {
            own: Segment::new(arity.max(1), first as u32, keys),
            frozen,
            chains: Vec::new(),
            times,
            fresh: Vec::new(),
            versions: None,
            old: 0,
            seen: 0,
            past: Past::default(),
        }
    }

    pub(crate) fn width(&self) -> usize {
        self.own.width
    }

    /// Copies the rows, without what only an evaluation needs.
    pub(crate) fn copy(&self) -> Self {
        Self {
            frozen: self.frozen.clone(),
            times: self.times.clone(),
            ..Self::of(self.own.copy())
        }
    }

    /// Returns a relation of these rows.
    pub(crate) fn of(own: Segment) -> Self {
        let empty = Self::new(own.width, false, None, own.keys);
        Self { own, ..empty }
    }

    /// Returns the number of all rows, frozen ones included.
    pub(crate) fn len(&self) -> usize {
        self.own.first as usize + self.own.len()
    }

    /// Returns a row by its number.
    pub(crate) fn row(&self, number: u32) -> &[u64] {
        match (&self.frozen, number.checked_sub(self.own.first)) {
            (Some(frozen), None) => frozen.segment.row(number as usize),
            (_, at) => self.own.row(at.unwrap_or(number) as usize),
        }
    }

    /// Returns the number of a row, if it is present.
    pub(crate) fn find(&self, row: &[u64]) -> Option<u32> {
        let hash = self.own.keys.row(row);
        if let Some(frozen) = &self.frozen
            && let Some(at) = frozen.segment.find(row, hash)
        {
            return Some(at as u32);
        }
        self.own.find(row, hash).map(|at| self.own.first + at as u32)
    }

    /// Adds a row; returns its number and whether it is new.
    pub(crate) fn insert(&mut self, row: &[u64]) -> (u32, bool) {
        let hash = self.own.keys.row(row);
        if let Some(frozen) = &self.frozen
            && let Some(at) = frozen.segment.find(row, hash)
        {
            return (at as u32, false);
        }
        match self.own.insert(row, hash) {
            Ok(at) => (self.own.first + at as u32, true),
            Err(at) => (self.own.first + at as u32, false),
        }
    }

    /// Adds a row if it is new.
    pub(crate) fn put(&mut self, row: &[u64]) {
        let hash = self.own.keys.row(row);
        if let Some(frozen) = &self.frozen
            && frozen.segment.find(row, hash).is_some()
        {
            return;
        }
        let _: bool = match *row {
            [a] => self.own.insert_array([a], hash),
            [a, b] => self.own.insert_array([a, b], hash),
            [a, b, c] => self.own.insert_array([a, b, c], hash),
            _ => self.own.insert(row, hash).is_ok(),
        };
    }

    /// Returns whether a row counts, that is, it is not an older version of a merged one.
    pub(crate) fn alive(&self, number: u32) -> bool {
        self.versions.as_ref().is_none_or(|versions| versions.alive(number))
    }

    /// Returns when a row holds.
    pub(crate) fn times_of(&self, number: u32) -> Option<&IntervalSet> {
        self.times.as_ref()?.get(number)
    }

    /// Adds `interval` to the times of a temporal row; what is new is pushed onto `fresh`. Returns how many intervals
    /// the row has now.
    pub(crate) fn hold(&mut self, number: u32, interval: Interval, fresh: &mut Vec<Interval>) -> usize {
        let Some(times) = &mut self.times else { return 0 };
        Arc::make_mut(times).hold(number, interval, fresh)
    }

    /// Returns the bytes that grow as rows get times.
    pub(crate) fn timing(&self) -> usize {
        let times = self.times.as_ref().map_or(0, |times| times.heap());
        times + self.fresh.capacity() * size_of::<(u32, Interval)>() + self.past.heap()
    }

    /// Returns the place of the chain over `columns`, built if necessary, and how many rows were added to it.
    pub(crate) fn chain(&mut self, columns: &Columns, meter: &Meter) -> Result<(usize, usize), Exceeded> {
        let at = match self.chains.iter().position(|chain| chain.columns == *columns) {
            Some(at) => at,
            None => {
                self.chains.push(Chain::new(columns.clone(), self.own.keys));
                self.chains.len() - 1
            }
        };
        let seen = self.seen.saturating_sub(self.own.first as usize);
        let taken = self.chains[at].extend(&self.own.rows[..seen * self.own.width], self.own.width, meter)?;
        Ok((at, taken))
    }

    /// Returns the bytes on the heap, without the frozen part.
    pub(crate) fn heap(&self) -> usize {
        let versions = self.versions.as_ref().map_or(0, super::merge::Versions::heap);
        self.own.heap() + self.chains.iter().map(Chain::heap).sum::<usize>() + self.timing() + versions
    }

    /// Ends the evaluation of this predicate: from now on the rows do not change.
    pub(crate) fn freeze(self) -> Frozen {
        Frozen {
            segment: self.own,
            times: Arc::new(self.times.map(Arc::unwrap_or_clone).unwrap_or_default().freeze()),
            past: self.past,
        }
    }
}
