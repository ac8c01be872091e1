//! How a call that was placed ended.

use mcp::exchange::Outcome;

use super::labels;

/// How driving a call ended.
pub(crate) enum CallResult {
    /// With an outcome.
    Over(Outcome),
    /// The server has not acted on it: it may be sent again.
    NotDone(String),
    /// The server may have acted on it.
    Lost(String),
}

impl CallResult {
    /// Returns how it counts in the metrics.
    pub(crate) fn label(&self) -> &'static str {
        match self {
            Self::Over(outcome) => labels::of_outcome(outcome),
            Self::NotDone(_) => "not_sent",
            Self::Lost(_) => "lost",
        }
    }
}
