//! Groups: bindings with equal keys are collected, and reducers compute one value for each group.

use super::{
    MAX_VALUE,
    budget::GLANCE,
    error::Stop,
    hash::Keys,
    machine::{Machine, Target},
    plan::Group,
    sort::merge_sort,
    table::Table,
};
use crate::{
    builtin::{Context, Reducer, Rows},
    program::{Aggregate, Expr, Head, Interval, Slot, Transform},
    value::Value,
};

/// The size in bytes up to which allocations are made without a check of memory.
const PIECE: usize = 1 << 16;

/// Bindings, flat: for each the words of some registers.
struct Bindings {
    slots: Vec<Slot>,
    words: Vec<u64>,
    keys: Keys,
}

/// The numbers of bindings, those with equal keys side by side: keys in order of their first occurrence, and the
/// bindings of a key in their own order.
struct Partition {
    rows: Vec<u32>,
    /// The start of each key, and finally the end of the last one.
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
    /// Groups the collected bindings and returns the rows of the head.
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

    /// Counts bytes that stay until the groups are finished.
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
        // The input of the reducers, one group after the other.
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

    /// Runs the lets that follow a group; at the end of the rule it derives the head, before another group it keeps the
    /// bindings.
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

    /// Loads a binding into the registers.
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
        // Memory is counted when the number of groups has doubled.
        let mut counted = 1024;
        let mut group_of: Vec<u32> = Vec::with_capacity(bindings.len());
        // The group of each binding, then its place.
        self.hold(2 * size_of::<u32>() * bindings.len());
        for (number, row) in bindings.words.chunks_exact(bindings.width()).enumerate() {
            self.charge(1)?;
            if number.is_multiple_of(GLANCE) {
                table.make_room(GLANCE, self.tools.meter, 0)?;
            }
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
            self.tools.meter.glance(number)?;
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
        let resting = self.tools.meter.resting;
        values.clear();
        let bytes = size_of::<Value>() * rows.len() * args.len();
        if reducer.gathers && bytes > MAX_VALUE {
            return Err(self.tools.meter.too_large(MAX_VALUE, bytes).into());
        }
        // Gathered values exist twice while a value is made of them.
        let kept = bytes.max(size_of::<Value>() * values.capacity());
        self.hold(if reducer.gathers { kept + bytes } else { kept });
        if bytes > PIECE {
            self.check_bytes()?;
        }
        values.reserve(rows.len() * args.len());
        self.evaluate_each(bindings, rows, args, values)?;
        if reducer.ordered {
            self.sort_rows(values, args.len())?;
        }
        let rows = Rows { count: rows.len(), values };
        let value = self.reduce_with(reducer, &rows)?;
        self.tools.meter.resting = resting;
        Ok(value)
    }

    /// Returns the arguments of a reducer for each binding.
    fn evaluate_each(&mut self, bindings: &Bindings, rows: &[u32], args: &[Expr], values: &mut Vec<Value>) -> Result<(), Stop> {
        let column = |slot: &Slot| bindings.slots.iter().position(|bound| bound == slot);
        if args.is_empty() {
            return Ok(());
        }
        if let [Expr::Slot(slot)] = args
            && let Some(column) = column(slot)
        {
            // A register that the bindings contain: nothing to compute.
            for (at, &row) in rows.iter().enumerate() {
                self.tools.meter.glance(at)?;
                values.push(Value::from_bits(bindings.row(row as usize)[column]));
            }
            return Ok(());
        }
        let keep: Vec<u64> = self.registers.clone();
        for (at, &row) in rows.iter().enumerate() {
            self.tools.meter.glance(at)?;
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
        match width {
            0 => Ok(()),
            1 => merge_sort(values, &|extra| self.check_more_bytes(extra), |a, b| interner.compare(*a, *b)),
            _ => {
                let mut rows: Vec<&[Value]> = values.chunks_exact(width).collect();
                let listed = size_of_val(&rows[..]);
                merge_sort(&mut rows, &|extra| self.check_more_bytes(listed + extra), |a, b| {
                    interner.compare_rows(a, b)
                })?;
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

/// Returns the next group and what follows it.
fn split_group(rest: &[Transform]) -> Option<(&Transform, &[Transform])> {
    let at = rest.iter().position(|transform| matches!(transform, Transform::Group { .. }))?;
    Some((&rest[at], &rest[at + 1..]))
}
