//! The times at which a fact holds: disjoint closed intervals in order, with a gap of more than a nanosecond between
//! any two.

use crate::program::Interval;

/// The intervals at which one row holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IntervalSet(Vec<Interval>);

impl IntervalSet {
    pub(crate) fn iter(&self) -> impl Iterator<Item = Interval> {
        self.0.iter().copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns its bytes on the heap, including the allocator's overhead for a small allocation.
    pub(crate) fn heap(&self) -> usize {
        const PIECE: usize = 16;
        match self.0.capacity() {
            0 => 0,
            capacity => capacity * size_of::<Interval>() + PIECE,
        }
    }

    pub(crate) fn get(&self, at: usize) -> Option<Interval> {
        self.0.get(at).copied()
    }

    /// Returns the interval that covers all of `asked`, if one does.
    pub(crate) fn covering(&self, asked: Interval) -> Option<Interval> {
        let after = self.0.partition_point(|interval| interval.start <= asked.start);
        let last = *self.0.get(after.checked_sub(1)?)?;
        last.contains(asked).then_some(last)
    }

    /// Returns the intervals that share an instant with `window`.
    pub(crate) fn overlapping(&self, window: Interval) -> impl Iterator<Item = Interval> {
        let first = self.0.partition_point(|interval| interval.end < window.start);
        self.0[first..]
            .iter()
            .copied()
            .take_while(move |interval| interval.start <= window.end)
    }

    /// Adds an interval and pushes the parts that were not covered before onto `fresh`.
    pub(crate) fn add(&mut self, new: Interval, fresh: &mut Vec<Interval>) {
        // All intervals that touch `new`, neighbours included: two intervals a nanosecond apart are one.
        let first = self.0.partition_point(|old| old.end.saturating_add(1) < new.start);
        let touching = self.0[first..].partition_point(|old| old.start <= new.end.saturating_add(1));
        let end = first + touching;
        let mut from = Some(new.start);
        for old in &self.0[first..end] {
            if let Some(start) = from
                && start < old.start
                && let Some(part) = Interval::new(start, new.end.min(old.start - 1))
            {
                fresh.push(part);
            }
            from = from.and_then(|start| if start <= old.end { old.end.checked_add(1) } else { Some(start) });
        }
        if let Some(part) = from.and_then(|start| Interval::new(start, new.end)) {
            fresh.push(part);
        }
        let merged = self.0[first..end].iter().fold(new, |all, old| Interval {
            start: all.start.min(old.start),
            end: all.end.max(old.end),
        });
        self.0.splice(first..end, [merged]);
    }
}
