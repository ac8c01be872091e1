//! Why a fact holds, why another does not, and what each rule was good for.
//!
//! Nothing is recorded while rules run, apart from where each round ended: an explanation runs the rules once more, backwards
//! from the fact, and looks only at what was there before the fact was derived. So a proof never rests on itself.

mod coverage;
mod merged;
mod print;
mod proof;
mod search;
mod temporal;
mod why;
mod why_not;

pub use coverage::{Coverage, Life, coverage};
pub use proof::{Because, Contribution, Derivation, Node, NodeId, Proof, Support};
pub use why_not::{Failure, Obstacle, WhyNot};

use std::{collections::HashMap, sync::Arc};

use crate::{
    eval::{
        Budget, Cancel, EvalError, Model,
        parts::{Asked, Calls, IntervalSet, Meter, Past, Relation, Seen},
    },
    program::{Interval, PredId},
    value::{Interner, Value},
};

/// Answers questions about a model.
#[derive(Debug)]
pub struct Explainer<'m> {
    model: &'m Model,
    interner: Interner,
    calls: Calls,
    meter: Meter,
    asked: Asked,
    owner: Vec<u32>,
    earlier: HashMap<(PredId, u32), Arc<Vec<IntervalSet>>>,
    /// For strata in which facts were replaced: what their rules read, replaced facts included.
    replaced: HashMap<u32, Option<Arc<Vec<Relation>>>>,
}

impl<'m> Explainer<'m> {
    /// Questions about `model`; all answers together may use `budget`.
    pub fn new(model: &'m Model, budget: Budget, cancel: Cancel) -> Self {
        let mut owner = vec![u32::MAX; model.program.predicates.len()];
        for (at, stratum) in model.program.strata.iter().enumerate() {
            for pred in &stratum.predicates {
                owner[pred.index()] = at as u32;
            }
        }
        Self {
            model,
            interner: model.interner.clone(),
            calls: Calls::new(&model.program),
            meter: Meter::new(budget, cancel),
            asked: Asked::closed(),
            owner,
            earlier: HashMap::new(),
            replaced: HashMap::new(),
        }
    }

    /// Where the values of questions come from; those of the model are in it.
    pub fn interner(&mut self) -> &mut Interner {
        &mut self.interner
    }

    /// Why a fact holds; of a temporal predicate, at `time` (if none is given, at the evaluation time if it holds then, else in
    /// its first interval). `None` if it does not.
    ///
    /// # Errors
    /// The explanation needs more than its budget.
    pub fn why(&mut self, pred: PredId, args: &[Value], time: Option<Interval>) -> Result<Option<Proof>, EvalError> {
        why::why(self, pred, args, time)
    }

    /// Why a fact does not hold. `None` if it does.
    ///
    /// # Errors
    /// The explanation needs more than its budget.
    pub fn why_not(&mut self, pred: PredId, args: &[Value]) -> Result<Option<WhyNot>, EvalError> {
        why_not::why_not(self, pred, args)
    }

    /// Where the rows of a predicate come from: from this evaluation, or from the snapshot under it.
    fn past(&self, pred: PredId) -> &'m Past {
        let relation = &self.model.relations[pred.index()];
        match &relation.frozen {
            Some(frozen) if relation.past.rounds.is_empty() => &frozen.past,
            _ => &relation.past,
        }
    }

    /// In which round of its stratum a row was derived, from zero.
    fn round_of(&self, pred: PredId, number: u32) -> u32 {
        let rounds = &self.past(pred).rounds;
        rounds.partition_point(|&rows| rows <= number) as u32
    }

    /// What of `pred` a row of `stratum` derived in `round` may rest on; `None` for everything.
    fn seen(&mut self, pred: PredId, stratum: u32, round: u32) -> Option<Seen> {
        let recursive = self
            .model
            .program
            .strata
            .get(stratum as usize)
            .is_some_and(|stratum| stratum.recursive);
        if !recursive || self.owner[pred.index()] != stratum {
            return None;
        }
        let past = self.past(pred);
        let before = (round as usize).checked_sub(1);
        let rows = before.map_or(0, |before| past.rounds.get(before).copied().unwrap_or(u32::MAX));
        let temporal = self.model.program.predicate(pred).temporal;
        let times = temporal.then(|| self.earlier(pred, round));
        Some(Seen { rows, times })
    }

    /// When the rows of a temporal predicate held before `round`.
    fn earlier(&mut self, pred: PredId, round: u32) -> Arc<Vec<IntervalSet>> {
        if let Some(times) = self.earlier.get(&(pred, round)) {
            return Arc::clone(times);
        }
        let past = self.past(pred);
        let mut times = vec![IntervalSet::default(); self.model.relations[pred.index()].len()];
        let mut parts = Vec::new();
        let stated = past.stated.iter().map(|&(number, interval)| (number, interval, 0));
        let derived = past.history.iter().filter(|&&(_, _, when)| when < round).copied();
        for (number, interval, _) in stated.chain(derived) {
            times[number as usize].add(interval, &mut parts);
        }
        let times = Arc::new(times);
        self.earlier.insert((pred, round), Arc::clone(&times));
        times
    }
}

#[cfg(test)]
mod tests;
