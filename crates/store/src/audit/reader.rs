//! Reads the log forwards from a number on, across segments, while it grows.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::scan::{Frame, Frames, Next};
use super::segment::{HEADER, Segment, Segments, list, segment_path};
use crate::{Chunk, StoreError};

/// The most bytes of events that are returned at once.
const CHUNK_BYTES: usize = 4 << 20;

/// The folder of a log, and its segments.
#[derive(Clone, Debug)]
pub(crate) struct LogReader {
    folder: PathBuf,
    segments: Arc<Segments>,
}

impl LogReader {
    /// Reads a log that this process writes.
    pub(crate) fn new(folder: &Path, segments: Arc<Segments>) -> Self {
        Self {
            folder: folder.to_owned(),
            segments,
        }
    }

    /// Reads a log as it is now; another process may be writing to it.
    pub(crate) fn of_folder(folder: &Path) -> Result<Self, StoreError> {
        let segments = Segments::default();
        for first in list(folder).map_err(|why| StoreError::io("read", folder, &why))? {
            let path = segment_path(folder, first);
            let metadata = std::fs::metadata(&path).map_err(|why| StoreError::io("read", &path, &why))?;
            segments.put(Segment {
                first,
                end: metadata.len(),
                newest: None,
            });
        }
        Ok(Self::new(folder, Arc::new(segments)))
    }

    pub(crate) fn segments(&self) -> &Segments {
        &self.segments
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts at a number, or at the first record that is kept.
    pub(crate) fn walk(&self, from: u64) -> Walk {
        Walk {
            reader: self.clone(),
            next: from,
            place: None,
        }
    }

    /// Returns the records of a part of a segment; `None` where the segment was dropped.
    pub(crate) fn part(&self, first: u64, offset: u64, end: u64) -> Result<Option<Frames>, StoreError> {
        match Frames::open(&segment_path(&self.folder, first), offset, end) {
            Err(_) if self.segments.holding(first).is_none_or(|held| held.first != first) => Ok(None),
            frames => frames.map(Some),
        }
    }
}

/// A position in the log.
#[derive(Debug)]
pub(crate) struct Walk {
    reader: LogReader,
    next: u64,
    place: Option<(u64, Frames)>,
}

impl Walk {
    /// Returns the number of the next record.
    pub(crate) fn position(&self) -> u64 {
        self.next
    }

    /// Returns the next record with the first number of its segment; `None` at the end of what is written.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, Frame<'_>)>, StoreError> {
        if !self.is_at_record()? {
            return Ok(None);
        }
        let Some((segment, frames)) = &mut self.place else {
            return Ok(None);
        };
        let path = || segment_path(&self.reader.folder, *segment);
        let next = self.next;
        let damaged = |why: &str| StoreError::damaged(&path(), format!("record {next}: {why}"));
        match frames.next()? {
            Next::Record(frame) if frame.view.seq == next => {
                self.next += 1;
                Ok(Some((*segment, frame)))
            }
            Next::Record(_) => Err(damaged("another stands in its place")),
            Next::Bad(why) => Err(damaged(why)),
            // Another process is just writing it.
            Next::Short(_) if self.reader.segments.after(*segment).is_none() => Ok(None),
            Next::Short(_) => Err(damaged("it is cut short")),
            Next::End => Ok(None),
        }
    }

    /// Moves to the next record, into the next segment where that is needed, and returns whether there is one.
    fn is_at_record(&mut self) -> Result<bool, StoreError> {
        let segments = Arc::clone(&self.reader.segments);
        self.next = self.next.max(segments.kept_from());
        loop {
            let Some(held) = segments.holding(self.next) else {
                return Ok(false);
            };
            let stays = matches!(&self.place, Some((first, _)) if *first == held.first);
            if !stays {
                let path = segment_path(&self.reader.folder, held.first);
                match seek(&path, held, self.next) {
                    Ok(frames) => self.place = Some((held.first, frames)),
                    // The segment was dropped meanwhile: continue with the next one.
                    Err(_) if segments.kept_from() > held.first => {
                        self.next = segments.kept_from();
                        continue;
                    }
                    Err(why) => return Err(why),
                }
            }
            let Some((_, frames)) = &mut self.place else { return Ok(false) };
            frames.extend(held.end);
            return Ok(frames.offset() < held.end);
        }
    }

    /// Returns the next events, at most `limit`, up to a number.
    pub(crate) fn chunk(&mut self, limit: usize, until: u64) -> Result<Chunk, StoreError> {
        let mut events = Vec::new();
        let mut bytes = 0;
        while events.len() < limit && bytes < CHUNK_BYTES && self.next <= until {
            let Some((_, frame)) = self.next()? else { break };
            bytes += frame.payload.len();
            events.push(frame.view.stored());
        }
        Ok(Chunk {
            events,
            next: self.next,
            kept_from: self.reader.segments.kept_from(),
        })
    }
}

/// Opens a segment at a record.
fn seek(path: &Path, segment: Segment, seq: u64) -> Result<Frames, StoreError> {
    let mut frames = Frames::open(path, HEADER as u64, segment.end)?;
    let mut offset = HEADER as u64;
    let mut next = segment.first;
    while next < seq {
        match frames.next()? {
            Next::Record(frame) => (offset, next) = (frame.end, frame.view.seq + 1),
            Next::Bad(why) => return Err(StoreError::damaged(path, format!("record {next}: {why}"))),
            Next::End | Next::Short(_) => break,
        }
    }
    Frames::open(path, offset, segment.end)
}
