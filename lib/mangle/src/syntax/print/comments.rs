//! The comments of a source, taken in order.

use super::super::source::{Source, Span};

pub(super) struct Comments<'s> {
    all: &'s [Span],
    next: usize,
    source: &'s Source,
}

impl<'s> Comments<'s> {
    pub(super) fn new(all: &'s [Span], source: &'s Source) -> Self {
        Self { all, next: 0, source }
    }

    /// Takes the next comment, if it stands before a place.
    pub(super) fn next_before(&mut self, place: u32) -> Option<Span> {
        let comment = *self.all.get(self.next).filter(|comment| comment.start < place)?;
        self.next += 1;
        Some(comment)
    }

    /// Takes the next comment, if only blanks and punctuation are between a place and it on the same line.
    pub(super) fn same_line(&mut self, place: u32) -> Option<Span> {
        let comment = *self.all.get(self.next)?;
        let range = self.source.range(Span::new(place, comment.start));
        let between = self.source.text().get(range)?;
        let near = place <= comment.start
            && between
                .bytes()
                .all(|byte| matches!(byte, b' ' | b'\t' | b',' | b'.' | b':' | b'-' | 0x80..));
        if !near {
            return None;
        }
        self.next += 1;
        Some(comment)
    }

    /// Returns whether a comment stands inside a span.
    pub(super) fn any_within(&self, span: Span) -> bool {
        self.all.get(self.next).is_some_and(|comment| span.contains(*comment))
    }
}
