//! The times of facts, and how rules use them. All instants are nanoseconds since 1970 UTC, all intervals closed.

use super::rule::Slot;
use crate::value::Value;

/// A closed interval of instants; `i64::MIN` and `i64::MAX` stand for no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    /// The first instant.
    pub start: i64,
    /// The last instant, not before `start`.
    pub end: i64,
}

impl Interval {
    /// The interval of all time.
    pub const ALWAYS: Self = Self {
        start: i64::MIN,
        end: i64::MAX,
    };

    /// Returns the interval from `start` to `end`, both included; `None` if it would be empty.
    pub fn new(start: i64, end: i64) -> Option<Self> {
        (start <= end).then_some(Self { start, end })
    }

    /// Returns the interval of one instant.
    pub const fn at(instant: i64) -> Self {
        Self {
            start: instant,
            end: instant,
        }
    }

    /// Returns whether `other` lies inside.
    pub const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns whether two intervals share an instant.
    pub const fn overlaps(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

/// One end of a time annotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// A variable that holds a time (or a number of nanoseconds).
    Slot(Slot),
    /// A point in time.
    At(i64),
    /// A constant value, checked to be a time when it is used.
    Value(Value),
    /// A time relative to the evaluation time: `7d` within an operator. Positive; the operator gives the direction.
    Offset(i64),
    /// `now`: the evaluation time.
    Now,
    /// `_`: in a head or fact no bound; in a body see [`When::During`].
    Open,
}

/// The time of a head or a fact, `@[start, end]`; `@[t]` has the same bound twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadTime {
    /// The time at which it begins.
    pub start: Bound,
    /// The time at which it ends.
    pub end: Bound,
}

impl From<Interval> for HeadTime {
    fn from(interval: Interval) -> Self {
        Self {
            start: Bound::At(interval.start),
            end: Bound::At(interval.end),
        }
    }
}

/// How a body atom checks the time of a fact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    /// `p(..)@[start, end]`: A bound that has a value must lie within one interval of the fact; a variable that no
    /// earlier premise binds gets the interval's own bound (`@[T]` its start). `_` beside an unbound variable matches
    /// anything, else it requires that there is no bound.
    During {
        /// The time at which it begins.
        start: Bound,
        /// The time at which it ends.
        end: Bound,
    },
    /// An operator such as `<-[from, to] p(..)`, with an annotation that binds the interval found.
    Window(Window),
}

/// A temporal operator with its bounds, seen from the evaluation time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The operator.
    pub operator: Operator,
    /// The nearer bound: [`Bound::Offset`], [`Bound::At`], [`Bound::Now`], [`Bound::Open`] or a bound variable.
    pub from: Bound,
    /// The farther bound.
    pub to: Bound,
    /// The variables that get the bounds of the interval found: `<-[..] p(..)@[S, E]`.
    pub found: Option<HeadTime>,
}

/// The four temporal operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `<-`: at some time in the past window.
    OncePast,
    /// `[-`: all through the past window.
    AlwaysPast,
    /// `<+`: at some time in the window ahead.
    OnceAhead,
    /// `[+`: all through the window ahead.
    AlwaysAhead,
}
