//! The fixpoint of a stratum: first the rules that read nothing of the stratum itself, then, while something is new, each
//! rule once for every premise that can be new.
//!
//! What a round derives is seen from the next round on, so neither the order of rules nor that of facts changes a round's result.

use std::sync::Arc;

use super::{
    error::Stop,
    evaluation::Evaluation,
    external::Batch,
    group::Derived,
    machine::{Machine, Target, Tools, World, prepare},
    plan::{Emit, Plan, Sizes, Wish, plan},
    relation::Relation,
    segment::Segment,
};
use crate::program::{Interval, PredId, Premise, Program, RuleId, Stratum};

/// One stratum on its way.
#[derive(Debug)]
pub(crate) struct Round {
    stratum: usize,
    /// Whether rules have run on what was there.
    seeded: bool,
    tasks: Vec<Task>,
    task: usize,
    /// What temporal predicates were given in this round.
    coming: Vec<Coming>,
    /// How many rounds there were.
    count: u32,
    /// Bytes of the plans, which count as long as the stratum is evaluated.
    planned: usize,
}

/// A row, and when it is to hold.
type Coming = (PredId, u32, Interval);

/// A rule to run, and which premise looks at what is new.
#[derive(Debug)]
struct Task {
    plan: Arc<Plan>,
    pred: PredId,
    delta: Option<PredId>,
}

/// Rows per predicate as they are now; of the stratum's own predicates nobody knows how many will come.
struct Now<'a> {
    relations: &'a [Relation],
    growing: &'a dyn Fn(PredId) -> bool,
}

impl Sizes for Now<'_> {
    fn rows(&self, pred: PredId) -> f64 {
        let rows = self.relations[pred.index()].len() as f64;
        if (self.growing)(pred) { rows.max(1_000.0) * 4.0 } else { rows }
    }
}

/// The rules of a stratum and the premises in which they read the stratum itself.
fn premises_of(program: &Program, rule: RuleId, growing: &dyn Fn(PredId) -> bool) -> Vec<(usize, PredId)> {
    let premises = program.rule(rule).premises.iter().enumerate();
    premises
        .filter_map(|(at, premise)| match premise {
            Premise::Fact(atom) if growing(atom.pred) => Some((at, atom.pred)),
            _ => None,
        })
        .collect()
}

impl Round {
    /// The first round of a stratum.
    pub(crate) fn first(evaluation: &mut Evaluation, stratum: usize) -> Result<Self, Stop> {
        let mut this = Self {
            stratum,
            seeded: false,
            tasks: Vec::new(),
            task: 0,
            coming: Vec::new(),
            count: 0,
            planned: 0,
        };
        this.tasks = this.plans(evaluation, false)?;
        Ok(this)
    }

    /// The tasks of the first round (`delta` false) or of all others.
    fn plans(&mut self, evaluation: &mut Evaluation, delta: bool) -> Result<Vec<Task>, Stop> {
        let Evaluation {
            program,
            relations,
            owner,
            meter,
            ..
        } = evaluation;
        let program = &**program;
        let stratum = &program.strata[self.stratum];
        let own = self.stratum as u32;
        let growing = |pred: PredId| stratum.recursive && owner[pred.index()] == own;
        let sizes = Now {
            relations,
            growing: &growing,
        };
        // The plans so far were for other tasks.
        meter.resting = meter.resting.saturating_sub(std::mem::take(&mut self.planned));
        self.tasks.clear();
        let mut tasks = Vec::new();
        for &rule in &stratum.rules {
            let pred = program.rule(rule).head.pred;
            if program.predicate(pred).deferred.is_some() {
                continue;
            }
            let inner = premises_of(program, rule, &growing);
            let wanted: Vec<Option<(usize, PredId)>> = match (delta, inner.is_empty()) {
                (false, true) => vec![None],
                (false, false) | (true, true) => Vec::new(),
                (true, false) => inner.into_iter().map(Some).collect(),
            };
            for premise in wanted {
                // For each premise that it takes, the planner looks at all that are left.
                let premises = program.rule(rule).premises.len() as u64;
                meter.rule = Some(rule);
                meter.step(premises * premises / 64, || 0)?;
                let wish = Wish {
                    delta: premise.map(|(at, _)| at),
                    growing: &growing,
                    given: &[],
                    sizes: &sizes,
                    explain: false,
                };
                let made = plan(program, rule, program.rule(rule), &wish).ok_or(Stop::NoOrder(rule))?;
                let heap = made.heap() + size_of::<Task>();
                self.planned += heap;
                meter.resting += heap;
                meter.check_bytes(0)?;
                tasks.push(Task {
                    plan: Arc::new(made),
                    pred,
                    delta: premise.map(|(_, pred)| pred),
                });
            }
        }
        Ok(tasks)
    }

