//! Places in sources: the texts of a program are numbered end to end, so that a span alone identifies its file and
//! place.

use std::{fmt, sync::Arc};

use super::word::Word;

/// A range of bytes. Positions count through all sources of one [`Sources`], so spans of different files never overlap.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The position after the last byte.
    pub end: u32,
}

impl Span {
    /// Returns the span from `start` up to, not including, `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Returns the smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// Returns the empty span right after this one.
    #[must_use]
    pub const fn after(self) -> Self {
        Self::new(self.end, self.end)
    }

    /// Returns the empty span right before this one.
    #[must_use]
    pub const fn before(self) -> Self {
        Self::new(self.start, self.start)
    }

    /// Returns whether `other` lies inside this span.
    pub const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// A place as people count: line and column from one, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The character within the line.
    pub column: u32,
}

/// One text of a program.
#[derive(Clone, Debug)]
pub struct Source {
    name: Arc<str>,
    text: Arc<Box<str>>,
    base: u32,
    /// The counts before each [`BLOCK`] of bytes: finding a place reads at most one block, however long lines are.
    marks: Vec<Mark>,
}

/// The number of bytes between two marks.
const BLOCK: usize = 1 << 14;

/// The counts before a position of a text.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// The number of line ends.
    lines: u32,
    chars: u32,
}

impl Mark {
    /// Returns the counts at the end of a text that begins here.
    fn after(self, text: &[u8]) -> Self {
        let lines = text.iter().filter(|&&byte| byte == b'\n').count();
        let chars = text.iter().filter(|&&byte| !is_continuation(byte)).count();
        Self {
            lines: self.lines + lines as u32,
            chars: self.chars + chars as u32,
        }
    }
}

/// Returns whether a byte is a continuation byte of a character.
const fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// Returns the marks of a text: its start and the end of each whole block.
fn marks(text: &[u8]) -> Vec<Mark> {
    let mut marks = vec![Mark::default()];
    let mut last = Mark::default();
    for block in text.chunks_exact(BLOCK) {
        last = last.after(block);
        marks.push(last);
    }
    marks
}

impl Source {
    /// Returns its name in diagnostics: a path as given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text of a span as a word that shares the memory.
    pub(super) fn word(&self, span: Span) -> Word {
        let range = self.range(span);
        Word::within(&self.text, range.start as u32, range.end as u32)
    }

    /// Returns the whole source as a span.
    pub fn span(&self) -> Span {
        Span::new(self.base, self.base + self.text.len() as u32)
    }

    /// Returns the bytes of `span` within [`Self::text`], cut to its length.
    pub fn range(&self, span: Span) -> std::ops::Range<usize> {
        let clip = |at: u32| (at.saturating_sub(self.base) as usize).min(self.text.len());
        clip(span.start)..clip(span.end)
    }

    /// Returns line and column of a byte position (counted through all sources, as in spans).
    pub fn position(&self, at: u32) -> Position {
        let at = (at.saturating_sub(self.base) as usize).min(self.text.len());
        let here = self.before(at);
        let start = self.before(self.start_of(here.lines).unwrap_or_default());
        Position {
            line: here.lines + 1,
            column: here.chars - start.chars + 1,
        }
    }

    /// Returns the counts before a byte of the text.
    fn before(&self, at: usize) -> Mark {
        let block = (at / BLOCK).min(self.marks.len() - 1);
        self.marks[block].after(&self.text.as_bytes()[block * BLOCK..at])
    }

    /// Returns where the line begins that has `lines` lines before it.
    fn start_of(&self, lines: u32) -> Option<usize> {
        let Some(ends) = lines.checked_sub(1) else { return Some(0) };
        // The last block with fewer line ends before it contains the wanted one, if there is one.
        let block = self.marks.partition_point(|mark| mark.lines <= ends) - 1;
        let from = block * BLOCK;
        let block_text = self.text.as_bytes()[from..].iter().take(BLOCK);
        let mut found = block_text.enumerate().filter(|(_, byte)| **byte == b'\n');
        let (at, _) = found.nth((ends - self.marks[block].lines) as usize)?;
        Some(from + at + 1)
    }

    /// Returns the text of a line, counted from one, without its end.
    pub fn line(&self, line: u32) -> &str {
        let Some(start) = self.start_of(line.saturating_sub(1)) else {
            return "";
        };
        let end = self.start_of(line.max(1)).unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// Returns where a line, counted from one, begins: a position as in spans.
    pub fn line_start(&self, line: u32) -> Option<u32> {
        self.start_of(line.saturating_sub(1)).map(|start| start as u32 + self.base)
    }
}

/// The texts of a program in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    sources: Vec<Source>,
}

impl Sources {
    /// How many bytes all sources of a program may have together: spans are 32 bits wide.
    pub const MAX_BYTES: usize = u32::MAX as usize / 2;

    /// Returns an empty list of sources.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a list of one source.
    ///
    /// # Errors
    /// The text is longer than [`Self::MAX_BYTES`].
    pub fn of(name: &str, text: &str) -> Result<Self, TooLong> {
        let mut sources = Self::new();
        sources.add(name, text)?;
        Ok(sources)
    }

    /// Adds a text and returns its number.
    ///
    /// # Errors
    /// All texts together would be longer than [`Self::MAX_BYTES`].
    pub fn add(&mut self, name: &str, text: &str) -> Result<usize, TooLong> {
        // One byte between two sources keeps the end of one from being the start of the next.
        let base = self.sources.last().map_or(0, |last| last.span().end as usize + 1);
        if base + text.len() > Self::MAX_BYTES {
            return Err(TooLong);
        }
        self.sources.push(Source {
            name: name.into(),
            text: Arc::new(text.into()),
            base: base as u32,
            marks: marks(text.as_bytes()),
        });
        Ok(self.sources.len() - 1)
    }

    /// Iterates over all sources.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter()
    }

    /// Returns the source with this number.
    pub fn get(&self, index: usize) -> Option<&Source> {
        self.sources.get(index)
    }

    /// Returns the source that a span lies in.
    pub fn find(&self, span: Span) -> Option<&Source> {
        let after = self.sources.partition_point(|source| source.base <= span.start);
        self.sources.get(after.checked_sub(1)?)
    }

    /// Returns the text of a span; empty if it lies in no source.
    pub fn text(&self, span: Span) -> &str {
        self.find(span)
            .and_then(|source| source.text.get(source.range(span)))
            .unwrap_or_default()
    }
}

/// The error that the sources of a program are longer than spans can count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the program has more than {} bytes: split it", Sources::MAX_BYTES)
    }
}

impl std::error::Error for TooLong {}
