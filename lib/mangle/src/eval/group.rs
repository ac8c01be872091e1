//! Groups: bindings with equal keys come together, reducers make one value of each group.

use std::cmp::Ordering;

use super::{
    error::Stop,
    hash::Keys,
    machine::{Machine, Target},
    plan::Group,
    table::Table,
};
use crate::{
    builtin::{Context, Reducer, Rows},
    program::{Aggregate, Expr, Head, Interval, Slot, Transform},
    value::Value,
};

/// Bindings, flat: for each the words of some registers.
struct Bindings {
    slots: Vec<Slot>,
    words: Vec<u64>,
    keys: Keys,
}

/// The numbers of bindings, those with equal keys side by side: keys in the order in which they first came, and bindings of a key
/// in theirs.
struct Partition {
    rows: Vec<u32>,
    /// Where each key begins, and at last where the last one ends.
    starts: Vec<u32>,
}

impl Bindings {
    fn width(&self) -> usize {
        self.slots.len().max(1)
    }

    fn len(&self) -> usize {
        self.words.len() / self.width()
    }

    fn row(&self, at: usize) -> &[u64] {
        &self.words[at * self.width()..(at + 1) * self.width()]
    }
}

/// Derived rows end to end and, for a temporal predicate, when each holds.
#[derive(Default)]
pub(crate) struct Derived {
    pub rows: Vec<u64>,
    pub times: Vec<Interval>,
}

impl Machine<'_, '_> {
    /// Groups the bindings that were collected and gives the rows of the head.
    pub(crate) fn groups(&mut self, group: &Group) -> Result<Derived, Stop> {
        let target = std::mem::replace(&mut self.target, Target::Rows);
        let Target::Bindings(distinct, all) = target else {
            return Ok(Derived::default());
        };
        let bindings = Bindings {
            keys: distinct.keys,
            slots: group.kept.clone(),
            words: if group.distinct { distinct.rows } else { all },
        };
        let mut derived = Derived::default();
        let resting = self.tools.meter.resting;
        self.hold(8 * bindings.words.capacity());
        self.group(&bindings, &group.keys, &group.lets, &group.rest, &group.head, &mut derived)?;
        self.tools.meter.resting = resting;
        Ok(derived)
    }

    /// Counts bytes that stay until the groups are done.
    fn hold(&mut self, bytes: usize) {
        self.tools.meter.resting += bytes;
    }

    fn group(
        &mut self,
        bindings: &Bindings,
        keys: &[Slot],
        lets: &[Aggregate],
        rest: &[Transform],
        head: &Head,
        derived: &mut Derived,
    ) -> Result<(), Stop> {
        let mut next = Bindings {
            slots: keys.iter().copied().chain(lets.iter().map(slot_of)).collect(),
            words: Vec::new(),
            keys: bindings.keys,
        };
        let Partition { rows, starts } = self.partition(bindings, keys)?;
        // What the reducers look at, one group after the other.
        let mut values = Vec::new();
        for ends in starts.windows(2) {
            let rows = &rows[ends[0] as usize..ends[1] as usize];
            self.load(bindings, rows[0] as usize);
            for one in lets {
                let value = match one {
                    Aggregate::Let(one) => self.evaluate(&one.expr)?,
                    Aggregate::Reduce { reducer, args, .. } => self.reduce(bindings, rows, *reducer, args, &mut values)?,
                };
                self.registers[usize::from(slot_of(one))] = value.bits();
            }
            self.after(&mut next, rest, head, derived)?;
        }
        if let Some((Transform::Group { keys, lets }, rest)) = split_group(rest) {
            self.group(&next, keys, lets, rest, head, derived)?;
        }
        Ok(())
    }

