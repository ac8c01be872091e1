//! Walks the records of one segment, a piece of the file at a time.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use model::Digest;

use super::record::{self, DIGEST, LENGTHS, View};
use crate::StoreError;

/// How much is read at once; a longer record is read whole.
const PIECE: usize = 256 << 10;

/// The records of a segment, from an offset to an end.
#[derive(Debug)]
pub(crate) struct Frames {
    path: PathBuf,
    file: File,
    buffer: Vec<u8>,
    /// Where the next record starts in the buffer.
    start: usize,
    /// Where it starts in the file.
    offset: u64,
    /// Where the file is not read any further.
    end: u64,
}

/// What stands next in a segment.
#[derive(Debug)]
pub(crate) enum Next<'a> {
    /// A record, as it stands there; whether it fits the chain is the caller's question.
    Record(Frame<'a>),
    /// Nothing.
    End,
    /// The beginning of a record, so many bytes.
    Short(u64),
    /// Something that is no record.
    Bad(&'static str),
}

/// A record as it stands in a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    /// Where it starts.
    pub(crate) offset: u64,
    /// Where it ends.
    pub(crate) end: u64,
    pub(crate) payload: &'a [u8],
    /// The head after it, as it stands there.
    pub(crate) head: Digest,
    pub(crate) view: View<'a>,
}

impl Frame<'_> {
    /// Whether it follows a head.
    pub(crate) fn follows(&self, head: Digest) -> bool {
        record::chain(head, self.payload) == self.head
    }
}

impl Frames {
    /// Opens a segment at an offset.
    pub(crate) fn open(path: &Path, offset: u64, end: u64) -> Result<Self, StoreError> {
        let mut file = File::open(path).map_err(|why| StoreError::io("open", path, &why))?;
        file.seek(SeekFrom::Start(offset))
            .map_err(|why| StoreError::io("read", path, &why))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            buffer: Vec::new(),
            start: 0,
            offset,
            end,
        })
    }

    /// Allows to read further.
    pub(crate) fn extend(&mut self, end: u64) {
        self.end = self.end.max(end);
    }

    /// Where the next record starts.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// What stands next. After anything but a record it stays where it is.
    pub(crate) fn next(&mut self) -> Result<Next<'_>, StoreError> {
        let left = self.end.saturating_sub(self.offset);
        if left == 0 {
            return Ok(Next::End);
        }
        if !self.fill(LENGTHS)? {
            return Ok(Next::Short(left));
        }
        let lengths = self.buffer[self.start..self.start + LENGTHS].try_into().unwrap_or_default();
        let Some(length) = record::payload_length(lengths) else {
            return Ok(Next::Bad("its length is not what was written"));
        };
        let whole = LENGTHS + length + DIGEST;
        if !self.fill(whole)? {
            return Ok(Next::Short(left));
        }
        let (start, offset) = (self.start, self.offset);
        let frame = &self.buffer[start..start + whole];
        let (payload, head) = (&frame[LENGTHS..LENGTHS + length], &frame[LENGTHS + length..]);
        let Some(view) = View::of(payload) else {
            return Ok(Next::Bad("its fields are not what was written"));
        };
        self.start += whole;
        self.offset += whole as u64;
        Ok(Next::Record(Frame {
            offset,
            end: self.offset,
            payload,
            head: Digest(head.try_into().unwrap_or_default()),
            view,
        }))
    }

    /// Has so many bytes in the buffer; says whether the file has them.
    fn fill(&mut self, wanted: usize) -> Result<bool, StoreError> {
        let had = self.buffer.len() - self.start;
        if had >= wanted {
            return Ok(true);
        }
        if self.end.saturating_sub(self.offset) < wanted as u64 {
            return Ok(false);
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        let left = self.end - self.offset;
        let target = usize::try_from(left).unwrap_or(usize::MAX).min(wanted.max(PIECE));
        self.buffer.resize(target.max(had), 0);
        let read = read_full(&mut self.file, &mut self.buffer[had..]).map_err(|why| StoreError::io("read", &self.path, &why))?;
        self.buffer.truncate(had + read);
        Ok(self.buffer.len() >= wanted)
    }
}

/// Reads until the buffer is full or the file ends.
fn read_full(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < buffer.len() {
        match file.read(&mut buffer[read..]) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    Ok(read)
}
