//! Evaluates expressions, comparisons, built-in relations and calls.

use std::cmp::Ordering;

use super::Machine;
use crate::{
    builtin::{Answers, Fault, Function, Operand, Relation},
    eval::{
        MAX_DEPTH, MAX_VALUE,
        error::Stop,
        plan::{Key, Output, Rows},
    },
    program::{Comparison, Expr, PredId},
    value::{Kind, Value, View},
};

/// The number of bytes that a built-in processes in one step.
pub(super) const BYTES_PER_STEP: u64 = 64;

/// The size in bytes of arguments above which the result is counted before it is made.
const LARGE: usize = 1 << 16;

/// The text of the error about [`MAX_DEPTH`].
const TOO_DEEP: &str = "nested at most 500 levels deep";

type Values = smallvec::SmallVec<[Value; 4]>;

impl Machine<'_, '_> {
    /// Returns the value of an expression whose variables are bound.
    #[inline(always)]
    pub(super) fn value(&mut self, expr: &Expr) -> Result<Value, Stop> {
        match expr {
            Expr::Slot(slot) => Ok(Value::from_bits(self.registers[usize::from(*slot)])),
            Expr::Value(value) => Ok(*value),
            Expr::Any => Ok(Value::from_bits(0)),
            Expr::Call(function, args) => self.call_function(function, args),
        }
    }

