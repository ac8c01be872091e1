//! Explains why a fact does not hold: how far each rule that could derive it gets.

use std::sync::Arc;

use super::{
    Explainer,
    search::{Goal, Open},
    why::words,
};
use crate::{
    eval::EvalError,
    program::{Interval, PredId, Premise, RuleId, Term},
    syntax::Word,
    value::Value,
};

/// How many rows are searched for the nearest ones.
const LOOK: usize = 10_000;
/// How many of the nearest rows are shown.
const NEAREST: usize = 3;

/// The explanation of why a fact does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct WhyNot {
    /// Its predicate.
    pub pred: PredId,
    /// Its arguments.
    pub args: Vec<Value>,
    /// The time in question.
    pub time: Option<Interval>,
    /// The intervals nearest to that time at which it holds instead. If there are any, rules are not examined.
    pub times: Vec<Interval>,
    /// The facts of the predicate that differ least from it.
    pub nearest: Vec<Vec<Value>>,
    /// What prevents each rule that could derive it.
    pub failures: Vec<Failure>,
}

/// What prevents one rule from deriving a fact.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The rule.
    pub rule: RuleId,
    /// The values of its variables at the obstacle.
    pub bindings: Vec<(Word, Value)>,
    /// The obstacle.
    pub obstacle: Obstacle,
}

/// The point at which a rule fails.
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// The head is about other facts: a constant or a repeated variable does not fit.
    Head,
    /// A premise is not satisfied. For facts, the nearest rows are shown.
    Premise {
        /// The number of the premise, from zero.
        premise: usize,
        /// The rows of its predicate that fit best.
        nearest: Vec<Vec<Value>>,
    },
    /// All premises are satisfied, but the transforms or functions in the head give other values: these.
    Result(Vec<Vec<Value>>),
    /// The rule derives it, but its predicate keeps one fact for each key, and this one has replaced it.
    Replaced(Vec<Value>),
}

pub(super) fn why_not(
    explainer: &mut Explainer<'_>,
    pred: PredId,
    args: &[Value],
    time: Option<Interval>,
) -> Result<Option<WhyNot>, EvalError> {
    let model = explainer.model;
    if model.holds(pred, args) {
        let other = time.and_then(|time| other_times(explainer, pred, args, time));
        return Ok(other.map(|times| WhyNot {
            pred,
            args: args.to_vec(),
            time,
            times,
            nearest: Vec::new(),
            failures: Vec::new(),
        }));
    }
    let row: Vec<Option<u64>> = args.iter().map(|value| Some(value.bits())).collect();
    let mut failures = Vec::new();
    for rule in explainer.rules_of(pred) {
        // A rule with many premises takes time to plan, and may fail at its first premise.
        explainer.meter.check_bytes(0)?;
        failures.push(failure(explainer, rule, &row)?);
    }
    Ok(Some(WhyNot {
        pred,
        args: args.to_vec(),
        time,
        times: Vec::new(),
        nearest: nearest(explainer, pred, &row)?,
        failures,
    }))
}

/// Returns the intervals nearest to `time`, of a fact that holds, but not all through that time.
fn other_times(explainer: &Explainer<'_>, pred: PredId, args: &[Value], time: Interval) -> Option<Vec<Interval>> {
    let relation = &explainer.model.relations[pred.index()];
    let set = relation.times_of(relation.find(&words(args))?)?;
    if set.covering(time).is_some() {
        return None;
    }
    let mut times: Vec<Interval> = set.iter().collect();
    let distance = |other: &Interval| (i128::from(other.start) - i128::from(time.end)).max(i128::from(time.start) - i128::from(other.end));
    times.sort_by_key(|other| (distance(other), other.start));
    times.truncate(NEAREST);
    Some(times)
}

