//! Builds a proof, fact by fact.

use std::{collections::HashMap, sync::Arc};

use super::{
    Explainer,
    proof::{Because, Contribution, Derivation, Node, NodeId, Proof, Support},
    search::{Goal, Open, row_of},
    temporal::Clock,
};
use crate::{
    eval::{
        EvalError,
        parts::{IntervalSet, Seen},
    },
    program::{Atom, Expr, Interval, PredId, Premise, RuleId, Term},
    syntax::Word,
    value::Value,
};

/// How many bindings are examined for one fact that holds at intervals: more do not make a proof clearer.
const MANY: usize = 10_000;

/// A proof that is being built.
pub(super) struct Builder<'e, 'm> {
    pub(super) explainer: &'e mut Explainer<'m>,
    nodes: Vec<Node>,
    known: HashMap<(PredId, u32, Option<Interval>), NodeId>,
    /// The row numbers of the nodes; transient facts have none.
    numbers: Vec<u32>,
}

pub(super) fn why(explainer: &mut Explainer<'_>, pred: PredId, args: &[Value], time: Option<Interval>) -> Result<Option<Proof>, EvalError> {
    let words = words(args);
    let relation = &explainer.model.relations[pred.index()];
    let Some(number) = relation.find(&words) else { return Ok(None) };
    let time = match relation.times_of(number) {
        Some(set) => match asked(set, time, explainer.model.now) {
            None => return Ok(None),
            some => some,
        },
        None if explainer.model.program.predicate(pred).temporal => return Ok(None),
        None => None,
    };
    let mut builder = Builder {
        explainer,
        nodes: Vec::new(),
        known: HashMap::new(),
        numbers: Vec::new(),
    };
    let Some(number) = builder.explainer.number(pred, &words) else {
        return Ok(None);
    };
    builder.node(pred, number, time);
    let mut next = 0;
    while next < builder.nodes.len() {
        builder.explainer.meter.step(1, || 0)?;
        if builder.nodes[next].because.is_empty() {
            let because = builder.expand(next)?;
            builder.nodes[next].because = because;
        }
        next += 1;
    }
    Ok(Some(Proof { nodes: builder.nodes }))
}

/// Returns a row as it is stored.
pub(super) fn words(args: &[Value]) -> Vec<u64> {
    let words: Vec<u64> = args.iter().map(|value| value.bits()).collect();
    if words.is_empty() { vec![0] } else { words }
}

/// Returns the interval in question, if the fact holds then.
fn asked(set: &IntervalSet, time: Option<Interval>, now: i64) -> Option<Interval> {
    match time {
        Some(time) => set.covering(time).map(|_| time),
        None => set.covering(Interval::at(now)).or_else(|| set.get(0)),
    }
}

impl Builder<'_, '_> {
    /// Returns the node of a fact, added if new; what it rests on is searched for later.
    pub(super) fn node(&mut self, pred: PredId, number: u32, time: Option<Interval>) -> NodeId {
        if let Some(&id) = self.known.get(&(pred, number, time)) {
            return id;
        }
        let row = self.explainer.row(pred, number);
        let id = self.push(pred, row, time, Vec::new());
        self.numbers[id.0 as usize] = number;
        self.known.insert((pred, number, time), id);
        id
    }

    /// Returns the node of a fact that was merged with another before it was stored.
    pub(super) fn passing(&mut self, pred: PredId, row: &[u64], because: Because) -> NodeId {
        self.push(pred, row, None, vec![because])
    }

