//! Runs a rule backwards: finds the bindings that satisfy its premises with given values of its head.

use super::Explainer;
use crate::{
    eval::{
        EvalError,
        parts::{Deepest, Even, Machine, Plan, Proofs, Relation, Seen, Segment, Target, Tools, Wish, World, give, plan, prepare_shared},
    },
    program::{Aggregate, Atom, Expr, Interval, PredId, Premise, Rule, RuleId, Slot, Term, Transform},
    syntax::Word,
    value::Value,
};

/// A binding of all variables of an [`Open`] rule, and when its head holds.
pub(super) type Binding = (Vec<u64>, Option<Interval>);

/// A rule in which wildcards have variables of their own, so that a binding identifies the rows it rests on.
#[derive(Debug)]
pub(super) struct Open {
    pub id: RuleId,
    pub rule: Rule,
}

impl Open {
    pub(super) fn new(id: RuleId, rule: &Rule) -> Self {
        let mut rule = rule.clone();
        let mut next = rule.slots;
        for premise in &mut rule.premises {
            let Premise::Fact(atom) = premise else { continue };
            for arg in &mut atom.args {
                if *arg == Term::Any {
                    *arg = Term::Slot(next);
                    next += 1;
                }
            }
        }
        rule.slots = next;
        Self { id, rule }
    }

    /// Returns the words of the head that can be given before the rule runs: those of variables that a premise binds
    /// and no transform defines.
    pub(super) fn known(&self, row: &[Option<u64>]) -> (Vec<Slot>, Vec<Option<u64>>) {
        let mut bound = Vec::new();
        for premise in &self.rule.premises {
            match premise {
                Premise::Fact(atom) => bound.extend(atom.args.iter().filter_map(|arg| match arg {
                    Term::Slot(slot) => Some(*slot),
                    _ => None,
                })),
                Premise::Equal(left, right) => {
                    for side in [left, right] {
                        side.slots(&mut |slot| bound.push(slot));
                    }
                }
                Premise::Built { args, .. } => args.iter().for_each(|arg| arg.slots(&mut |slot| bound.push(slot))),
                _ => {}
            }
        }
        let keep = |slot: &Slot| bound.contains(slot) && !self.makes(*slot);
        let known: Vec<Option<u64>> = self
            .rule
            .head
            .args
            .iter()
            .zip(row)
            .map(|(arg, word)| match arg {
                Expr::Slot(slot) if keep(slot) => *word,
                Expr::Value(_) => *word,
                _ => None,
            })
            .collect();
        let given = self.rule.head.args.iter().zip(&known).filter_map(|(arg, known)| match arg {
            Expr::Slot(slot) if known.is_some() => Some(*slot),
            _ => None,
        });
        (given.collect(), known)
    }

    /// Returns whether a transform defines this variable, or a grouping removes it.
    fn makes(&self, slot: Slot) -> bool {
        self.rule.transforms.iter().any(|transform| match transform {
            Transform::Lets(lets) => lets.iter().any(|one| one.slot == slot),
            Transform::Group { keys, lets } => {
                !keys.contains(&slot)
                    || lets.iter().any(|one| match one {
                        Aggregate::Let(one) => one.slot == slot,
                        Aggregate::Reduce { slot: made, .. } => *made == slot,
                    })
            }
        })
    }

    /// Returns the rule's own variables and their values.
    pub(super) fn bindings(&self, registers: &[u64]) -> Vec<(Word, Value)> {
        let named = self.rule.names.iter().zip(registers).filter(|(name, _)| !name.is_empty());
        named.map(|(name, &word)| (name.clone(), Value::from_bits(word))).collect()
    }
}

/// Returns the arguments of an atom under a binding.
pub(super) fn row_of(atom: &Atom, registers: &[u64]) -> Vec<u64> {
    let word = |arg: &Term| match arg {
        Term::Slot(slot) => registers[usize::from(*slot)],
        Term::Value(value) => value.bits(),
        Term::Any => 0,
    };
    let row: Vec<u64> = atom.args.iter().map(word).collect();
    if row.is_empty() { vec![0] } else { row }
}

/// The goal of a search.
pub(super) struct Goal<'g> {
    /// The known arguments of the head.
    pub row: &'g [Option<u64>],
    /// How many bindings are enough.
    pub enough: usize,
    /// Returns what may be read of each predicate.
    pub seen: &'g dyn Fn(PredId) -> Option<Seen>,
    /// The relations that are read instead of the model's facts, if any.
    pub relations: Option<&'g [Relation]>,
}

