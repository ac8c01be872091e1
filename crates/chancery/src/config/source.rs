//! The text of a configuration file, and places in it that can be shown without showing a secret.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// One file of configuration. Law: in the text that is shown, every byte that may belong to a secret is replaced.
pub struct Source {
    name: String,
    text: String,
    shown: String,
}

impl Source {
    /// Makes a source of a file, with the name that people know it by, and the text that may be shown.
    #[must_use]
    pub(super) fn new(name: &str, text: String, shown: String) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            text,
            shown,
        })
    }

    /// Returns the name, usually the path as it was found.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the whole text, secrets included.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text with every possible secret masked, byte for byte as long as the original.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Returns a place in this text; a span that doesn't lie in it is moved to its end.
    #[must_use]
    pub fn at(self: &Arc<Self>, span: Range<usize>) -> Place {
        let (start, end) = (span.start.min(self.text.len()), span.end.min(self.text.len()));
        Place {
            source: Arc::clone(self),
            span: start..end.max(start),
        }
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Source").field(&self.name).finish()
    }
}

/// A place in a file.
#[derive(Clone)]
pub struct Place {
    source: Arc<Source>,
    span: Range<usize>,
}

impl Place {
    /// Returns the file.
    #[must_use]
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Returns the bytes, from start to end.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the line and the column (in characters), both from 1.
    #[must_use]
    pub fn line_column(&self) -> (usize, usize) {
        let before = &self.source.text[..floor_boundary(&self.source.text, self.span.start)];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (line, column)
    }
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.line_column();
        write!(f, "{}:{line}:{column}", self.source.name)
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
