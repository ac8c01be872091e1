//! The program as the evaluator runs it: names resolved, variables numbered, built-ins looked up, strata in order.
//!
//! The analysis builds it; nothing here is checked again. Laws that it keeps, beyond what the types say:
//! - every slot of a rule's head, negated atom, comparison and function argument is bound by some premise or transform;
//! - the slots of a rule are dense: `0..rule.slots`, and a wildcard has none ([`Term::Any`]);
//! - a negated atom and an aggregated body use only predicates of earlier strata;
//! - `rules` of one predicate all stand in the stratum that owns the predicate.

mod predicate;
mod rule;
mod time;

pub use predicate::{External, Merge, Mode, PredId, Predicate};
pub use rule::{Aggregate, Atom, Comparison, Expr, Head, Let, Premise, Rule, RuleId, Slot, Term, Transform};
pub use time::{Bound, HeadTime, Interval, Operator, When, Window};

use crate::value::{Interner, Value};

/// A whole program, ready to run. Plain data: build it field by field.
#[derive(Debug, Default)]
pub struct Program {
    /// Every predicate, including those without facts and rules; a [`PredId`] is an index into this list.
    pub predicates: Vec<Predicate>,
    /// Every rule in the order of the source; a [`RuleId`] is an index into this list.
    pub rules: Vec<Rule>,
    /// The facts that the sources contain.
    pub facts: Facts,
    /// The groups of rules in the order in which they run.
    pub strata: Vec<Stratum>,
    /// The constants of rules and facts.
    pub interner: Interner,
}

impl Program {
    /// Returns the predicate of this name and number of arguments.
    pub fn find(&self, name: &str, arity: usize) -> Option<PredId> {
        let at = self.predicates.iter().position(|p| &*p.name == name && p.arity == arity)?;
        Some(PredId(at as u32))
    }

    /// Returns a predicate by its number.
    pub fn predicate(&self, id: PredId) -> &Predicate {
        &self.predicates[id.index()]
    }

    /// Returns a rule by its number.
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.index()]
    }

    /// Returns the predicates that `rule` reads, negated ones included.
    pub fn reads(&self, rule: RuleId) -> impl Iterator<Item = PredId> {
        self.rule(rule).premises.iter().filter_map(Premise::pred)
    }
}

/// Rules that are evaluated together until no new facts appear, after everything that they negate or aggregate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stratum {
    /// The predicates whose rules are in this stratum.
    pub predicates: Vec<PredId>,
    /// Their rules, in the order of the source.
    pub rules: Vec<RuleId>,
    /// Whether a rule reads a predicate of its own stratum. If not, one pass is enough.
    pub recursive: bool,
}

/// Facts, grouped by predicate in the order of the source: flat rows, without an allocation for each fact.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// One block for each predicate that has facts, in no particular order.
    pub blocks: Vec<FactBlock>,
}

/// The facts of one predicate.
#[derive(Clone, Debug)]
pub struct FactBlock {
    /// The predicate.
    pub pred: PredId,
    /// The number of facts; needed because a predicate may have no arguments.
    pub len: usize,
    /// The arguments, row after row.
    pub rows: Vec<Value>,
    /// For a temporal predicate, when each row holds: as many as rows.
    pub times: Vec<HeadTime>,
}

impl Facts {
    /// Adds a fact; `time` is present exactly if the predicate is temporal. Facts that differ in shape are put into
    /// blocks of their own, so that those that do not fit are found when they are given to an evaluation.
    pub fn push(&mut self, pred: PredId, args: &[Value], time: Option<HeadTime>) {
        let alike = |block: &FactBlock| {
            block.pred == pred && block.rows.len() == block.len * args.len() && block.times.is_empty() == time.is_none()
        };
        let at = match self.blocks.iter().rposition(alike) {
            Some(at) => at,
            None => {
                self.blocks.push(FactBlock {
                    pred,
                    len: 0,
                    rows: Vec::new(),
                    times: Vec::new(),
                });
                self.blocks.len() - 1
            }
        };
        let block = &mut self.blocks[at];
        block.len += 1;
        block.rows.extend_from_slice(args);
        block.times.extend(time);
    }

    /// Returns the number of facts.
    pub fn len(&self) -> usize {
        self.blocks.iter().map(|block| block.len).sum()
    }

    /// Returns whether there are no facts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
