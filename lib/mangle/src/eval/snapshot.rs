//! The part that many requests share: the facts of a program and all strata that no request can change, evaluated once
//! and frozen. A request adds its own facts and evaluates the rest; its additions are dropped with it.

use std::sync::Arc;

use super::{
    coverage::RuleCount,
    error::EvalError,
    evaluation::{Evaluation, Options, Running},
    model::Model,
    relation::Frozen,
};
use crate::{
    builtin::Function,
    program::{Aggregate, Bound, Expr, FactBlock, Facts, HeadTime, PredId, Premise, Program, Rule, Transform, When},
    value::Interner,
};

/// A program in which everything that does not depend on a request is evaluated. Share it in an `Arc`.
#[derive(Debug)]
pub struct Snapshot {
    program: Arc<Program>,
    interner: Arc<Interner>,
    relations: Vec<Arc<Frozen>>,
    counts: Vec<RuleCount>,
    /// The strata that each request evaluates.
    strata: Vec<usize>,
    /// The facts that hold relative to the time of the request.
    later: Vec<FactBlock>,
    seed: u64,
}

/// A snapshot that is being built: add the facts that are in no source, then [`Self::freeze`] it. The program stays as
/// it is, so when only these facts change, nothing has to be analysed again.
#[derive(Debug)]
pub struct Base {
    evaluation: Evaluation,
    /// The strata that each request evaluates.
    strata: Vec<usize>,
    options: Options,
}

impl Base {
    /// Starts a snapshot of a program with the facts that it contains. The budget of `options` is for the snapshot;
    /// requests have their own.
    ///
    /// # Errors
    /// As for [`Evaluation::new`].
    pub fn new(program: Arc<Program>, options: &Options) -> Result<Self, EvalError> {
        let open = open_predicates(&program);
        let depends = |at: usize| program.strata[at].predicates.iter().any(|pred| open[pred.index()]);
        let (strata, fixed): (Vec<usize>, Vec<usize>) = (0..program.strata.len()).partition(|&at| depends(at));
        let interner = Interner::overlay(Arc::new(program.interner.clone()), options.seed);
        let mut evaluation = Evaluation::bare(Arc::clone(&program), interner, fixed, |_| None, options);
        evaluation.take(program.facts.blocks.iter().filter(|block| !is_relative(block)))?;
        Ok(Self {
            evaluation,
            strata,
            options: options.clone(),
        })
    }

    /// Returns the interner that makes the values for [`Self::give`].
    pub fn interner(&mut self) -> &mut Interner {
        self.evaluation.interner()
    }

    /// Adds facts of any predicate: all requests share them.
    ///
    /// # Errors
    /// As for [`Evaluation::give`]; and a fact may not hold relative to `now`, which is another time in each request.
    pub fn give(&mut self, facts: &Facts) -> Result<(), EvalError> {
        if facts.blocks.iter().any(is_relative) {
            let text = "a fact of a snapshot may not hold relative to `now`: say from when, or give it to each request";
            return Err(EvalError::BadFact(text.to_owned()));
        }
        self.evaluation.give(facts)
    }

    /// Evaluates what no request can change.
    ///
    /// # Errors
    /// As for [`Evaluation::run`].
    pub fn freeze(self) -> Result<Snapshot, EvalError> {
        let model = match self.evaluation.run()? {
            Running::Done(model) => model,
            // Strata that read external predicates are left to the requests.
            Running::Asks(..) => return Err(EvalError::BadAnswer("a snapshot cannot ask".to_owned())),
        };
        let Model {
            program,
            relations,
            interner,
            counts,
            ..
        } = *model;
        let later = program.facts.blocks.iter().filter(|block| is_relative(block)).cloned().collect();
        let snapshot = Snapshot {
            interner,
            relations: relations.into_iter().map(|relation| Arc::new(relation.freeze())).collect(),
            counts,
            strata: self.strata,
            later,
            seed: self.options.seed,
            program,
        };
        snapshot.warm(&self.options);
        Ok(snapshot)
    }
}

impl Snapshot {
    /// Evaluates what no request can change: the strata that depend on no predicate marked `session`, on none that is
    /// external, and not on the evaluation time. The budget of `options` is for this; requests have their own. [`Base`]
    /// accepts facts that are in no source.
    ///
    /// # Errors
    /// As for [`Evaluation::run`].
    pub fn new(program: Arc<Program>, options: &Options) -> Result<Self, EvalError> {
        Base::new(program, options)?.freeze()
    }