fn failure(explainer: &mut Explainer<'_>, id: RuleId, row: &[Option<u64>]) -> Result<Failure, EvalError> {
    let program = Arc::clone(&explainer.model.program);
    let open = Open::new(id, program.rule(id));
    let goal = Goal {
        row,
        enough: 1,
        seen: &|_| None,
        relations: None,
    };
    let failure = |bindings, obstacle| Failure {
        rule: id,
        bindings,
        obstacle,
    };
    let Some((plan, deepest)) = explainer.deepest(&open, &goal)? else {
        return Ok(failure(Vec::new(), Obstacle::Head));
    };
    let bound = bound_before(&open, &plan.origins[..deepest.step.min(plan.origins.len())], row);
    let bindings = open
        .bindings(&deepest.registers)
        .into_iter()
        .zip(slots_with_names(&open))
        .filter(|(_, slot)| bound[usize::from(*slot)])
        .map(|(binding, _)| binding)
        .collect();
    let Some(Some(premise)) = plan.origins.get(deepest.step).copied() else {
        let results = explainer.results(&open, row)?;
        if let Some(kept) = explainer.kept(open.rule.head.pred, row, &results)? {
            return Ok(failure(bindings, Obstacle::Replaced(kept)));
        }
        return Ok(failure(bindings, Obstacle::Result(results.into_iter().take(NEAREST).collect())));
    };
    let nearest = match &open.rule.premises[premise] {
        Premise::Fact(atom) => {
            let pattern: Vec<Option<u64>> = atom
                .args
                .iter()
                .map(|arg| match arg {
                    Term::Slot(slot) if bound[usize::from(*slot)] => Some(deepest.registers[usize::from(*slot)]),
                    Term::Value(value) => Some(value.bits()),
                    _ => None,
                })
                .collect();
            nearest(explainer, atom.pred, &pattern)?
        }
        _ => Vec::new(),
    };
    Ok(failure(bindings, Obstacle::Premise { premise, nearest }))
}

fn slots_with_names(open: &Open) -> impl Iterator<Item = u16> {
    let named = open.rule.names.iter().enumerate().filter(|(_, name)| !name.is_empty());
    named.map(|(slot, _)| slot as u16)
}

/// Returns which variables have a value after these steps.
fn bound_before(open: &Open, origins: &[Option<usize>], row: &[Option<u64>]) -> Vec<bool> {
    let mut bound = vec![false; usize::from(open.rule.slots)];
    let (given, _) = open.known(row);
    given.iter().for_each(|&slot| bound[usize::from(slot)] = true);
    for premise in origins.iter().flatten() {
        let mut mark = |slot: u16| bound[usize::from(slot)] = true;
        match &open.rule.premises[*premise] {
            Premise::Fact(atom) => {
                for arg in &atom.args {
                    if let Term::Slot(slot) = arg {
                        mark(*slot);
                    }
                }
            }
            Premise::Equal(left, right) => [left, right].into_iter().for_each(|side| side.slots(&mut mark)),
            Premise::Built { args, .. } => args.iter().for_each(|arg| arg.slots(&mut mark)),
            _ => {}
        }
    }
    bound
}

/// Returns the rows that match most of the known arguments; of equally near ones the first in the canonical order.
fn nearest(explainer: &mut Explainer<'_>, pred: PredId, pattern: &[Option<u64>]) -> Result<Vec<Vec<Value>>, EvalError> {
    let model = explainer.model;
    let mut rows: Vec<(usize, Vec<Value>)> = Vec::new();
    for row in model.rows(pred).take(LOOK) {
        explainer.meter.step(1, || 0)?;
        let agree = row
            .iter()
            .zip(pattern)
            .filter(|(value, wanted)| wanted.is_some_and(|wanted| wanted == value.bits()));
        rows.push((agree.count(), row));
    }
    rows.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| explainer.interner.compare_rows(&a.1, &b.1)));
    Ok(rows.into_iter().take(NEAREST).map(|(_, row)| row).collect())
}

impl Explainer<'_> {
    /// Returns the fact that replaced a derived fact: the one of its key.
    fn kept(&mut self, pred: PredId, row: &[Option<u64>], derived: &[Vec<Value>]) -> Result<Option<Vec<Value>>, EvalError> {
        let model = self.model;
        let Some(spec) = &model.program.predicate(pred).merge else {
            return Ok(None);
        };
        let is_row = |values: &Vec<Value>| values.iter().zip(row).all(|(value, word)| Some(value.bits()) == *word);
        if !derived.iter().any(is_row) {
            return Ok(None);
        }
        for kept in model.rows(pred) {
            self.meter.step(1, || 0)?;
            if spec.keys.iter().all(|&key| Some(kept[key].bits()) == row[key]) {
                return Ok(Some(kept));
            }
        }
        Ok(None)
    }

    /// Returns the rows that a rule with satisfied premises derives, given the arguments that are known beforehand.
    fn results(&mut self, open: &Open, row: &[Option<u64>]) -> Result<Vec<Vec<Value>>, EvalError> {
        let goal = Goal {
            row,
            enough: usize::MAX,
            seen: &|_| None,
            relations: None,
        };
        let rows = if open.rule.aggregates() {
            self.grouped(open, &goal)?
        } else {
            self.heads(open, &goal)?
        };
        let arity = open.rule.head.args.len();
        let values = rows
            .into_iter()
            .map(|row| row[..arity].iter().map(|&word| Value::from_bits(word)).collect());
        Ok(values.collect())
    }
}
