//! A rule with its variables numbered.

use super::{
    predicate::PredId,
    time::{HeadTime, When},
};
use crate::{
    builtin::{Function, Reducer, Relation},
    syntax::{Span, Word},
    value::Value,
};

/// A rule of one program, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub u32);

impl RuleId {
    /// As an index into [`super::Program::rules`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable of a rule, by number.
pub type Slot = u16;

/// `head :- premises |> transforms.`
#[derive(Clone, Debug)]
pub struct Rule {
    /// What it derives.
    pub head: Head,
    /// What has to hold, in the order of the source; the planner picks its own.
    pub premises: Vec<Premise>,
    /// What is done with the bindings that fulfil the premises, one after the other.
    pub transforms: Vec<Transform>,
    /// How many variables there are.
    pub slots: Slot,
    /// The variables as they are written, by slot; made-up ones are empty.
    pub names: Vec<Word>,
    /// Where it stands.
    pub span: Span,
}

impl Rule {
    /// The first transform, if it makes groups: then a row comes from many bindings.
    pub fn aggregates(&self) -> bool {
        self.transforms.iter().any(|t| matches!(t, Transform::Group { .. }))
    }
}

/// What a rule derives for one binding.
#[derive(Clone, Debug)]
pub struct Head {
    /// Of which predicate.
    pub pred: PredId,
    /// The arguments.
    pub args: Vec<Expr>,
    /// When it holds; there exactly if the predicate is temporal.
    pub time: Option<HeadTime>,
}

/// One condition in a body.
#[derive(Clone, Debug)]
pub enum Premise {
    /// `p(..)`, `p(..)@[..]` or `<-[..] p(..)`: a fact; for a deferred or external predicate, a call.
    Fact(Atom),
    /// `!p(..)`: no such fact, whatever stands for [`Term::Any`] and for slots that nothing else binds.
    NoFact(Atom),
    /// `a = b`. A side that is a single unbound slot is bound to the other.
    Equal(Expr, Expr),
    /// `a < b` and so on, also in the form `:lt(a, b)`, `:time:lt(a, b)`.
    Compare {
        /// Which.
        op: Comparison,
        /// What the sides have to be.
        of: crate::builtin::Operand,
        /// The left side.
        left: Expr,
        /// The right side.
        right: Expr,
    },
    /// `:match_cons(..)` and the like.
    Built {
        /// Which.
        relation: Relation,
        /// `!:..`: it does not hold.
        negated: bool,
        /// The arguments. Output positions of the relation are [`Expr::Slot`] (bound or not), a constant, or [`Expr::Any`].
        args: Vec<Expr>,
    },
}

impl Premise {
    /// The predicate that it reads, if it is not a built-in.
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
    /// Of which predicate.
    pub pred: PredId,
    /// As many as the predicate's arity. Function applications stand in an [`Premise::Equal`] of their own.
    pub args: Vec<Term>,
    /// How the fact's time is looked at; `None` means: holds now, or the predicate is not temporal.
    pub when: Option<When>,
    /// Where it stands.
    pub span: Span,
}

/// An argument of an atom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Term {
    /// A variable.
    Slot(Slot),
    /// A constant.
    Value(Value),
    /// `_`
    Any,
}

/// Something that has a value once its variables have one.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A variable.
    Slot(Slot),
    /// A constant.
    Value(Value),
    /// `_`, only where a built-in relation gives something back.
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

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// One step after `|>`.
#[derive(Clone, Debug)]
pub enum Transform {
    /// `let X = e, let Y = f`: computed for each binding, in order.
    Lets(Vec<Let>),
    /// `do fn:group_by(K..), let ..`: one binding for each distinct key, with the keys and the new variables only.
    Group {
        /// The variables that make the key; none means: everything is one group, and nothing gives no group.
        keys: Vec<Slot>,
        /// What is computed for each group, in order.
        lets: Vec<Aggregate>,
    },
}

/// `let X = e`.
#[derive(Clone, Debug)]
pub struct Let {
    /// Which variable.
    pub slot: Slot,
    /// Its value.
    pub expr: Expr,
}

/// `let X = ..` within a group.
#[derive(Clone, Debug)]
pub enum Aggregate {
    /// A reducer over the rows of the group. `fn:count_distinct()` has the named variables of the body as `args`.
    Reduce {
        /// Which variable.
        slot: Slot,
        /// How.
        reducer: Reducer,
        /// Evaluated for each row.
        args: Vec<Expr>,
    },
    /// A function of the keys and of what was computed before.
    Let(Let),
}
