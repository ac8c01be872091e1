//! The canonical form of a value, for digests, never for the wire.

use std::borrow::Cow;
use std::ops::Range;

use crate::scan::{Scan, Scanner};
use crate::text;

/// Returns `bytes` with sorted keys, the fewest escapes, no whitespace, and numbers as they are.
pub(crate) fn canonical(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    // The bytes are a value, so this does not fail.
    let written = Writer {
        bytes,
        scanner: Scanner::trusted(bytes),
        out: &mut out,
    }
    .value();
    debug_assert!(written.is_ok());
    out
}

struct Writer<'a, 'o> {
    bytes: &'a [u8],
    scanner: Scanner<'a>,
    out: &'o mut Vec<u8>,
}

impl Writer<'_, '_> {
    /// Writes the value at the cursor. Recurses as deep as values nest (`MAX_DEPTH`).
    fn value(&mut self) -> Scan<()> {
        match self.scanner.peek() {
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'"') => {
                let text = self.scanner.string()?;
                text::write_string(&text::unescape(&self.bytes[text.span]), self.out);
                Ok(())
            }
            _ => {
                let span = self.scanner.value()?;
                self.out.extend_from_slice(&self.bytes[span]);
                Ok(())
            }
        }
    }

    fn array(&mut self) -> Scan<()> {
        self.out.push(b'[');
        let mut more = self.scanner.open(b']')?;
        while more {
            self.value()?;
            more = self.scanner.more(b']')?;
            if more {
                self.out.push(b',');
            }
        }
        self.out.push(b']');
        Ok(())
    }

    fn object(&mut self) -> Scan<()> {
        let start = self.out.len();
        let mut members = Vec::new();
        let mut more = self.scanner.open(b'}')?;
        while more {
            let key = self.scanner.key()?;
            let key = text::unescape(&self.bytes[key.span]);
            let member = self.out.len();
            // Brace and commas have the same length wherever the members come to stand.
            self.out.push(if members.is_empty() { b'{' } else { b',' });
            text::write_string(&key, self.out);
            self.out.push(b':');
            self.value()?;
            members.push((key, member..self.out.len()));
            more = self.scanner.more(b'}')?;
        }
        if members.is_empty() {
            self.out.push(b'{');
        }
        self.sort(start, members);
        self.out.push(b'}');
        Ok(())
    }

    /// Sorts the members that were written from `start` on by their keys. Equal keys keep their order: where a key
    /// occurs twice, the order is part of the meaning.
    fn sort(&mut self, start: usize, mut members: Vec<(Cow<'_, [u8]>, Range<usize>)>) {
        if members.is_sorted_by(|(a, _), (b, _)| a <= b) {
            return;
        }
        members.sort_by(|(a, _), (b, _)| a.cmp(b));
        let unsorted = self.out.split_off(start);
        for (i, (_, span)) in members.into_iter().enumerate() {
            self.out.push(if i == 0 { b'{' } else { b',' });
            self.out.extend_from_slice(&unsorted[span.start + 1 - start..span.end - start]);
        }
    }
}