    /// Runs an empty request, so that most indexes over frozen rows exist before the first request. Whether it succeeds
    /// does not matter.
    fn warm(&self, options: &Options) {
        if let Ok(request) = self.request(options) {
            drop(request.run());
        }
    }

    /// Returns the evaluation of a request: give it facts, then run it.
    ///
    /// # Errors
    /// A fact that holds relative to the evaluation time has no interval at this one.
    pub fn request(&self, options: &Options) -> Result<Evaluation, EvalError> {
        let interner = Interner::overlay(Arc::clone(&self.interner), self.seed);
        // Frozen tables are read with the hashes with which they were built.
        let options = &Options {
            seed: self.seed,
            ..options.clone()
        };
        let mut evaluation = Evaluation::bare(
            Arc::clone(&self.program),
            interner,
            self.strata.clone(),
            |pred| Some(Arc::clone(&self.relations[pred.index()])),
            options,
        );
        evaluation.counts.clone_from(&self.counts);
        evaluation.take(&self.later)?;
        Ok(evaluation)
    }

    /// Returns the program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Returns how many strata each request evaluates.
    pub fn strata(&self) -> usize {
        self.strata.len()
    }

    /// Returns how many rows are frozen.
    pub fn rows(&self) -> usize {
        self.relations.iter().map(|frozen| frozen.segment.len()).sum()
    }

    /// Returns the bytes that the frozen part holds on the heap, without the program.
    pub fn heap(&self) -> usize {
        self.interner.heap() + self.relations.iter().map(|frozen| frozen.segment.heap()).sum::<usize>()
    }
}

/// Returns which predicates a request can change, directly or through rules.
fn open_predicates(program: &Program) -> Vec<bool> {
    let mut open: Vec<bool> = program
        .predicates
        .iter()
        .map(|predicate| predicate.session || predicate.external.is_some())
        .collect();
    for block in &program.facts.blocks {
        open[block.pred.index()] |= is_relative(block);
    }
    // Deferred predicates have no order of strata: repeat until nothing changes.
    loop {
        let mut changed = false;
        for rule in &program.rules {
            let head = rule.head.pred.index();
            let depends = |pred: PredId| open[pred.index()];
            if !open[head] && (rule_reads_now(program, rule) || rule.premises.iter().filter_map(Premise::pred).any(depends)) {
                open[head] = true;
                changed = true;
            }
        }
        // Predicates of one stratum are evaluated together.
        for stratum in &program.strata {
            if stratum.predicates.iter().any(|pred| open[pred.index()]) {
                for pred in &stratum.predicates {
                    changed |= !std::mem::replace(&mut open[pred.index()], true);
                }
            }
        }
        if !changed {
            return open;
        }
    }
}

/// Returns whether a fact holds relative to the evaluation time.
fn is_relative(block: &FactBlock) -> bool {
    block.times.iter().any(|time| reads_now(time.start) || reads_now(time.end))
}

const fn reads_now(bound: Bound) -> bool {
    matches!(bound, Bound::Now | Bound::Offset(_))
}

/// Returns whether the facts that a rule derives depend on the evaluation time.
fn rule_reads_now(program: &Program, rule: &Rule) -> bool {
    let timed = |time: &HeadTime| reads_now(time.start) || reads_now(time.end);
    rule.head.time.as_ref().is_some_and(timed)
        || rule.head.args.iter().any(calls_now)
        || rule.premises.iter().any(|premise| premise_reads_now(program, premise))
        || rule.transforms.iter().any(|transform| match transform {
            Transform::Lets(lets) => lets.iter().any(|one| calls_now(&one.expr)),
            Transform::Group { lets, .. } => lets.iter().any(|one| match one {
                Aggregate::Let(one) => calls_now(&one.expr),
                Aggregate::Reduce { args, .. } => args.iter().any(calls_now),
            }),
        })
}

fn premise_reads_now(program: &Program, premise: &Premise) -> bool {
    match premise {
        Premise::Fact(atom) | Premise::NoFact(atom) => match atom.when {
            None => program.predicate(atom.pred).temporal,
            Some(When::During { start, end }) => reads_now(start) || reads_now(end),
            Some(When::Window(_)) => true,
        },
        Premise::Equal(left, right) | Premise::Compare { left, right, .. } => calls_now(left) || calls_now(right),
        Premise::Built { args, .. } => args.iter().any(calls_now),
    }
}

fn calls_now(expr: &Expr) -> bool {
    let is_now = |function: &Function| function.name == "fn:time:now";
    matches!(expr, Expr::Call(function, args) if is_now(function) || args.iter().any(calls_now))
}
