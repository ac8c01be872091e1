//! An evaluation as a value: run it, answer its questions, take the result.

use std::sync::Arc;

use super::{
    budget::{Budget, Cancel, Meter},
    call::Calls,
    coverage::RuleCount,
    error::{EvalError, Stop},
    external::{Asked, Batch, Question},
    hash::Keys,
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

/// The inputs of an evaluation besides the program and its facts.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The time `now`, in nanoseconds since 1970 UTC.
    pub now: i64,
    /// The limits of the evaluation.
    pub budget: Budget,
    /// The flag that ends it early.
    pub cancel: Cancel,
    /// A secret seed, if peers choose facts: with a known one they could choose rows that all hash to one place of a
    /// table. The result does not depend on it. Requests over a [`super::Snapshot`] have the seed of the snapshot.
    pub seed: u64,
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
    /// The strata that are still to be evaluated, the next one first.
    pub(super) strata: Vec<usize>,
    pub(super) at: usize,
    pub(super) round: Option<Round>,
    /// The stratum of each predicate's rules.
    pub(super) owner: Vec<u32>,
}

impl Evaluation {
    /// Starts the evaluation of a program, with the facts that it contains.
    ///
    /// # Errors
    /// A fact holds from something that is not a time, or there are more facts than fit into the memory limit.
    pub fn new(program: Arc<Program>, options: &Options) -> Result<Self, EvalError> {
        let interner = Interner::overlay(Arc::new(program.interner.clone()), options.seed);
        let strata = (0..program.strata.len()).collect();
        let mut this = Self::bare(program, interner, strata, |_| None, options);
        let program = Arc::clone(&this.program);
        this.take(&program.facts.blocks)?;
        Ok(this)
    }

    pub(super) fn bare(
        program: Arc<Program>,
        interner: Interner,
        strata: Vec<usize>,
        frozen: impl Fn(PredId) -> Option<Arc<Frozen>>,
        options: &Options,
    ) -> Self {
        let keys = Keys::new(options.seed);
        let relations = (0..program.predicates.len())
            .map(|at| {
                let predicate = &program.predicates[at];
                Relation::new(predicate.arity, predicate.temporal, frozen(PredId(at as u32)), keys)
            })
            .collect();
        Self {
            relations,
            interner,
            meter: Meter::new(options.budget, options.cancel.clone()),
            asked: Asked::new(keys),
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

    /// Returns the interner that makes the values for [`Self::give`] and [`Self::answer`].
    pub fn interner(&mut self) -> &mut Interner {
        &mut self.interner
    }

    /// Adds facts before the first [`Self::run`]: all, or none if one of them does not fit its predicate. A request
    /// over a [`super::Snapshot`] may add facts of predicates that are declared `session()`. The declared types of a
    /// predicate are not checked here: [`crate::analysis::PredicateInfo::misfit`] does that.
    ///
    /// # Errors
    /// [`EvalError::BadFact`] says what is wrong with a fact; any other error is the end of the evaluation.
    pub fn give(&mut self, facts: &Facts) -> Result<(), EvalError> {
        if self.round.is_some() || self.at > 0 {
            let late = "facts are given before an evaluation runs: start another one";
            return Err(EvalError::BadFact(late.to_owned()));
        }
        facts.blocks.iter().try_for_each(|block| self.check_block(block))?;
        self.take(&facts.blocks)
    }

    /// Adds facts that are known to fit their predicates.
    pub(super) fn take<'b>(&mut self, blocks: impl IntoIterator<Item = &'b FactBlock>) -> Result<(), EvalError> {
        blocks.into_iter().try_for_each(|block| self.give_block(block))
    }

    fn give_block(&mut self, block: &FactBlock) -> Result<(), EvalError> {
        let relation = &mut self.relations[block.pred.index()];
        let (before, heap) = (relation.len(), relation.heap());
        relation.own.reserve(block.len);
        if block.times.is_empty() {
            give_rows(relation, block, &mut self.meter)?;
        } else {
            self.give_times(block)?;
        }
        let relation = &mut self.relations[block.pred.index()];
        relation.past.given += (relation.len() - before) as u32;
        self.meter.resting += relation.heap().saturating_sub(heap);
        Ok(())
    }

    fn give_times(&mut self, block: &FactBlock) -> Result<(), EvalError> {
        let relation = &mut self.relations[block.pred.index()];
        let (mut row, mut parts) = (Vec::with_capacity(relation.width()), Vec::new());
        for (number, &time) in block.times.iter().enumerate().take(block.len) {
            self.meter.step(1, || relation.own.moving() + relation.timing())?;
            parts.clear();
            take_row(block, number, relation.width(), &mut row);
            let (place, _) = relation.insert(&row);
            let interval = interval_of(&self.interner, time, self.now)?;
            relation.past.stated.push((place, interval));
            let count = relation.hold(place, interval, &mut parts);
            self.meter.intervals(count)?;
        }
        Ok(())
    }

    /// Runs until the program is evaluated or a question has to be answered.
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

    /// Adds the rows that answer a question. Rows that do not have its arguments are left out. A caller that has no
    /// answer, because the source of data failed, drops the evaluation: an answer without rows would mean that there
    /// are none.
    ///
    /// # Errors
    /// [`EvalError::BadAnswer`] if the question was not asked or was answered already, or a row does not fit its predicate: the question
    /// stays as it was. Any other error is the end of the evaluation.
    pub fn answer(&mut self, question: &Question, rows: &[Vec<Value>]) -> Result<(), EvalError> {
        self.check_answer(question, rows)?;
        if !self.asked.answer(question) {
            let name = &self.program.predicate(question.pred).name;
            return Err(EvalError::BadAnswer(format!(
                "nothing like this is asked of `{name}`: answer each question of the batch once"
            )));
        }
        let relation = &mut self.relations[question.pred.index()];
        let heap = relation.heap();
        relation.own.drop_indexes();
        let moving = relation.own.moving();
        relation.own.make_room(rows.len(), &self.meter, 0)?;
        for row in rows {
            let fits = row
                .iter()
                .zip(&question.args)
                .all(|(value, wanted)| wanted.is_none_or(|wanted| wanted == *value));
            if fits {
                let words: Vec<u64> = row.iter().map(|value| value.bits()).collect();
                relation.insert(if words.is_empty() { &[0] } else { &words });
                self.meter.step(1, || relation.own.moving() - moving)?;
            }
        }
        self.meter.resting = (self.meter.resting + relation.heap()).saturating_sub(heap);
        Ok(())
    }

    /// Evaluates one stratum, or continues with it. A batch means that it is not finished.
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
        round.end(self);
        for &pred in &self.program.strata[stratum].predicates {
            merge::end(&mut self.relations[pred.index()]);
        }
        Ok(None)
    }

