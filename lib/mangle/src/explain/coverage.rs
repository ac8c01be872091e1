//! Reports which rules fired, and what the others lack.

use crate::{
    eval::{Model, RuleCount},
    program::{PredId, Premise, RuleId},
};

/// How a rule fared in an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The rule.
    pub rule: RuleId,
    /// The rule's work.
    pub count: RuleCount,
    /// Whether it fired, and if not, why.
    pub life: Life,
}

/// Whether a rule fired, and if not, why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Life {
    /// Its premises were satisfied at least once.
    Fired,
    /// Each premise has facts, but they do not fit together.
    Dormant,
    /// Some of its predicates, these, have no facts.
    PartiallyAlive(Vec<PredId>),
    /// None of its predicates has facts.
    Dead(Vec<PredId>),
    /// It is deferred: it runs where it is called, and is not counted.
    Deferred,
}

/// Iterates over every rule of the program, in order; each is examined when the iterator reaches it, so the caller can
/// stop early.
pub fn coverage(model: &Model) -> impl Iterator<Item = Coverage> {
    let rules = (0..model.program().rules.len()).map(|at| RuleId(at as u32));
    rules.map(|rule| Coverage {
        rule,
        count: model.count(rule),
        life: life(model, rule),
    })
}

fn life(model: &Model, rule: RuleId) -> Life {
    let program = model.program();
    let read = program.rule(rule);
    if program.predicate(read.head.pred).deferred.is_some() {
        return Life::Deferred;
    }
    if model.count(rule).fired > 0 {
        return Life::Fired;
    }
    let stored = |pred: &PredId| program.predicate(*pred).deferred.is_none();
    let positive = || {
        let preds = read.premises.iter().filter_map(|premise| match premise {
            Premise::Fact(atom) => Some(atom.pred),
            _ => None,
        });
        preds.filter(stored)
    };
    let mut missing: Vec<PredId> = positive().filter(|&pred| model.is_empty(pred)).collect();
    missing.sort_unstable();
    missing.dedup();
    if missing.is_empty() {
        Life::Dormant
    } else if positive().all(|pred| model.is_empty(pred)) {
        Life::Dead(missing)
    } else {
        Life::PartiallyAlive(missing)
    }
}
