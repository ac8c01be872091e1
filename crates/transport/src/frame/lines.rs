//! Frames messages in lines: one message a line, as stdio and local sockets carry them.

use bytes::{Bytes, BytesMut};

/// A line that the splitter found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A whole line without its line break (`\n` or `\r\n`); never empty.
    Frame(Bytes),
    /// A line longer than the limit began. The rest of it is dropped as it arrives; later lines are found again.
    TooLong,
}

/// The least free space that a read is offered.
const LEAST_READ: usize = 8 * 1024;
/// The most free space that a read is offered.
const MOST_READ: usize = 256 * 1024;

/// Cuts a stream of bytes into lines.
///
/// Law: holds at most `limit` bytes plus one read, whatever the peer sends.
///
/// Fill [`space`](Self::space), then take [`next_line`](Self::next_line) until it is `None`.
#[derive(Debug)]
pub struct Lines {
    buffer: BytesMut,
    scanned: usize,
    limit: usize,
    skipping: bool,
    room: usize,
}

impl Lines {
    /// Returns a splitter that refuses lines of more than `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            buffer: BytesMut::new(),
            scanned: 0,
            limit,
            skipping: false,
            room: LEAST_READ,
        }
    }

    /// Returns the buffer for the next bytes, with space for at least one read.
    pub fn space(&mut self) -> &mut BytesMut {
        if self.buffer.capacity() - self.buffer.len() < LEAST_READ {
            self.buffer.reserve(self.room);
        }
        &mut self.buffer
    }

    /// Appends bytes that were read elsewhere.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next line, or `None` until more bytes arrive. Empty lines are skipped.
    pub fn next_line(&mut self) -> Option<Line> {
        loop {
            let Some(at) = memchr::memchr(b'\n', &self.buffer[self.scanned..]) else {
                return self.without_break();
            };
            let mut line = self.buffer.split_to(self.scanned + at + 1).freeze();
            self.scanned = 0;
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            line.truncate(line.len() - 1);
            if line.last() == Some(&b'\r') {
                line.truncate(line.len() - 1);
            }
            // The next line is likely of the same size: offer it space in one piece, so that it isn't moved while it
            // grows.
            self.room = (line.len() + line.len() / 4).max(self.room / 2).clamp(LEAST_READ, MOST_READ);
            if line.len() > self.limit {
                return Some(Line::TooLong);
            }
            if !line.iter().all(u8::is_ascii_whitespace) {
                return Some(Line::Frame(line));
            }
        }
    }

    /// Returns the bytes before the end of the stream without a line break: the last line of a peer that doesn't end
    /// it.
    pub fn rest(&mut self) -> Option<Bytes> {
        let rest = self.buffer.split().freeze();
        self.scanned = 0;
        (!self.skipping && rest.len() <= self.limit && !rest.iter().all(u8::is_ascii_whitespace)).then_some(rest)
    }

    fn without_break(&mut self) -> Option<Line> {
        if self.skipping {
            self.buffer.clear();
            self.scanned = 0;
            return None;
        }
        self.scanned = self.buffer.len();
        // One more than the limit, for a `\r` whose `\n` is still to come.
        if self.scanned <= self.limit + 1 {
            self.room = self.room.max((self.scanned * 2).min(MOST_READ));
            return None;
        }
        self.buffer = BytesMut::new();
        self.scanned = 0;
        self.skipping = true;
        Some(Line::TooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(chunks: &[&[u8]], limit: usize) -> Vec<Line> {
        let mut lines = Lines::new(limit);
        let mut found = Vec::new();
        for chunk in chunks {
            lines.space();
            lines.push(chunk);
            found.extend(std::iter::from_fn(|| lines.next_line()));
        }
        found
    }

    fn frame(text: &'static str) -> Line {
        Line::Frame(Bytes::from_static(text.as_bytes()))
    }

    #[test]
    fn lines_are_cut_at_breaks_and_empty_ones_are_skipped() {
        let found = split(&[b"{\"a\":1}\r\n\n  \r\n{\"b\"", b":2}\n{\"c\":3}"], 100);
        assert_eq!(found, [frame("{\"a\":1}"), frame("{\"b\":2}")]);
    }

    #[test]
    fn a_long_line_is_reported_once_and_the_next_line_is_found() {
        let long = vec![b'x'; 1000];
        let found = split(&[&long, &long, &long, b"\nok\n"], 10);
        assert_eq!(found, [Line::TooLong, frame("ok")]);
        assert_eq!(split(&[b"12345678901\nok\n"], 10), [Line::TooLong, frame("ok")]);
        assert_eq!(split(&[b"1234567890\r", b"\nok\n"], 10), [frame("1234567890"), frame("ok")]);
    }

    #[test]
    fn an_endless_line_holds_no_memory() {
        let mut lines = Lines::new(64 * 1024);
        let mut reported = 0;
        for _ in 0..10_000 {
            lines.space();
            lines.push(&[b'x'; 8 * 1024]);
            reported += std::iter::from_fn(|| lines.next_line()).count();
            assert!(lines.buffer.capacity() < 1024 * 1024, "{}", lines.buffer.capacity());
        }
        assert_eq!(reported, 1);
    }

    #[test]
    fn the_last_line_needs_no_break() {
        let mut lines = Lines::new(10);
        lines.push(b"a\nb");
        assert_eq!(lines.next_line(), Some(frame("a")));
        assert_eq!(lines.next_line(), None);
        assert_eq!(lines.rest(), Some(Bytes::from_static(b"b")));
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_lines(text in "[ab\r\n]{0,40}", cuts in prop::collection::vec(0usize..40, 0..6)) {
            let whole = split(&[text.as_bytes()], 8);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|w| &text.as_bytes()[w[0]..w[1]]).collect();
            prop_assert_eq!(split(&chunks, 8), whole);
        }
    }
}
