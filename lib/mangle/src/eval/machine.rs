//! Runs one plan: a loop for each step, rows in place, no allocation for a binding.
//!
//! The machine owns the head's relation while the plan runs, so that new rows are added directly; what it reads of that
//! relation it reads by number, up to the rows that existed when the round began.

mod ahead;
mod emit;
mod expr;
mod outbox;
mod rows;
mod timing;

use std::sync::Arc;

use super::{
    budget::{Exceeded, Meter},
    call::Calls,
    error::Stop,
    external::{Asked, UNKNOWN},
    index::{Columns, Index},
    plan::{Access, Key, Plan, Rows, Step, TimeKey},
    relation::{Frozen, Range, Relation},
    room::make_room,
    segment::Segment,
    times::Times,
};
use crate::{
    builtin::{Answers, Context, Fault},
    program::{Bound, HeadTime, Interval, PredId, Program, Slot},
    value::{Interner, Value, write_time},
};

/// The state that all plans of an evaluation share.
pub(crate) struct World<'a> {
    pub program: &'a Program,
    pub relations: &'a [Relation],
    pub calls: &'a Calls,
    pub now: i64,
}

/// The state that changes while plans run.
pub(crate) struct Tools<'a> {
    pub interner: &'a mut Interner,
    pub meter: &'a mut Meter,
    pub asked: &'a mut Asked,
}

/// The destination of bindings.
pub(crate) enum Target {
    /// Rows of the head, added to its relation.
    Rows,
    /// Rows of the head with the times at which they hold, added when the plan has run.
    Timed(Vec<(u32, Interval)>),
    /// Rows of the head end to end, as they are derived: to be merged, or as the answer of a call.
    Loose(Vec<u64>),
    /// Registers to be grouped.
    Bindings(Segment, Vec<u64>),
    /// All registers of bindings that derive a wanted row, for explanations.
    Proofs(Proofs),
}

/// Bindings that explain a row.
#[derive(Debug, Default)]
pub(crate) struct Proofs {
    /// The row that has to be derived, if that matters.
    pub wanted: Option<Vec<u64>>,
    /// How many bindings are enough.
    pub enough: usize,
    /// The registers, and when the head holds.
    pub found: Vec<(Vec<u64>, Option<Interval>)>,
}

impl Proofs {
    /// Returns its bytes. Every binding has the same registers.
    fn heap(&self) -> usize {
        let registers = self.found.first().map_or(0, |(registers, _)| registers.capacity());
        self.found.capacity() * size_of::<(Vec<u64>, Option<Interval>)>() + self.found.len() * 8 * registers
    }
}

/// How far a plan got: the step that it did not pass, and the registers then.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deepest {
    pub step: usize,
    pub registers: Vec<u64>,
}

/// How a step finds rows; looked up once before the plan runs.
pub(crate) struct Found {
    frozen: Option<Arc<Frozen>>,
    frozen_index: Option<Arc<Index>>,
    own: Own,
    times: Option<Arc<Times>>,
    /// The numbers of the rows that the step may see.
    from: u32,
    to: u32,
    /// Whether rows are checked for being the newest version.
    versioned: bool,
    /// Whether a row that is found always fits, whatever its values and times.
    plain: bool,
    /// How rows are written directly into the head.
    direct: Option<emit::Direct>,
    /// What later steps look up for each row of a scan.
    ahead: Vec<ahead::Ahead>,
}

impl Found {
    fn nothing() -> Self {
        Self {
            frozen: None,
            frozen_index: None,
            own: Own::Whole,
            times: None,
            from: 0,
            to: 0,
            versioned: false,
            plain: false,
            direct: None,
            ahead: Vec::new(),
        }
    }

    /// Returns whether rows are found by an index.
    #[inline(always)]
    fn indexed(&self) -> bool {
        self.frozen_index.is_some() || !matches!(self.own, Own::Whole)
    }

