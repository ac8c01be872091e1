//! What an error says about trying again: the `_mgp` object of §14.4 and §14.5, written and read.

use jsonrpc::{ObjectBuilder, Raw};

use super::category::Category;

/// The recovery fields of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// What kind of trouble it is.
    pub category: Category,
    /// Whether the same request may be sent again.
    pub retryable: bool,
    /// How many milliseconds to wait at least.
    pub retry_after_ms: Option<u64>,
    /// How the waits grow.
    pub strategy: Option<Strategy>,
    /// How often at most.
    pub max_retries: Option<u32>,
    /// What to try when nothing helps.
    pub fallback_tool: Option<String>,
    /// More, as the server defines it: an object.
    pub details: Option<Raw>,
}

/// How the waits between attempts grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// They don't, and are as short as may be.
    Immediate,
    /// They stay the same.
    FixedDelay,
    /// They double.
    ExponentialBackoff,
}

impl Strategy {
    /// Its word (§14.5).
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Immediate => "immediate",
            Self::FixedDelay => "fixed_delay",
            Self::ExponentialBackoff => "exponential_backoff",
        }
    }

    /// By a word of a server. What nobody knows (`exponential`, `linear`) is read as the most patient (D32).
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
    /// Trying again does not help.
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

    /// Adds the fields to an object in the making, in the order of §14.4.
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
