//! Evaluation: rows, joins, strata, budgets.
//!
//! Law: an evaluation is a value. It reads no clock and starts no thread; what it needs from outside it returns as a
//! question; equal program, facts, time and budget give an equal result, byte for byte.

mod budget;
mod call;
mod coverage;
mod error;
mod evaluation;
mod external;
mod finding;
mod given;
mod group;
pub(crate) mod hash;
mod index;
mod interval_set;
mod machine;
mod merge;
mod model;
mod past;
mod plan;
mod relation;
pub(crate) mod room;
mod round;
mod segment;
mod snapshot;
pub(crate) mod sort;
pub(crate) mod table;
mod times;

pub use budget::{Budget, Cancel, Exceeded, Limit};
pub(crate) use budget::{MAX_DEPTH, MAX_VALUE};
pub use coverage::RuleCount;
pub use error::{BadMerge, EvalError};
pub use evaluation::{Evaluation, Options, Running};
pub use external::{Batch, Question};
pub use model::{Fact, Model};
pub use snapshot::{Base, Snapshot};

/// The parts of the evaluator that explanations use: the machine, run backwards.
pub(crate) mod parts {
    pub(crate) use super::{
        budget::Meter,
        call::{Calls, Even, give},
        external::Asked,
        given::check_row,
        interval_set::IntervalSet,
        machine::{Deepest, Machine, Proofs, Seen, Target, Tools, World, prepare_shared},
        past::Past,
        plan::{Emit, Plan, Wish, plan},
        relation::Relation,
        segment::Segment,
        times::Times,
    };
}

#[cfg(test)]
mod tests;
