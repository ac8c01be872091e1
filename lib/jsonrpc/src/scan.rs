//! One validating pass over JSON bytes, without recursion and without allocation for nested values.
//!
//! The bytes were checked to be UTF-8 before; the scanner checks RFC 8259 and nothing else. The code that runs for
//! every token is inlined into one loop and passes positions by value, so that the cursor stays in a register.

mod block;
mod number;
mod string;

use std::ops::Range;

use crate::DecodeError;
use crate::error::Fault;
use crate::limits::{Limits, MAX_DEPTH};

/// The position of a value in its bytes.
pub(crate) type Span = Range<usize>;

pub(crate) type Scan<T> = Result<T, DecodeError>;

/// The position of a string, quotes excluded, and whether it holds escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) span: Span,
    pub(crate) escaped: bool,
}

/// A cursor over JSON bytes.
#[derive(Debug)]
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    pos: usize,
    depth: usize,
    max_depth: usize,
}

/// Checks size, byte order mark and UTF-8 of a whole frame.
pub(crate) fn check_frame(bytes: &[u8], limits: &Limits) -> Scan<()> {
    let limit = limits.max_bytes;
    if bytes.len() > limit {
        return Err(DecodeError::new(Fault::TooLarge { limit }, limit));
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(DecodeError::new(Fault::ByteOrderMark, 0));
    }
    simdutf8::compat::from_utf8(bytes)
        .map(drop)
        .map_err(|e| DecodeError::new(Fault::Utf8, e.valid_up_to()))
}

/// Returns the error for an unexpected byte, or the end of the bytes, at `at`.
#[cold]
#[inline(never)]
fn unexpected(bytes: &[u8], at: usize, fault: Fault) -> DecodeError {
    if at < bytes.len() {
        DecodeError::new(fault, at)
    } else {
        DecodeError::new(Fault::Truncated, bytes.len())
    }
}

impl<'a> Scanner<'a> {
    /// Returns a scanner of bytes that a peer sent.
    pub(crate) fn new(bytes: &'a [u8], limits: &Limits) -> Self {
        Self {
            bytes,
            pos: 0,
            depth: 0,
            max_depth: limits.max_depth.min(MAX_DEPTH),
        }
    }

