//! The error codes of §14.3, by number, name and category.

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
    /// The caller has to authenticate.
    AuthRequired,
    /// The credentials have expired.
    AuthExpired,
    /// A validator of the kernel refused the call.
    ValidationBlocked,
    /// The submitted code was refused.
    CodeSafetyViolation,
    /// The server is not connected.
    ServerNotReady,
    /// The server is shutting down.
    ServerDraining,
    /// The server is restarting.
    ServerRestarting,
    /// The caller sends too many requests.
    RateLimited,
    /// A resource is exhausted.
    ResourceExhausted,
    /// The quota is used up.
    QuotaExceeded,
    /// The call took too long.
    Timeout,
    /// The arguments are invalid.
    InvalidToolArgs,
    /// There is no such tool.
    ToolNotFound,
    /// The tool is disabled.
    ToolDisabled,
    /// A system behind the server failed.
    UpstreamError,
    /// A system behind the server took too long.
    UpstreamTimeout,
    /// A system behind the server can't be reached.
    UpstreamUnavailable,
}

/// A row of the table: the code, its number and name, and its default recovery.
struct Row {
    code: Code,
    number: i64,
    name: &'static str,
    again: Again,
}

/// Whether a retry can help: after how many milliseconds, by which strategy, and how often.
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
    // Whether the call took effect is not known: the caller decides whether it may be repeated.
    Row { code: Code::Timeout,             number: 3003, name: "TIMEOUT",               again: Never },
    Row { code: Code::InvalidToolArgs,     number: 4000, name: "INVALID_TOOL_ARGS",     again: Never },
    Row { code: Code::ToolNotFound,        number: 4001, name: "TOOL_NOT_FOUND",        again: Never },
    Row { code: Code::ToolDisabled,        number: 4002, name: "TOOL_DISABLED",         again: Never },
    Row { code: Code::UpstreamError,       number: 5000, name: "UPSTREAM_ERROR",        again: Never },
    Row { code: Code::UpstreamTimeout,     number: 5001, name: "UPSTREAM_TIMEOUT",      again: Never },
    Row { code: Code::UpstreamUnavailable, number: 5002, name: "UPSTREAM_UNAVAILABLE",  again: After(2_000, ExponentialBackoff, 3) },
];

impl Code {
    /// Returns all 19 codes, by number.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.code)
    }

    fn row(self) -> &'static Row {
        // The table has the order of the enum, which a test checks.
        &TABLE[self as usize]
    }

    /// Returns the number on the wire.
    #[must_use]
    pub fn number(self) -> i64 {
        self.row().number
    }

    /// Returns the name in the specification.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the code of a number.
    #[must_use]
    pub fn of(number: i64) -> Option<Self> {
        TABLE.iter().find(|row| row.number == number).map(|row| row.code)
    }

    /// Returns its category.
    #[must_use]
    pub fn category(self) -> Category {
        // Every number of the table is in a range, which a test checks.
        Category::of(self.number()).unwrap_or(Category::Security)
    }

    /// Returns its default recovery.
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
