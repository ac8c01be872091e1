//! Explains why a fact holds, why another does not, and what each rule contributed.
//!
//! Nothing is recorded while rules run, apart from the end of each round: an explanation runs the rules once more,
//! backwards from the fact, and uses only facts that existed before the fact was derived. So a proof never rests on
//! itself.

mod coverage;
mod earlier;
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

use self::earlier::Earlier;
use crate::{
    eval::{
        Budget, Cancel, EvalError, Model,
        parts::{Asked, Calls, Meter, Past, Relation, Seen, check_row},
    },
    program::{Interval, PredId, Program, RuleId},
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
    /// The rules by the predicate of their head.
    rules: Vec<(PredId, RuleId)>,
    earlier: Earlier,
    /// For strata in which facts were replaced: the facts that their rules read, replaced ones included.
    replaced: HashMap<u32, Option<Arc<Vec<Relation>>>>,
}

impl<'m> Explainer<'m> {
    /// Returns an explainer of `model`; all answers together may use `budget`.
    pub fn new(model: &'m Model, budget: Budget, cancel: Cancel) -> Self {
        let mut owner = vec![u32::MAX; model.program.predicates.len()];
        for (at, stratum) in model.program.strata.iter().enumerate() {
            for pred in &stratum.predicates {
                owner[pred.index()] = at as u32;
            }
        }
        Self {
            model,
            interner: Interner::over(Arc::clone(&model.interner)),
            calls: Calls::new(&model.program),
            meter: Meter::new(budget, cancel),
            asked: Asked::closed(),
            owner,
            rules: by_head(&model.program),
            earlier: Earlier::default(),
            replaced: HashMap::new(),
        }
    }

    /// Returns the interner that makes the values of questions; those of the model are in it.
    pub fn interner(&mut self) -> &mut Interner {
        &mut self.interner
    }

    /// Explains why a fact holds; of a temporal predicate, at `time` (if none is given, at the evaluation time if it
    /// holds then, else in its first interval). Returns `None` if it does not.
    ///
    /// # Errors
    /// The explanation needs more than its budget, or the program can have no such fact.
    pub fn why(&mut self, pred: PredId, args: &[Value], time: Option<Interval>) -> Result<Option<Proof>, EvalError> {
        check_row(&self.model.program, &self.interner, pred, args)?;
        why::why(self, pred, args, time)
    }

    /// Explains why a fact does not hold; of a temporal predicate, all through `time`, if one is given. Returns `None`
    /// if it does.
    ///
    /// # Errors
    /// The explanation needs more than its budget, or the program can have no such fact.
    pub fn why_not(&mut self, pred: PredId, args: &[Value], time: Option<Interval>) -> Result<Option<WhyNot>, EvalError> {
        check_row(&self.model.program, &self.interner, pred, args)?;
        why_not::why_not(self, pred, args, time)
    }

    /// Returns the origin of the rows of a predicate: in this evaluation, or in the snapshot under it.
    fn past(&self, pred: PredId) -> &'m Past {
        let relation = &self.model.relations[pred.index()];
        match &relation.frozen {
            Some(frozen) if relation.past.rounds.is_empty() => &frozen.past,
            _ => &relation.past,
        }
    }

    /// Returns the round of its stratum in which a row was derived, from zero.
    fn round_of(&self, pred: PredId, number: u32) -> u32 {
        self.past(pred).rounds.of(number)
    }

    /// Returns the part of `pred` that a row of `stratum` derived in `round` may rest on; `None` for everything.
    fn seen(&mut self, pred: PredId, stratum: u32, round: u32) -> Result<Option<Seen>, EvalError> {
        let recursive = self
            .model
            .program
            .strata
            .get(stratum as usize)
            .is_some_and(|stratum| stratum.recursive);
        if !recursive || self.owner[pred.index()] != stratum {
            return Ok(None);
        }
        let past = self.past(pred);
        let before = round.checked_sub(1);
        let rows = before.map_or(0, |before| past.rounds.after(before).unwrap_or(u32::MAX));
        let temporal = self.model.program.predicate(pred).temporal;
        let times = if temporal { Some(self.earlier(pred, round)?) } else { None };
        Ok(Some(Seen { rows, times }))
    }

    /// Counts rows that are about to be searched: in small portions, so that the limit is reported where it is reached.
    fn look_through(&mut self, rows: usize) -> Result<(), EvalError> {
        const BIT: usize = 1024;
        for from in (0..rows).step_by(BIT) {
            self.meter.step((rows - from).min(BIT) as u64, || 0)?;
        }
        Ok(())
    }

    /// Returns the rules of a predicate, in the order of the program.
    fn rules_of(&self, pred: PredId) -> Vec<RuleId> {
        let first = self.rules.partition_point(|&(head, _)| head < pred);
        let own = self.rules[first..].iter().take_while(|(head, _)| *head == pred);
        own.map(|&(_, rule)| rule).collect()
    }
}

/// Returns the rules sorted by head, and then by the order of the program.
fn by_head(program: &Program) -> Vec<(PredId, RuleId)> {
    let numbered = program.rules.iter().enumerate();
    let mut rules: Vec<(PredId, RuleId)> = numbered.map(|(at, rule)| (rule.head.pred, RuleId(at as u32))).collect();
    rules.sort_unstable();
    rules
}

#[cfg(test)]
mod tests;