    /// Runs the lets that follow a group; at the end of the rule the head, before another group its bindings are kept.
    fn after(&mut self, next: &mut Bindings, rest: &[Transform], head: &Head, derived: &mut Derived) -> Result<(), Stop> {
        for transform in rest {
            match transform {
                Transform::Lets(lets) => {
                    for one in lets {
                        let value = self.evaluate(&one.expr)?;
                        self.registers[usize::from(one.slot)] = value.bits();
                        if !next.slots.contains(&one.slot) {
                            next.slots.push(one.slot);
                        }
                    }
                }
                Transform::Group { .. } => {
                    let words: Vec<u64> = next.slots.iter().map(|&slot| self.registers[usize::from(slot)]).collect();
                    self.hold(8 * words.len().max(1));
                    self.charge(1)?;
                    next.words.extend(if words.is_empty() { vec![0] } else { words });
                    return Ok(());
                }
            }
        }
        self.head_row(head, derived)
    }

    fn head_row(&mut self, head: &Head, derived: &mut Derived) -> Result<(), Stop> {
        // Each may double when it grows.
        self.hold(2 * size_of::<u64>() * (head.args.len().max(1) + 2 * usize::from(head.time.is_some())));
        self.charge(1)?;
        for arg in &head.args {
            let value = self.evaluate(arg)?;
            derived.rows.push(value.bits());
        }
        if head.args.is_empty() {
            derived.rows.push(0);
        }
        if let Some(time) = head.time {
            derived.times.push(self.head_interval(time)?);
        }
        Ok(())
    }

    /// Puts a binding back into the registers.
    fn load(&mut self, bindings: &Bindings, at: usize) {
        for (&slot, &word) in bindings.slots.iter().zip(bindings.row(at)) {
            self.registers[usize::from(slot)] = word;
        }
    }

