//! Facts that have replaced others: which ones existed, and what two were merged to.
//!
//! A merged predicate keeps one fact for each key. A rule of its stratum may have used a fact that no longer exists, so
//! proofs rest on every fact that ever existed; each on those of earlier rounds only, as everywhere.

use std::sync::Arc;

use super::{Explainer, proof::Because, why::Builder};
use crate::{
    eval::{
        EvalError,
        parts::{Relation, Segment, Tools, World},
    },
    program::{Merge, PredId, Premise, RuleId},
};

impl<'m> Explainer<'m> {
    /// Returns every fact of a predicate that ever existed, if some were replaced.
    fn versions(&self, pred: PredId) -> Option<&'m Segment> {
        self.past(pred).versions.as_deref()
    }

    /// Returns a row by its number, counting those that were replaced.
    pub(super) fn row(&self, pred: PredId, number: u32) -> &'m [u64] {
        match self.versions(pred) {
            Some(versions) => versions.row(number as usize),
            None => self.model.relations[pred.index()].row(number),
        }
    }

    /// Returns the number of a row, counting those that were replaced.
    pub(super) fn number(&self, pred: PredId, row: &[u64]) -> Option<u32> {
        match self.versions(pred) {
            Some(versions) => versions.find(row, versions.keys.row(row)).map(|at| at as u32),
            None => self.model.relations[pred.index()].find(row),
        }
    }

    /// Returns the facts that the rules of a stratum read, including those replaced in it; `None` if none were.
    pub(super) fn replaced(&mut self, stratum: u32) -> Result<Option<Arc<Vec<Relation>>>, EvalError> {
        if let Some(known) = self.replaced.get(&stratum) {
            return Ok(known.clone());
        }
        let made = self.with_versions(stratum).map(Arc::new);
        self.meter.resting += made.iter().flat_map(|all| all.iter()).map(Relation::heap).sum::<usize>();
        self.meter.check_bytes(0)?;
        self.replaced.insert(stratum, made.clone());
        Ok(made)
    }

    fn with_versions(&self, stratum: u32) -> Option<Vec<Relation>> {
        let program = &*self.model.program;
        let of = program.strata.get(stratum as usize)?;
        if !of.predicates.iter().any(|&pred| self.versions(pred).is_some()) {
            return None;
        }
        let read = self.read_by(&of.rules);
        let relation = |at: usize| {
            let pred = PredId(at as u32);
            let own = self.owner[at] == stratum;
            match self.versions(pred).filter(|_| own) {
                Some(versions) => Relation::of(versions.copy()),
                None if read[at] => self.model.relations[at].copy(),
                None => Relation::placeholder(),
            }
        };
        Some((0..program.predicates.len()).map(relation).collect())
    }

    /// Returns which predicates rules read, those of deferred predicates that they call included.
    fn read_by(&self, rules: &[RuleId]) -> Vec<bool> {
        let program = &*self.model.program;
        let mut read = vec![false; program.predicates.len()];
        let mut left: Vec<RuleId> = rules.to_vec();
        while let Some(rule) = left.pop() {
            for pred in program.rule(rule).premises.iter().filter_map(Premise::pred) {
                if !std::mem::replace(&mut read[pred.index()], true) && program.predicate(pred).deferred.is_some() {
                    left.extend(self.rules_of(pred));
                }
            }
        }
        read
    }

    /// Returns the fact that a row of this number replaced, or was merged with.
    fn before(&self, spec: &Merge, pred: PredId, number: u32) -> Option<u32> {
        let row = self.row(pred, number);
        (0..number).rev().find(|&earlier| same_key(spec, self.row(pred, earlier), row))
    }

    /// Returns the merge of two values.
    fn becomes(&mut self, spec: &Merge, was: u64, came: u64) -> Result<Option<u64>, EvalError> {
        let world = World {
            program: &self.model.program,
            relations: &self.model.relations,
            calls: &self.calls,
            now: self.model.now,
        };
        let mut tools = Tools {
            interner: &mut self.interner,
            meter: &mut self.meter,
            asked: &mut self.asked,
        };
        let rows = self.calls.call(&world, &mut tools, spec.by, &[Some(was), Some(came), None], 0)?;
        Ok(rows.chunks_exact(3).map(|row| row[2]).next())
    }
}

impl Builder<'_, '_> {
    /// Returns the derivation of a fact of a merged predicate, or the two facts that it was merged from.
    pub(super) fn expand_merged(&mut self, spec: &Merge, pred: PredId, number: u32) -> Result<Vec<Because>, EvalError> {
        let row = self.explainer.row(pred, number).to_vec();
        let given = &self.explainer.past(pred).merged;
        self.explainer.look_through(given.len() / row.len())?;
        if given.chunks_exact(row.len()).any(|other| other == row) {
            return Ok(vec![Because::Given]);
        }
        let round = self.explainer.round_of(pred, number);
        let rules = self.explainer.rules_of(pred);
        for &rule in &rules {
            if let Some(derivation) = self.derive(rule, pred, &row, round, 1)?.into_iter().next() {
                return Ok(vec![Because::Rule(derivation)]);
            }
        }
        self.explainer.look_through(number as usize)?;
        let Some(before) = self.explainer.before(spec, pred, number) else {
            return Ok(Vec::new());
        };
        let was = self.explainer.row(pred, before)[spec.merged];
        for other in given.chunks_exact(row.len()).filter(|other| same_key(spec, other, &row)) {
            if self.explainer.becomes(spec, was, other[spec.merged])? == Some(row[spec.merged]) {
                return Ok(vec![self.merged(pred, before, other, Because::Given)]);
            }
        }
        let mut open: Vec<Option<u64>> = row.iter().map(|&word| Some(word)).collect();
        open[spec.merged] = None;
        for rule in rules {
            for other in self.derived(rule, pred, &open, round)? {
                let fits = same_key(spec, &other, &row) && self.explainer.becomes(spec, was, other[spec.merged])? == Some(row[spec.merged]);
                if !fits {
                    continue;
                }
                if let Some(derivation) = self.derive(rule, pred, &other, round, 1)?.into_iter().next() {
                    return Ok(vec![self.merged(pred, before, &other, Because::Rule(derivation))]);
                }
            }
        }
        Ok(Vec::new())
    }

    fn merged(&mut self, pred: PredId, before: u32, other: &[u64], because: Because) -> Because {
        Because::Merged {
            before: self.node(pred, before, None),
            with: self.passing(pred, other, because),
        }
    }
}

fn same_key(spec: &Merge, one: &[u64], other: &[u64]) -> bool {
    spec.keys.iter().all(|&key| one[key] == other[key])
}
