//! Plans of retries: when a failed call is made again, and when not (§14.6, D32).
//!
//! Law: a plan returns the next step; it makes no call. Policy is asked about the call of that step as about any other: the fallback tool is another
//! tool, with another risk and other rules.

use std::time::Duration;

use jsonrpc::{ObjectBuilder, Raw};

use crate::error::{Reported, Strategy};

/// The limits of retries, whatever a server asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// The number of retries of a call.
    pub max_retries: u32,
    /// The longest single wait. If a server asks for a longer one, the call is not retried, because an earlier retry would be useless.
    pub max_wait: Duration,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            max_retries: 3,
            max_wait: Duration::from_secs(30),
        }
    }
}

/// The first wait if a server names a strategy of waits but no length.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// The step after a failed attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Wait for this time, then make the call again.
    Again(Duration),
    /// Call this tool of the same server instead, once.
    Fallback(String),
    /// Report the error.
    GiveUp(Reason),
}

/// The reason why a call is not made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The error is not retryable, so §14.6 forbids a retry.
    NotRetryable,
    /// The number of retries is exhausted.
    Exhausted,
    /// The wait would be longer than the caller's deadline, or than the limit.
    TooLong,
}

impl Reason {
    /// Returns its word in the audit.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotRetryable => "not retryable",
            Self::Exhausted => "retries exhausted",
            Self::TooLong => "the wait would be too long",
        }
    }
}

/// The plan of one call's attempts.
#[derive(Clone, Debug)]
pub struct Plan {
    caps: Caps,
    retries: u32,
    fallen_back: bool,
}

impl Plan {
    /// Creates the plan of a call that was made once.
    #[must_use]
    pub fn new(caps: Caps) -> Self {
        Self {
            caps,
            retries: 0,
            fallen_back: false,
        }
    }

    /// Returns the number of retries so far.
    #[must_use]
    pub fn retries(&self) -> u32 {
        self.retries
    }

    /// Returns the step after the failure of an attempt. `remaining` is the time until the caller's deadline; `random` is any number, which lengthens
    /// the waits of many callers by up to a quarter. It never shortens them, because a server's `retry_after_ms` is a minimum.
    pub fn failed(&mut self, error: &Reported, remaining: Duration, random: u64) -> Step {
        let recovery = &error.recovery;
        if !recovery.retryable {
            return Step::GiveUp(Reason::NotRetryable);
        }
        let most = recovery.max_retries.unwrap_or(self.caps.max_retries).min(self.caps.max_retries);
        // A fallback that fails ends the plan. Its own fallback is not followed, because two tools could name each other without end.
        if self.fallen_back {
            return Step::GiveUp(Reason::Exhausted);
        }
        if self.retries >= most {
            return self.last_resort(error, Reason::Exhausted);
        }
        let wait = spread(self.wait(error), random);
        if wait > self.caps.max_wait || wait >= remaining {
            return self.last_resort(error, Reason::TooLong);
        }
        self.retries += 1;
        Step::Again(wait)
    }

    fn wait(&self, error: &Reported) -> Duration {
        let asked = error.recovery.retry_after_ms.map(Duration::from_millis);
        match error.recovery.strategy {
            None | Some(Strategy::Immediate) => asked.unwrap_or_default(),
            Some(Strategy::FixedDelay) => asked.unwrap_or(FIRST_WAIT),
            Some(Strategy::ExponentialBackoff) => {
                let first = asked.filter(|asked| !asked.is_zero()).unwrap_or(FIRST_WAIT);
                first.saturating_mul(1_u32.checked_shl(self.retries).unwrap_or(u32::MAX))
            }
        }
    }

    /// Returns the last step, which comes after all retries: the fallback tool, if there is one (§14.6.4).
    fn last_resort(&mut self, error: &Reported, reason: Reason) -> Step {
        match &error.recovery.fallback_tool {
            Some(tool) => {
                self.fallen_back = true;
                Step::Fallback(tool.clone())
            }
            None => Step::GiveUp(reason),
        }
    }
}

fn spread(wait: Duration, random: u64) -> Duration {
    let quarter = u64::try_from(wait.as_millis() / 4).unwrap_or(u64::MAX);
    let extra = if quarter == 0 { 0 } else { random % (quarter + 1) };
    wait.saturating_add(Duration::from_millis(extra))
}

/// Returns the details of the audit event of an attempt (§14.6.5), of type [`crate::audit::EventType::RETRY`].
#[must_use]
pub fn details(plan: &Plan, error: &Reported, step: &Step) -> Raw {
    let members = ObjectBuilder::new()
        .raw("code", &Raw::of(&error.number))
        .uint("retries", u64::from(plan.retries));
    match step {
        Step::Again(wait) => members
            .text("next", "again")
            .uint("wait_ms", u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
        Step::Fallback(tool) => members.text("next", "fallback").text("fallback_tool", tool),
        Step::GiveUp(reason) => members.text("next", "none").text("reason", reason.as_str()),
    }
    .finish()
}