    /// Returns whether no key of the index has more than one row.
    pub(crate) fn has_single_rows(&self) -> bool {
        match (&self.frozen_index, &self.own) {
            (Some(index), Own::Empty) => index.is_unique(),
            (None, Own::Fixed(index)) => index.is_unique(),
            (None, Own::Empty) => true,
            _ => false,
        }
    }

    /// Returns the range of a segment that the step may read.
    fn places(&self, segment: &Segment) -> (usize, usize) {
        let place = |number: u32| (number.saturating_sub(segment.first) as usize).min(segment.len());
        (place(self.from), place(self.to).max(place(self.from)))
    }
}

enum Own {
    /// There are no rows.
    Empty,
    Fixed(Arc<Index>),
    Chain(usize),
    Whole,
}

/// The state of one run.
pub(crate) struct Machine<'a, 'b> {
    world: &'a World<'a>,
    pub tools: &'a mut Tools<'b>,
    plan: &'a Plan,
    found: &'a [Found],
    /// The relation that rows are added to, and its predicate.
    pub head: Option<(PredId, &'a mut Relation)>,
    pub target: Target,
    /// Whether the head has no rows yet, and the plan gives none twice.
    pub all_new: bool,
    outbox: outbox::Outbox,
    pub registers: Vec<u64>,
    answers: Vec<Answers>,
    /// How many bindings satisfied all premises.
    pub fired: u64,
    /// The depth of nested calls.
    pub depth: u32,
    /// The deepest step, kept only for explanations.
    pub deepest: Option<Deepest>,
}

/// Builds the indexes that a plan needs, before it runs. `relations` are those of the evaluation, all in place.
pub(crate) fn prepare(
    plan: &Plan,
    relations: &mut [Relation],
    growing: &dyn Fn(PredId) -> bool,
    meter: &mut Meter,
) -> Result<Vec<Found>, Stop> {
    let mut found = Vec::with_capacity(plan.steps.len());
    for (at, step) in plan.steps.iter().enumerate() {
        found.push(match step {
            Step::Rows(rows) | Step::Absent(rows) => {
                prepare_rows(plan, rows, at, &mut relations[rows.pred.index()], growing(rows.pred), meter)?
            }
            _ => Found::nothing(),
        });
    }
    for at in 0..found.len() {
        found[at].ahead = ahead::Ahead::of(plan, &found, at);
    }
    Ok(found)
}

/// The part of a predicate that an explanation may use.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// The number of rows, counted from the first.
    pub rows: u32,
    /// The times at which they hold.
    pub times: Option<Arc<Times>>,
}

/// Does the work of [`prepare`] for plans that run within others: relations are in use, so only indexes of rows that
/// stay are built.
///
/// `until` limits the rows of each predicate that may be read, if not all.
pub(crate) fn prepare_shared(
    plan: &Plan,
    relations: &[Relation],
    until: &dyn Fn(PredId) -> Option<Seen>,
    meter: &mut Meter,
) -> Result<Vec<Found>, Stop> {
    let mut found = Vec::with_capacity(plan.steps.len());
    for step in &plan.steps {
        let (Step::Rows(rows) | Step::Absent(rows)) = step else {
            found.push(Found::nothing());
            continue;
        };
        let relation = &relations[rows.pred.index()];
        let mut one = Found {
            frozen: relation.frozen.clone(),
            times: relation.times.clone(),
            to: relation.len() as u32,
            versioned: relation.versions.is_some(),
            plain: rows.binds_only() && relation.versions.is_none(),
            ..Found::nothing()
        };
        let seen = until(rows.pred);
        if let Some(seen) = &seen {
            one.to = seen.rows.min(one.to);
            one.times = one.times.and(seen.times.clone());
            found.push(one);
            continue;
        }
        if let Access::Index(columns, _) = &rows.access
            && one.times.is_none()
            && !one.versioned
        {
            let (index, indexed) = relation.own.index_or_build(columns, meter)?;
            meter.step(indexed as u64, || 0)?;
            one.own = Own::Fixed(index);
            if let Some(frozen) = &relation.frozen {
                one.frozen_index = Some(frozen.segment.index_or_build(columns, meter)?.0);
            }
        }
        found.push(one);
    }
    Ok(found)
}