    fn push(&mut self, pred: PredId, row: &[u64], time: Option<Interval>, because: Vec<Because>) -> NodeId {
        let arity = self.explainer.model.program.predicate(pred).arity;
        self.explainer.meter.resting += size_of::<Node>() + arity * size_of::<Value>();
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            pred,
            args: row[..arity].iter().map(|&word| Value::from_bits(word)).collect(),
            time,
            because,
        });
        self.numbers.push(u32::MAX);
        id
    }

    fn expand(&mut self, at: usize) -> Result<Vec<Because>, EvalError> {
        let (pred, number, time) = (self.nodes[at].pred, self.numbers[at], self.nodes[at].time);
        let predicate = self.explainer.model.program.predicate(pred);
        if predicate.external.is_some() {
            return Ok(vec![Because::Answered]);
        }
        if let Some(time) = time {
            return self.expand_timed(pred, number, time);
        }
        if let Some(spec) = predicate.merge.clone() {
            return self.expand_merged(&spec, pred, number);
        }
        let row = self.explainer.row(pred, number).to_vec();
        let past = self.explainer.past(pred);
        let relation = &self.explainer.model.relations[pred.index()];
        let given = match number.checked_sub(relation.own.first) {
            Some(own) => own < relation.past.given,
            None => number < past.given,
        };
        if given {
            return Ok(vec![Because::Given]);
        }
        let round = self.explainer.round_of(pred, number);
        for rule in self.explainer.rules_of(pred) {
            let found = self.derive(rule, pred, &row, round, 1)?;
            if let Some(derivation) = found.into_iter().next() {
                return Ok(vec![Because::Rule(derivation)]);
            }
        }
        Ok(Vec::new())
    }

    /// Returns the reasons, given and derived, whose intervals together cover `time`.
    fn expand_timed(&mut self, pred: PredId, number: u32, time: Interval) -> Result<Vec<Because>, EvalError> {
        let past = self.explainer.past(pred);
        self.explainer.look_through(past.stated.len() + past.history.len())?;
        let mut left = IntervalSet::default();
        let mut parts = Vec::new();
        let stated: Vec<Interval> = past
            .stated
            .iter()
            .filter(|(row, _)| *row == number)
            .map(|&(_, interval)| interval)
            .collect();
        let mut because = Vec::new();
        for interval in stated.into_iter().filter(|interval| interval.overlaps(time)) {
            left.add(interval, &mut parts);
            if because.is_empty() {
                because.push(Because::Given);
            }
        }
        if left.covering(time).is_some() {
            return Ok(because);
        }
        let rounds = past.history.iter().filter(|(row, part, _)| *row == number && part.overlaps(time));
        let round = rounds.map(|&(_, _, round)| round).max().unwrap_or(0);
        let row = self.explainer.model.relations[pred.index()].row(number).to_vec();
        for rule in self.explainer.rules_of(pred) {
            for derivation in self.derive(rule, pred, &row, round, MANY)? {
                let Some(interval) = derivation.time.filter(|interval| interval.overlaps(time)) else {
                    continue;
                };
                parts.clear();
                left.add(interval, &mut parts);
                if parts.iter().any(|part| part.overlaps(time)) {
                    because.push(Because::Rule(derivation));
                }
                if left.covering(time).is_some() {
                    return Ok(because);
                }
            }
        }
        Ok(because)
    }

    /// Returns the uses of a rule that give a row.
    pub(super) fn derive(
        &mut self,
        rule: RuleId,
        pred: PredId,
        row: &[u64],
        round: u32,
        enough: usize,
    ) -> Result<Vec<Derivation>, EvalError> {
        let arity = self.explainer.model.program.predicate(pred).arity;
        let goal: Vec<Option<u64>> = row[..arity].iter().map(|&word| Some(word)).collect();
        self.with_goal(rule, pred, &goal, round, enough, |this, open, goal| {
            if open.rule.aggregates() {
                return this.derive_group(open, goal);
            }
            let mut derivations = Vec::new();
            for (registers, time) in this.explainer.search(open, goal)? {
                derivations.push(Derivation {
                    rule,
                    time,
                    premises: this.supports(open, &registers, goal.seen)?,
                    bindings: this.bindings(open, &registers)?,
                    group: Vec::new(),
                });
            }
            Ok(derivations)
        })
    }

    /// Returns the rows that a rule gives for a head of which some arguments are known.
    pub(super) fn derived(&mut self, rule: RuleId, pred: PredId, row: &[Option<u64>], round: u32) -> Result<Vec<Vec<u64>>, EvalError> {
        self.with_goal(rule, pred, row, round, usize::MAX, |this, open, goal| {
            if open.rule.aggregates() {
                this.explainer.grouped(open, goal)
            } else {
                this.explainer.heads(open, goal)
            }
        })
    }

    /// Searches for uses of a rule in a round: they may rest on earlier facts only.
    fn with_goal<R>(
        &mut self,
        id: RuleId,
        pred: PredId,
        row: &[Option<u64>],
        round: u32,
        enough: usize,
        look: impl FnOnce(&mut Self, &Open, &Goal<'_>) -> Result<R, EvalError>,
    ) -> Result<R, EvalError> {
        let program = Arc::clone(&self.explainer.model.program);
        let rule = program.rule(id);
        let open = Open::new(id, rule);
        let stratum = self.explainer.owner[pred.index()];
        let replaced = self.explainer.replaced(stratum)?;
        let seen: HashMap<PredId, Option<Seen>> = program
            .reads(id)
            .map(|read| Ok((read, self.explainer.seen(read, stratum, round)?)))
            .collect::<Result<_, EvalError>>()?;
        let lookup = |pred: PredId| seen.get(&pred).cloned().flatten();
        let goal = Goal {
            row,
            enough: if rule.aggregates() { usize::MAX } else { enough },
            seen: &lookup,
            relations: replaced.as_ref().map(|relations| &relations[..]),
        };
        look(self, &open, &goal)
    }

    /// Derives a row with a grouping rule, from all bindings with its keys.
    fn derive_group(&mut self, open: &Open, goal: &Goal<'_>) -> Result<Vec<Derivation>, EvalError> {
        let whole: Vec<u64> = goal.row.iter().copied().collect::<Option<_>>().unwrap_or_default();
        let whole = if whole.is_empty() { vec![0] } else { whole };
        if !self.explainer.grouped(open, goal)?.contains(&whole) {
            return Ok(Vec::new());
        }
        let mut group = Vec::new();
        for (registers, _) in self.explainer.search(open, goal)? {
            group.push(Contribution {
                bindings: self.bindings(open, &registers)?,
                premises: self.supports(open, &registers, goal.seen)?,
            });
        }
        let bindings = group.first().map(|row| row.bindings.clone()).unwrap_or_default();
        Ok(vec![Derivation {
            rule: open.id,
            time: None,
            bindings,
            premises: Vec::new(),
            group,
        }])
    }

    /// Returns the rule's own variables and their values, and counts the work.
    fn bindings(&mut self, open: &Open, registers: &[u64]) -> Result<Vec<(Word, Value)>, EvalError> {
        let bindings = open.bindings(registers);
        let supports = open.rule.premises.len() * size_of::<Support>();
        let meter = &mut self.explainer.meter;
        meter.resting += size_of::<Contribution>() + bindings.capacity() * size_of::<(Word, Value)>() + supports;
        meter.step(1, || 0)?;
        Ok(bindings)
    }

    fn supports(&mut self, open: &Open, registers: &[u64], seen: &dyn Fn(PredId) -> Option<Seen>) -> Result<Vec<Support>, EvalError> {
        let mut supports = Vec::with_capacity(open.rule.premises.len());
        for premise in &open.rule.premises {
            supports.push(match premise {
                Premise::Fact(atom) => self.support(atom, registers, seen)?,
                Premise::NoFact(atom) => Support::Absent(atom.pred, pattern(open, atom, registers)),
                _ => Support::Computed,
            });
        }
        Ok(supports)
    }

    fn support(&mut self, atom: &Atom, registers: &[u64], seen: &dyn Fn(PredId) -> Option<Seen>) -> Result<Support, EvalError> {
        let row = row_of(atom, registers);
        let model = self.explainer.model;
        if model.program.predicate(atom.pred).deferred.is_some() {
            return Ok(Support::Called(atom.pred, row.iter().map(|&word| Value::from_bits(word)).collect()));
        }
        self.explainer.meter.step(1, || 0)?;
        let relation = &model.relations[atom.pred.index()];
        let Some(number) = self.explainer.number(atom.pred, &row) else {
            return Ok(Support::Computed);
        };
        let times = seen(atom.pred).and_then(|seen| seen.times);
        let set = match &times {
            Some(times) => times.get(number),
            None => relation.times_of(number),
        };
        let clock = Clock {
            interner: &self.explainer.interner,
            registers,
            now: model.now,
        };
        let time = set.and_then(|set| clock.needed(atom.when.as_ref(), set));
        Ok(Support::Fact(self.node(atom.pred, number, time)))
    }
}

/// Returns the arguments of a negated atom; `None` for those that no premise binds.
fn pattern(open: &Open, atom: &Atom, registers: &[u64]) -> Vec<Option<Value>> {
    let bound = |slot: u16| {
        open.rule.premises.iter().any(|premise| match premise {
            Premise::Fact(atom) => atom.args.contains(&Term::Slot(slot)),
            Premise::Equal(left, right) => [left, right].iter().any(|side| **side == Expr::Slot(slot)),
            Premise::Built { args, negated: false, .. } => args.contains(&Expr::Slot(slot)),
            _ => false,
        })
    };
    let value = |arg: &Term| match arg {
        Term::Slot(slot) if bound(*slot) => Some(Value::from_bits(registers[usize::from(*slot)])),
        Term::Value(value) => Some(*value),
        _ => None,
    };
    atom.args.iter().map(value).collect()
}