    fn partition(&mut self, bindings: &Bindings, keys: &[Slot]) -> Result<Partition, Stop> {
        let columns: Vec<u16> = keys
            .iter()
            .filter_map(|key| bindings.slots.iter().position(|slot| slot == key))
            .map(|column| column as u16)
            .collect();
        let mut table = Table::default();
        let mut firsts: Vec<u32> = Vec::new();
        let mut starts: Vec<u32> = Vec::new();
        // Counted when there are twice as many groups as the last time.
        let mut counted = 1024;
        let mut group_of: Vec<u32> = Vec::with_capacity(bindings.len());
        // The group of each binding, then its place.
        self.hold(2 * size_of::<u32>() * bindings.len());
        for (number, row) in bindings.words.chunks_exact(bindings.width()).enumerate() {
            self.charge(1)?;
            let group = table.find_or_insert(bindings.keys.columns(row, &columns), firsts.len() as u32, |group| {
                let first = bindings.row(firsts[group as usize] as usize);
                columns.iter().all(|&column| first[usize::from(column)] == row[usize::from(column)])
            });
            let group = group.unwrap_or_else(|| {
                firsts.push(number as u32);
                starts.push(0);
                firsts.len() as u32 - 1
            });
            starts[group as usize] += 1;
            group_of.push(group);
            if firsts.len() == counted {
                // An entry of the table, at worst twice, and three numbers.
                self.hold(counted * (2 * size_of::<u64>() + 3 * size_of::<u32>()));
                counted *= 2;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        let mut next = starts.clone();
        starts.push(sum);
        let mut rows = vec![0; group_of.len()];
        for (number, &group) in group_of.iter().enumerate() {
            let next = &mut next[group as usize];
            rows[*next as usize] = number as u32;
            *next += 1;
        }
        Ok(Partition { rows, starts })
    }

    fn reduce(
        &mut self,
        bindings: &Bindings,
        rows: &[u32],
        reducer: Reducer,
        args: &[Expr],
        values: &mut Vec<Value>,
    ) -> Result<Value, Stop> {
        self.charge(rows.len() as u64)?;
        let column = |slot: &Slot| bindings.slots.iter().position(|bound| bound == slot);
        values.clear();
        match args {
            [] => {}
            // A register that the bindings have: nothing to compute.
            [Expr::Slot(slot)] if let Some(column) = column(slot) => {
                values.extend(rows.iter().map(|&row| Value::from_bits(bindings.row(row as usize)[column])));
            }
            args => self.evaluate_each(bindings, rows, args, values)?,
        }
        if reducer.ordered {
            self.sort_rows(values, args.len())?;
        }
        let rows = Rows { count: rows.len(), values };
        self.reduce_with(reducer, &rows)
    }

    /// The arguments of a reducer for each binding.
    fn evaluate_each(&mut self, bindings: &Bindings, rows: &[u32], args: &[Expr], values: &mut Vec<Value>) -> Result<(), Stop> {
        let keep: Vec<u64> = self.registers.clone();
        for &row in rows {
            self.load(bindings, row as usize);
            for arg in args {
                values.push(self.evaluate(arg)?);
            }
        }
        self.registers = keep;
        Ok(())
    }

    /// Sorts flat rows canonically.
    fn sort_rows(&self, values: &mut Vec<Value>, width: usize) -> Result<(), Stop> {
        let interner = self.interner();
        let stop = || self.check_bytes();
        match width {
            0 => Ok(()),
            1 => merge_sort(values, &stop, |a, b| interner.compare(*a, *b)),
            _ => {
                let mut rows: Vec<&[Value]> = values.chunks_exact(width).collect();
                merge_sort(&mut rows, &stop, |a, b| interner.compare_rows(a, b))?;
                *values = rows.concat();
                Ok(())
            }
        }
    }

    fn reduce_with(&mut self, reducer: Reducer, rows: &Rows<'_>) -> Result<Value, Stop> {
        let mut context: Context<'_> = self.context();
        let result = (reducer.eval)(&mut context, rows);
        let value = result.map_err(|fault| self.fault_of(fault))?;
        self.check_size(value)?;
        Ok(value)
    }
}

fn slot_of(one: &Aggregate) -> Slot {
    match one {
        Aggregate::Let(one) => one.slot,
        Aggregate::Reduce { slot, .. } => *slot,
    }
}

/// The next group and what stands behind it.
fn split_group(rest: &[Transform]) -> Option<(&Transform, &[Transform])> {
    let at = rest.iter().position(|transform| matches!(transform, Transform::Group { .. }))?;
    Some((&rest[at], &rest[at + 1..]))
}

/// How many things are sorted between two looks at the flag.
const RUN: usize = 1 << 14;

/// Sorts, and ends early when `stop` fails: first runs, then pairs of runs that are twice as long each time.
fn merge_sort<T: Copy>(all: &mut Vec<T>, stop: &dyn Fn() -> Result<(), Stop>, compare: impl Fn(&T, &T) -> Ordering) -> Result<(), Stop> {
    for run in all.chunks_mut(RUN) {
        run.sort_by(&compare);
        stop()?;
    }
    let mut length = RUN;
    while length < all.len() {
        let mut merged = Vec::with_capacity(all.len());
        for both in all.chunks(2 * length) {
            let (mut left, mut right) = both.split_at(length.min(both.len()));
            while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) {
                if compare(first, second).is_le() {
                    merged.push(*first);
                    left = left_rest;
                } else {
                    merged.push(*second);
                    right = right_rest;
                }
                if merged.len().is_multiple_of(RUN) {
                    stop()?;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        *all = merged;
        length *= 2;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{RUN, merge_sort};

    #[test]
    fn runs_are_merged_in_order_and_what_is_equal_stays_as_it_came() {
        for count in [0, 1, RUN - 1, RUN, RUN + 1, 5 * RUN + 7] {
            let scattered = (0..count as u64).map(|number| (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52, number));
            let mut sorted: Vec<(u64, u64)> = scattered.collect();
            let mut expected = sorted.clone();
            expected.sort_by_key(|pair| pair.0);
            merge_sort(&mut sorted, &|| Ok(()), |a, b| a.0.cmp(&b.0)).expect("nothing stops it");
            assert!(sorted == expected, "{count}");
        }
    }
}