    /// Returns a scanner of bytes that are known to be one JSON value, whatever its depth.
    pub(crate) fn trusted(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            pos: 0,
            depth: 0,
            max_depth: usize::MAX,
        }
    }

    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    #[inline(always)]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    /// Skips whitespace.
    #[inline(always)]
    pub(crate) fn space(&mut self) {
        if let Some(..=b' ') = self.peek() {
            self.pos = after_space(self.bytes, self.pos);
        }
    }

    /// Checks that nothing but whitespace follows.
    pub(crate) fn end(&mut self) -> Scan<()> {
        self.space();
        if self.pos == self.bytes.len() {
            Ok(())
        } else {
            Err(DecodeError::new(Fault::Trailing, self.pos))
        }
    }

    /// Enters the object or array at the cursor. Returns whether it has a first member or element, at which the cursor
    /// then stands.
    #[inline(always)]
    pub(crate) fn open(&mut self, close: u8) -> Scan<bool> {
        if self.depth >= self.max_depth {
            return Err(DecodeError::new(Fault::TooDeep { limit: self.max_depth }, self.pos));
        }
        self.pos += 1;
        self.space();
        if self.peek() == Some(close) {
            self.pos += 1;
            return Ok(false);
        }
        self.depth += 1;
        Ok(true)
    }

    /// Reads the delimiter after a member or element. Returns whether another follows, at which the cursor then stands.
    #[inline(always)]
    pub(crate) fn more(&mut self, close: u8) -> Scan<bool> {
        self.space();
        match self.peek() {
            Some(b',') => {
                self.pos += 1;
                self.space();
                Ok(true)
            }
            Some(b) if b == close => {
                self.pos += 1;
                self.depth -= 1;
                Ok(false)
            }
            _ => {
                let what = if close == b'}' { "`,` or `}`" } else { "`,` or `]`" };
                Err(unexpected(self.bytes, self.pos, Fault::Expected(what)))
            }
        }
    }

    /// Reads a key and its colon; the cursor then stands at the value.
    #[inline(always)]
    pub(crate) fn key(&mut self) -> Scan<Text> {
        if self.peek() != Some(b'"') {
            return Err(unexpected(self.bytes, self.pos, Fault::Expected("a key in quotes")));
        }
        let key = self.string()?;
        self.space();
        if self.peek() != Some(b':') {
            return Err(unexpected(self.bytes, self.pos, Fault::Expected("`:`")));
        }
        self.pos += 1;
        self.space();
        Ok(key)
    }

    /// Reads a member, and returns its key and the position of its value.
    pub(crate) fn member(&mut self) -> Scan<(Text, Span)> {
        let key = self.key()?;
        let value = self.value()?;
        Ok((key, value))
    }

    /// Reads the string at the cursor, which stands on its opening quote.
    #[inline(always)]
    pub(crate) fn string(&mut self) -> Scan<Text> {
        let start = self.pos + 1;
        let end = string::plain(self.bytes, start);
        if self.bytes.get(end) == Some(&b'"') {
            self.pos = end + 1;
            return Ok(Text {
                span: start..end,
                escaped: false,
            });
        }
        let end = string::rest(self.bytes, end)?;
        self.pos = end + 1;
        Ok(Text {
            span: start..end,
            escaped: true,
        })
    }

    /// Reads the whole value at the cursor.
    pub(crate) fn value(&mut self) -> Scan<Span> {
        // A local copy stays in registers.
        let mut cursor = Self { ..*self };
        let end = cursor.value_end()?;
        Ok(std::mem::replace(&mut self.pos, end)..end)
    }

    #[inline(always)]
    fn value_end(&mut self) -> Scan<usize> {
        let mut open = BitStack::default();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.string()?;
                }
                Some(b'{') => {
                    if self.open(b'}')? {
                        open.push(true);
                        self.key()?;
                        continue;
                    }
                }
                Some(b'[') => {
                    if self.open(b']')? {
                        open.push(false);
                        continue;
                    }
                }
                Some(b'0'..=b'9') => self.pos = number::unsigned(self.bytes, self.pos)?,
                Some(b'-') => self.pos = number::negative(self.bytes, self.pos)?,
                Some(b't') => self.literal(b"true")?,
                Some(b'f') => self.literal(b"false")?,
                Some(b'n') => self.literal(b"null")?,
                _ => return Err(unexpected(self.bytes, self.pos, Fault::Expected("a JSON value"))),
            }
            // A value is complete, and perhaps the containers around it.
            loop {
                let Some(in_object) = open.top() else { return Ok(self.pos) };
                if in_object {
                    if self.more(b'}')? {
                        self.key()?;
                        break;
                    }
                } else if self.more(b']')? {
                    break;
                }
                open.pop();
            }
        }
    }

    #[inline(always)]
    fn literal(&mut self, word: &'static [u8]) -> Scan<()> {
        if self.bytes[self.pos..].starts_with(word) {
            self.pos += word.len();
            return Ok(());
        }
        Err(bad_literal(self.bytes, self.pos, word))
    }
}

#[cold]
#[inline(never)]
fn bad_literal(bytes: &[u8], pos: usize, word: &[u8]) -> DecodeError {
    let same = bytes[pos..].iter().zip(word).take_while(|(a, b)| a == b).count();
    unexpected(bytes, pos + same, Fault::Expected("`true`, `false` or `null`"))
}

/// Returns the end of the whitespace at `pos`.
#[inline(never)]
fn after_space(bytes: &[u8], mut pos: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\t' | b'\r') = bytes.get(pos) {
        pos += 1;
        // Indentation comes in long runs.
        while let Some(b"        ") = bytes.get(pos..pos + 8) {
            pos += 8;
        }
    }
    pos
}

/// A stack of bits that says which of the open containers are objects: 64 levels in a word, deeper ones on the heap.
#[derive(Default)]
struct BitStack {
    word: u64,
    len: usize,
    full: Vec<u64>,
}

impl BitStack {
    #[inline(always)]
    fn push(&mut self, bit: bool) {
        if self.len == 64 {
            self.full.push(self.word);
            self.len = 0;
        }
        self.word = self.word << 1 | u64::from(bit);
        self.len += 1;
    }

    #[inline(always)]
    fn pop(&mut self) {
        self.word >>= 1;
        self.len -= 1;
        if self.len == 0
            && let Some(word) = self.full.pop()
        {
            self.word = word;
            self.len = 64;
        }
    }

    #[inline(always)]
    fn top(&self) -> Option<bool> {
        (self.len > 0).then_some(self.word & 1 == 1)
    }
}

#[cfg(test)]
mod tests;
