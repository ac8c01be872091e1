//! What the evaluator has to know of a predicate.

use std::sync::Arc;

use super::rule::RuleId;
use crate::syntax::Span;

/// A predicate of one program, by number. In another program, also one of the same sources, the number may mean another predicate or
/// none: what takes it by index then panics. Look it up with [`super::Program::find`], once for each program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PredId(pub u32);

impl PredId {
    /// As an index into [`super::Program::predicates`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A predicate: a name with a number of arguments.
#[derive(Clone, Debug, Default)]
pub struct Predicate {
    /// With its package, dots included.
    pub name: Arc<str>,
    /// The number of arguments; the bounds of a temporal predicate do not count.
    pub arity: usize,
    /// Whether its facts hold at intervals.
    pub temporal: bool,
    /// Made by the analysis (`…__tmp`): left out of what is printed.
    pub generated: bool,
    /// Whether a request may bring facts of it. What depends on such a predicate is not part of a snapshot.
    pub session: bool,
    /// Its rows come from outside.
    pub external: Option<External>,
    /// Only one row for each key is kept; two are merged.
    pub merge: Option<Merge>,
    /// `deferred()`: its rules run only where it is called, with these modes. It has no rows.
    pub deferred: Option<Vec<Mode>>,
    /// Where it is declared, or first used.
    pub span: Span,
}

/// What an argument of a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `+`: has a value before the call.
    In,
    /// `-`: gets its value from the call.
    Out,
    /// `?`: either.
    Any,
}

/// A predicate whose rows are asked for in batches while a program is evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// The allowed ways to call it, each with a mode for every argument.
    pub modes: Vec<Vec<Mode>>,
    /// Whether the same question has the same answer within one evaluation and between evaluations.
    pub deterministic: bool,
}

/// `fundep([keys], [merged]), merge([merged], 'by')`: a lattice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merge {
    /// The argument positions that name a row.
    pub keys: Vec<usize>,
    /// The argument position that two rows of one key are merged in.
    pub merged: usize,
    /// The deferred predicate `by(Old, New, Merged)` that says how.
    pub by: PredId,
    /// The rules of `by`.
    pub rules: Vec<RuleId>,
}
