//! Recovery from errors: reads and writes the `_mgp` object of §14.4 and §14.5.

use jsonrpc::{ObjectBuilder, Raw};

use super::category::Category;

/// The recovery fields of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// The category.
    pub category: Category,
    /// Whether the same request may be sent again.
    pub retryable: bool,
    /// The least number of milliseconds to wait.
    pub retry_after_ms: Option<u64>,
    /// The strategy by which the waits grow.
    pub strategy: Option<Strategy>,
    /// The number of retries at most.
    pub max_retries: Option<u32>,
    /// The tool to try when retries do not help.
    pub fallback_tool: Option<String>,
    /// Further details, as the server defines them: an object.
    pub details: Option<Raw>,
}

/// The strategy by which the waits between attempts grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// The retry is immediate.
    Immediate,
    /// The waits have a fixed length.
    FixedDelay,
    /// The waits double.
    ExponentialBackoff,
}

impl Strategy {
    /// Returns its word on the wire (§14.5).
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Immediate => "immediate",
            Self::FixedDelay => "fixed_delay",
            Self::ExponentialBackoff => "exponential_backoff",
        }
    }

    /// Reads a server's word. An unknown word (`exponential`, `linear`) is read as the most patient strategy (D32).
    #[must_use]
    pub fn read(word: &str) -> Self {
        match word {
            "immediate" => Self::Immediate,
            "fixed_delay" | "fixed" => Self::FixedDelay,
            _ => Self::ExponentialBackoff,
        }
    }
}

impl Recovery {
    /// Returns the recovery of an error for which no retry helps.
    #[must_use]
    pub fn never(category: Category) -> Self {
        Self {
            category,
            retryable: false,
            retry_after_ms: None,
            strategy: None,
            max_retries: None,
            fallback_tool: None,
            details: None,
        }
    }

    /// Adds the fields to an object that is being built, in the order of §14.4.
    pub(super) fn write(&self, members: ObjectBuilder) -> ObjectBuilder {
        let number = |value: Option<u64>| value.map(Raw::uint);
        members
            .text("category", self.category.as_str())
            .flag("retryable", self.retryable)
            .maybe("retry_after_ms", number(self.retry_after_ms).as_ref())
            .maybe_text("retry_strategy", self.strategy.map(Strategy::as_str))
            .maybe("max_retries", number(self.max_retries.map(u64::from)).as_ref())
            .maybe_text("fallback_tool", self.fallback_tool.as_deref())
    }
}
