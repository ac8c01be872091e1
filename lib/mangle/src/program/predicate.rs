//! The properties of a predicate that the evaluator uses.

use std::sync::Arc;

use super::rule::RuleId;
use crate::syntax::Span;

/// The number of a predicate in one program. In another program, even one of equal sources, the number may mean another
/// predicate or none: a function that uses it as an index then panics. Look it up with [`super::Program::find`], once
/// for each program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PredId(pub u32);

impl PredId {
    /// Returns the index into [`super::Program::predicates`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A predicate: a name with a number of arguments.
#[derive(Clone, Debug, Default)]
pub struct Predicate {
    /// Its name, with its package and the dots.
    pub name: Arc<str>,
    /// The number of arguments; the bounds of a temporal predicate do not count.
    pub arity: usize,
    /// Whether its facts hold at intervals.
    pub temporal: bool,
    /// Whether the analysis created it (`…__tmp`), so that it is left out of what is printed.
    pub generated: bool,
    /// Whether a request may add facts of it. What depends on such a predicate is not part of a snapshot.
    pub session: bool,
    /// How its rows are asked for, if they come from outside.
    pub external: Option<External>,
    /// How two rows of one key are merged, if only one of them is kept.
    pub merge: Option<Merge>,
    /// The modes of a `deferred()` predicate, whose rules run only where it is called. It has no rows.
    pub deferred: Option<Vec<Mode>>,
    /// The place where it is declared, or first used.
    pub span: Span,
}

/// The direction of an argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `+`: the argument has a value before the call.
    In,
    /// `-`: the argument gets its value from the call.
    Out,
    /// `?`: either.
    Any,
}

/// The properties of a predicate whose rows are asked for in batches during an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// The allowed ways to call it, each with a mode for every argument.
    pub modes: Vec<Vec<Mode>>,
    /// Whether a repeated question has an equal answer within one evaluation and between evaluations.
    pub deterministic: bool,
}

/// How a predicate is merged, as a lattice: `fundep([keys], [merged]), merge([merged], 'by')`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merge {
    /// The argument positions that identify a row.
    pub keys: Vec<usize>,
    /// The argument position in which two rows of one key are merged.
    pub merged: usize,
    /// The deferred predicate `by(Old, New, Merged)` that merges.
    pub by: PredId,
    /// The rules of `by`.
    pub rules: Vec<RuleId>,
}
