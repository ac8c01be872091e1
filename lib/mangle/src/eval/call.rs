//! Deferred predicates: their rules run where they are called, with the arguments that are known there.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use super::{
    budget::Meter,
    error::{EvalError, Stop},
    hash::Keys,
    machine::{Machine, Target, Tools, World, prepare_shared},
    plan::{Plan, Sizes, Wish, plan},
    segment::Segment,
};
use crate::program::{Expr, PredId, Program, RuleId, Slot};

/// How deeply calls may nest: a proof of a deferred predicate is no deeper.
const MAX_DEPTH: u32 = 64;

/// A rule, and which of its head's arguments are known.
type Which = (RuleId, Vec<bool>);

/// The plans of deferred rules, made when they are first called.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    rules: HashMap<PredId, Vec<RuleId>>,
    plans: RefCell<HashMap<Which, Rc<Plan>>>,
}

/// Size estimates for plans of calls: sizes do not matter much where most arguments are known.
pub(crate) struct Even;

impl Sizes for Even {
    fn rows(&self, _: PredId) -> f64 {
        1000.0
    }
}

impl Calls {
    pub(crate) fn new(program: &Program) -> Self {
        let mut rules: HashMap<PredId, Vec<RuleId>> = HashMap::new();
        for (at, rule) in program.rules.iter().enumerate() {
            if program.predicate(rule.head.pred).deferred.is_some() {
                rules.entry(rule.head.pred).or_default().push(RuleId(at as u32));
            }
        }
        Self {
            rules,
            plans: RefCell::default(),
        }
    }

    /// Returns the rows of a deferred predicate that have the known words in their places, end to end.
    pub(crate) fn call(
        &self,
        world: &World<'_>,
        tools: &mut Tools<'_>,
        pred: PredId,
        known: &[Option<u64>],
        depth: u32,
    ) -> Result<Vec<u64>, Stop> {
        let width = known.len().max(1);
        let resting = tools.meter.resting;
        let mut answers = Segment::new(width, 0, Keys::default());
        for &rule in self.rules.get(&pred).map_or(&[][..], Vec::as_slice) {
            if depth > MAX_DEPTH {
                return Err(EvalError::TooDeep { depth: MAX_DEPTH, rule }.into());
            }
            let plan = self.plan(world.program, rule, known, tools.meter)?;
            let found = prepare_shared(&plan, world.relations, &|_| None, tools.meter)?;
            let mut machine = Machine::new(world, tools, &plan, &found, Target::Loose(Vec::new()));
            machine.depth = depth;
            if !give(&mut machine.registers, &world.program.rule(rule).head.args, known) {
                continue;
            }
            machine.start()?;
            let Target::Loose(rows) = machine.target else { continue };
            take(&mut answers, &rows, known, tools.meter)?;
            tools.meter.resting = resting + answers.moving();
        }
        tools.meter.resting = resting;
        Ok(answers.rows)
    }

    fn plan(&self, program: &Program, rule: RuleId, known: &[Option<u64>], meter: &mut Meter) -> Result<Rc<Plan>, Stop> {
        let which = (rule, known.iter().map(Option::is_some).collect());
        if let Some(plan) = self.plans.borrow().get(&which) {
            return Ok(Rc::clone(plan));
        }
        let args = program.rule(rule).head.args.iter().zip(known);
        let given: Vec<Slot> = args
            .filter_map(|(arg, known)| match arg {
                Expr::Slot(slot) if known.is_some() => Some(*slot),
                _ => None,
            })
            .collect();
        let wish = Wish {
            delta: None,
            growing: &|_| false,
            given: &given,
            sizes: &Even,
            explain: false,
        };
        meter.planning(program.rule(rule))?;
        let made = Rc::new(plan(program, rule, program.rule(rule), &wish).ok_or(EvalError::NoOrder(rule))?);
        meter.kept += made.heap();
        meter.check_bytes(0)?;
        self.plans.borrow_mut().insert(which, Rc::clone(&made));
        Ok(made)
    }
}

/// Adds the rows that have the known words and are not present yet.
fn take(answers: &mut Segment, rows: &[u64], known: &[Option<u64>], meter: &Meter) -> Result<(), Stop> {
    /// The number of answers up to which a scan is faster than a lookup.
    const FEW: usize = 16;
    for (at, row) in rows.chunks_exact(answers.width).enumerate() {
        meter.glance(at)?;
        if !row.iter().zip(known).all(|(word, known)| known.is_none_or(|known| known == *word)) {
            continue;
        }
        if answers.len() >= FEW {
            let hash = answers.keys.row(row);
            // Whether it was present already does not matter.
            let _: Result<usize, usize> = answers.insert(row, hash);
        } else if !answers.rows.chunks_exact(answers.width).any(|other| other == row) {
            answers.push(row);
        }
    }
    Ok(())
}

/// Stores the known words in the registers of the head's variables; returns whether they agree with its constants and
/// with each other.
pub(crate) fn give(registers: &mut [u64], args: &[Expr], known: &[Option<u64>]) -> bool {
    let mut given: Vec<Slot> = Vec::new();
    for (arg, known) in args.iter().zip(known) {
        match (arg, *known) {
            (Expr::Slot(slot), Some(word)) => {
                let register = &mut registers[usize::from(*slot)];
                if given.contains(slot) && *register != word {
                    return false;
                }
                given.push(*slot);
                *register = word;
            }
            (Expr::Value(value), Some(word)) if value.bits() != word => return false,
            _ => {}
        }
    }
    true
}
