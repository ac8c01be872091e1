//! The rows of one predicate during an evaluation: a frozen part that requests share, and what this evaluation adds.

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

/// Rows that never change again, with when they hold.
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
    /// Rows and intervals that are new since the last round; only temporal predicates.
    pub fresh: Vec<(u32, Interval)>,
    /// The newest version of each row that can be replaced; only merged predicates.
    pub versions: Option<super::merge::Versions>,
    /// How many rows there were when the last round began.
    pub old: usize,
    /// How many rows the running round sees.
    pub seen: usize,
    pub past: Past,
}

/// Which rows a premise looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Range {
    /// All that are there when the round begins.
    All,
    /// Those from before the last round.
    Old,
    /// Those of the last round.
    Delta,
}

impl Relation {
    /// One that stands for another while that is in use.
    pub(crate) fn placeholder() -> Self {
        Self::new(0, false, None, Keys::default())
    }

    /// `arity` arguments; over `frozen` rows if there are some, which have the same `keys`.
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

    /// The same rows once more, without what only an evaluation needs.
    pub(crate) fn copy(&self) -> Self {
        Self {
            frozen: self.frozen.clone(),
            times: self.times.clone(),
            ..Self::of(self.own.copy())
        }
    }

    /// These rows and no others.
    pub(crate) fn of(own: Segment) -> Self {
        let empty = Self::new(own.width, false, None, own.keys);
        Self { own, ..empty }
    }

    /// All rows, frozen ones included.
    pub(crate) fn len(&self) -> usize {
        self.own.first as usize + self.own.len()
    }

    /// A row by its number.
    pub(crate) fn row(&self, number: u32) -> &[u64] {
        match (&self.frozen, number.checked_sub(self.own.first)) {
            (Some(frozen), None) => frozen.segment.row(number as usize),
            (_, at) => self.own.row(at.unwrap_or(number) as usize),
        }
    }

    /// The number of a row.
    pub(crate) fn find(&self, row: &[u64]) -> Option<u32> {
        let hash = self.own.keys.row(row);
        if let Some(frozen) = &self.frozen
            && let Some(at) = frozen.segment.find(row, hash)
        {
            return Some(at as u32);
        }
        self.own.find(row, hash).map(|at| self.own.first + at as u32)
    }

    /// Adds a row; says its number and whether it is new.
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

    /// Whether a row counts: it is not an older version of one that was merged.
    pub(crate) fn alive(&self, number: u32) -> bool {
        self.versions.as_ref().is_none_or(|versions| versions.alive(number))
    }

    /// When a row holds.
    pub(crate) fn times_of(&self, number: u32) -> Option<&IntervalSet> {
        self.times.as_ref()?.get(number)
    }

    /// Lets a row of a temporal predicate hold at `interval` too; what is new goes to `fresh`. Gives how many intervals it now has.
    pub(crate) fn hold(&mut self, number: u32, interval: Interval, fresh: &mut Vec<Interval>) -> usize {
        let Some(times) = &mut self.times else { return 0 };
        Arc::make_mut(times).hold(number, interval, fresh)
    }

    /// Bytes that grow as rows are given times.
    pub(crate) fn timing(&self) -> usize {
        let times = self.times.as_ref().map_or(0, |times| times.heap());
        times + self.fresh.capacity() * size_of::<(u32, Interval)>() + self.past.heap()
    }

    /// The place of the chain over `columns`, made if need be; the second is how many rows were taken in.
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

    /// Bytes on the heap, without the frozen part.
    pub(crate) fn heap(&self) -> usize {
        let versions = self.versions.as_ref().map_or(0, super::merge::Versions::heap);
        self.own.heap() + self.chains.iter().map(Chain::heap).sum::<usize>() + self.timing() + versions
    }

    /// Ends the evaluation of this predicate: from now on the rows stay as they are.
    pub(crate) fn freeze(self) -> Frozen {
        Frozen {
            segment: self.own,
            times: Arc::new(self.times.map(Arc::unwrap_or_clone).unwrap_or_default().freeze()),
            past: self.past,
        }
    }
}
