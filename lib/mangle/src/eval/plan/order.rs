//! The planner: filters run as soon as they can, otherwise the smallest next set of rows is taken; new rows come first
//! of all.

use super::{Access, Emit, Group, Head, Key, Output, Plan, Rows, Step, TimeKey, Timing};
use crate::{
    builtin::Operand,
    eval::relation::Range,
    program::{
        Aggregate, Atom, Bound, Expr, HeadTime, Mode, Operator, PredId, Premise, Program, Rule, RuleId, Slot, Term, Transform, When, Window,
    },
};

/// The sizes that the planner knows of the rows.
pub(crate) trait Sizes {
    /// Returns the approximate number of rows of a predicate.
    fn rows(&self, pred: PredId) -> f64;
}

/// The purpose of a plan.
pub(crate) struct Wish<'a> {
    /// The premise that reads new rows only.
    pub delta: Option<usize>,
    /// Returns whether a predicate grows: its premises before `delta` (in the source) read old rows.
    pub growing: &'a dyn Fn(PredId) -> bool,
    /// The slots that have values beforehand.
    pub given: &'a [Slot],
    pub sizes: &'a dyn Sizes,
    /// Whether every binding is kept, also those that no step uses, because an explanation shows them.
    pub explain: bool,
}

/// Returns a rule's premises in the best order that is found; `None` if no order binds all variables: the analysis
/// refuses such rules.
pub(crate) fn plan(program: &Program, id: RuleId, rule: &Rule, wish: &Wish<'_>) -> Option<Plan> {
    let mut planner = Planner::new(program, rule, wish.given);
    planner.order(wish.delta, wish.growing, wish.sizes)?;
    let emit = planner.emit()?;
    let mut plan = Plan {
        rule: id,
        steps: planner.steps,
        origins: planner.origins,
        emit,
        slots: planner.slots,
        injective_if: None,
    };
    plan.origins.resize(plan.steps.len(), None);
    if wish.explain {
        // A run for an explanation returns `true` when it has found enough, not with the first binding.
        for step in &mut plan.steps {
            if let Step::Rows(rows) = step {
                rows.once = true;
            }
        }
    } else {
        super::live::mark_unused(&mut plan);
        plan.injective_if = super::injective::injective_if(&plan, |rows| program.predicate(rows.pred).arity);
    }
    Some(plan)
}

struct Planner<'a> {
    program: &'a Program,
    rule: &'a Rule,
    bound: Vec<bool>,
    /// The slots that some premise can bind: the others mean anything where they are negated.
    bindable: Vec<bool>,
    /// For each premise, the slots of its annotation that an earlier premise binds: they need a value first.
    time_inputs: Vec<Vec<Slot>>,
    steps: Vec<Step>,
    /// The premise of each step.
    origins: Vec<Option<usize>>,
    slots: usize,
}

impl<'a> Planner<'a> {
    fn new(program: &'a Program, rule: &'a Rule, given: &[Slot]) -> Self {
        let slots = usize::from(rule.slots);
        let mut bound = vec![false; slots];
        for &slot in given {
            bound[usize::from(slot)] = true;
        }
        let (bindable, time_inputs) = binders(rule, &bound);
        Self {
            program,
            rule,
            bound,
            bindable,
            time_inputs,
            steps: Vec::new(),
            origins: Vec::new(),
            slots,
        }
    }

    fn is_bound(&self, slot: Slot) -> bool {
        self.bound[usize::from(slot)]
    }

    fn bind(&mut self, slot: Slot) {
        self.bound[usize::from(slot)] = true;
    }

    fn fresh(&mut self) -> Slot {
        self.bound.push(true);
        self.slots += 1;
        (self.slots - 1) as Slot
    }

    fn evaluable(&self, expr: &Expr) -> bool {
        let mut all = !matches!(expr, Expr::Any);
        expr.slots(&mut |slot| all &= self.bound[usize::from(slot)]);
        all
    }

