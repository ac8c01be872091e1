//! The result of an evaluation: every fact, and the work of each rule.

use std::{collections::BTreeMap, sync::Arc};

use super::{coverage::RuleCount, relation::Relation};
use crate::{
    program::{Interval, PredId, Program, RuleId},
    value::{Interner, Value, write_time},
};

/// All facts of an evaluated program.
#[derive(Debug)]
pub struct Model {
    pub(crate) program: Arc<Program>,
    pub(crate) relations: Vec<Relation>,
    /// The interner, shared with explanations, which add a layer of their own.
    pub(crate) interner: Arc<Interner>,
    pub(crate) counts: Vec<RuleCount>,
    pub(crate) now: i64,
    pub(crate) steps: u64,
    pub(crate) derived: u64,
}

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its arguments.
    pub args: Vec<Value>,
    /// For a temporal predicate, one of the intervals at which it holds.
    pub time: Option<Interval>,
}

impl Model {
    /// Returns the program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Returns the interner with the values of the facts.
    pub fn interner(&self) -> &Interner {
        &self.interner
    }

    /// Returns the evaluation time.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// Returns how many steps the evaluation took.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns how many facts were derived.
    pub fn derived(&self) -> u64 {
        self.derived
    }

    /// Returns how many rows of a predicate were given, not derived.
    pub fn given(&self, pred: PredId) -> usize {
        let relation = &self.relations[pred.index()];
        let frozen = relation.frozen.as_ref().map_or(0, |frozen| frozen.past.given);
        (frozen + relation.past.given) as usize
    }

    /// Returns the work of a rule.
    pub fn count(&self, rule: RuleId) -> RuleCount {
        self.counts[rule.index()]
    }

    /// Returns how many rows a predicate has; a row that holds at several intervals counts once.
    pub fn len(&self, pred: PredId) -> usize {
        self.relations[pred.index()].len()
    }

    /// Returns whether a predicate has no rows.
    pub fn is_empty(&self, pred: PredId) -> bool {
        self.len(pred) == 0
    }

    /// Returns the rows of a predicate in the order in which they were derived.
    pub fn rows(&self, pred: PredId) -> impl Iterator<Item = Vec<Value>> {
        let relation = &self.relations[pred.index()];
        let arity = self.program.predicate(pred).arity;
        (0..relation.len() as u32).map(move |number| {
            let row = &relation.row(number)[..arity];
            row.iter().map(|&word| Value::from_bits(word)).collect()
        })
    }

    /// Returns the facts of a predicate: a row for each interval if it is temporal.
    pub fn facts(&self, pred: PredId) -> impl Iterator<Item = Fact> {
        let relation = &self.relations[pred.index()];
        let temporal = self.program.predicate(pred).temporal;
        self.rows(pred).enumerate().flat_map(move |(number, args)| {
            let times: Vec<Option<Interval>> = if temporal {
                relation
                    .times_of(number as u32)
                    .into_iter()
                    .flat_map(|set| set.iter())
                    .map(Some)
                    .collect()
            } else {
                vec![None]
            };
            times.into_iter().map(move |time| Fact { args: args.clone(), time })
        })
    }

    /// Returns whether a fact holds; of a temporal predicate, at some time.
    pub fn holds(&self, pred: PredId, args: &[Value]) -> bool {
        let words: Vec<u64> = args.iter().map(|value| value.bits()).collect();
        let relation = &self.relations[pred.index()];
        relation.find(if words.is_empty() { &[0] } else { &words }).is_some()
    }

    /// Returns every fact as text: `name/arity` to its rows, both sorted as text. A temporal fact has its bounds as
    /// two more arguments, `_` for none. Predicates without facts and generated ones are left out.
    pub fn to_text(&self) -> BTreeMap<String, Vec<Vec<String>>> {
        let mut all = BTreeMap::new();
        for (at, predicate) in self.program.predicates.iter().enumerate() {
            if predicate.generated {
                continue;
            }
            let mut rows: Vec<Vec<String>> = self.facts(PredId(at as u32)).map(|fact| self.fact_to_text(&fact)).collect();
            if !rows.is_empty() {
                rows.sort_unstable();
                all.insert(format!("{}/{}", predicate.name, predicate.arity), rows);
            }
        }
        all
    }

    /// Returns the arguments of a fact as text, with its bounds.
    pub fn fact_to_text(&self, fact: &Fact) -> Vec<String> {
        let args = fact.args.iter().map(|&value| self.interner.print(value).to_string());
        let bounds = fact.time.iter().flat_map(|time| {
            let text = |nanos: i64, open: i64| if nanos == open { "_".to_owned() } else { write_time(nanos) };
            [text(time.start, i64::MIN), text(time.end, i64::MAX)]
        });
        args.chain(bounds).collect()
    }
}
