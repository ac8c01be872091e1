//! An evaluation as a value: run it, answer what it asks, take the result.

use std::sync::Arc;

use super::{
    budget::{Budget, Cancel, Meter},
    call::Calls,
    coverage::RuleCount,
    error::{EvalError, Stop},
    external::{Asked, Batch, Question},
    machine::{Tools, World},
    merge,
    model::Model,
    relation::{Frozen, Relation},
    round::Round,
};
use crate::{
    builtin::Fault,
    program::{Bound, FactBlock, Facts, HeadTime, Interval, PredId, Program},
    value::{Interner, Value, View, write_time},
};

/// What an evaluation depends on beside the program and its facts.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `now`: nanoseconds since 1970 UTC.
    pub now: i64,
    /// What it may use up.
    pub budget: Budget,
    /// Ends it early.
    pub cancel: Cancel,
}

/// A program being evaluated.
///
/// Law: call [`Self::run`]; as long as it [`Running::Asks`], [`Self::answer`] every question of the batch and run it again.
#[derive(Debug)]
pub struct Evaluation {
    pub(super) program: Arc<Program>,
    pub(super) relations: Vec<Relation>,
    pub(super) interner: Interner,
    pub(super) meter: Meter,
    pub(super) asked: Asked,
    pub(super) calls: Calls,
    pub(super) now: i64,
    pub(super) counts: Vec<RuleCount>,
    /// Which strata are still to be evaluated, the next one first.
    pub(super) strata: Vec<usize>,
    pub(super) at: usize,
    pub(super) round: Option<Round>,
    /// The stratum that each predicate's rules are in.
    pub(super) owner: Vec<u32>,
}

impl Evaluation {
    /// A program from scratch, with the facts that stand in it.
    ///
    /// # Errors
    /// A fact holds from something that is not a time, or there are more facts than memory is allowed for.
    pub fn new(program: Arc<Program>, options: &Options) -> Result<Self, EvalError> {
        let interner = Interner::overlay(Arc::new(program.interner.clone()));
        let strata = (0..program.strata.len()).collect();
        let mut this = Self::bare(program, interner, strata, |_| None, options);
        let program = Arc::clone(&this.program);
        this.give(&program.facts)?;
        Ok(this)
    }

    pub(super) fn bare(
        program: Arc<Program>,
        interner: Interner,
        strata: Vec<usize>,
        frozen: impl Fn(PredId) -> Option<Arc<Frozen>>,
        options: &Options,
    ) -> Self {
        let relations = (0..program.predicates.len())
            .map(|at| {
                let predicate = &program.predicates[at];
                Relation::new(predicate.arity, predicate.temporal, frozen(PredId(at as u32)))
            })
            .collect();
        Self {
            relations,
            interner,
            meter: Meter::new(options.budget, options.cancel.clone()),
            asked: Asked::default(),
            calls: Calls::new(&program),
            now: options.now,
            counts: vec![RuleCount::default(); program.rules.len()],
            strata,
            at: 0,
            round: None,
            owner: owners(&program),
            program,
        }
    }

    /// Where values for [`Self::give`] and [`Self::answer`] come from.
    pub fn interner(&mut self) -> &mut Interner {
        &mut self.interner
    }

    /// Adds facts. Only before the first [`Self::run`].
    ///
    /// # Errors
    /// A fact holds from something that is not a time, or memory does not suffice.
    pub fn give(&mut self, facts: &Facts) -> Result<(), EvalError> {
        for block in &facts.blocks {
            self.give_block(block)?;
        }
        Ok(())
    }

    fn give_block(&mut self, block: &FactBlock) -> Result<(), EvalError> {
        let at = block.pred.index();
        let arity = self.program.predicates[at].arity;
        let relation = &mut self.relations[at];
        relation.own.reserve(block.len);
        let before = relation.len();
        let (mut row, mut parts) = (Vec::with_capacity(arity.max(1)), Vec::new());
        for number in 0..block.len {
            row.clear();
            row.extend(block.rows[number * arity..(number + 1) * arity].iter().map(|value| value.bits()));
            if arity == 0 {
                row.push(0);
            }
            self.meter.step(1, || relation.own.moving())?;
            if block.times.is_empty() {
                relation.put(&row);
                continue;
            }
            let (place, _) = relation.insert(&row);
            if let Some(&time) = block.times.get(number) {
                let interval = interval_of(&self.interner, time, self.now)?;
                relation.past.stated.push((place, interval));
                let count = relation.hold(place, interval, &mut parts);
                self.meter.intervals(count)?;
            }
        }
        relation.past.given += (relation.len() - before) as u32;
        self.meter.resting += relation.heap();
        Ok(())
    }

    /// Goes on until the program is evaluated or something has to be asked.
    ///
    /// # Errors
    /// See [`EvalError`]. There is no partial result.
    pub fn run(mut self) -> Result<Running, EvalError> {
        while let Some(&stratum) = self.strata.get(self.at) {
            if let Some(batch) = self.stratum(stratum)? {
                return Ok(Running::Asks(Box::new(self), batch));
            }
            self.at += 1;
        }
        Ok(Running::Done(Box::new(self.into_model())))
    }

