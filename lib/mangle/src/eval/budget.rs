//! The limits of an evaluation, and the error when it exceeds one. Steps are the decisive limit: they are equal on
//! every machine, so an evaluation always ends at the same place.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::program::{Rule, RuleId};

/// The limits of one evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// How many steps it may take: rows examined, function calls, rows indexed.
    pub steps: u64,
    /// How many facts it may derive, not counting those given.
    pub facts: u64,
    /// How many disjoint intervals one fact may hold at.
    pub intervals: u64,
    /// How many bytes on the heap it may use for rows, indexes and new values. At most 2 GiB count.
    pub bytes: u64,
}

impl Budget {
    /// A budget without limits but that of memory (2 GiB): for benchmarks and for programs that are trusted to end.
    pub const UNLIMITED: Self = Self {
        steps: u64::MAX,
        facts: u64::MAX,
        intervals: u64::MAX,
        bytes: 1 << 31,
    };
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: 100_000_000,
            facts: 1_000_000,
            intervals: 1_000,
            bytes: 256 << 20,
        }
    }
}

/// A flag that ends an evaluation from another thread. Clones share one flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Ends every evaluation that was given this flag, within about a thousand steps.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether [`Self::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The limit [`Budget::steps`].
    Steps,
    /// The limit [`Budget::facts`].
    Facts,
    /// The limit [`Budget::intervals`].
    Intervals,
    /// The limit [`Budget::bytes`].
    Bytes,
    /// The evaluation was cancelled with [`Cancel::cancel`].
    Cancelled,
}

impl Limit {
    /// Returns the unit that is counted.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Facts => "facts",
            Self::Intervals => "intervals of one fact",
            Self::Bytes => "bytes",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The error that an evaluation exceeded its budget. There is no partial result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// The limit that was reached.
    pub limit: Limit,
    /// How much was allowed.
    pub allowed: u64,
    /// How much was used when it stopped.
    pub consumed: u64,
    /// The stratum that was evaluated, from zero.
    pub stratum: usize,
    /// The rule that was evaluated, if one was.
    pub rule: Option<RuleId>,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.limit {
            Limit::Cancelled => f.write_str("the evaluation was cancelled"),
            limit => write!(
                f,
                "the evaluation used {} {}, but {} are allowed",
                self.consumed,
                limit.unit(),
                self.allowed
            ),
        }
    }
}

impl std::error::Error for Exceeded {}

/// The size in bytes of the largest value that a built-in processes: on a larger one it could not be interrupted in
/// time.
pub(crate) const MAX_VALUE: usize = 16 << 20;

/// How deeply values may nest: comparing and printing them is recursive.
pub(crate) const MAX_DEPTH: u32 = 500;

/// The number of steps between two checks of the flag and of memory.
const CHUNK: u64 = 1024;

/// The number of rows between two checks of the flag where each row is little work.
pub(crate) const GLANCE: usize = 1 << 16;

/// A meter of what an evaluation has used.
#[derive(Debug)]
pub(crate) struct Meter {
    pub budget: Budget,
    cancel: Cancel,
    /// The steps left before the next check.
    fuel: u64,
    /// The steps granted as fuel, used or not.
    granted: u64,
    /// Facts derived so far.
    pub derived: u64,
    /// The bytes that do not change while a rule runs.
    pub resting: usize,
    /// The bytes that stay until the evaluation ends: questions, and plans of calls.
    pub kept: usize,
    pub stratum: usize,
    pub rule: Option<RuleId>,
}

impl Meter {
    pub(crate) fn new(budget: Budget, cancel: Cancel) -> Self {
        let bytes = budget.bytes.min(1 << 31);
        Self {
            budget: Budget { bytes, ..budget },
            cancel,
            fuel: 0,
            granted: 0,
            derived: 0,
            resting: 0,
            kept: 0,
            stratum: 0,
            rule: None,
        }
    }

    /// Returns how many steps were taken.
    pub(crate) fn steps(&self) -> u64 {
        self.granted - self.fuel
    }

