//! When the rows of a temporal predicate hold: the snapshot's times, shared, and those that an evaluation adds.

use std::{collections::HashMap, sync::Arc};

use super::interval_set::IntervalSet;
use crate::program::Interval;

/// The intervals of each row, by its number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    frozen: Arc<Vec<IntervalSet>>,
    /// The complete intervals of frozen rows that hold at more times here. So the cost of a request depends on what it
    /// adds, not on what exists.
    longer: HashMap<u32, IntervalSet>,
    /// The number of the first row that is not frozen.
    first: u32,
    own: Vec<IntervalSet>,
    /// The bytes of the sets in `longer` and `own`.
    sets: usize,
}

impl Times {
    /// Returns the times of `first` frozen rows.
    pub(crate) fn over(frozen: Arc<Vec<IntervalSet>>, first: u32) -> Self {
        Self {
            frozen,
            first,
            ..Self::default()
        }
    }

    /// Returns the times of rows none of which is frozen.
    pub(crate) fn of(own: Vec<IntervalSet>) -> Self {
        Self { own, ..Self::default() }
    }

    /// Returns when a row holds.
    pub(crate) fn get(&self, number: u32) -> Option<&IntervalSet> {
        match number.checked_sub(self.first) {
            Some(own) => self.own.get(own as usize),
            None if self.longer.is_empty() => self.frozen.get(number as usize),
            None => self.longer.get(&number).or_else(|| self.frozen.get(number as usize)),
        }
    }

    /// Returns all rows with when they hold.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &IntervalSet)> {
        let frozen = (0..self.frozen.len() as u32).filter_map(|number| Some((number, self.get(number)?)));
        frozen.chain((self.first..).zip(&self.own))
    }

    /// Adds `interval` to the times of a row; what is new is pushed onto `fresh`. Returns how many intervals the row
    /// has now.
    pub(crate) fn hold(&mut self, number: u32, interval: Interval, fresh: &mut Vec<Interval>) -> usize {
        let set = match number.checked_sub(self.first) {
            Some(own) => {
                let own = own as usize;
                if self.own.len() <= own {
                    self.own.resize_with(own + 1, IntervalSet::default);
                }
                &mut self.own[own]
            }
            None => self.longer.entry(number).or_insert_with(|| {
                let set = self.frozen.get(number as usize).cloned().unwrap_or_default();
                self.sets += set.heap();
                set
            }),
        };
        let heap = set.heap();
        set.add(interval, fresh);
        self.sets += set.heap().saturating_sub(heap);
        set.len()
    }

    /// Returns the bytes on the heap, without the frozen part.
    pub(crate) fn heap(&self) -> usize {
        let longer = self.longer.capacity() * size_of::<(u32, IntervalSet)>();
        longer + self.own.capacity() * size_of::<IntervalSet>() + self.sets
    }

    /// Returns the sets of rows none of which was frozen before.
    pub(crate) fn freeze(self) -> Vec<IntervalSet> {
        self.own
    }
}
