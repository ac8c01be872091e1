//! The reasons why an evaluation ends without a result.

use std::fmt;

use super::budget::Exceeded;
use crate::{builtin::Fault, program::RuleId};

/// The reason why an evaluation ended without a result. The facts derived until then are lost: there are no partial
/// results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalError {
    /// It exceeded its budget.
    Exceeded(Exceeded),
    /// A built-in had no answer.
    Fault {
        /// The built-in's reason.
        fault: Fault,
        /// The rule that called it.
        rule: RuleId,
    },
    /// The merge of two rows is not a valid merge: rows would be merged for ever, or depend on the order.
    Merge(Box<BadMerge>),
    /// Deferred predicates call each other too deeply.
    TooDeep {
        /// How deeply.
        depth: u32,
        /// The rule in which that happened.
        rule: RuleId,
    },
    /// A rule cannot be run in any order. The analysis refuses such rules; a rule that was built by hand may be like
    /// this.
    NoOrder(RuleId),
    /// A given fact is not valid.
    BadFact(String),
    /// The answer to a question about an external predicate does not fit the question.
    BadAnswer(String),
}

/// How a merge failed; values as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadMerge {
    /// The predicate whose rows are merged.
    pub pred: String,
    /// The predicate that merges.
    pub by: String,
    /// The old value.
    pub old: String,
    /// The new value.
    pub new: String,
    /// The merged value, if there was one.
    pub merged: Option<String>,
}

/// An error while it is passed up through the machine. It is boxed because every examined row has a result, which is
/// then returned in registers.
#[derive(Debug)]
pub(crate) struct Stop(Box<EvalError>);

impl Stop {
    #[cold]
    pub(crate) fn fault(fault: Fault, rule: RuleId) -> Self {
        EvalError::Fault { fault, rule }.into()
    }
}

impl From<EvalError> for Stop {
    #[cold]
    fn from(error: EvalError) -> Self {
        Self(Box::new(error))
    }
}

impl From<Exceeded> for Stop {
    #[cold]
    fn from(exceeded: Exceeded) -> Self {
        EvalError::Exceeded(exceeded).into()
    }
}

impl From<Stop> for EvalError {
    fn from(stop: Stop) -> Self {
        *stop.0
    }
}

impl EvalError {
    /// Returns the rule that was being evaluated, if one was.
    pub fn rule(&self) -> Option<RuleId> {
        match self {
            Self::Exceeded(exceeded) => exceeded.rule,
            Self::Fault { rule, .. } | Self::TooDeep { rule, .. } | Self::NoOrder(rule) => Some(*rule),
            Self::Merge(_) | Self::BadAnswer(_) | Self::BadFact(_) => None,
        }
    }
}

impl From<Exceeded> for EvalError {
    fn from(exceeded: Exceeded) -> Self {
        Self::Exceeded(exceeded)
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exceeded(exceeded) => write!(f, "{exceeded}"),
            Self::Fault { fault, .. } => write!(f, "{fault}"),
            Self::Merge(bad) => write!(f, "{bad}"),
            Self::TooDeep { depth, .. } => write!(f, "deferred predicates call each other {depth} deep: let the recursion end earlier"),
            Self::NoOrder(_) => f.write_str("no order of the premises gives every variable a value"),
            Self::BadAnswer(why) | Self::BadFact(why) => f.write_str(why),
        }
    }
}

impl fmt::Display for BadMerge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            pred,
            by,
            old,
            new,
            merged,
        } = self;
        match merged {
            None => write!(f, "`{by}` does not say what `{old}` and `{new}` make in `{pred}`: cover every pair"),
            Some(merged) => write!(
                f,
                "`{by}` makes `{merged}` of `{old}` and `{new}` in `{pred}`, but something else of `{merged}` and `{old}`: \
                 a merge has to keep what it already took in"
            ),
        }
    }
}

impl std::error::Error for EvalError {}
