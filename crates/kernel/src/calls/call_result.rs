//! The result of a call that was placed.

use mcp::exchange::Outcome;

use super::labels;

/// The result of driving a call.
pub(crate) enum CallResult {
    /// The call has an outcome.
    Over(Outcome),
    /// The server has not acted on it: it may be sent again.
    NotDone(String),
    /// The server may have acted on it.
    Lost(String),
}

impl CallResult {
    /// Returns its label in the metrics.
    pub(crate) fn label(&self) -> &'static str {
        match self {
            Self::Over(outcome) => labels::of_outcome(outcome),
            Self::NotDone(_) => "not_sent",
            Self::Lost(_) => "lost",
        }
    }
}
