//! Errors of values in requests, in words for the author of the request.

use std::fmt;

use serde::de::{self, Unexpected};

use crate::problem::Problem;

/// The place of a value in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The value stands in the path or the query.
    Parameter,
    /// The value stands in the body.
    Field,
}

/// A value that can't be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Invalid {
    /// The name of the value.
    pub(crate) name: String,
    /// The error.
    pub(crate) reason: Reason,
}

/// The error of a value.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The name is unknown; with the known names.
    Unknown(&'static [&'static str]),
    /// The value is given more than once.
    Twice,
    /// The value is missing, or empty.
    Missing,
    /// The value has another type; with the expected one.
    Type(&'static str),
    /// The text is no number.
    Number(String),
    /// The text is not one of the expected ones.
    Text { given: String, wanted: String },
    /// An error of the value's own type.
    Other(String),
}

impl Invalid {
    /// Returns the error of a value whose name the reader adds.
    pub(crate) fn unnamed(reason: Reason) -> Self {
        Self {
            name: String::new(),
            reason,
        }
    }

    /// Turns the error into the problem of the whole request.
    pub(crate) fn into_problem(self, place: Place) -> Problem {
        let name = self.name;
        let (place, here) = match place {
            Place::Parameter => ("parameter", " here"),
            Place::Field => ("field", ""),
        };
        Problem::invalid(match self.reason {
            Reason::Unknown([]) => format!("there is no {place} `{name}`{here}, nor any other"),
            Reason::Unknown(names) => format!("there is no {place} `{name}`{here}; there are {}", names.join(", ")),
            Reason::Twice => format!("the {place} `{name}` is given twice"),
            Reason::Missing => format!("the {place} `{name}` is missing"),
            Reason::Type(wanted) => format!("the {place} `{name}` must be {wanted}"),
            Reason::Number(given) => format!("the {place} `{name}` can't be `{given}`: it is a whole number"),
            Reason::Text { given, wanted } => format!("`{name}` can't be `{given}`: {wanted}"),
            Reason::Other(text) => text,
        })
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` can't be read: {:?}", self.name, self.reason)
    }
}

impl std::error::Error for Invalid {}

/// The errors that the types of values report while they are read.
impl de::Error for Invalid {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self::unnamed(Reason::Other(text.to_string()))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let given = match unexpected {
            Unexpected::Str(text) => text.to_owned(),
            other => other.to_string(),
        };
        let wanted = expected.to_string();
        Self::unnamed(Reason::Text { given, wanted })
    }

    /// Reports an invalid length. The only length that a type refuses is that of an empty text.
    fn invalid_length(_: usize, _: &dyn de::Expected) -> Self {
        Self::unnamed(Reason::Missing)
    }

    fn unknown_variant(given: &str, words: &'static [&'static str]) -> Self {
        let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        let wanted = match &quoted[..] {
            [words @ .., last] if !words.is_empty() => format!("it is {} or {last}", words.join(", ")),
            words => format!("it is {}", words.join(", ")),
        };
        let given = given.to_owned();
        Self::unnamed(Reason::Text { given, wanted })
    }

    fn missing_field(name: &'static str) -> Self {
        Self {
            name: name.to_owned(),
            reason: Reason::Missing,
        }
    }
}
