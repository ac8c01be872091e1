//! Segments: their names, their headers, and the list of those that exist.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::{Digest, Timestamp};

use super::record::Digester;
use crate::StoreError;

/// The bytes of a header.
pub(crate) const HEADER: usize = FIELDS + 32;
const FIELDS: usize = 72;
const MAGIC: &[u8; 8] = b"CHANAUD1";
const SUFFIX: &str = ".seg";

/// The header of a segment. Its digest is the first head of the segment, so that the chain includes the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The number of its first record.
    pub(crate) first: u64,
    /// The last row of the outbox that is in an earlier segment.
    pub(crate) origin: u64,
    /// When the segment was made.
    pub(crate) made: Timestamp,
    /// The latest instant of an event in the segment before, which tells how old that segment is.
    pub(crate) before_newest: Timestamp,
    /// The head after the segment before; zeros for the first of a log.
    pub(crate) before: Digest,
}

impl Header {
    /// Encodes the header.
    pub(crate) fn bytes(&self) -> [u8; HEADER] {
        let mut out = [0; HEADER];
        let fields = [
            &MAGIC[..],
            &self.first.to_be_bytes(),
            &self.origin.to_be_bytes(),
            &self.made.0.to_be_bytes(),
            &self.before_newest.0.to_be_bytes(),
            &self.before.0,
        ];
        let mut at = 0;
        for field in fields {
            out[at..at + field.len()].copy_from_slice(field);
            at += field.len();
        }
        let head = self.head();
        out[FIELDS..].copy_from_slice(&head.0);
        out
    }

    /// Decodes a header. Returns `None` where the bytes are no header.
    pub(crate) fn of(bytes: &[u8; HEADER]) -> Option<Self> {
        let number = |at: usize| bytes.get(at..at + 8)?.try_into().ok().map(u64::from_be_bytes);
        let instant = |at: usize| number(at).map(|number| Timestamp(i64::from_be_bytes(number.to_be_bytes())));
        let header = Self {
            first: number(8)?,
            origin: number(16)?,
            made: instant(24)?,
            before_newest: instant(32)?,
            before: Digest(bytes.get(40..FIELDS)?.try_into().ok()?),
        };
        (header.bytes() == *bytes).then_some(header)
    }

    /// Returns the head before the first record.
    pub(crate) fn head(&self) -> Digest {
        Digester::new()
            .with(MAGIC)
            .with(&self.first.to_be_bytes())
            .with(&self.origin.to_be_bytes())
            .with(&self.made.0.to_be_bytes())
            .with(&self.before_newest.0.to_be_bytes())
            .with(&self.before.0)
            .finish()
    }
}

/// Returns the path of the segment that begins with a record.
pub(crate) fn segment_path(folder: &Path, first: u64) -> PathBuf {
    folder.join(format!("{first:020}{SUFFIX}"))
}

/// Returns the first records of all segments of a folder, in order. Other files are ignored.
pub(crate) fn list(folder: &Path) -> io::Result<Vec<u64>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        let first = name.to_str().and_then(|name| name.strip_suffix(SUFFIX));
        found.extend(first.filter(|first| first.len() == 20).and_then(|first| first.parse::<u64>().ok()));
    }
    found.sort_unstable();
    Ok(found)
}

/// Reads the header of a segment.
pub(crate) fn header_of(path: &Path) -> Result<Header, StoreError> {
    let mut bytes = [0; HEADER];
    let mut file = File::open(path).map_err(|why| StoreError::io("open", path, &why))?;
    match file.read_exact(&mut bytes) {
        Ok(()) => {}
        Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => return Err(StoreError::damaged(path, "its header is cut short")),
        Err(why) => return Err(StoreError::io("read", path, &why)),
    }
    Header::of(&bytes).ok_or_else(|| StoreError::damaged(path, "its header is not what was written"))
}

/// What is known of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The number of its first record.
    pub(crate) first: u64,
    /// The position up to which it may be read: behind that, a record may just be written.
    pub(crate) end: u64,
    /// The latest instant of an event in it, once the segment is complete.
    pub(crate) newest: Option<Timestamp>,
}

/// The list of segments, and the position up to which each may be read. The writer and the readers share it; its lock
/// is held for look-ups only.
#[derive(Debug, Default)]
pub(crate) struct Segments(Mutex<BTreeMap<u64, Segment>>);

impl Segments {
    fn locked(&self) -> MutexGuard<'_, BTreeMap<u64, Segment>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a segment, or replaces its entry.
    pub(crate) fn put(&self, segment: Segment) {
        self.locked().insert(segment.first, segment);
    }

    pub(crate) fn remove(&self, first: u64) {
        self.locked().remove(&first);
    }

    /// Sets the position up to which a segment is written.
    pub(crate) fn grown(&self, first: u64, end: u64) {
        if let Some(segment) = self.locked().get_mut(&first) {
            segment.end = end;
        }
    }

    /// Marks a segment as complete.
    pub(crate) fn sealed(&self, first: u64, newest: Timestamp) {
        if let Some(segment) = self.locked().get_mut(&first) {
            segment.newest = Some(newest);
        }
    }

    /// Returns all segments, in order.
    pub(crate) fn all(&self) -> Vec<Segment> {
        self.locked().values().copied().collect()
    }

    /// Returns the segment that a record is in, or would be.
    pub(crate) fn holding(&self, seq: u64) -> Option<Segment> {
        self.locked().range(..=seq).next_back().map(|(_, segment)| *segment)
    }

    /// Returns the segment after another.
    pub(crate) fn after(&self, first: u64) -> Option<Segment> {
        self.locked().range(first + 1..).next().map(|(_, segment)| *segment)
    }

    pub(crate) fn count(&self) -> usize {
        self.locked().len()
    }

    /// Returns the first record that is kept; 1 where nothing was ever written.
    pub(crate) fn kept_from(&self) -> u64 {
        self.locked().keys().next().copied().unwrap_or(1)
    }
}