fn prepare_rows(plan: &Plan, rows: &Rows, at: usize, relation: &mut Relation, growing: bool, meter: &mut Meter) -> Result<Found, Stop> {
    let mut indexed = 0;
    let mut frozen_index = None;
    let mut own = Own::Whole;
    if let Access::Index(columns, _) = &rows.access {
        // The first step runs once: a scan costs as much as building an index, unless it stays for other requests.
        let shared = relation.frozen.is_some();
        if at > 0 || shared {
            if !growing && relation.own.index(columns).is_none() {
                // If these are all rows, they are mostly found by their index from now on: the table's memory is freed.
                meter.resting = meter.resting.saturating_sub(relation.own.forget_table());
            }
            (frozen_index, own, indexed) = indexes(relation, columns, growing, meter)?;
        }
    }
    if let Access::Find(_) = &rows.access {
        meter.resting += relation.own.prepare_to_find(meter)?;
    }
    // An index holds its rows once more, a chain a link for each; the exact sum is computed when the rule has run.
    meter.resting += indexed * (8 * relation.width() + 4);
    meter.step(indexed as u64, || 0)?;
    let first = relation.own.first as usize;
    let (old, seen) = if growing {
        (relation.old, relation.seen)
    } else {
        (0, relation.len())
    };
    let (from, to) = match rows.range {
        Range::All => (0, seen),
        Range::Old => (0, old),
        Range::Delta => (old, seen),
    };
    let frozen = relation.frozen.clone().filter(|_| from < first && from < to);
    Ok(Found {
        frozen,
        frozen_index,
        own,
        times: relation.times.clone(),
        from: from as u32,
        to: to as u32,
        versioned: relation.versions.is_some(),
        plain: rows.binds_only() && relation.versions.is_none(),
        direct: emit::Direct::of(plan, at, rows).filter(|_| relation.versions.is_none()),
        ahead: Vec::new(),
    })
}

type Indexes = (Option<Arc<Index>>, Own, usize);

fn indexes(relation: &mut Relation, columns: &Columns, growing: bool, meter: &Meter) -> Result<Indexes, Exceeded> {
    let mut frozen_index = None;
    if let Some(frozen) = &relation.frozen {
        // It is built once for all requests: no request pays for it, else their steps would differ.
        frozen_index = Some(frozen.segment.index_or_build(columns, meter)?.0);
    }
    // Rows with a time or with versions are found by number: only chains have it.
    let chained =
        growing || relation.times.is_some() || relation.versions.is_some() || relation.chains.iter().any(|c| c.columns == *columns);
    if chained {
        if !growing {
            relation.seen = relation.len();
        }
        let (chain, indexed) = relation.chain(columns, meter)?;
        Ok((frozen_index, Own::Chain(chain), indexed))
    } else {
        if relation.own.len() == 0 {
            return Ok((frozen_index, Own::Empty, 0));
        }
        let (index, indexed) = relation.own.index_or_build(columns, meter)?;
        Ok((frozen_index, Own::Fixed(index), indexed))
    }
}

impl<'a, 'b> Machine<'a, 'b> {
    pub(crate) fn new(world: &'a World<'a>, tools: &'a mut Tools<'b>, plan: &'a Plan, found: &'a [Found], target: Target) -> Self {
        Self {
            world,
            tools,
            registers: vec![0; plan.slots],
            answers: plan.steps.iter().map(|_| Answers::default()).collect(),
            plan,
            found,
            head: None,
            all_new: false,
            outbox: outbox::Outbox::default(),
            target,
            fired: 0,
            depth: 0,
            deepest: None,
        }
    }