    fn order(&mut self, delta: Option<usize>, growing: &dyn Fn(PredId) -> bool, sizes: &dyn Sizes) -> Option<()> {
        let rule = self.rule;
        let mut left: Vec<usize> = (0..rule.premises.len()).collect();
        let range = |premise: usize| match (delta, &rule.premises[premise]) {
            (Some(delta), _) if delta == premise => Range::Delta,
            (Some(delta), Premise::Fact(atom)) if premise < delta && growing(atom.pred) => Range::Old,
            _ => Range::All,
        };
        if let Some(delta) = delta
            && let Premise::Fact(atom) = &rule.premises[delta]
            && self.ready_atom(delta, atom)
        {
            self.rows(atom, Range::Delta);
            self.origins.resize(self.steps.len(), Some(delta));
            left.retain(|&premise| premise != delta);
        }
        while !left.is_empty() {
            let next = left
                .iter()
                .copied()
                .find(|&premise| self.is_filter(premise) && self.ready(premise) && (premise == left[0] || self.is_harmless(premise)))
                .or_else(|| self.best_atom(&left, sizes))
                .or_else(|| left.iter().copied().find(|&premise| self.is_filter(premise) && self.ready(premise)))
                // No premise is ready: an annotation may bind the variable that it should have been given.
                .or_else(|| {
                    left.iter()
                        .copied()
                        .find(|&premise| matches!(&rule.premises[premise], Premise::Fact(_)) && !self.time_inputs[premise].is_empty())
                })?;
            self.take(next, range(next))?;
            self.origins.resize(self.steps.len(), Some(next));
            left.retain(|&premise| premise != next);
        }
        Some(())
    }

    /// Returns whether a premise gives at most one binding, or few: it runs as soon as it can.
    fn is_filter(&self, premise: usize) -> bool {
        !matches!(&self.rule.premises[premise], Premise::Fact(_))
    }

    /// Returns whether a condition has an answer for all values. One that may fail stands after the condition that
    /// guards it, and is evaluated no earlier than it stands: `ok(B), Q = fn:div(A, B)`.
    fn is_harmless(&self, premise: usize) -> bool {
        let plain = |expr: &Expr| !matches!(expr, Expr::Call(..));
        match &self.rule.premises[premise] {
            Premise::NoFact(_) => true,
            Premise::Equal(left, right) => plain(left) && plain(right),
            Premise::Compare { of, left, right, .. } => *of == Operand::Ordered && plain(left) && plain(right),
            Premise::Fact(_) | Premise::Built { .. } => false,
        }
    }

    fn ready(&self, premise: usize) -> bool {
        match &self.rule.premises[premise] {
            Premise::Fact(atom) => self.ready_atom(premise, atom),
            Premise::NoFact(atom) => {
                let ready = |slot: Slot| self.is_bound(slot) || !self.bindable[usize::from(slot)];
                atom.args.iter().all(|arg| match arg {
                    Term::Slot(slot) => ready(*slot),
                    _ => true,
                }) && when_slots(atom.when.as_ref()).into_iter().all(ready)
            }
            Premise::Equal(left, right) => {
                let free = |expr: &Expr| matches!(expr, Expr::Slot(_));
                match (self.evaluable(left), self.evaluable(right)) {
                    (true, true) => true,
                    (true, false) => free(right),
                    (false, true) => free(left),
                    (false, false) => false,
                }
            }
            Premise::Compare { left, right, .. } => self.evaluable(left) && self.evaluable(right),
            Premise::Built { relation, args, negated } => relation.modes.iter().zip(args).all(|(mode, arg)| match mode {
                Mode::In => self.evaluable(arg),
                _ if *negated => match arg {
                    Expr::Slot(slot) => self.is_bound(*slot) || !self.bindable[usize::from(*slot)],
                    arg => matches!(arg, Expr::Any) || self.evaluable(arg),
                },
                _ => matches!(arg, Expr::Slot(_) | Expr::Any) || self.evaluable(arg),
            }),
        }
    }

    fn ready_atom(&self, premise: usize, atom: &Atom) -> bool {
        let predicate = self.program.predicate(atom.pred);
        let modes = match (&predicate.external, &predicate.deferred) {
            (Some(external), _) => Some(external.modes.as_slice()),
            (None, Some(modes)) => Some(std::slice::from_ref(modes)),
            (None, None) => None,
        };
        let callable = modes.is_none_or(|modes| modes.is_empty() || modes.iter().any(|modes| self.mode_fits(modes, atom)));
        callable && self.time_inputs[premise].iter().all(|&slot| self.is_bound(slot))
    }

    fn mode_fits(&self, modes: &[Mode], atom: &Atom) -> bool {
        modes.iter().zip(&atom.args).all(|(mode, arg)| match (mode, arg) {
            (Mode::In, Term::Slot(slot)) => self.is_bound(*slot),
            (Mode::In, Term::Any) => false,
            _ => true,
        })
    }

