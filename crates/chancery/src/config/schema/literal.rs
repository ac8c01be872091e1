//! The default values of keys.

use std::fmt;

use super::super::node::Value;

/// A value in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    /// A string.
    Text(&'static str),
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Count(u32),
    /// An empty list.
    Empty,
}

impl Literal {
    /// Returns the value as if it had been read.
    #[must_use]
    pub(super) fn value(self) -> Value {
        match self {
            Self::Text(text) => Value::Text(text.to_owned()),
            Self::Flag(flag) => Value::Bool(flag),
            Self::Count(count) => Value::Int(count.into()),
            Self::Empty => Value::List(Vec::new()),
        }
    }
}

/// Writes the value as in a file.
impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "\"{text}\""),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Empty => f.write_str("[]"),
        }
    }
}
