//! The findings of tidy: where, which rule, and what to do.

use std::fmt;

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    /// The file, from the root of the project.
    pub(crate) file: String,
    /// Its line, from 1.
    pub(crate) line: usize,
    /// The rule's name.
    pub(crate) rule: &'static str,
    /// What is wrong, and what to do.
    pub(crate) text: String,
}

impl Violation {
    pub(crate) fn new(file: &str, line: usize, rule: &'static str, text: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line,
            rule,
            text: text.into(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.file, self.line, self.rule, self.text)
    }
}