    fn best_atom(&self, left: &[usize], sizes: &dyn Sizes) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        for &premise in left {
            let Premise::Fact(atom) = &self.rule.premises[premise] else {
                continue;
            };
            // A predicate that is computed where it is called may fail like a function.
            let too_early = premise != left[0] && self.program.predicate(atom.pred).deferred.is_some();
            if too_early || !self.ready_atom(premise, atom) {
                continue;
            }
            let cost = self.cost(atom, sizes);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, premise));
            }
        }
        best.map(|(_, premise)| premise)
    }

    /// Returns the approximate number of rows that fit: every column that has a value reduces it.
    fn cost(&self, atom: &Atom, sizes: &dyn Sizes) -> f64 {
        let known = atom
            .args
            .iter()
            .filter(|arg| match arg {
                Term::Slot(slot) => self.is_bound(*slot),
                Term::Value(_) => true,
                Term::Any => false,
            })
            .count();
        let rows = sizes.rows(atom.pred).max(1.0);
        if known == atom.args.len() {
            return 0.5;
        }
        rows.powf(1.0 - known as f64 / atom.args.len() as f64)
    }

    fn take(&mut self, premise: usize, range: Range) -> Option<()> {
        let rule = self.rule;
        match &rule.premises[premise] {
            Premise::Fact(atom) => self.rows(atom, range),
            Premise::NoFact(atom) => {
                if self.program.predicate(atom.pred).external.is_some() {
                    self.ask(atom);
                }
                let rows = self.access(atom, Range::All);
                self.steps.push(Step::Absent(Rows {
                    binds: Vec::new(),
                    once: true,
                    ..rows
                }));
            }
            Premise::Equal(left, right) => match (self.evaluable(left), self.evaluable(right), left, right) {
                (true, true, ..) => self.steps.push(Step::Equal(left.clone(), right.clone())),
                (true, false, expr, Expr::Slot(slot)) | (false, true, Expr::Slot(slot), expr) => {
                    self.steps.push(Step::Let(*slot, expr.clone()));
                    self.bind(*slot);
                }
                _ => return None,
            },
            Premise::Compare { op, of, left, right } => self.steps.push(Step::Compare(*op, *of, left.clone(), right.clone())),
            Premise::Built { relation, negated, args } => self.built(*relation, *negated, args),
        }
        Some(())
    }

    fn built(&mut self, relation: crate::builtin::Relation, negated: bool, args: &[Expr]) {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for (mode, arg) in relation.modes.iter().zip(args) {
            match (mode, arg) {
                (Mode::In, arg) => inputs.push(arg.clone()),
                (_, Expr::Any) => outputs.push(Output::Ignore),
                (_, Expr::Slot(slot)) if !self.is_bound(*slot) => {
                    outputs.push(if negated { Output::Ignore } else { Output::Bind(*slot) });
                    if !negated {
                        self.bind(*slot);
                    }
                }
                (_, arg) => outputs.push(Output::Check(arg.clone())),
            }
        }
        // Relations get their arguments in place; an output that is not known yet is not read.
        let mut inputs = inputs.into_iter();
        let args = relation
            .modes
            .iter()
            .map(|mode| match mode {
                Mode::In => inputs.next().unwrap_or(Expr::Any),
                _ => Expr::Any,
            })
            .collect();
        self.steps.push(if negated {
            Step::NotBuilt(relation, args, outputs)
        } else {
            Step::Built(relation, args, outputs)
        });
    }

    fn rows(&mut self, atom: &Atom, range: Range) {
        let predicate = self.program.predicate(atom.pred);
        let deferred = predicate.deferred.is_some();
        if predicate.external.is_some() {
            self.ask(atom);
        }
        let known: Vec<Option<Key>> = atom.args.iter().map(|arg| self.key(arg)).collect();
        let mut rows = self.access(atom, range);
        let slots: Vec<Slot> = rows.binds.iter().map(|&(_, slot)| slot).collect();
        slots.into_iter().for_each(|slot| self.bind(slot));
        rows.timing = self.timing(atom);
        if deferred {
            rows.access = Access::Scan;
            // The call gets the known arguments and gives rows that contain them.
            self.steps.push(Step::Call(atom.pred, known, rows));
        } else {
            self.steps.push(Step::Rows(rows));
        }
    }

    fn key(&self, arg: &Term) -> Option<Key> {
        match arg {
            Term::Slot(slot) if self.is_bound(*slot) => Some(Key::Slot(*slot)),
            Term::Value(value) => Some(Key::Word(value.bits())),
            _ => None,
        }
    }

    /// Asks with all arguments that are known, except those that are always returned.
    fn ask(&mut self, atom: &Atom) {
        let predicate = self.program.predicate(atom.pred);
        let Some(external) = &predicate.external else { return };
        let mode = external.modes.iter().find(|modes| self.mode_fits(modes, atom));
        let question = atom
            .args
            .iter()
            .enumerate()
            .map(|(at, arg)| match mode.and_then(|modes| modes.get(at)) {
                Some(Mode::Out) => None,
                _ => self.key(arg),
            })
            .collect();
        self.steps.push(Step::Ask(atom.pred, question));
    }

    /// Returns how to find the rows of an atom with the slots that are bound now; does not mark the slots that it
    /// binds.
    fn access(&self, atom: &Atom, range: Range) -> Rows {
        let mut keyed: Vec<(u16, Key)> = Vec::new();
        let mut binds: Vec<(u16, Slot)> = Vec::new();
        let mut same = Vec::new();
        for (column, arg) in atom.args.iter().enumerate() {
            let column = column as u16;
            match (self.key(arg), arg) {
                (Some(key), _) => keyed.push((column, key)),
                (None, Term::Slot(slot)) => match binds.iter().find(|(_, other)| other == slot) {
                    Some(&(first, _)) => same.push((column, first)),
                    None => binds.push((column, *slot)),
                },
                (None, _) => {}
            }
        }
        let arity = atom.args.len();
        let (access, checks) = if range == Range::Delta || (keyed.is_empty() && arity > 0) {
            (Access::Scan, keyed)
        } else if keyed.len() == arity {
            let keys = if arity == 0 {
                vec![Key::Word(0)]
            } else {
                keyed.into_iter().map(|(_, key)| key).collect()
            };
            (Access::Find(keys), Vec::new())
        } else {
            let (columns, keys): (Vec<u16>, Vec<Key>) = keyed.into_iter().unzip();
            (Access::Index(columns.into(), keys), Vec::new())
        };
        Rows {
            pred: atom.pred,
            range,
            access,
            checks,
            same,
            binds,
            timing: self.program.predicate(atom.pred).temporal.then(|| self.timing_of_absent(atom)),
            once: false,
        }
    }

    /// Returns the timing of an atom whose annotation binds nothing.
    fn timing_of_absent(&self, atom: &Atom) -> Timing {
        let key = |bound: Bound| match self.time_key(bound, 1) {
            TimeKey::Bind(_) => TimeKey::Open,
            key => key,
        };
        match atom.when {
            None => Timing::Now,
            Some(When::During { start, end }) => Timing::During(key(start), key(end)),
            Some(When::Window(window)) => self.window(&window),
        }
    }

    /// Returns the timing of an atom; marks the slots that its annotation binds.
    fn timing(&mut self, atom: &Atom) -> Option<Timing> {
        if !self.program.predicate(atom.pred).temporal {
            return None;
        }
        let timing = match atom.when {
            None => Timing::Now,
            Some(When::During { start, end }) => Timing::During(self.time_key(start, 1), self.time_key(end, 1)),
            Some(When::Window(window)) => self.window(&window),
        };
        for slot in when_slots(atom.when.as_ref()) {
            self.bind(slot);
        }
        Some(timing)
    }

    fn window(&self, window: &Window) -> Timing {
        let past = matches!(window.operator, Operator::OncePast | Operator::AlwaysPast);
        let sign = if past { -1 } else { 1 };
        let (near, far) = (self.time_key(window.from, sign), self.time_key(window.to, sign));
        let found = window
            .found
            .map(|HeadTime { start, end }| (self.time_key(start, 1), self.time_key(end, 1)));
        // Seen from now, the past begins with its far end. Two points in time are written in order, whatever the
        // operator.
        let absolute = matches!((window.from, window.to), (Bound::At(_), Bound::At(_)));
        if past && !absolute {
            Timing::Window(window.operator, far, near, found)
        } else {
            Timing::Window(window.operator, near, far, found)
        }
    }

    fn time_key(&self, bound: Bound, sign: i64) -> TimeKey {
        match bound {
            Bound::Slot(slot) if self.is_bound(slot) => TimeKey::Slot(slot),
            Bound::Slot(slot) => TimeKey::Bind(slot),
            Bound::At(nanos) => TimeKey::At(nanos),
            Bound::Value(value) => TimeKey::Value(value),
            Bound::Offset(nanos) => TimeKey::Now(sign.saturating_mul(nanos)),
            Bound::Now => TimeKey::Now(0),
            Bound::Open => TimeKey::Open,
        }
    }

    /// Returns what follows the premises: lets that run for each binding, then the head or the groups.
    fn emit(&mut self) -> Option<Emit> {
        let rule = self.rule;
        for (at, transform) in rule.transforms.iter().enumerate() {
            match transform {
                Transform::Lets(lets) => {
                    for one in lets {
                        if !self.evaluable(&one.expr) {
                            return None;
                        }
                        self.steps.push(Step::Let(one.slot, one.expr.clone()));
                        self.bind(one.slot);
                    }
                }
                Transform::Group { keys, lets } => return Some(Emit::Group(self.group(keys, lets, &rule.transforms[at + 1..]))),
            }
        }
        let args = rule.head.args.iter().map(|arg| self.head_key(arg)).collect::<Option<Vec<Key>>>()?;
        let time = rule
            .head
            .time
            .map(|time| (self.time_key(time.start, 1), self.time_key(time.end, 1)));
        if let Some((TimeKey::Bind(_), _) | (_, TimeKey::Bind(_))) = time {
            return None;
        }
        Some(Emit::Head(Head { args, time }))
    }

    fn head_key(&mut self, arg: &Expr) -> Option<Key> {
        if !self.evaluable(arg) {
            return None;
        }
        Some(match arg {
            Expr::Slot(slot) => Key::Slot(*slot),
            Expr::Value(value) => Key::Word(value.bits()),
            call => {
                let slot = self.fresh();
                self.steps.push(Step::Let(slot, call.clone()));
                Key::Slot(slot)
            }
        })
    }

    /// Returns the grouping. Of a single atom each row counts, of several premises each binding of the named variables
    /// once.
    fn group(&self, keys: &[Slot], lets: &[Aggregate], rest: &[Transform]) -> Group {
        let rule = self.rule;
        let bound: Vec<Slot> = (0..rule.slots).filter(|&slot| self.is_bound(slot)).collect();
        let lets = lets
            .iter()
            .map(|one| match one {
                Aggregate::Reduce { slot, reducer, args } if reducer.name == "fn:count_distinct" && args.is_empty() => Aggregate::Reduce {
                    slot: *slot,
                    reducer: *reducer,
                    args: bound.iter().map(|&slot| Expr::Slot(slot)).collect(),
                },
                other => other.clone(),
            })
            .collect::<Vec<Aggregate>>();
        let distinct = !matches!(rule.premises.as_slice(), [Premise::Fact(_)]);
        let mut kept = bound;
        if !distinct {
            // Each row counts, so registers that neither a key nor a reducer reads need not be kept.
            let mut used = vec![false; self.slots];
            keys.iter().for_each(|&key| used[usize::from(key)] = true);
            for one in &lets {
                let mut mark = |slot: Slot| used[usize::from(slot)] = true;
                match one {
                    Aggregate::Let(one) => one.expr.slots(&mut mark),
                    Aggregate::Reduce { args, .. } => args.iter().for_each(|arg| arg.slots(&mut mark)),
                }
            }
            kept.retain(|&slot| used[usize::from(slot)]);
        }
        Group {
            distinct,
            kept,
            keys: keys.to_vec(),
            lets,
            rest: rest.to_vec(),
            head: rule.head.clone(),
        }
    }
}

