//! Rules with numbered variables.

use super::{
    predicate::PredId,
    time::{HeadTime, When},
};
use crate::{
    builtin::{Function, Reducer, Relation},
    syntax::{Span, Word},
    value::Value,
};

/// The number of a rule in one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub u32);

impl RuleId {
    /// Returns the index into [`super::Program::rules`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a variable of a rule.
pub type Slot = u16;

/// A rule: `head :- premises |> transforms.`
#[derive(Clone, Debug)]
pub struct Rule {
    /// The head that it derives.
    pub head: Head,
    /// The conditions that have to hold, in the order of the source; the planner chooses its own order.
    pub premises: Vec<Premise>,
    /// The transforms of the bindings that satisfy the premises, one after the other.
    pub transforms: Vec<Transform>,
    /// The number of variables.
    pub slots: Slot,
    /// The variables as they are written, by slot; created ones are empty.
    pub names: Vec<Word>,
    /// The place of the rule.
    pub span: Span,
}

impl Rule {
    /// Returns whether the first transform makes groups: then a row comes from many bindings.
    pub fn aggregates(&self) -> bool {
        self.transforms.iter().any(|t| matches!(t, Transform::Group { .. }))
    }
}

/// The fact that a rule derives for one binding.
#[derive(Clone, Debug)]
pub struct Head {
    /// The predicate.
    pub pred: PredId,
    /// The arguments.
    pub args: Vec<Expr>,
    /// When it holds; present exactly if the predicate is temporal.
    pub time: Option<HeadTime>,
}

/// One condition in a body.
#[derive(Clone, Debug)]
pub enum Premise {
    /// `p(..)`, `p(..)@[..]` or `<-[..] p(..)`: a fact; for a deferred or external predicate, a call.
    Fact(Atom),
    /// `!p(..)`: there is no such fact, whatever the values of [`Term::Any`] and of slots that nothing else binds.
    NoFact(Atom),
    /// `a = b`. A side that is a single unbound slot is bound to the other.
    Equal(Expr, Expr),
    /// A comparison: `a < b` and so on, also in the form `:lt(a, b)`, `:time:lt(a, b)`.
    Compare {
        /// The comparison.
        op: Comparison,
        /// The required type of both sides.
        of: crate::builtin::Operand,
        /// The left side.
        left: Expr,
        /// The right side.
        right: Expr,
    },
    /// A built-in relation such as `:match_cons(..)`.
    Built {
        /// The relation.
        relation: Relation,
        /// Whether it is negated, `!:..`: it does not hold.
        negated: bool,
        /// The arguments. Output positions of the relation are [`Expr::Slot`] (bound or not), a constant, or [`Expr::Any`].
        args: Vec<Expr>,
    },
}

impl Premise {
    /// Returns the predicate that it reads, if it is not a built-in.
    pub fn pred(&self) -> Option<PredId> {
        match self {
            Self::Fact(atom) | Self::NoFact(atom) => Some(atom.pred),
            _ => None,
        }
    }
}

/// A predicate with patterns for its arguments.
#[derive(Clone, Debug)]
pub struct Atom {
    /// The predicate.
    pub pred: PredId,
    /// The arguments, as many as the predicate's arity. Function applications have an [`Premise::Equal`] of their own.
    pub args: Vec<Term>,
    /// How the fact's time is checked; `None` means that it holds now, or the predicate is not temporal.
    pub when: Option<When>,
    /// The place of the atom.
    pub span: Span,
}

/// An argument of an atom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Term {
    /// A variable.
    Slot(Slot),
    /// A constant.
    Value(Value),
    /// Any value: `_`.
    Any,
}

/// An expression that has a value once its variables have one.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A variable.
    Slot(Slot),
    /// A constant.
    Value(Value),
    /// Any value: `_`, only for outputs of a built-in relation.
    Any,
    /// A function of values.
    Call(Function, Vec<Self>),
}

impl Expr {
    /// Calls `see` with every slot in it.
    pub fn slots(&self, see: &mut impl FnMut(Slot)) {
        match self {
            Self::Slot(slot) => see(*slot),
            Self::Value(_) | Self::Any => {}
            Self::Call(_, args) => args.iter().for_each(|arg| arg.slots(see)),
        }
    }
}

/// The comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The operator `!=`.
    NotEqual,
    /// The operator `<`.
    Less,
    /// The operator `<=`.
    LessOrEqual,
    /// The operator `>`.
    Greater,
    /// The operator `>=`.
    GreaterOrEqual,
}

/// A transform: one step after `|>`.
#[derive(Clone, Debug)]
pub enum Transform {
    /// `let X = e, let Y = f`: computed for each binding, in order.
    Lets(Vec<Let>),
    /// `do fn:group_by(K..), let ..`: one binding for each distinct key, with the keys and the new variables only.
    Group {
        /// The variables that make the key; without any, all bindings are one group, and no bindings give no group.
        keys: Vec<Slot>,
        /// The values that are computed for each group, in order.
        lets: Vec<Aggregate>,
    },
}

/// A definition: `let X = e`.
#[derive(Clone, Debug)]
pub struct Let {
    /// The variable.
    pub slot: Slot,
    /// Its value.
    pub expr: Expr,
}

/// A definition within a group: `let X = ..`.
#[derive(Clone, Debug)]
pub enum Aggregate {
    /// A reducer over the rows of the group. `fn:count_distinct()` has the named variables of the body as `args`.
    Reduce {
        /// The variable.
        slot: Slot,
        /// The reducer.
        reducer: Reducer,
        /// The arguments, evaluated for each row.
        args: Vec<Expr>,
    },
    /// A function of the keys and of the values computed before.
    Let(Let),
}