    /// Runs the tasks of this round. A batch means that the current one has to be run again once the questions are answered.
    pub(crate) fn run(&mut self, evaluation: &mut Evaluation) -> Result<Option<Batch>, Stop> {
        while let Some(task) = self.tasks.get(self.task) {
            // A task without anything new is work too: a stratum may have a million rules.
            evaluation.meter.step(1, || 0)?;
            if task.delta.is_none_or(|pred| has_new(&evaluation.relations[pred.index()])) {
                let (plan, pred) = (Arc::clone(&task.plan), task.pred);
                self.run_task(evaluation, &plan, pred)?;
                if let Some(batch) = evaluation.asked.batch() {
                    return Ok(Some(batch));
                }
            }
            self.task += 1;
        }
        Ok(None)
    }

    fn run_task(&mut self, evaluation: &mut Evaluation, plan: &Plan, pred: PredId) -> Result<(), Stop> {
        let Evaluation {
            program,
            relations,
            interner,
            meter,
            asked,
            calls,
            now,
            counts,
            owner,
            ..
        } = evaluation;
        let stratum = &program.strata[self.stratum];
        let growing = |pred: PredId| stratum.recursive && owner[pred.index()] == self.stratum as u32;
        meter.rule = Some(plan.rule);
        let before = (meter.steps(), meter.derived);
        let found = prepare(plan, relations, &growing, meter)?;
        let mut head = std::mem::replace(&mut relations[pred.index()], Relation::placeholder());
        let resting = meter.resting;
        let heap = head.heap();
        meter.resting = resting.saturating_sub(head.own.moving());
        let predicate = program.predicate(pred);
        let target = match (&plan.emit, predicate.merge.is_some(), predicate.temporal) {
            (Emit::Group(group), ..) => Target::Bindings(Segment::new(group.kept.len().max(1), 0, head.own.keys), Vec::new()),
            (_, true, _) => Target::Loose(Vec::new()),
            (_, _, true) => Target::Timed(Vec::new()),
            _ => Target::Rows,
        };
        let world = World {
            program,
            relations,
            calls,
            now: *now,
        };
        let mut tools = Tools { interner, meter, asked };
        let mut machine = Machine::new(&world, &mut tools, plan, &found, target);
        machine.all_new = plan.injective && head.len() == 0;
        machine.head = Some((pred, &mut head));
        let outcome = machine.start().and_then(|()| match &plan.emit {
            // With questions open, the groups are not complete.
            Emit::Group(_) if machine.asks() => Ok(Derived::default()),
            Emit::Group(group) => machine.groups(group),
            Emit::Head(_) => Ok(Derived::default()),
        });
        let fired = machine.fired;
        let target = std::mem::replace(&mut machine.target, Target::Rows);
        drop(machine);
        drop(found);
        relations[pred.index()] = head;
        let derived = outcome?;
        let count = &mut counts[plan.rule.index()];
        count.fired += fired;
        let (rows, times) = match target {
            Target::Timed(times) => (Vec::new(), times),
            Target::Loose(rows) => (rows, Vec::new()),
            Target::Rows | Target::Bindings(..) | Target::Proofs(_) => (Vec::new(), Vec::new()),
        };
        let coming = self.coming.capacity();
        self.coming
            .extend(times.into_iter().map(|(number, interval)| (pred, number, interval)));
        let mut loose = rows;
        if predicate.merge.is_some() {
            loose.extend_from_slice(&derived.rows);
        } else {
            let relation = &mut relations[pred.index()];
            let width = relation.width();
            relation.own.reserve(derived.rows.len() / width);
            for (at, row) in derived.rows.chunks_exact(width).enumerate() {
                let (number, new) = relation.insert(row);
                match derived.times.get(at) {
                    Some(&interval) => self.coming.push((pred, number, interval)),
                    None if new => meter.fact()?,
                    None => {}
                }
            }
        }
        let rule = plan.rule.index();
        if predicate.merge.is_some() {
            evaluation.merge_into(pred, &loose)?;
        }
        let grown = evaluation.relations[pred.index()].heap() + (self.coming.capacity() - coming) * size_of::<Coming>();
        evaluation.meter.resting = (resting + grown).saturating_sub(heap);
        let count = &mut evaluation.counts[rule];
        count.steps += evaluation.meter.steps() - before.0;
        count.derived += evaluation.meter.derived - before.1;
        Ok(())
    }