    /// Merges facts of merged predicates before rules run.
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
        let mut relation = std::mem::replace(&mut self.relations[pred.index()], Relation::placeholder());
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
            interner: Arc::new(self.interner),
            counts: self.counts,
            now: self.now,
        }
    }
}

/// Reads a row of a block as words: a predicate without arguments has one word that is zero.
fn take_row(block: &FactBlock, number: usize, width: usize, row: &mut Vec<u64>) {
    let arity = block.rows.len() / block.len;
    row.clear();
    row.extend(block.rows[number * arity..(number + 1) * arity].iter().map(|value| value.bits()));
    row.resize(width, 0);
}

/// Adds rows without times. Rows of which a column strictly ascends are known to be distinct, as ids and sorted facts
/// are.
fn give_rows(relation: &mut Relation, block: &FactBlock, meter: &mut Meter) -> Result<(), EvalError> {
    /// The number of rows between two checks of the budget.
    const CHUNK: usize = 1024;
    let width = relation.width();
    let all_new = relation.len() == 0 && ascends(&block.rows, width);
    let mut row = Vec::with_capacity(width);
    for start in (0..block.len).step_by(CHUNK) {
        let end = block.len.min(start + CHUNK);
        meter.step((end - start) as u64, || relation.own.moving())?;
        for number in start..end {
            take_row(block, number, width, &mut row);
            if all_new {
                relation.own.push(&row);
            } else {
                relation.put(&row);
            }
        }
    }
    Ok(())
}

/// Returns whether some column strictly ascends over all rows.
fn ascends(rows: &[Value], width: usize) -> bool {
    (0..width).any(|column| {
        let mut words = rows.iter().skip(column).step_by(width).map(|value| value.bits());
        let Some(mut last) = words.next() else { return false };
        words.all(|word| std::mem::replace(&mut last, word) < word)
    })
}

/// Returns for each predicate the stratum of its rules, if it has rules.
fn owners(program: &Program) -> Vec<u32> {
    let mut owner = vec![u32::MAX; program.predicates.len()];
    for (at, stratum) in program.strata.iter().enumerate() {
        for pred in &stratum.predicates {
            owner[pred.index()] = at as u32;
        }
    }
    owner
}

/// The state of an evaluation after [`Evaluation::run`].
#[derive(Debug)]
pub enum Running {
    /// It needs answers, then it can go on.
    Asks(Box<Evaluation>, Batch),
    /// It is finished.
    Done(Box<Model>),
}

/// Returns when a fact holds.
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
