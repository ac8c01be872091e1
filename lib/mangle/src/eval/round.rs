//! The fixpoint of a stratum: first the rules that read nothing of the stratum itself, then, while there are new facts,
//! each rule once for every premise that can have new ones.
//!
//! The facts that a round derives are visible from the next round on, so neither the order of rules nor that of facts
//! changes a round's result.

use std::sync::Arc;

use super::{
    budget::{Exceeded, GLANCE, Meter},
    error::{EvalError, Stop},
    evaluation::Evaluation,
    external::Batch,
    group::Derived,
    machine::{Found, Machine, Target, Tools, World, prepare},
    plan::{Emit, Plan, Sizes, Wish, plan},
    relation::Relation,
    segment::Segment,
    sort::merge_sort,
};
use crate::program::{Interval, PredId, Premise, Program, RuleId, Stratum};

/// A stratum that is being evaluated.
#[derive(Debug)]
pub(crate) struct Round {
    stratum: usize,
    /// Whether rules have run on the facts that were there at the start.
    seeded: bool,
    tasks: Vec<Task>,
    task: usize,
    /// The times that temporal predicates get in this round.
    coming: Vec<Coming>,
    /// How many rounds there were.
    count: u32,
    /// The bytes of the plans, which count as long as the stratum is evaluated.
    planned: usize,
}

/// A row, and when it is to hold.
type Coming = (PredId, u32, Interval);

/// A rule to run, and which premise reads the new rows.
#[derive(Debug)]
struct Task {
    plan: Arc<Plan>,
    pred: PredId,
    delta: Option<PredId>,
}

/// The current number of rows of each predicate; for the stratum's own predicates it is unknown how many will come.
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

