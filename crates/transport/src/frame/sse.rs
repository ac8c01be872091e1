//! Server-sent events: the parser (WHATWG HTML, 9.2 Server-sent events) and the writer.

use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use upstream::link::Event;

#[cfg(test)]
mod tests;

/// An event of any type, as the parser dispatched it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// `event`, where it is not `message`.
    pub kind: Option<String>,
    /// `id`, `data` and `retry`.
    pub event: Event,
}

impl Block {
    /// Returns the block as an event of type `message`. Of another type only the fields that say how to resume are
    /// kept: its `id` and `retry`.
    #[must_use]
    pub fn into_message(mut self) -> Option<Event> {
        if self.kind.is_some() {
            self.event.data = Bytes::new();
            if self.event.id.is_none() && self.event.retry.is_none() {
                return None;
            }
        }
        Some(self.event)
    }
}

/// The length of what precedes the data of a line.
const DATA_FIELD: usize = "data: ".len();

/// The error for an event that is larger than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// Cuts a stream of bytes into events.
///
/// Law: holds at most `limit` bytes of an event plus the chunk it was given; any chunking gives the same events.
///
/// [`push`](Self::push) a chunk, then take [`next_block`](Self::next_block) until it is `None`.
#[derive(Debug)]
pub struct Parser {
    limit: usize,
    chunk: Bytes,
    /// The beginning of a line that a chunk ended within.
    partial: BytesMut,
    after_cr: bool,
    at_start: bool,
    failed: bool,
    pending: Pending,
}

/// The fields of the event that is being read.
#[derive(Debug, Default)]
struct Pending {
    kind: Option<String>,
    id: Option<String>,
    retry: Option<Duration>,
    data: Data,
}

/// The data of an event. Data of one line stays a slice of its chunk; several lines are joined.
#[derive(Debug, Default)]
enum Data {
    #[default]
    None,
    One(Bytes),
    Joined(BytesMut),
}

impl Data {
    fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::One(line) => line.len(),
            Self::Joined(lines) => lines.len(),
        }
    }

    fn add(&mut self, line: Bytes) {
        *self = match std::mem::take(self) {
            Self::None => Self::One(line),
            Self::One(first) => {
                let mut joined = BytesMut::with_capacity(first.len() + line.len() + 1);
                joined.extend_from_slice(&first);
                Self::joined(joined, &line)
            }
            Self::Joined(joined) => Self::joined(joined, &line),
        };
    }

    fn joined(mut joined: BytesMut, line: &[u8]) -> Self {
        joined.put_u8(b'\n');
        joined.extend_from_slice(line);
        Self::Joined(joined)
    }

    fn into_bytes(self) -> Bytes {
        match self {
            Self::None => Bytes::new(),
            Self::One(line) => line,
            Self::Joined(lines) => lines.freeze(),
        }
    }
}

impl Parser {
    /// Returns a parser that refuses events of more than `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            chunk: Bytes::new(),
            partial: BytesMut::new(),
            after_cr: false,
            at_start: true,
            failed: false,
            pending: Pending::default(),
        }
    }

    /// Adds the next bytes. All events of the former bytes must have been taken.
    pub fn push(&mut self, chunk: Bytes) {
        debug_assert!(self.chunk.is_empty(), "the last chunk was not taken out");
        self.chunk = chunk;
    }

    /// Returns the next event, or `None` until more bytes arrive.
    ///
    /// # Errors
    /// When an event is larger than the limit, and ever after.
    pub fn next_block(&mut self) -> Result<Option<Block>, TooLarge> {
        loop {
            let line = self.next_line();
            // The result does not depend on how a line is cut: its length is measured as received, before it is
            // interpreted.
            let length = self.partial.len().max(line.as_ref().map_or(0, |(_, length)| *length));
            if self.failed || length + self.pending.data.len() > self.limit.saturating_add(DATA_FIELD) {
                self.failed = true;
                return Err(TooLarge);
            }
            let Some((line, _)) = line else { return Ok(None) };
            if !line.is_empty() {
                self.pending.field(&line);
                self.failed = self.pending.data.len() > self.limit;
            } else if let Some(block) = std::mem::take(&mut self.pending).dispatch() {
                return Ok(Some(block));
            }
        }
    }

    /// Returns a line without its break (LF, CR, or CRLF, also when the CRLF is cut in two), and its length as
    /// received.
    fn next_line(&mut self) -> Option<(Bytes, usize)> {
        if self.after_cr && !self.chunk.is_empty() {
            self.after_cr = false;
            if self.chunk[0] == b'\n' {
                self.chunk = self.chunk.slice(1..);
            }
        }
        let Some(at) = memchr::memchr2(b'\n', b'\r', &self.chunk) else {
            self.partial.extend_from_slice(&std::mem::take(&mut self.chunk));
            return None;
        };
        let mut line = self.chunk.split_to(at + 1);
        self.after_cr = line[at] == b'\r';
        line.truncate(at);
        if !self.partial.is_empty() {
            self.partial.extend_from_slice(&line);
            line = self.partial.split().freeze();
        }
        let length = line.len();
        if std::mem::take(&mut self.at_start) && line.starts_with(b"\xEF\xBB\xBF") {
            line = line.slice(3..);
        }
        Some((line, length))
    }
}

