//! One validating pass over JSON bytes, without recursion and without allocation for nested values.
//!
//! The bytes were checked to be UTF-8 before; the scanner checks RFC 8259 and nothing else.

use std::ops::Range;

use crate::error::{Fault, Flaw};
use crate::limits::{Limits, MAX_DEPTH};

/// Where a value lies in its bytes.
pub(crate) type Span = Range<usize>;

pub(crate) type Scan<T> = Result<T, Flaw>;

/// Where a string lies, quotes excluded, and whether it holds escapes.
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
    if bytes.len() > limits.max_bytes {
        return Err(Flaw {
            fault: Fault::TooLarge { limit: limits.max_bytes },
            at: limits.max_bytes,
        });
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(Flaw {
            fault: Fault::ByteOrderMark,
            at: 0,
        });
    }
    match std::str::from_utf8(bytes) {
        Ok(_) => Ok(()),
        Err(e) => Err(Flaw {
            fault: Fault::Utf8,
            at: e.valid_up_to(),
        }),
    }
}

impl<'a> Scanner<'a> {
    /// A scanner of bytes that a peer sent.
    pub(crate) fn new(bytes: &'a [u8], limits: &Limits) -> Self {
        Self {
            bytes,
            pos: 0,
            depth: 0,
            max_depth: limits.max_depth.min(MAX_DEPTH),
        }
    }

    /// A scanner of bytes that are known to be one JSON value, whatever its depth.
    pub(crate) fn trusted(bytes: &'a [u8], pos: usize) -> Self {
        Self {
            bytes,
            pos,
            depth: 0,
            max_depth: usize::MAX,
        }
    }

    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    pub(crate) fn flaw<T>(&self, fault: Fault) -> Scan<T> {
        Err(Flaw { fault, at: self.pos })
    }

    fn expected<T>(&self, what: &'static str) -> Scan<T> {
        if self.pos >= self.bytes.len() {
            self.flaw(Fault::Truncated)
        } else {
            self.flaw(Fault::Expected(what))
        }
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    pub(crate) fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.pos += 1;
        }
    }

    /// Nothing but whitespace may follow.
    pub(crate) fn end(&mut self) -> Scan<()> {
        self.space();
        if self.pos == self.bytes.len() {
            Ok(())
        } else {
            self.flaw(Fault::Trailing)
        }
    }

    /// Enters the object or array at the cursor; whether it has a first member or element, at which the cursor then stands.
    pub(crate) fn open(&mut self, close: u8) -> Scan<bool> {
        self.depth += 1;
        if self.depth > self.max_depth {
            return self.flaw(Fault::TooDeep { limit: self.max_depth });
        }
        self.pos += 1;
        self.space();
        if self.peek() == Some(close) {
            self.pos += 1;
            self.depth -= 1;
            return Ok(false);
        }
        Ok(true)
    }

    /// After a member or element: whether another follows, at which the cursor then stands.
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
            _ => self.expected(if close == b'}' { "`,` or `}`" } else { "`,` or `]`" }),
        }
    }

    /// A key and its colon; the cursor then stands at the value.
    pub(crate) fn key(&mut self) -> Scan<Text> {
        if self.peek() != Some(b'"') {
            return self.expected("a key in quotes");
        }
        let key = self.string()?;
        self.space();
        if self.peek() != Some(b':') {
            return self.expected("`:`");
        }
        self.pos += 1;
        self.space();
        Ok(key)
    }

    /// A member: its key, and where its value lies.
    pub(crate) fn member(&mut self) -> Scan<(Text, Span)> {
        let key = self.key()?;
        let value = self.value()?;
        Ok((key, value))
    }

    /// The value at the cursor, whole.
    pub(crate) fn value(&mut self) -> Scan<Span> {
        let start = self.pos;
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
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't') => self.literal(b"true")?,
                Some(b'f') => self.literal(b"false")?,
                Some(b'n') => self.literal(b"null")?,
                _ => return self.expected("a JSON value"),
            }
            loop {
                let Some(in_object) = open.top() else { return Ok(start..self.pos) };
                if self.more(if in_object { b'}' } else { b']' })? {
                    if in_object {
                        self.key()?;
                    }
                    break;
                }
                open.pop();
            }
        }
    }

    fn literal(&mut self, word: &'static [u8]) -> Scan<()> {
        for &b in word {
            if self.peek() != Some(b) {
                return self.expected("`true`, `false` or `null`");
            }
            self.pos += 1;
        }
        Ok(())
    }

    /// The string at the cursor, which stands on its opening quote.
    pub(crate) fn string(&mut self) -> Scan<Text> {
        let start = self.pos + 1;
        let mut escaped = false;
        self.pos = start;
        loop {
            self.plain();
            match self.peek() {
                Some(b'"') => {
                    let span = start..self.pos;
                    self.pos += 1;
                    return Ok(Text { span, escaped });
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(_) => return self.flaw(Fault::ControlCharacter),
                None => return self.flaw(Fault::Truncated),
            }
        }
    }

    /// Moves to the next quote, backslash or control character.
    fn plain(&mut self) {
        while let Some(b) = self.peek() {
            if b == b'"' || b == b'\\' || b < 0x20 {
                return;
            }
            self.pos += 1;
        }
    }

    fn escape(&mut self) -> Scan<()> {
        match self.bytes.get(self.pos + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.pos += 2,
            Some(b'u') => {
                self.pos += 2;
                for _ in 0..4 {
                    match self.peek() {
                        Some(b) if b.is_ascii_hexdigit() => self.pos += 1,
                        Some(_) => return self.flaw(Fault::Escape),
                        None => return self.flaw(Fault::Truncated),
                    }
                }
            }
            Some(_) => return self.flaw(Fault::Escape),
            None => {
                self.pos += 1;
                return self.flaw(Fault::Truncated);
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Scan<()> {
        if self.peek() == Some(b'-') {
            self.pos += 1;
        }
        match self.peek() {
            Some(b'0') => {
                self.pos += 1;
                if matches!(self.peek(), Some(b'0'..=b'9')) {
                    return self.flaw(Fault::Number);
                }
            }
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.pos += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.pos += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.pos += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    /// One or more digits.
    fn digits(&mut self) -> Scan<()> {
        let start = self.pos;
        while let Some(b'0'..=b'9') = self.peek() {
            self.pos += 1;
        }
        match self.peek() {
            _ if self.pos > start => Ok(()),
            None => self.flaw(Fault::Truncated),
            Some(_) => self.flaw(Fault::Number),
        }
    }
}

/// Which of the open containers are objects: 64 levels in a word, deeper ones on the heap.
#[derive(Default)]
struct BitStack {
    word: u64,
    len: usize,
    full: Vec<u64>,
}

impl BitStack {
    fn push(&mut self, bit: bool) {
        if self.len == 64 {
            self.full.push(self.word);
            self.len = 0;
        }
        self.word = self.word << 1 | u64::from(bit);
        self.len += 1;
    }

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

    fn top(&self) -> Option<bool> {
        (self.len > 0).then_some(self.word & 1 == 1)
    }
}