    /// Lets go of the plans when the stratum is done.
    pub(crate) fn end(self, evaluation: &mut Evaluation) {
        evaluation.meter.resting = evaluation.meter.resting.saturating_sub(self.planned);
    }

    /// Makes what came in this round visible. Says whether there is another round.
    pub(crate) fn next(&mut self, evaluation: &mut Evaluation) -> Result<bool, Stop> {
        let program = Arc::clone(&evaluation.program);
        let stratum = &program.strata[self.stratum];
        self.settle_times(evaluation, stratum)?;
        self.count += 1;
        if !stratum.recursive {
            return Ok(false);
        }
        let mut any = false;
        for &pred in &stratum.predicates {
            let relation = &mut evaluation.relations[pred.index()];
            let timing = relation.timing();
            relation.old = if self.seeded { relation.seen } else { 0 };
            relation.seen = relation.len();
            relation.past.rounds.push(relation.seen as u32);
            if !self.seeded && relation.times.is_some() {
                relation.fresh = all_times(relation);
            }
            evaluation.meter.resting += relation.timing().saturating_sub(timing);
            any |= has_new(relation);
        }
        if !any {
            return Ok(false);
        }
        if !self.seeded {
            self.seeded = true;
            self.tasks = self.plans(evaluation, true)?;
        }
        self.task = 0;
        Ok(true)
    }

    /// Adds the intervals of the round; what is newly covered is the next round's news. They are united first, so that the news do
    /// not depend on the order in which they came.
    fn settle_times(&mut self, evaluation: &mut Evaluation, stratum: &Stratum) -> Result<(), Stop> {
        for &pred in &stratum.predicates {
            evaluation.relations[pred.index()].fresh.clear();
        }
        let mut coming = std::mem::take(&mut self.coming);
        coming.sort_unstable();
        let coming_heap = coming.capacity() * size_of::<Coming>();
        let mut grown = 0;
        let mut parts = Vec::new();
        let mut rest = coming.as_slice();
        while let [(pred, number, first), after @ ..] = rest {
            let mut united = *first;
            let mut taken = 0;
            for (other, row, next) in after {
                if (other, row) != (pred, number) || next.start > united.end.saturating_add(1) {
                    break;
                }
                united.end = united.end.max(next.end);
                taken += 1;
            }
            rest = &after[taken..];
            let relation = &mut evaluation.relations[pred.index()];
            let timing = relation.timing();
            parts.clear();
            let count = relation.hold(*number, united, &mut parts);
            evaluation.meter.intervals(count)?;
            for part in parts.drain(..) {
                evaluation.meter.fact()?;
                relation.fresh.push((*number, part));
                if stratum.recursive {
                    relation.past.history.push((*number, part, self.count));
                }
            }
            grown += relation.timing().saturating_sub(timing);
            evaluation.meter.step(1, || grown)?;
        }
        evaluation.meter.resting = (evaluation.meter.resting + grown).saturating_sub(coming_heap);
        Ok(())
    }
}

fn has_new(relation: &Relation) -> bool {
    if relation.times.is_some() {
        !relation.fresh.is_empty()
    } else {
        relation.old < relation.seen
    }
}

fn all_times(relation: &Relation) -> Vec<(u32, Interval)> {
    let times = relation.times.iter().flat_map(|times| times.iter().enumerate());
    times
        .flat_map(|(number, set)| set.iter().map(move |interval| (number as u32, interval)))
        .collect()
}