impl Explainer<'_> {
    /// Finds bindings with which the rule derives the goal, without transforms of groups.
    pub(super) fn search(&mut self, open: &Open, goal: &Goal<'_>) -> Result<Vec<Binding>, EvalError> {
        let whole: Option<Vec<u64>> = goal.row.iter().copied().collect();
        let wanted = whole.map(|row| if row.is_empty() { vec![0] } else { row });
        let proofs = Proofs {
            wanted: wanted.filter(|_| !open.rule.aggregates()),
            enough: goal.enough,
            found: Vec::new(),
        };
        Ok(self
            .run(open, goal, Target::Proofs(proofs), false)?
            .map_or_else(Vec::new, |(target, _)| match target {
                Target::Proofs(proofs) => proofs.found,
                _ => Vec::new(),
            }))
    }

    /// Returns how far the rule gets towards the goal; `None` if its head is another fact.
    pub(super) fn deepest(&mut self, open: &Open, goal: &Goal<'_>) -> Result<Option<(Plan, Deepest)>, EvalError> {
        let (given, _) = open.known(goal.row);
        let Some(plan) = self.made(open, &given, true) else {
            return Ok(None);
        };
        let proofs = Proofs {
            enough: 1,
            ..Proofs::default()
        };
        let run = self.run(open, goal, Target::Proofs(proofs), true)?;
        Ok(run.and_then(|(_, deepest)| deepest).map(|deepest| (plan, deepest)))
    }

    /// Returns the rows that a rule with groups derives for the goal's keys.
    pub(super) fn grouped(&mut self, open: &Open, goal: &Goal<'_>) -> Result<Vec<Vec<u64>>, EvalError> {
        let rule = self.model.program.rule(open.id).clone();
        let own = Open { id: open.id, rule };
        let (given, known) = own.known(goal.row);
        let Some(plan) = self.made(&own, &given, false) else {
            return Ok(Vec::new());
        };
        let crate::eval::parts::Emit::Group(group) = &plan.emit else {
            return Ok(Vec::new());
        };
        let world = World {
            program: &self.model.program,
            relations: goal.relations.unwrap_or(&self.model.relations),
            calls: &self.calls,
            now: self.model.now,
        };
        let found = prepare_shared(&plan, world.relations, goal.seen, &mut self.meter)?;
        let mut tools = Tools {
            interner: &mut self.interner,
            meter: &mut self.meter,
            asked: &mut self.asked,
        };
        let keys = self.model.relations[own.rule.head.pred.index()].own.keys;
        let target = Target::Bindings(Segment::new(group.kept.len().max(1), 0, keys), Vec::new());
        let mut machine = Machine::new(&world, &mut tools, &plan, &found, target);
        if !give(&mut machine.registers, &own.rule.head.args, &known) {
            return Ok(Vec::new());
        }
        machine.start()?;
        let width = group.head.args.len().max(1);
        Ok(machine.groups(group)?.rows.chunks_exact(width).map(<[u64]>::to_vec).collect())
    }

    /// Returns the rows that a rule without groups derives with the goal's arguments that can be given beforehand.
    pub(super) fn heads(&mut self, open: &Open, goal: &Goal<'_>) -> Result<Vec<Vec<u64>>, EvalError> {
        let run = self.run(open, goal, Target::Loose(Vec::new()), false)?;
        let width = open.rule.head.args.len().max(1);
        Ok(match run {
            Some((Target::Loose(rows), _)) => rows.chunks_exact(width).map(<[u64]>::to_vec).collect(),
            _ => Vec::new(),
        })
    }

    fn made(&self, open: &Open, given: &[Slot], explain: bool) -> Option<Plan> {
        let wish = Wish {
            delta: None,
            growing: &|_| false,
            given,
            sizes: &Even,
            explain,
        };
        plan(&self.model.program, open.id, &open.rule, &wish)
    }

    fn run(&mut self, open: &Open, goal: &Goal<'_>, target: Target, trace: bool) -> Result<Option<(Target, Option<Deepest>)>, EvalError> {
        let (given, known) = open.known(goal.row);
        let Some(plan) = self.made(open, &given, true) else {
            return Ok(None);
        };
        let world = World {
            program: &self.model.program,
            relations: goal.relations.unwrap_or(&self.model.relations),
            calls: &self.calls,
            now: self.model.now,
        };
        let found = prepare_shared(&plan, world.relations, goal.seen, &mut self.meter)?;
        let mut tools = Tools {
            interner: &mut self.interner,
            meter: &mut self.meter,
            asked: &mut self.asked,
        };
        let mut machine = Machine::new(&world, &mut tools, &plan, &found, target);
        machine.deepest = trace.then(Deepest::default);
        if !give(&mut machine.registers, &open.rule.head.args, &known) {
            return Ok(None);
        }
        match machine.start().map_err(EvalError::from) {
            // The goal may give variables values that no fact has: where a built-in has no answer for them, the rule
            // stops there.
            Err(EvalError::Fault { .. }) => {}
            ended => ended?,
        }
        let deepest = machine.deepest.take();
        Ok(Some((machine.target, deepest)))
    }
}