    /// Calls a function. Most have one or two arguments, which need no list.
    fn call_function(&mut self, function: &Function, args: &[Expr]) -> Result<Value, Stop> {
        match args {
            [arg] => {
                let value = self.value(arg)?;
                self.apply(function, &[value])
            }
            [left, right] => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                self.apply(function, &[left, right])
            }
            args => {
                let values = args.iter().map(|arg| self.value(arg)).collect::<Result<Vec<Value>, Stop>>()?;
                self.apply(function, &values)
            }
        }
    }

    fn apply(&mut self, function: &Function, values: &[Value]) -> Result<Value, Stop> {
        self.pay(values)?;
        let value = (function.eval)(&mut self.context(), values).map_err(|fault| self.fault(fault))?;
        self.check_size(value)?;
        Ok(value)
    }

    /// Checks the size of a value, because a built-in may make a large one in one step.
    #[inline(always)]
    pub(crate) fn check_size(&self, value: Value) -> Result<(), Stop> {
        if value.is_inline() {
            return Ok(());
        }
        self.check_bytes()?;
        self.check_shape(value)
    }

    /// Takes the steps of a built-in: one, and more for large values.
    #[inline(always)]
    fn pay(&mut self, values: &[Value]) -> Result<(), Stop> {
        let bytes: usize = values.iter().map(|&value| self.tools.interner.weight(value)).sum();
        if bytes > MAX_VALUE {
            return Err(self.tools.meter.too_large(MAX_VALUE, bytes).into());
        }
        if bytes > LARGE {
            // The result is made separately before it is stored.
            self.check_more_bytes(2 * bytes)?;
        }
        self.step(1 + bytes as u64 / BYTES_PER_STEP)
    }

    /// Refuses values that could not be written out: they share their parts, so a small one may stand for any number of
    /// bytes.
    fn check_shape(&self, value: Value) -> Result<(), Stop> {
        let shape = self.tools.interner.shape(value);
        if shape.bytes as usize > MAX_VALUE {
            return Err(self.tools.meter.too_large(MAX_VALUE, shape.bytes as usize).into());
        }
        if shape.depth > MAX_DEPTH {
            return Err(self.fault(Fault::Range(TOO_DEEP)));
        }
        Ok(())
    }

    pub(super) fn fault(&self, fault: Fault) -> Stop {
        Stop::fault(fault, self.plan.rule)
    }

    pub(super) fn compare(&mut self, op: Comparison, of: Operand, left: &Expr, right: &Expr) -> Result<bool, Stop> {
        let (left, right) = (self.value(left)?, self.value(right)?);
        if op == Comparison::NotEqual {
            return Ok(left != right);
        }
        let order = match (left.small_number(), right.small_number()) {
            (Some(left), Some(right)) if matches!(of, Operand::Number | Operand::Ordered) => left.cmp(&right),
            _ => self.order(of, left, right)?,
        };
        Ok(match op {
            Comparison::NotEqual => order != Ordering::Equal,
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
        })
    }

    fn order(&self, of: Operand, left: Value, right: Value) -> Result<Ordering, Stop> {
        let interner = &*self.tools.interner;
        let wanted = match of {
            Operand::Ordered => {
                let numeric = |value: Value| matches!(value.kind(), Kind::Number | Kind::Float);
                if left.kind() != right.kind() && !(numeric(left) && numeric(right)) {
                    return Err(self.fault(Fault::Kind {
                        wanted: "of the kind of what it is compared with",
                        got: interner.print(right).to_string(),
                    }));
                }
                // A number and a float of equal size are neither less nor greater.
                return Ok(match (interner.view(left), interner.view(right)) {
                    (View::Number(number), View::Float(float)) if number as f64 == float => Ordering::Equal,
                    (View::Float(float), View::Number(number)) if number as f64 == float => Ordering::Equal,
                    _ => interner.compare(left, right),
                });
            }
            Operand::Number => (Kind::Number, "a number"),
            Operand::Time => (Kind::Time, "a time"),
            Operand::Duration => (Kind::Duration, "a duration"),
        };
        for value in [left, right] {
            if value.kind() != wanted.0 {
                return Err(self.fault(Fault::Kind {
                    wanted: wanted.1,
                    got: interner.print(value).to_string(),
                }));
            }
        }
        Ok(interner.compare(left, right))
    }

    pub(super) fn built(&mut self, at: usize, relation: Relation, args: &[Expr], outputs: &[Output]) -> Result<bool, Stop> {
        let answers = self.answers(at, relation, args)?;
        let mut any = false;
        for row in 0..answers.len() {
            if self.fits(outputs, answers.row(row))? {
                self.step(1)?;
                any |= self.run(at + 1)?;
            }
        }
        self.answers[at] = answers;
        Ok(any)
    }

    /// Returns whether a negated relation has no answer.
    pub(super) fn built_holds(&mut self, at: usize, relation: Relation, args: &[Expr], outputs: &[Output]) -> Result<bool, Stop> {
        let answers = self.answers(at, relation, args)?;
        let mut any = false;
        for row in 0..answers.len() {
            any |= self.fits(outputs, answers.row(row))?;
        }
        self.answers[at] = answers;
        Ok(any)
    }

    /// Checks outputs that are known and binds the others.
    fn fits(&mut self, outputs: &[Output], row: &[Value]) -> Result<bool, Stop> {
        for (output, &value) in outputs.iter().zip(row) {
            match output {
                Output::Ignore => {}
                Output::Bind(slot) => self.set(*slot, value.bits()),
                Output::Check(expr) => {
                    if self.value(expr)? != value {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn answers(&mut self, at: usize, relation: Relation, args: &[Expr]) -> Result<Answers, Stop> {
        let values = args.iter().map(|arg| self.value(arg)).collect::<Result<Values, Stop>>()?;
        self.pay(&values)?;
        let mut answers = std::mem::take(&mut self.answers[at]);
        answers.clear();
        (relation.eval)(&mut self.context(), &values, &mut answers).map_err(|fault| self.fault(fault))?;
        Ok(answers)
    }

    /// Runs the rest of the plan for each answer of a deferred predicate.
    pub(super) fn call(&mut self, at: usize, pred: PredId, keys: &[Option<Key>], rows: &Rows) -> Result<bool, Stop> {
        let known: Vec<Option<u64>> = keys.iter().map(|key| key.as_ref().map(|key| self.word(key))).collect();
        let made = self.made();
        self.tools.meter.resting += made;
        let answers = self.world.calls.call(self.world, self.tools, pred, &known, self.depth + 1)?;
        self.tools.meter.resting -= made;
        let width = known.len().max(1);
        let mut any = false;
        for row in answers.chunks_exact(width) {
            self.step(1)?;
            any |= self.visit(at, rows, row, None)?;
        }
        Ok(any)
    }
}