    /// Takes `count` steps. `moving` are the bytes that the running rule holds in addition to [`Self::resting`].
    #[inline(always)]
    pub(crate) fn step(&mut self, count: u64, moving: impl FnOnce() -> usize) -> Result<(), Exceeded> {
        if self.spend(count) { Ok(()) } else { self.refuel(count, moving()) }
    }

    /// Takes `count` steps if there is fuel for them; returns whether there was.
    #[inline(always)]
    pub(crate) fn spend(&mut self, count: u64) -> bool {
        let left = self.fuel.checked_sub(count);
        self.fuel = left.unwrap_or(self.fuel);
        left.is_some()
    }

    /// Returns the steps before the next check.
    pub(crate) fn fuel(&self) -> u64 {
        self.fuel
    }

    /// Takes the steps of making a plan for a rule: for each premise that it takes, the planner examines all that are
    /// left.
    pub(crate) fn planning(&mut self, rule: &Rule) -> Result<(), Exceeded> {
        let premises = rule.premises.len() as u64;
        self.step(premises * premises / 64, || 0)
    }

    /// Takes `count` steps for which there is no fuel, and checks memory and the flag.
    #[cold]
    pub(crate) fn refuel(&mut self, count: u64, moving: usize) -> Result<(), Exceeded> {
        self.check_bytes(moving)?;
        let wanted = count.max(CHUNK);
        let left = self.budget.steps - self.granted;
        self.granted += wanted.min(left);
        self.fuel += wanted.min(left);
        match self.fuel.checked_sub(count) {
            Some(left) => self.fuel = left,
            None => return Err(self.exceeded(Limit::Steps, self.budget.steps, self.steps().saturating_add(count))),
        }
        Ok(())
    }

    /// Checks memory and the flag.
    pub(crate) fn check_bytes(&self, moving: usize) -> Result<(), Exceeded> {
        if self.cancel.is_cancelled() {
            return Err(self.exceeded(Limit::Cancelled, 0, 0));
        }
        let bytes = (self.resting + self.kept + moving) as u64;
        if bytes > self.budget.bytes {
            return Err(self.exceeded(Limit::Bytes, self.budget.bytes, bytes));
        }
        Ok(())
    }

    /// Checks the flag now and then during work that has been counted already, at row `at` of many.
    #[inline(always)]
    pub(crate) fn glance(&self, at: usize) -> Result<(), Exceeded> {
        if at.is_multiple_of(GLANCE) && self.cancel.is_cancelled() {
            return Err(self.exceeded(Limit::Cancelled, 0, 0));
        }
        Ok(())
    }

    /// Returns the error for a single value that is too large.
    pub(crate) fn too_large(&self, allowed: usize, bytes: usize) -> Exceeded {
        self.exceeded(Limit::Bytes, allowed as u64, bytes as u64)
    }

    /// Counts one derived fact.
    #[inline(always)]
    pub(crate) fn fact(&mut self) -> Result<(), Exceeded> {
        self.facts(1)
    }

    /// Returns how many more facts may be derived.
    #[inline(always)]
    pub(crate) fn room(&self) -> u64 {
        self.budget.facts.saturating_sub(self.derived)
    }

    /// Counts `count` derived facts.
    #[inline(always)]
    pub(crate) fn facts(&mut self, count: u64) -> Result<(), Exceeded> {
        self.derived += count;
        if self.derived > self.budget.facts {
            return Err(self.exceeded(Limit::Facts, self.budget.facts, self.derived));
        }
        Ok(())
    }

    pub(crate) fn intervals(&self, count: usize) -> Result<(), Exceeded> {
        if count as u64 > self.budget.intervals {
            return Err(self.exceeded(Limit::Intervals, self.budget.intervals, count as u64));
        }
        Ok(())
    }

    #[cold]
    fn exceeded(&self, limit: Limit, allowed: u64, consumed: u64) -> Exceeded {
        Exceeded {
            limit,
            allowed,
            consumed,
            stratum: self.stratum,
            rule: self.rule,
        }
    }
}