    /// Runs the plan from its first step.
    pub(crate) fn start(&mut self) -> Result<(), Stop> {
        self.run(0)?;
        self.flush()
    }

    /// Runs the steps from `at` on. Returns whether some binding satisfied them all.
    fn run(&mut self, mut at: usize) -> Result<bool, Stop> {
        let plan = self.plan;
        // Only steps that may have several answers recurse for the rest: the stack is as deep as a rule has such
        // premises.
        loop {
            if self.deepest.is_some() {
                self.note(at);
            }
            let Some(step) = plan.steps.get(at) else {
                self.fired += 1;
                return self.emit();
            };
            let holds = match step {
                Step::Rows(rows) => return self.rows(at, rows),
                Step::Built(relation, args, outputs) => return self.built(at, *relation, args, outputs),
                Step::Call(pred, keys, rows) => return self.call(at, *pred, keys, rows),
                Step::Absent(rows) => !self.exists(at, rows)?,
                Step::NotBuilt(relation, args, outputs) => !self.built_holds(at, *relation, args, outputs)?,
                Step::Equal(left, right) => self.value(left)? == self.value(right)?,
                Step::Compare(op, of, left, right) => self.compare(*op, *of, left, right)?,
                Step::Let(slot, expr) => {
                    let value = self.value(expr)?;
                    self.set(*slot, value.bits());
                    true
                }
                Step::Ask(pred, question) => {
                    let word = |key: &Option<Key>| key.as_ref().map_or(UNKNOWN, |key| self.word(key));
                    let question: Vec<u64> = question.iter().map(word).collect();
                    let asked = &mut *self.tools.asked;
                    let heap = asked.heap();
                    let answered = asked.answered(*pred, &question);
                    self.tools.meter.kept += asked.heap() - heap;
                    answered
                }
            };
            if !holds {
                return Ok(false);
            }
            at += 1;
        }
    }

    /// Records a step that is reached for the first time.
    #[cold]
    fn note(&mut self, at: usize) {
        let Some(deepest) = &mut self.deepest else { return };
        if at > deepest.step || deepest.registers.is_empty() {
            deepest.step = at;
            deepest.registers.clone_from(&self.registers);
        }
    }

    #[inline(always)]
    fn word(&self, key: &Key) -> u64 {
        match *key {
            Key::Slot(slot) => self.registers[usize::from(slot)],
            Key::Word(word) => word,
        }
    }

    #[inline(always)]
    fn set(&mut self, slot: Slot, word: u64) {
        self.registers[usize::from(slot)] = word;
    }

    /// Returns the relation of a predicate, also while it is the head's.
    #[inline(always)]
    fn relation(&self, pred: PredId) -> &Relation {
        match &self.head {
            Some((head, relation)) if *head == pred => relation,
            _ => &self.world.relations[pred.index()],
        }
    }

    fn is_head(&self, pred: PredId) -> bool {
        matches!(&self.head, Some((head, _)) if *head == pred)
    }

    /// Takes steps; now and then checks memory and the flag.
    #[inline(always)]
    fn step(&mut self, count: u64) -> Result<(), Stop> {
        if self.tools.meter.spend(count) {
            Ok(())
        } else {
            self.refuel(count)
        }
    }

