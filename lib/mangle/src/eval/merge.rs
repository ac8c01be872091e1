//! Merged predicates, of which each key has one row: a new row is merged with the present one, and the result replaces
//! it.

use std::{collections::HashSet, sync::Arc};

use super::{
    call::Calls,
    error::{BadMerge, EvalError, Stop},
    machine::{Tools, World},
    relation::Relation,
    segment::Segment,
    table::Table,
};
use crate::{
    program::{Merge, PredId, Program},
    value::Value,
};

/// Which rows of a relation are the newest of their key.
#[derive(Debug, Default)]
pub(crate) struct Versions {
    newest: Table,
    dead: HashSet<u32>,
}

impl Versions {
    pub(crate) fn alive(&self, number: u32) -> bool {
        !self.dead.contains(&number)
    }

    /// Returns the approximate number of bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        self.newest.heap() + 2 * size_of::<u32>() * self.dead.capacity()
    }
}

fn hash_key(relation: &Relation, row: &[u64], keys: &[usize]) -> u64 {
    relation.own.keys.words(keys.iter().map(|&key| row[key]))
}

/// Merges `rows` into the relation of `pred`, which has been taken out of `world`.
pub(crate) fn merge(world: &World<'_>, tools: &mut Tools<'_>, pred: PredId, relation: &mut Relation, rows: &[u64]) -> Result<(), Stop> {
    let Some(spec) = &world.program.predicate(pred).merge else {
        return Ok(());
    };
    let width = relation.width();
    for row in rows.chunks_exact(width) {
        tools.meter.step(1, || relation.own.moving())?;
        // Every earlier version has been merged already.
        if relation.find(row).is_some() {
            continue;
        }
        let merged = match newest(relation, &spec.keys, row) {
            None => Some(row.to_vec()),
            Some(number) => joined(world, tools, pred, spec, relation.row(number), row)?,
        };
        if let Some(merged) = merged {
            replace(world.program, tools, pred, spec, relation, &merged)?;
        }
    }
    Ok(())
}

fn newest(relation: &Relation, keys: &[usize], row: &[u64]) -> Option<u32> {
    let versions = relation.versions.as_ref()?;
    let same = |number: u32| keys.iter().all(|&key| relation.row(number)[key] == row[key]);
    versions.newest.find(hash_key(relation, row, keys), same)
}

/// Returns the row that replaces `old`, if it changes.
fn joined(
    world: &World<'_>,
    tools: &mut Tools<'_>,
    pred: PredId,
    spec: &Merge,
    old: &[u64],
    new: &[u64],
) -> Result<Option<Vec<u64>>, Stop> {
    let (was, came) = (old[spec.merged], new[spec.merged]);
    let bad = |tools: &Tools<'_>, merged: Option<u64>| {
        let show = |word: u64| tools.interner.print(Value::from_bits(word)).to_string();
        Stop::from(EvalError::Merge(Box::new(BadMerge {
            pred: world.program.predicate(pred).name.to_string(),
            by: world.program.predicate(spec.by).name.to_string(),
            old: show(was),
            new: show(came),
            merged: merged.map(show),
        })))
    };
    let Some(merged) = ask(world.calls, world, tools, spec.by, was, came)? else {
        return Err(bad(tools, None));
    };
    if merged == was {
        return Ok(None);
    }
    // A value that has been merged with the old one must not change when merged with it again: else rows could be
    // merged for ever.
    if ask(world.calls, world, tools, spec.by, merged, was)? != Some(merged) {
        return Err(bad(tools, Some(merged)));
    }
    let mut row = old.to_vec();
    row[spec.merged] = merged;
    Ok(Some(row))
}

fn ask(calls: &Calls, world: &World<'_>, tools: &mut Tools<'_>, by: PredId, a: u64, b: u64) -> Result<Option<u64>, Stop> {
    let rows = calls.call(world, tools, by, &[Some(a), Some(b), None], 0)?;
    Ok(rows.chunks_exact(3).map(|row| row[2]).next())
}

fn replace(program: &Program, tools: &mut Tools<'_>, pred: PredId, spec: &Merge, relation: &mut Relation, row: &[u64]) -> Result<(), Stop> {
    let before = newest(relation, &spec.keys, row);
    let (number, new) = relation.insert(row);
    if !new {
        let name = |pred: PredId| program.predicate(pred).name.to_string();
        let shown = tools.interner.print(Value::from_bits(row[spec.merged])).to_string();
        return Err(EvalError::Merge(Box::new(BadMerge {
            pred: name(pred),
            by: name(spec.by),
            old: shown.clone(),
            new: shown.clone(),
            merged: Some(shown),
        }))
        .into());
    }
    tools.meter.fact()?;
    let hash = hash_key(relation, row, &spec.keys);
    let versions = relation.versions.get_or_insert_default();
    versions.newest.replace(hash, number, |other| Some(other) == before);
    versions.dead.extend(before);
    Ok(())
}

/// Prepares the relation for merging: its present rows are taken out, to be merged.
pub(crate) fn begin(relation: &mut Relation) -> Vec<u64> {
    let width = relation.width();
    let mut rows = Vec::new();
    if let Some(frozen) = relation.frozen.take() {
        rows.extend_from_slice(&frozen.segment.rows);
    }
    let empty = Segment::new(width, 0, relation.own.keys);
    let own = std::mem::replace(&mut relation.own, empty);
    rows.extend_from_slice(&own.rows);
    relation.chains.clear();
    relation.versions = Some(Versions::default());
    relation.past.merged.clone_from(&rows);
    rows
}

/// Leaves only the newest rows. The rows that they replaced are kept for explanations.
pub(crate) fn end(relation: &mut Relation) {
    let Some(versions) = relation.versions.take() else { return };
    if versions.dead.is_empty() {
        relation.chains.clear();
        return;
    }
    let mut own = Segment::new(relation.width(), 0, relation.own.keys);
    for number in 0..relation.own.len() as u32 {
        if versions.alive(number) {
            own.push(relation.own.row(number as usize));
        }
    }
    let mut all = std::mem::replace(&mut relation.own, own);
    all.drop_indexes();
    relation.past.versions = Some(Arc::new(all));
    relation.chains.clear();
}
