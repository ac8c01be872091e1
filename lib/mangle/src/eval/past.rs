//! The origin of the rows of a predicate: all that an evaluation remembers for explanations.

use std::sync::Arc;

use super::segment::Segment;
use crate::program::Interval;

/// The origin of rows, for explanations: which rows were given, not derived, and in which round the others were
/// derived.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    /// How many rows, counted from the first, were given.
    pub given: u32,
    /// For temporal predicates, when given rows hold.
    pub stated: Vec<(u32, Interval)>,
    /// The number of rows at the beginning of each round of the stratum, except the first round.
    pub rounds: Rounds,
    /// For temporal predicates of recursive strata, what each round newly covered.
    pub history: Vec<(u32, Interval, u32)>,
    /// For merged predicates, the rows that were given.
    pub merged: Vec<u64>,
    /// For merged predicates of which a row has replaced another: every row that ever existed, in order. `rounds`
    /// counts these.
    pub versions: Option<Arc<Segment>>,
}

impl Past {
    /// Returns its bytes on the heap, without the versions, which are counted as the relation's own rows before they
    /// are moved here.
    pub(crate) fn heap(&self) -> usize {
        self.stated.capacity() * size_of::<(u32, Interval)>()
            + self.rounds.grown.capacity() * size_of::<(u32, u32)>()
            + self.history.capacity() * size_of::<(u32, Interval, u32)>()
            + self.merged.capacity() * size_of::<u64>()
    }
}

/// A number of rows for each round. Only rounds that added rows are stored: where a million predicates depend on each
/// other, there may be a million rounds, each of which concerns a few of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    count: u32,
    /// Each round that added rows, with the number of rows at its end.
    grown: Vec<(u32, u32)>,
}

impl Rounds {
    /// Returns whether there was no round.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a round, at the end of which there are `rows` rows.
    pub(crate) fn push(&mut self, rows: u32) {
        if self.grown.last().map_or(0, |&(_, before)| before) < rows {
            self.grown.push((self.count, rows));
        }
        self.count += 1;
    }

    /// Returns the round that added the row of this number.
    pub(crate) fn of(&self, row: u32) -> u32 {
        let at = self.grown.partition_point(|&(_, rows)| rows <= row);
        self.grown.get(at).map_or(self.count, |&(round, _)| round)
    }

    /// Returns how many rows there were after a round; `None` if there was no such round.
    pub(crate) fn after(&self, round: u32) -> Option<u32> {
        let at = self.grown.partition_point(|&(grown, _)| grown <= round);
        let rows = at.checked_sub(1).map_or(0, |at| self.grown[at].1);
        (round < self.count).then_some(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::Rounds;

    #[test]
    fn rounds_that_bring_nothing_are_not_written_down() {
        let rows = [0, 3, 3, 3, 7, 7];
        let mut rounds = Rounds::default();
        rows.iter().for_each(|&rows| rounds.push(rows));
        assert_eq!(rounds.grown.len(), 2);
        for (round, &rows) in rows.iter().enumerate() {
            assert_eq!(rounds.after(round as u32), Some(rows));
        }
        assert_eq!(rounds.after(6), None);
        let brought: Vec<u32> = (0..9).map(|row| rounds.of(row)).collect();
        assert_eq!(brought, [1, 1, 1, 4, 4, 4, 4, 6, 6]);
    }
}