/// Returns the slots in an annotation.
fn when_slots(when: Option<&When>) -> Vec<Slot> {
    let bounds = match when {
        None => return Vec::new(),
        Some(When::During { start, end }) => vec![*start, *end],
        Some(When::Window(window)) => {
            let found = window.found.iter().flat_map(|found| [found.start, found.end]);
            [window.from, window.to].into_iter().chain(found).collect()
        }
    };
    bounds
        .into_iter()
        .filter_map(|bound| match bound {
            Bound::Slot(slot) => Some(slot),
            _ => None,
        })
        .collect()
}

/// Returns which slots the premises can bind, and which slots of annotations an earlier premise binds.
fn binders(rule: &Rule, given: &[bool]) -> (Vec<bool>, Vec<Vec<Slot>>) {
    let mut bound = given.to_vec();
    let mut inputs = Vec::new();
    for premise in &rule.premises {
        let mut needs = Vec::new();
        match premise {
            Premise::Fact(atom) => {
                needs = when_slots(atom.when.as_ref());
                needs.retain(|&slot| bound[usize::from(slot)]);
                let args = atom.args.iter().filter_map(|arg| match arg {
                    Term::Slot(slot) => Some(*slot),
                    _ => None,
                });
                for slot in args.chain(when_slots(atom.when.as_ref())) {
                    bound[usize::from(slot)] = true;
                }
            }
            Premise::Equal(left, right) => {
                for side in [left, right] {
                    if let Expr::Slot(slot) = side {
                        bound[usize::from(*slot)] = true;
                    }
                }
            }
            Premise::Built {
                relation,
                negated: false,
                args,
            } => {
                for (mode, arg) in relation.modes.iter().zip(args) {
                    if let (Mode::Out | Mode::Any, Expr::Slot(slot)) = (mode, arg) {
                        bound[usize::from(*slot)] = true;
                    }
                }
            }
            _ => {}
        }
        inputs.push(needs);
    }
    (bound, inputs)
}
