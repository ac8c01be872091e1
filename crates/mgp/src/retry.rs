//! When a failed call is made again, and when not (§14.6, D32).
//!
//! Law: a plan says what comes next; it makes no call. Whatever it says, the call that follows is asked about like any other: the fallback tool is
//! another tool, with another risk and other rules.

use std::time::Duration;

use jsonrpc::{ObjectBuilder, Raw};

use crate::error::{Reported, Strategy};

/// How patient the gateway is, whatever a server asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// How often a call is made again.
    pub max_retries: u32,
    /// The longest single wait. Who asks for more is not waited for at all: to come back earlier than asked would only annoy.
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

/// The first wait where a server names none but wants waits to grow or to stay the same.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// What to do after a failed attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Wait so long, then make the call again.
    Again(Duration),
    /// Call this tool of the same server instead, once.
    Fallback(String),
    /// Report the error.
    GiveUp(Reason),
}

/// Why a call is not made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The error does not allow it: §14.6 forbids to try.
    NotRetryable,
    /// It was made often enough.
    Exhausted,
    /// The wait would be longer than the caller waits, or than anybody should.
    TooLong,
}

impl Reason {
    /// For the audit.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotRetryable => "not retryable",
            Self::Exhausted => "retries exhausted",
            Self::TooLong => "the wait would be too long",
        }
    }
}

/// The attempts of one call.
#[derive(Clone, Debug)]
pub struct Plan {
    caps: Caps,
    retries: u32,
    fallen_back: bool,
}

impl Plan {
    /// A call that was made once.
    #[must_use]
    pub fn new(caps: Caps) -> Self {
        Self {
            caps,
            retries: 0,
            fallen_back: false,
        }
    }

    /// How often the call was made again so far.
    #[must_use]
    pub fn retries(&self) -> u32 {
        self.retries
    }

    /// What follows the failure of an attempt. `remaining` is what is left of the caller's deadline; `random` is any number, which spreads the
    /// waits of many callers by up to a quarter, upwards only: a server's `retry_after_ms` is a minimum.
    pub fn failed(&mut self, error: &Reported, remaining: Duration, random: u64) -> Step {
        let recovery = &error.recovery;
        if !recovery.retryable {
            return Step::GiveUp(Reason::NotRetryable);
        }
        let most = recovery.max_retries.unwrap_or(self.caps.max_retries).min(self.caps.max_retries);
        // A fallback that fails ends the plan: its own fallback is not followed, or two tools could send a call round in a circle.
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

    /// §14.6.4: the alternative comes after all retries.
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

/// The details of the audit event that each attempt gets (§14.6.5), of type [`crate::audit::EventType::RETRY`].
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