/// Returns the premises in which a rule reads the stratum itself.
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
    /// Returns the first round of a stratum.
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

    /// Returns the tasks of the first round (`delta` false) or of all others.
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
                meter.rule = Some(rule);
                meter.planning(program.rule(rule))?;
                let wish = Wish {
                    delta: premise.map(|(at, _)| at),
                    growing: &growing,
                    given: &[],
                    sizes: &sizes,
                    explain: false,
                };
                let made = plan(program, rule, program.rule(rule), &wish).ok_or(EvalError::NoOrder(rule))?;
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

    /// Runs the tasks of this round. A batch means that the current one has to be run again once the questions are
    /// answered.
    pub(crate) fn run(&mut self, evaluation: &mut Evaluation) -> Result<Option<Batch>, Stop> {
        while let Some(task) = self.tasks.get(self.task) {
            // A task without new rows is work too: a stratum may have a million rules.
            evaluation.meter.step(1, || 0)?;
            if task.delta.is_none_or(|pred| has_new(&evaluation.relations[pred.index()])) {
                if !evaluation.asked.is_open() {
                    let (plan, pred) = (Arc::clone(&task.plan), task.pred);
                    self.run_task(evaluation, &plan, pred)?;
                }
                if evaluation.asked.is_open() {
                    evaluation.meter.check_bytes(0)?;
                    return Ok(evaluation.asked.batch());
                }
            }
            self.task += 1;
        }
        Ok(None)
    }

    fn run_task(&mut self, evaluation: &mut Evaluation, plan: &Plan, pred: PredId) -> Result<(), Stop> {
        evaluation.meter.rule = Some(plan.rule);
        let before = (evaluation.meter.steps(), evaluation.meter.derived);
        let found = self.prepare(evaluation, plan)?;
        let resting = evaluation.meter.resting;
        let held = evaluation.relations[pred.index()].heap() + self.heap();
        let came = run_plan(evaluation, plan, pred, &found)?;
        drop(found);
        let fired = came.fired;
        self.take_in(evaluation, pred, came)?;
        let holds = evaluation.relations[pred.index()].heap() + self.heap();
        let meter = &mut evaluation.meter;
        meter.resting = (resting + holds).saturating_sub(held);
        let count = &mut evaluation.counts[plan.rule.index()];
        count.fired += fired;
        count.steps += meter.steps() - before.0;
        count.derived += meter.derived - before.1;
        Ok(())
    }

    fn prepare(&self, evaluation: &mut Evaluation, plan: &Plan) -> Result<Vec<Found>, Stop> {
        let Evaluation {
            program,
            relations,
            meter,
            owner,
            ..
        } = evaluation;
        let recursive = program.strata[self.stratum].recursive;
        let growing = |pred: PredId| recursive && owner[pred.index()] == self.stratum as u32;
        prepare(plan, relations, &growing, meter)
    }

    /// Adds the rows of a plan that it could not add itself while it ran.
    fn take_in(&mut self, evaluation: &mut Evaluation, pred: PredId, came: Came) -> Result<(), Stop> {
        let Came {
            target, derived, all_new, ..
        } = came;
        if evaluation.program.predicate(pred).merge.is_some() {
            let mut loose = if let Target::Loose(rows) = target { rows } else { Vec::new() };
            loose.extend_from_slice(&derived.rows);
            return evaluation.merge_into(pred, &loose);
        }
        if let Target::Timed(times) = target {
            let times = times.into_iter().map(|(number, interval)| (pred, number, interval));
            self.coming.extend(times);
        }
        let relation = &mut evaluation.relations[pred.index()];
        let width = relation.width();
        relation
            .own
            .make_room(derived.rows.len() / width, &evaluation.meter, relation.own.moving())?;
        relation.own.reserve(derived.rows.len() / width);
        for (at, row) in derived.rows.chunks_exact(width).enumerate() {
            if all_new {
                relation.own.push(row);
                evaluation.meter.fact()?;
                continue;
            }
            let (number, new) = relation.insert(row);
            match derived.times.get(at) {
                Some(&interval) => self.coming.push((pred, number, interval)),
                None if new => evaluation.meter.fact()?,
                None => {}
            }
        }
        Ok(())
    }

    /// Returns the bytes of the times to be added.
    fn heap(&self) -> usize {
        self.coming.capacity() * size_of::<Coming>()
    }

    /// Releases the plans when the stratum is finished.
    pub(crate) fn end(self, evaluation: &mut Evaluation) {
        evaluation.meter.resting = evaluation.meter.resting.saturating_sub(self.planned);
    }

    /// Makes the facts of this round visible. Returns whether there is another round.
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
                relation.fresh = all_times(relation, &evaluation.meter)?;
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

    /// Adds the intervals of the round; what is newly covered is new for the next round. They are united first, so that
    /// the new part does not depend on their order.
    fn settle_times(&mut self, evaluation: &mut Evaluation, stratum: &Stratum) -> Result<(), Stop> {
        for &pred in &stratum.predicates {
            evaluation.relations[pred.index()].fresh.clear();
        }
        let mut coming = std::mem::take(&mut self.coming);
        let coming_heap = coming.capacity() * size_of::<Coming>();
        let meter = &evaluation.meter;
        merge_sort(&mut coming, &|extra| meter.check_bytes(extra), Ord::cmp)?;
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

/// The results of a plan, apart from the rows that it added to its head itself.
struct Came {
    fired: u64,
    target: Target,
    derived: Derived,
    /// Whether the derived rows are distinct, and the head had none.
    all_new: bool,
}

/// Runs a plan. Meanwhile its head is taken out of the relations.
fn run_plan(evaluation: &mut Evaluation, plan: &Plan, pred: PredId, found: &[Found]) -> Result<Came, Stop> {
    let mut head = std::mem::replace(&mut evaluation.relations[pred.index()], Relation::placeholder());
    let Evaluation {
        program,
        relations,
        interner,
        meter,
        asked,
        calls,
        now,
        ..
    } = evaluation;
    // The memory of the head is counted while it grows.
    meter.resting = meter.resting.saturating_sub(head.own.moving());
    if head.own.len() > GLANCE {
        // Rows were added without being looked up: from now on they are, and building the table takes time.
        head.own.prepare_to_find(meter)?;
    }
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
    let mut machine = Machine::new(&world, &mut tools, plan, found, target);
    let single = |steps: &Vec<usize>| steps.iter().all(|&step| found[step].has_single_rows());
    let all_new = head.len() == 0 && plan.injective_if.as_ref().is_some_and(single);
    machine.all_new = all_new;
    machine.head = Some((pred, &mut head));
    machine.start()?;
    let derived = match &plan.emit {
        Emit::Group(group) if !machine.asks() => machine.groups(group)?,
        // With questions open, the groups are not complete.
        Emit::Group(_) | Emit::Head(_) => Derived::default(),
    };
    let (fired, target) = (machine.fired, std::mem::replace(&mut machine.target, Target::Rows));
    drop(machine);
    evaluation.relations[pred.index()] = head;
    Ok(Came {
        fired,
        target,
        derived,
        all_new,
    })
}

fn has_new(relation: &Relation) -> bool {
    if relation.times.is_some() {
        !relation.fresh.is_empty()
    } else {
        relation.old < relation.seen
    }
}

fn all_times(relation: &Relation, meter: &Meter) -> Result<Vec<(u32, Interval)>, Exceeded> {
    let mut all = Vec::new();
    for (number, set) in relation.times.iter().flat_map(|times| times.iter()) {
        meter.glance(number as usize)?;
        all.extend(set.iter().map(|interval| (number, interval)));
    }
    Ok(all)
}
