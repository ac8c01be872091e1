//! Findings: the output of validators, with a place, a rule, a reason and what would pass.

use std::fmt;
use std::ops::Range;

/// How many findings one text can have. After the last one, the text is not searched further.
const MAX_FINDINGS: usize = 32;

/// A reason why a text is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule, as `validator.rule`; stable, for tests, configuration and statistics.
    pub rule: &'static str,
    /// The bytes of the judged text that it concerns.
    pub span: Range<usize>,
    /// What is wrong: a lowercase fragment with the text in question in backticks.
    pub reason: String,
    /// What would pass instead.
    pub hint: String,
}

/// A place in a text, as editors count: line and column from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Place {
    /// Returns the place of byte `at` in `text`. A place past the end is the end.
    #[must_use]
    pub fn of(text: &str, at: usize) -> Self {
        let mut end = at.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

/// The judgement of one text: without findings, it passes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    /// Returns whether the text passes.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns all findings in the order of finding, at most 32.
    #[must_use]
    pub fn as_slice(&self) -> &[Finding] {
        &self.list
    }

    /// Adds a finding.
    pub(crate) fn add(&mut self, rule: &'static str, span: Range<usize>, reason: impl Into<String>, hint: impl Into<String>) {
        let finding = Finding {
            rule,
            span,
            reason: reason.into(),
            hint: hint.into(),
        };
        let says_the_same = |other: &Finding| other.span.start == finding.span.start && other.reason == finding.reason;
        if self.list.len() < MAX_FINDINGS && !self.list.iter().any(says_the_same) {
            self.list.push(finding);
        }
    }

    /// Adds the findings of an inner text, all at one place: the inner text does not occur in the outer one byte for
    /// byte.
    pub(crate) fn absorb_at(&mut self, inner: Self, place: &Range<usize>) {
        for finding in inner.list {
            self.add(finding.rule, place.clone(), finding.reason, finding.hint);
        }
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}); {}", self.reason, self.rule, self.hint)
    }
}

/// Returns a text for display in a reason: short, on one line, without invisible characters.
pub(crate) fn shown(text: &str) -> String {
    const MOST: usize = 60;
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == MOST {
            out.push('…');
            break;
        }
        if is_visible(c) {
            out.push(c);
        } else {
            out.extend(c.escape_unicode());
        }
    }
    out
}

/// Returns whether a reader sees the character as itself, and at its place.
fn is_visible(c: char) -> bool {
    !(c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'))
}
