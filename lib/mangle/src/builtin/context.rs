//! The context of built-ins, and their errors.

use std::fmt;

use crate::value::{Interner, Value, View};

/// What a built-in may use: values, and the time of the evaluation.
#[derive(Debug)]
pub struct Context<'a> {
    /// The source of values.
    pub interner: &'a mut Interner,
    /// The evaluation time in nanoseconds since 1970 UTC. There is no clock.
    pub now: i64,
}

/// The reason why a built-in has no answer. It ends the evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Something was divided by zero.
    DivisionByZero,
    /// A value is not of the required kind.
    Kind {
        /// The required kind.
        wanted: &'static str,
        /// The value.
        got: String,
    },
    /// There is no such item or field.
    Missing {
        /// The item or field that was looked up.
        what: String,
        /// The value in which it was looked up.
        within: String,
    },
    /// A text cannot be read as the required kind.
    Text {
        /// The required kind.
        wanted: &'static str,
        /// The text.
        got: String,
    },
    /// A word is not one of the known ones.
    Word {
        /// The meaning of the word.
        wanted: &'static str,
        /// The word.
        got: String,
        /// The known words.
        known: &'static str,
    },
    /// A key occurs twice in a map or struct.
    Twice(String),
    /// A result is not representable.
    Range(&'static str),
    /// An interval ends before it begins; times as text.
    Backwards {
        /// When it begins.
        start: String,
        /// When it ends.
        end: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DivisionByZero => f.write_str("division by zero: test the divisor first"),
            Self::Kind { wanted, got } => write!(f, "`{got}` is not {wanted}"),
            Self::Missing { what, within } => write!(f, "`{within}` has no {what}"),
            Self::Text { wanted, got } => write!(f, "`{got}` does not read as {wanted}"),
            Self::Word { wanted, got, known } => write!(f, "`{got}` is not {wanted}: take one of {known}"),
            Self::Twice(key) => write!(f, "the key `{key}` stands twice"),
            Self::Range(what) => write!(f, "the result is not {what}"),
            Self::Backwards { start, end } => write!(f, "the interval from {start} to {end} ends before it begins"),
        }
    }
}

impl std::error::Error for Fault {}

impl Context<'_> {
    fn not(&self, wanted: &'static str, got: Value) -> Fault {
        Fault::Kind {
            wanted,
            got: self.interner.print(got).to_string(),
        }
    }

    #[inline(always)]
    pub(super) fn number(&self, value: Value) -> Result<i64, Fault> {
        match value.small_number() {
            Some(number) => Ok(number),
            None => self.wide_number(value),
        }
    }

    #[cold]
    fn wide_number(&self, value: Value) -> Result<i64, Fault> {
        self.interner.as_number(value).ok_or_else(|| self.not("a number", value))
    }

    /// Returns a float, or a number converted to one.
    pub(super) fn float(&self, value: Value) -> Result<f64, Fault> {
        match self.interner.view(value) {
            View::Float(float) => Ok(float),
            View::Number(number) => Ok(number as f64),
            _ => Err(self.not("a float or a number", value)),
        }
    }

    pub(super) fn time(&self, value: Value) -> Result<i64, Fault> {
        match self.interner.view(value) {
            View::Time(nanos) => Ok(nanos),
            _ => Err(self.not("a time", value)),
        }
    }

    pub(super) fn duration(&self, value: Value) -> Result<i64, Fault> {
        match self.interner.view(value) {
            View::Duration(nanos) => Ok(nanos),
            _ => Err(self.not("a duration", value)),
        }
    }

    pub(super) fn name(&self, value: Value) -> Result<&str, Fault> {
        match self.interner.view(value) {
            View::Name(name) => Ok(name),
            _ => Err(self.not("a name", value)),
        }
    }

    pub(super) fn string(&self, value: Value) -> Result<&str, Fault> {
        match self.interner.view(value) {
            View::String(text) => Ok(text),
            _ => Err(self.not("a string", value)),
        }
    }

    pub(super) fn list(&self, value: Value) -> Result<Vec<Value>, Fault> {
        match self.interner.view(value) {
            View::List(items) => Ok(items.iter().collect()),
            _ => Err(self.not("a list", value)),
        }
    }

    pub(super) fn pair(&self, value: Value) -> Result<(Value, Value), Fault> {
        match self.interner.view(value) {
            View::Pair(first, second) => Ok((first, second)),
            _ => Err(self.not("a pair", value)),
        }
    }

    /// Returns the whole value as text, for messages.
    pub(super) fn show(&self, value: Value) -> String {
        self.interner.print(value).to_string()
    }

    /// Returns the bounds of an interval: a pair of times, or of numbers of nanoseconds.
    pub(super) fn interval(&self, value: Value) -> Result<(i64, i64), Fault> {
        let bound = |value: Value| match self.interner.view(value) {
            View::Time(nanos) | View::Number(nanos) => Ok(nanos),
            _ => Err(self.not("a pair of times", value)),
        };
        let (start, end) = self.pair(value)?;
        Ok((bound(start)?, bound(end)?))
    }
}
