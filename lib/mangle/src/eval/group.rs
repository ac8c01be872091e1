//! Groups: bindings with equal keys come together, reducers make one value of each group.

use hashbrown::HashTable;

use super::{
    error::Stop,
    machine::{Machine, Target},
    plan::Group,
    segment::hash_row,
};
use crate::{
    builtin::{Context, Reducer, Rows},
    program::{Aggregate, Expr, Head, Interval, Slot, Transform},
    value::{Interner, Value},
};

/// Bindings, flat: for each the words of some registers.
struct Bindings {
    slots: Vec<Slot>,
    words: Vec<u64>,
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

/// One derived row with when it holds.
pub(crate) struct Derived {
    pub row: Vec<u64>,
    pub time: Option<Interval>,
}

impl Machine<'_, '_> {
    /// Groups the bindings that were collected and gives the rows of the head.
    pub(crate) fn groups(&mut self, group: &Group) -> Result<Vec<Derived>, Stop> {
        let target = std::mem::replace(&mut self.target, Target::Rows);
        let Target::Bindings(distinct, all) = target else {
            return Ok(Vec::new());
        };
        let bindings = Bindings {
            slots: group.kept.clone(),
            words: if group.distinct { distinct.rows } else { all },
        };
        let mut derived = Vec::new();
        self.group(&bindings, &group.keys, &group.lets, &group.rest, &group.head, &mut derived)?;
        Ok(derived)
    }

    fn group(
        &mut self,
        bindings: &Bindings,
        keys: &[Slot],
        lets: &[Aggregate],
        rest: &[Transform],
        head: &Head,
        derived: &mut Vec<Derived>,
    ) -> Result<(), Stop> {
        let mut next = Bindings {
            slots: keys.iter().copied().chain(lets.iter().map(slot_of)).collect(),
            words: Vec::new(),
        };
        for rows in self.partition(bindings, keys)? {
            self.load(bindings, rows[0] as usize);
            for one in lets {
                let value = match one {
                    Aggregate::Let(one) => self.evaluate(&one.expr)?,
                    Aggregate::Reduce { reducer, args, .. } => self.reduce(bindings, &rows, *reducer, args)?,
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
    fn after(&mut self, next: &mut Bindings, rest: &[Transform], head: &Head, derived: &mut Vec<Derived>) -> Result<(), Stop> {
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
                    next.words.extend(if words.is_empty() { vec![0] } else { words });
                    return Ok(());
                }
            }
        }
        derived.push(self.head_row(head)?);
        Ok(())
    }

    fn head_row(&mut self, head: &Head) -> Result<Derived, Stop> {
        let mut row = Vec::with_capacity(head.args.len().max(1));
        for arg in &head.args {
            row.push(self.evaluate(arg)?.bits());
        }
        if row.is_empty() {
            row.push(0);
        }
        let time = match head.time {
            None => None,
            Some(time) => Some(self.head_interval(time)?),
        };
        Ok(Derived { row, time })
    }

    /// Puts a binding back into the registers.
    fn load(&mut self, bindings: &Bindings, at: usize) {
        for (&slot, &word) in bindings.slots.iter().zip(bindings.row(at)) {
            self.registers[usize::from(slot)] = word;
        }
    }

    /// The rows of each key, keys in the order in which they first came.
    fn partition(&mut self, bindings: &Bindings, keys: &[Slot]) -> Result<Vec<Vec<u32>>, Stop> {
        let columns: Vec<usize> = keys
            .iter()
            .filter_map(|key| bindings.slots.iter().position(|slot| slot == key))
            .collect();
        let key_of = |row: u32| -> Vec<u64> { columns.iter().map(|&column| bindings.row(row as usize)[column]).collect() };
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut table: HashTable<u32> = HashTable::new();
        let mut key = Vec::with_capacity(columns.len());
        for row in 0..bindings.len() as u32 {
            self.charge(1)?;
            key.clear();
            key.extend(columns.iter().map(|&column| bindings.row(row as usize)[column]));
            let same = |&group: &u32| {
                let first = bindings.row(groups[group as usize][0] as usize);
                columns.iter().zip(&key).all(|(&column, &word)| first[column] == word)
            };
            match table.find(hash_row(&key), same) {
                Some(&group) => groups[group as usize].push(row),
                None => {
                    let group = groups.len() as u32;
                    groups.push(vec![row]);
                    table.insert_unique(hash_row(&key), group, |&group| hash_row(&key_of(groups[group as usize][0])));
                }
            }
        }
        Ok(groups)
    }

    fn reduce(&mut self, bindings: &Bindings, rows: &[u32], reducer: Reducer, args: &[Expr]) -> Result<Value, Stop> {
        let keep: Vec<u64> = self.registers.clone();
        let mut values = Vec::with_capacity(rows.len() * args.len());
        for &row in rows {
            self.charge(1)?;
            self.load(bindings, row as usize);
            for arg in args {
                values.push(self.evaluate(arg)?);
            }
        }
        self.registers = keep;
        if reducer.ordered {
            sort_rows(self.interner(), &mut values, args.len());
        }
        let rows = Rows {
            count: rows.len(),
            values: &values,
        };
        self.reduce_with(reducer, &rows)
    }

    fn reduce_with(&mut self, reducer: Reducer, rows: &Rows<'_>) -> Result<Value, Stop> {
        let mut context: Context<'_> = self.context();
        let result = (reducer.eval)(&mut context, rows);
        let value = result.map_err(|fault| self.fault_of(fault))?;
        self.charge_bytes()?;
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

/// Sorts flat rows canonically.
fn sort_rows(interner: &Interner, values: &mut Vec<Value>, width: usize) {
    match width {
        0 => {}
        1 => values.sort_by(|a, b| interner.compare(*a, *b)),
        _ => {
            let mut rows: Vec<&[Value]> = values.chunks_exact(width).collect();
            rows.sort_by(|a, b| interner.compare_rows(a, b));
            *values = rows.concat();
        }
    }
}
