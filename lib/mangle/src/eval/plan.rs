//! A plan: a rule in the order in which it is run, with the rows to look up by which key, and what to compute, check
//! and emit.

mod injective;
mod live;
mod order;

pub(crate) use order::{Sizes, Wish, plan};

use super::{index::Columns, relation::Range};
use crate::{
    builtin::{Operand, Relation as Built},
    program::{Aggregate, Comparison, Expr, Operator, PredId, RuleId, Slot, Transform},
    value::Value,
};

/// A plan for running a rule.
#[derive(Debug)]
pub(crate) struct Plan {
    pub rule: RuleId,
    pub steps: Vec<Step>,
    /// The premise of each step; `None` for steps of transforms and of the head.
    pub origins: Vec<Option<usize>>,
    pub emit: Emit,
    /// The number of registers: the rule's slots and those of intermediate results.
    pub slots: usize,
    /// The steps at which a key must have at most one row, so that no two bindings, or groups of them, give equal rows
    /// of the head.
    pub injective_if: Option<Vec<usize>>,
}

impl Plan {
    /// Returns the approximate number of bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        let within = |rows: &Rows| {
            let keys = match &rows.access {
                Access::Scan => 0,
                Access::Find(keys) => size_of_val(&keys[..]),
                Access::Index(columns, keys) => size_of_val(&columns[..]) + size_of_val(&keys[..]),
            };
            keys + size_of_val(&rows.checks[..]) + size_of_val(&rows.same[..]) + size_of_val(&rows.binds[..])
        };
        let steps = self.steps.iter().map(|step| match step {
            Step::Rows(rows) | Step::Absent(rows) => within(rows),
            Step::Call(_, keys, rows) => size_of_val(&keys[..]) + within(rows),
            Step::Ask(_, keys) => size_of_val(&keys[..]),
            // The memory of these was counted with the rule.
            Step::Let(..) | Step::Equal(..) | Step::Compare(..) | Step::Built(..) | Step::NotBuilt(..) => 0,
        });
        let own = self.steps.capacity() * size_of::<Step>() + self.origins.capacity() * size_of::<Option<usize>>();
        size_of::<Self>() + own + steps.sum::<usize>()
    }
}

/// What is emitted for one binding.
#[derive(Debug)]
pub(crate) enum Emit {
    /// A row of the head.
    Head(Head),
    /// A row of registers, to be grouped when all bindings are found.
    Group(Group),
}

/// The head of a rule, all arguments in registers or constant.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub args: Vec<Key>,
    pub time: Option<(TimeKey, TimeKey)>,
}

/// A rule with groups.
#[derive(Debug)]
pub(crate) struct Group {
    /// The registers that are kept of each binding.
    pub kept: Vec<Slot>,
    /// Whether equal bindings count once.
    pub distinct: bool,
    /// The registers that make the key.
    pub keys: Vec<Slot>,
    pub lets: Vec<Aggregate>,
    /// The transforms that follow.
    pub rest: Vec<Transform>,
    pub head: crate::program::Head,
}

/// The source of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Slot(Slot),
    Word(u64),
}

/// The source of an instant, or the register that it is stored in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TimeKey {
    /// An instant that is known when the plan is made.
    At(i64),
    /// The value of a register.
    Slot(Slot),
    /// A constant that has to be a time.
    Value(Value),
    /// The evaluation time plus an offset.
    Now(i64),
    /// A register that gets the bound of the interval.
    Bind(Slot),
    /// No bound: `_`.
    Open,
}

/// One step.
#[derive(Debug)]
pub(crate) enum Step {
    /// Continue for each row that fits.
    Rows(Rows),
    /// Continue if no row fits.
    Absent(Rows),
    /// Set a register.
    Let(Slot, Expr),
    /// Continue if both are equal.
    Equal(Expr, Expr),
    /// Continue if the comparison holds.
    Compare(Comparison, Operand, Expr, Expr),
    /// Continue for each answer of a built-in relation.
    Built(Built, Vec<Expr>, Vec<Output>),
    /// Continue if a built-in relation has no answer.
    NotBuilt(Built, Vec<Expr>, Vec<Output>),
    /// Continue for each answer of a deferred predicate.
    Call(PredId, Vec<Option<Key>>, Rows),
    /// Ask, and stop, if the answer of an external predicate is not known yet.
    Ask(PredId, Vec<Option<Key>>),
}

/// How to find rows and what to take from them.
#[derive(Debug)]
pub(crate) struct Rows {
    pub pred: PredId,
    pub range: Range,
    pub access: Access,
    /// The columns that must have a value, except those of the access.
    pub checks: Vec<(u16, Key)>,
    /// The columns that must be equal to an earlier one.
    pub same: Vec<(u16, u16)>,
    /// The columns that are stored in registers.
    pub binds: Vec<(u16, Slot)>,
    pub timing: Option<Timing>,
    /// Whether one row is enough, because no value of a row is used later.
    pub once: bool,
}

impl Rows {
    /// Returns whether every row that is found fits, because nothing else of it is checked.
    pub(crate) fn binds_only(&self) -> bool {
        self.checks.is_empty() && self.same.is_empty() && self.timing.is_none()
    }
}

/// How rows are found.
#[derive(Debug)]
pub(crate) enum Access {
    /// All rows.
    Scan,
    /// The one row with these columns.
    Find(Vec<Key>),
    /// The rows that an index over some columns gives.
    Index(Columns, Vec<Key>),
}

/// How the time of a row is checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Timing {
    /// The row holds at the evaluation time.
    Now,
    /// The row holds during an interval; see [`crate::program::When::During`].
    During(TimeKey, TimeKey),
    /// An operator over the window between two instants, the earlier first; then where the bounds of the found interval
    /// are stored.
    Window(Operator, TimeKey, TimeKey, Option<(TimeKey, TimeKey)>),
}

/// The use of an output argument of a built-in relation.
#[derive(Clone, Debug)]
pub(crate) enum Output {
    Bind(Slot),
    Check(Expr),
    Ignore,
}
