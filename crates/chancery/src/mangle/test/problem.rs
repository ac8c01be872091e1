//! One way in which a case is not as it should be.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

/// One way in which a case is not as it should be.
#[derive(Debug)]
pub(super) enum Problem {
    /// A fact is not there.
    Missing { fact: String, line: u32, because: Vec<String> },
    /// A fact is there.
    Unexpected { fact: String, line: u32, because: Vec<String> },
    /// The program is rejected or stopped, and that was not expected, or not like this.
    Error {
        expected: Option<String>,
        codes: Vec<&'static str>,
        text: String,
    },
    /// The program has facts where an error was expected.
    NoError { expected: String },
    /// What is expected cannot be read.
    Unreadable(String),
}

impl Problem {
    /// In one line.
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

    /// As a difference: `-` is missing, `+` is too much.
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
