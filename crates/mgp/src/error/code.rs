//! The codes of §14.3, by number, name and category.

use std::fmt;

use super::category::Category;
use super::recovery::{Recovery, Strategy};

/// An error code of MGP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// The caller lacks a permission.
    PermissionDenied,
    /// The agent may not use the tool.
    AccessDenied,
    /// Somebody has to say who they are.
    AuthRequired,
    /// The credentials are too old.
    AuthExpired,
    /// A validator of the kernel refused the call.
    ValidationBlocked,
    /// The code that was given is refused.
    CodeSafetyViolation,
    /// The server is not connected.
    ServerNotReady,
    /// The server is shutting down.
    ServerDraining,
    /// The server is starting again.
    ServerRestarting,
    /// Too many requests.
    RateLimited,
    /// No room for more.
    ResourceExhausted,
    /// What was granted is used up.
    QuotaExceeded,
    /// It took too long.
    Timeout,
    /// The arguments don't fit.
    InvalidToolArgs,
    /// There is no such tool.
    ToolNotFound,
    /// The tool is switched off.
    ToolDisabled,
    /// Somebody behind the server failed.
    UpstreamError,
    /// Somebody behind the server took too long.
    UpstreamTimeout,
    /// Somebody behind the server can't be reached.
    UpstreamUnavailable,
}

/// One row: the code, its number and name, and what it says about trying again where nobody says more.
struct Row {
    code: Code,
    number: i64,
    name: &'static str,
    again: Again,
}

/// Whether trying again can help: after how many milliseconds, in what manner, how often.
#[derive(Clone, Copy)]
enum Again {
    Never,
    After(u64, Strategy, u32),
}

use Again::{After, Never};
use Strategy::{ExponentialBackoff, FixedDelay};

#[rustfmt::skip]
const TABLE: [Row; 19] = [
    Row { code: Code::PermissionDenied,    number: 1000, name: "PERMISSION_DENIED",     again: Never },
    Row { code: Code::AccessDenied,        number: 1001, name: "ACCESS_DENIED",         again: Never },
    Row { code: Code::AuthRequired,        number: 1002, name: "AUTH_REQUIRED",         again: Never },
    Row { code: Code::AuthExpired,         number: 1003, name: "AUTH_EXPIRED",          again: Never },
    Row { code: Code::ValidationBlocked,   number: 1010, name: "VALIDATION_BLOCKED",    again: Never },
    Row { code: Code::CodeSafetyViolation, number: 1011, name: "CODE_SAFETY_VIOLATION", again: Never },
    Row { code: Code::ServerNotReady,      number: 2000, name: "SERVER_NOT_READY",      again: After(1_000, ExponentialBackoff, 5) },
    Row { code: Code::ServerDraining,      number: 2001, name: "SERVER_DRAINING",       again: After(5_000, FixedDelay, 3) },
    Row { code: Code::ServerRestarting,    number: 2002, name: "SERVER_RESTARTING",     again: After(2_000, ExponentialBackoff, 5) },
    Row { code: Code::RateLimited,         number: 3000, name: "RATE_LIMITED",          again: After(1_000, ExponentialBackoff, 3) },
    Row { code: Code::ResourceExhausted,   number: 3001, name: "RESOURCE_EXHAUSTED",    again: After(1_000, ExponentialBackoff, 3) },
    Row { code: Code::QuotaExceeded,       number: 3002, name: "QUOTA_EXCEEDED",        again: Never },
    // Whether the call took effect is not known: the one who calls decides whether it may be made twice.
    Row { code: Code::Timeout,             number: 3003, name: "TIMEOUT",               again: Never },
    Row { code: Code::InvalidToolArgs,     number: 4000, name: "INVALID_TOOL_ARGS",     again: Never },
    Row { code: Code::ToolNotFound,        number: 4001, name: "TOOL_NOT_FOUND",        again: Never },
    Row { code: Code::ToolDisabled,        number: 4002, name: "TOOL_DISABLED",         again: Never },
    Row { code: Code::UpstreamError,       number: 5000, name: "UPSTREAM_ERROR",        again: Never },
    Row { code: Code::UpstreamTimeout,     number: 5001, name: "UPSTREAM_TIMEOUT",      again: Never },
    Row { code: Code::UpstreamUnavailable, number: 5002, name: "UPSTREAM_UNAVAILABLE",  again: After(2_000, ExponentialBackoff, 3) },
];

impl Code {
    /// All 19, by number.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.code)
    }

    fn row(self) -> &'static Row {
        // The table has the order of the enum; a test holds it to that.
        &TABLE[self as usize]
    }

    /// The number on the wire.
    #[must_use]
    pub fn number(self) -> i64 {
        self.row().number
    }

    /// The name in the specification.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// By its number.
    #[must_use]
    pub fn of(number: i64) -> Option<Self> {
        TABLE.iter().find(|row| row.number == number).map(|row| row.code)
    }

    /// What kind of trouble it is.
    #[must_use]
    pub fn category(self) -> Category {
        // Every number of the table is in a range; a test goes over all of them.
        Category::of(self.number()).unwrap_or(Category::Security)
    }

    /// What it says about trying again where nobody says more.
    #[must_use]
    pub fn recovery(self) -> Recovery {
        let never = Recovery::never(self.category());
        match self.row().again {
            Never => never,
            After(wait, strategy, times) => Recovery {
                retryable: true,
                retry_after_ms: Some(wait),
                strategy: Some(strategy),
                max_retries: Some(times),
                ..never
            },
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.number(), self.name())
    }
}
