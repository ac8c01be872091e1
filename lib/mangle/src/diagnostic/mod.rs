//! Findings about a program, as data: code, place, message, and edits that would fix it.

mod code;
mod human;
mod json;

pub use code::{Code, Severity};
pub use human::human;
pub use json::{json, sarif};

use crate::syntax::Span;

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The kind of finding.
    pub code: Code,
    /// How severe it is; the code's own severity unless a switch overrides it.
    pub severity: Severity,
    /// One lowercase sentence without a full stop, the program's words in backticks.
    pub message: String,
    /// The place, with a text for it.
    pub primary: Label,
    /// Other places that explain it.
    pub labels: Vec<Label>,
    /// Facts that explain it.
    pub notes: Vec<String>,
    /// Advice on what to do about it.
    pub help: Vec<String>,
    /// Edits that would fix it, the most likely first.
    pub fixes: Vec<Fix>,
}

/// A place and a text about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// A few words; empty if the message says it all.
    pub text: String,
}

/// A way to fix the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// A description of the fix, as an imperative.
    pub title: String,
    /// The edits; they do not overlap.
    pub edits: Vec<Edit>,
}

/// A replacement of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The text to replace; empty to insert.
    pub span: Span,
    /// The new text; empty to delete.
    pub text: String,
}

impl Diagnostic {
    /// Returns a finding with the severity of its code.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            primary: Label { span, text: String::new() },
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// Sets the text at the primary place.
    #[must_use]
    pub fn here(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Adds another place with a text.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        let text = text.into();
        self.labels.push(Label { span, text });
        self
    }

    /// Adds a fact that explains it.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds advice on what to do about it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Adds an edit that would fix it.
    #[must_use]
    pub fn fix(mut self, title: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        let edits = vec![Edit { span, text: text.into() }];
        let title = title.into();
        self.fixes.push(Fix { title, edits });
        self
    }

    /// Returns whether the program cannot run as it is.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