impl Pending {
    fn field(&mut self, line: &Bytes) {
        let colon = memchr::memchr(b':', line).unwrap_or(line.len());
        let mut value = line.slice((colon + 1).min(line.len())..);
        if value.first() == Some(&b' ') {
            value = value.slice(1..);
        }
        match &line[..colon] {
            b"data" => self.data.add(value),
            b"event" => self.kind = Some(String::from_utf8_lossy(&value).into_owned()),
            b"id" if !value.contains(&0) => self.id = Some(String::from_utf8_lossy(&value).into_owned()),
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                let millis = std::str::from_utf8(&value).ok().and_then(|digits| digits.parse().ok());
                self.retry = millis.map(Duration::from_millis);
            }
            // A comment (the name is empty) or an unknown field.
            _ => {}
        }
    }

    /// Returns the event that a blank line completes. An `id` or `retry` alone is passed on as well: it says how to
    /// resume (2025-11-25 basic/transports).
    fn dispatch(self) -> Option<Block> {
        if matches!(self.data, Data::None) && self.id.is_none() && self.retry.is_none() {
            return None;
        }
        Some(Block {
            kind: self.kind.filter(|kind| !kind.is_empty() && kind != "message"),
            event: Event {
                id: self.id,
                data: self.data.into_bytes(),
                retry: self.retry,
            },
        })
    }
}

/// The size from which data is written as a piece of its own instead of being copied.
const OWN_PIECE: usize = 8 * 1024;

/// The pieces of one written event: the part before the data, the data where it is large, and the end of the event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The first piece; never empty.
    pub head: Bytes,
    /// The untouched data and the end of the event, where the data is large.
    pub tail: Option<(Bytes, Bytes)>,
}

/// Writes an event of type `message`, or of `kind`.
#[must_use]
pub fn write(kind: &str, event: &Event) -> Written {
    let large = event.data.len() >= OWN_PIECE;
    let mut head = BytesMut::with_capacity(if large { 128 } else { event.data.len() + 128 });
    if let Some(id) = &event.id {
        head.put_slice(b"id: ");
        head.extend(id.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n' | 0)));
        head.put_u8(b'\n');
    }
    if let Some(retry) = event.retry {
        head.put_slice(format!("retry: {}\n", retry.as_millis()).as_bytes());
    }
    if !event.data.is_empty() {
        head.put_slice(b"event: ");
        head.put_slice(kind.as_bytes());
        head.put_u8(b'\n');
    }
    head.put_slice(b"data: ");
    if large && memchr::memchr2(b'\r', b'\n', &event.data).is_none() {
        return Written {
            head: head.freeze(),
            tail: Some((event.data.clone(), Bytes::from_static(b"\n\n"))),
        };
    }
    write_lines(&mut head, &event.data);
    head.put_slice(b"\n\n");
    Written {
        head: head.freeze(),
        tail: None,
    }
}

/// Writes data as one field for each of its lines. Line breaks in JSON occur between tokens only, so that this does not
/// change its meaning.
fn write_lines(out: &mut BytesMut, mut data: &[u8]) {
    while let Some(at) = memchr::memchr2(b'\r', b'\n', data) {
        out.put_slice(&data[..at]);
        out.put_slice(b"\ndata: ");
        let both = data[at..].starts_with(b"\r\n");
        data = &data[at + 1 + usize::from(both)..];
    }
    out.put_slice(data);
}
