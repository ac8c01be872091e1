//! A difference between a case's result and its expectations.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

/// A difference between a case's result and its expectations.
#[derive(Debug)]
pub(super) enum Problem {
    /// An expected fact is not there.
    Missing { fact: String, line: u32, because: Vec<String> },
    /// A fact is there that must not be.
    Unexpected { fact: String, line: u32, because: Vec<String> },
    /// The program was rejected or stopped, and the case did not expect it, or expected another error.
    Error {
        expected: Option<String>,
        codes: Vec<&'static str>,
        text: String,
    },
    /// The program succeeded where an error was expected.
    NoError { expected: String },
    /// An expectation cannot be parsed.
    Unreadable(String),
}

impl Problem {
    /// Writes the problem in one line.
    pub(super) fn headline(&self) -> String {
        match self {
            Self::Missing { fact, .. } => format!("missing: {fact}"),
            Self::Unexpected { fact, .. } => format!("should not be there: {fact}"),
            Self::Error { expected: None, codes, .. } => format!("ended with {}", codes.join(", ")),
            Self::Error {
                expected: Some(expected),
                codes,
                ..
            } => format!("expected the error {expected}, not {}", codes.join(", ")),
            Self::NoError { expected } => format!("expected the error {expected}, and there is none"),
            Self::Unreadable(_) => "what is expected cannot be read".to_owned(),
        }
    }

    /// Writes the problem as a difference: `-` is missing, `+` is superfluous.
    pub(super) fn text(&self) -> String {
        let lines = |sign: char, fact: &str, line: u32, because: &[String]| {
            let mut out = format!("{sign} {fact}    (line {line})\n");
            for line in because {
                let _infallible = writeln!(out, "    {line}");
            }
            out
        };
        match self {
            Self::Missing { fact, line, because } => lines('-', fact, *line, because),
            Self::Unexpected { fact, line, because } => lines('+', fact, *line, because),
            Self::Error { text, .. } => format!("{}\n{text}", self.headline()),
            Self::NoError { .. } => self.headline() + "\n",
            Self::Unreadable(text) => format!("{}:\n{text}", self.headline()),
        }
    }

    pub(super) fn json(&self) -> Json {
        match self {
            Self::Missing { fact, line, because } => json!({ "kind": "missing", "fact": fact, "line": line, "because": because }),
            Self::Unexpected { fact, line, because } => json!({ "kind": "unexpected", "fact": fact, "line": line, "because": because }),
            Self::Error { expected, codes, text } => json!({ "kind": "error", "expected": expected, "codes": codes, "text": text }),
            Self::NoError { expected } => json!({ "kind": "no-error", "expected": expected }),
            Self::Unreadable(text) => json!({ "kind": "unreadable", "text": text }),
        }
    }
}
