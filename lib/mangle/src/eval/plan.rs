//! A rule in the order in which it is run: which rows to look up by which key, and what to compute, check and emit.

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

/// One way to run a rule.
#[derive(Debug)]
pub(crate) struct Plan {
    pub rule: RuleId,
    pub steps: Vec<Step>,
    /// For each step the premise that it stands for; none for those of transforms and of the head.
    pub origins: Vec<Option<usize>>,
    pub emit: Emit,
    /// How many registers: the rule's slots and those of intermediate results.
    pub slots: usize,
    /// No two bindings, or groups of them, give the same row of the head, if at these steps a key has at most one row.
    pub injective_if: Option<Vec<usize>>,
}

impl Plan {
    /// About how many bytes it takes on the heap.
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
            // What these hold was counted with the rule.
            Step::Let(..) | Step::Equal(..) | Step::Compare(..) | Step::Built(..) | Step::NotBuilt(..) => 0,
        });
        let own = self.steps.capacity() * size_of::<Step>() + self.origins.capacity() * size_of::<Option<usize>>();
        size_of::<Self>() + own + steps.sum::<usize>()
    }
}

/// What comes of one binding.
#[derive(Debug)]
pub(crate) enum Emit {
    /// A row of the head.
    Head(Head),
    /// A row of registers, to be grouped when all are there.
    Group(Group),
}

/// The head of a rule, all arguments in registers or constant.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub args: Vec<Key>,
    pub time: Option<(TimeKey, TimeKey)>,
}

/// A rule that makes groups.
#[derive(Debug)]
pub(crate) struct Group {
    /// The registers that are kept of each binding.
    pub kept: Vec<Slot>,
    /// Whether equal bindings count once.
    pub distinct: bool,
    /// Which registers make the key.
    pub keys: Vec<Slot>,
    pub lets: Vec<Aggregate>,
    /// The transforms that follow.
    pub rest: Vec<Transform>,
    pub head: crate::program::Head,
}

/// Where a word comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Slot(Slot),
    Word(u64),
}

/// Where an instant comes from, or goes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TimeKey {
    /// Known when the plan is made.
    At(i64),
    /// In a register.
    Slot(Slot),
    /// A constant that has to be a time.
    Value(Value),
    /// The evaluation time plus so much.
    Now(i64),
    /// A register that gets the bound of the interval.
    Bind(Slot),
    /// `_`
    Open,
}

/// One step.
#[derive(Debug)]
pub(crate) enum Step {
    /// For each row that fits.
    Rows(Rows),
    /// If no row fits.
    Absent(Rows),
    /// A register gets a value.
    Let(Slot, Expr),
    /// If both are equal.
    Equal(Expr, Expr),
    /// If the comparison holds.
    Compare(Comparison, Operand, Expr, Expr),
    /// For each answer of a built-in relation.
    Built(Built, Vec<Expr>, Vec<Output>),
    /// If a built-in relation has no answer.
    NotBuilt(Built, Vec<Expr>, Vec<Output>),
    /// For each answer of a deferred predicate.
    Call(PredId, Vec<Option<Key>>, Rows),
    /// If the answer of an external predicate is not there yet, ask and go no further.
    Ask(PredId, Vec<Option<Key>>),
}

/// How to find rows and what to take from them.
#[derive(Debug)]
pub(crate) struct Rows {
    pub pred: PredId,
    pub range: Range,
    pub access: Access,
    /// Columns that must have a value (not those of the access).
    pub checks: Vec<(u16, Key)>,
    /// Columns that must be equal to an earlier one.
    pub same: Vec<(u16, u16)>,
    /// Columns that go to registers.
    pub binds: Vec<(u16, Slot)>,
    pub timing: Option<Timing>,
    /// Nothing that is found is used later: one row is enough.
    pub once: bool,
}

impl Rows {
    /// Whether a row that is found fits: nothing else of it is looked at.
    pub(crate) fn binds_only(&self) -> bool {
        self.checks.is_empty() && self.same.is_empty() && self.timing.is_none()
    }
}

/// The way to the rows.
#[derive(Debug)]
pub(crate) enum Access {
    /// All of them.
    Scan,
    /// The one row with these columns.
    Find(Vec<Key>),
    /// By an index over some columns.
    Index(Columns, Vec<Key>),
}

/// How the time of a row is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Timing {
    /// It holds at the evaluation time.
    Now,
    /// See [`crate::program::When::During`].
    During(TimeKey, TimeKey),
    /// An operator over the window between two instants, earlier first; then where the interval found goes.
    Window(Operator, TimeKey, TimeKey, Option<(TimeKey, TimeKey)>),
}

/// What is done with an output argument of a built-in relation.
#[derive(Clone, Debug)]
pub(crate) enum Output {
    Bind(Slot),
    Check(Expr),
    Ignore,
}