    #[cold]
    #[inline(never)]
    fn refuel(&mut self, count: u64) -> Result<(), Stop> {
        let Self { tools, head, target, .. } = self;
        let Tools { interner, meter, asked } = &mut **tools;
        let moving = moving(interner, head.as_ref().map(|(_, relation)| &**relation), target);
        meter.refuel(count, moving)?;
        // A step gives at most one row, and the rows in the batch are fewer than that again.
        let more = 2 * (meter.fuel() + count) as usize;
        interner.make_room(more, expr::BYTES_PER_STEP as usize * more, meter, moving)?;
        let heap = asked.heap();
        asked.make_room(more, meter, moving)?;
        meter.kept += asked.heap() - heap;
        let mut width = 1;
        if let Some((_, relation)) = head {
            width = relation.width();
            relation.own.make_room(more, meter, moving)?;
        }
        match target {
            Target::Rows | Target::Proofs(_) => {}
            Target::Timed(pending) => make_room(pending, more, meter, moving)?,
            Target::Loose(rows) => make_room(rows, more * width, meter, moving)?,
            Target::Bindings(distinct, all) => {
                distinct.make_room(more, meter, moving)?;
                make_room(all, if all.is_empty() { 0 } else { more * distinct.width }, meter, moving)?;
            }
        }
        Ok(())
    }

    /// Returns whether questions are open.
    pub(crate) fn asks(&self) -> bool {
        self.tools.asked.is_open()
    }

    pub(crate) fn charge(&mut self, count: u64) -> Result<(), Stop> {
        self.step(count)
    }

    pub(crate) fn evaluate(&mut self, expr: &crate::program::Expr) -> Result<Value, Stop> {
        self.value(expr)
    }

    pub(crate) fn interner(&self) -> &Interner {
        self.tools.interner
    }

    pub(crate) fn context(&mut self) -> Context<'_> {
        Context {
            interner: self.tools.interner,
            now: self.world.now,
        }
    }

    pub(crate) fn fault_of(&self, fault: Fault) -> Stop {
        self.fault(fault)
    }

    /// Returns when a head holds.
    pub(crate) fn head_interval(&self, time: HeadTime) -> Result<Interval, Stop> {
        let key = |bound: Bound| match bound {
            Bound::Slot(slot) => TimeKey::Slot(slot),
            Bound::At(nanos) => TimeKey::At(nanos),
            Bound::Value(value) => TimeKey::Value(value),
            Bound::Offset(nanos) => TimeKey::Now(nanos),
            Bound::Now => TimeKey::Now(0),
            Bound::Open => TimeKey::Open,
        };
        self.interval(key(time.start), key(time.end))
    }

    /// Returns the interval between two instants that are known, or without a bound.
    fn interval(&self, start: TimeKey, end: TimeKey) -> Result<Interval, Stop> {
        let (start, end) = (self.edge(start, i64::MIN)?, self.edge(end, i64::MAX)?);
        Interval::new(start, end).ok_or_else(|| {
            self.fault(Fault::Backwards {
                start: write_time(start),
                end: write_time(end),
            })
        })
    }

    pub(crate) fn check_bytes(&self) -> Result<(), Stop> {
        self.check_more_bytes(0)
    }

    /// Does the work of [`Self::check_bytes`] with `more` bytes that nothing else counts.
    pub(crate) fn check_more_bytes(&self, more: usize) -> Result<(), Stop> {
        let head = self.head.as_ref().map(|(_, relation)| &**relation);
        let moving = moving(self.tools.interner, head, &self.target);
        self.tools.meter.check_bytes(moving + more)?;
        Ok(())
    }

    /// Returns the bytes of the rows that this machine has made: what runs within it does not count them.
    pub(super) fn made(&self) -> usize {
        let head = self.head.as_ref().map_or(0, |(_, relation)| relation.own.moving());
        head + made(&self.target)
    }
}

/// Returns the bytes that change while a plan runs.
#[cold]
fn moving(interner: &Interner, head: Option<&Relation>, target: &Target) -> usize {
    interner.heap() + made(target) + head.map_or(0, |relation| relation.own.moving())
}

fn made(target: &Target) -> usize {
    match target {
        Target::Rows => 0,
        Target::Timed(pending) => 24 * pending.capacity(),
        Target::Loose(rows) => 8 * rows.capacity(),
        Target::Bindings(segment, rows) => segment.moving() + 8 * rows.capacity(),
        Target::Proofs(proofs) => proofs.heap(),
    }
}