    /// Gives the rows that a question asked for. Rows that do not have its arguments are left out.
    ///
    /// # Errors
    /// The question was not asked, or a row has another number of arguments than its predicate.
    pub fn answer(&mut self, question: &Question, rows: &[Vec<Value>]) -> Result<(), EvalError> {
        let predicate = self.program.predicate(question.pred);
        if let Some(row) = rows.iter().find(|row| row.len() != predicate.arity) {
            return Err(EvalError::BadAnswer(format!(
                "a row of `{}` has {} arguments, but {} are needed",
                predicate.name,
                row.len(),
                predicate.arity
            )));
        }
        if !self.asked.answer(question) {
            return Err(EvalError::BadAnswer(format!("nothing like this was asked of `{}`", predicate.name)));
        }
        let relation = &mut self.relations[question.pred.index()];
        relation.own.drop_indexes();
        for row in rows {
            let fits = row
                .iter()
                .zip(&question.args)
                .all(|(value, wanted)| wanted.is_none_or(|wanted| wanted == *value));
            if fits {
                let words: Vec<u64> = row.iter().map(|value| value.bits()).collect();
                relation.insert(if words.is_empty() { &[0] } else { &words });
                self.meter.step(1, || relation.own.moving())?;
            }
        }
        Ok(())
    }

    /// Evaluates one stratum, or goes on with it. A batch means that it is not done.
    fn stratum(&mut self, stratum: usize) -> Result<Option<Batch>, Stop> {
        self.meter.stratum = stratum;
        self.meter.rule = None;
        if self.round.is_none() {
            self.begin_merges(stratum)?;
            self.round = Some(Round::first(self, stratum)?);
        }
        let Some(mut round) = self.round.take() else { return Ok(None) };
        loop {
            if let Some(batch) = round.run(self)? {
                self.round = Some(round);
                return Ok(Some(batch));
            }
            if !round.next(self)? {
                break;
            }
        }
        for &pred in &self.program.strata[stratum].predicates {
            merge::end(&mut self.relations[pred.index()]);
        }
        Ok(None)
    }

    /// Facts of merged predicates are merged before rules run.
    fn begin_merges(&mut self, stratum: usize) -> Result<(), Stop> {
        let program = Arc::clone(&self.program);
        for &pred in &program.strata[stratum].predicates {
            if program.predicate(pred).merge.is_none() {
                continue;
            }
            let rows = merge::begin(&mut self.relations[pred.index()]);
            self.merge_into(pred, &rows)?;
        }
        Ok(())
    }

    pub(super) fn merge_into(&mut self, pred: PredId, rows: &[u64]) -> Result<(), Stop> {
        let mut relation = std::mem::replace(&mut self.relations[pred.index()], Relation::new(0, false, None));
        let world = World {
            program: &self.program,
            relations: &self.relations,
            calls: &self.calls,
            now: self.now,
        };
        let mut tools = Tools {
            interner: &mut self.interner,
            meter: &mut self.meter,
            asked: &mut self.asked,
        };
        let result = merge::merge(&world, &mut tools, pred, &mut relation, rows);
        self.relations[pred.index()] = relation;
        result
    }

    fn into_model(self) -> Model {
        Model {
            steps: self.meter.steps(),
            derived: self.meter.derived,
            program: self.program,
            relations: self.relations,
            interner: self.interner,
            counts: self.counts,
            now: self.now,
        }
    }
}

/// For each predicate the stratum that its rules are in, if it has rules.
fn owners(program: &Program) -> Vec<u32> {
    let mut owner = vec![u32::MAX; program.predicates.len()];
    for (at, stratum) in program.strata.iter().enumerate() {
        for pred in &stratum.predicates {
            owner[pred.index()] = at as u32;
        }
    }
    owner
}

/// An evaluation after [`Evaluation::run`].
#[derive(Debug)]
pub enum Running {
    /// It needs answers, then it can go on.
    Asks(Box<Evaluation>, Batch),
    /// It is done.
    Done(Box<Model>),
}

/// When a fact holds.
fn interval_of(interner: &Interner, time: HeadTime, now: i64) -> Result<Interval, EvalError> {
    let bound = |bound: Bound, open: i64| match bound {
        Bound::At(nanos) => Ok(nanos),
        Bound::Now => Ok(now),
        Bound::Offset(nanos) => Ok(now.saturating_add(nanos)),
        Bound::Open => Ok(open),
        Bound::Value(value) => match interner.view(value) {
            View::Time(nanos) | View::Number(nanos) => Ok(nanos),
            _ => Err(EvalError::BadFact(format!("`{}` is not a time", interner.print(value)))),
        },
        Bound::Slot(_) => Err(EvalError::BadFact("a fact has a variable as its time".to_owned())),
    };
    let (start, end) = (bound(time.start, i64::MIN)?, bound(time.end, i64::MAX)?);
    Interval::new(start, end).ok_or_else(|| {
        let backwards = Fault::Backwards {
            start: write_time(start),
            end: write_time(end),
        };
        EvalError::BadFact(backwards.to_string())
    })
}
