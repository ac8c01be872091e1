//! Reads the records of one segment, a piece of the file at a time.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use model::Digest;

use super::record::{self, DIGEST, LENGTHS, View};
use crate::StoreError;

/// The bytes that are read at once; a longer record is read whole.
const PIECE: usize = 256 << 10;

/// The records of a segment, from an offset to an end.
#[derive(Debug)]
pub(crate) struct Frames {
    path: PathBuf,
    file: File,
    buffer: Vec<u8>,
    /// The next record's position in the buffer.
    start: usize,
    /// The next record's position in the file.
    offset: u64,
    /// The position at which reading ends.
    end: u64,
}

/// What follows at the present position of a segment.
#[derive(Debug)]
pub(crate) enum Next<'a> {
    /// A record as it was read; the caller checks whether it fits the chain.
    Record(Frame<'a>),
    /// The end.
    End,
    /// The beginning of a record, of so many bytes.
    Short(u64),
    /// Bytes that are no record.
    Bad(&'static str),
}

/// A record as it was read from a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    /// The position at which it starts.
    pub(crate) offset: u64,
    /// The position at which it ends.
    pub(crate) end: u64,
    pub(crate) payload: &'a [u8],
    /// The head after it, as it was read.
    pub(crate) head: Digest,
    pub(crate) view: View<'a>,
}

impl Frame<'_> {
    /// Returns whether the record follows a head.
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

    /// Raises the position at which reading ends.
    pub(crate) fn extend(&mut self, end: u64) {
        self.end = self.end.max(end);
    }

    /// Returns the position of the next record.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads the next record. After anything but a record the position does not change.
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

    /// Reads until so many bytes are in the buffer, and returns whether the file has them.
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
