//! Writes the end of the log: encodes records, writes them to the operating system, and begins new segments.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::{Digest, Timestamp};

use super::record;
use super::segment::{HEADER, Header, Segment, Segments, segment_path};
use crate::disk::{Disk, DiskFile, write_all};
use crate::{Event, StoreError};

/// The origin of an event: 0, or its row in the outbox of `control.db`.
pub(crate) type Origin = u64;

/// The end of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// The number of the next record.
    pub(crate) next: u64,
    /// The head after the last record.
    pub(crate) head: Digest,
    /// The last row of the outbox that is in the log.
    pub(crate) origin: Origin,
}

/// The writer of the last segment. One thread at a time holds it.
#[derive(Debug)]
pub(crate) struct Writer {
    folder: PathBuf,
    disk: Arc<dyn Disk>,
    segments: Arc<Segments>,
    file: Arc<dyn DiskFile>,
    path: PathBuf,
    end: End,
    /// The first record of the segment, its length, when it was made, and the latest instant in it.
    first: u64,
    length: u64,
    made: Timestamp,
    newest: Timestamp,
    scratch: Vec<u8>,
}

/// What is known of the last segment when it is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Last {
    pub(crate) header: Header,
    pub(crate) length: u64,
    pub(crate) newest: Timestamp,
    pub(crate) end: End,
}

impl Writer {
    /// Resumes the last segment.
    pub(crate) fn resume(folder: &Path, disk: Arc<dyn Disk>, segments: Arc<Segments>, last: &Last) -> Result<Self, StoreError> {
        let path = segment_path(folder, last.header.first);
        let file = disk.open(&path).map_err(|why| StoreError::io("open", &path, &why))?;
        segments.put(Segment {
            first: last.header.first,
            end: last.length,
            newest: None,
        });
        Ok(Self {
            folder: folder.to_owned(),
            disk,
            segments,
            file,
            path,
            end: last.end,
            first: last.header.first,
            length: last.length,
            made: last.header.made,
            newest: last.newest,
            scratch: Vec::new(),
        })
    }

    /// Begins the first segment, or the one after a last one that is given.
    pub(crate) fn begin(
        folder: &Path,
        disk: Arc<dyn Disk>,
        segments: Arc<Segments>,
        end: End,
        before_newest: Timestamp,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let header = Header {
            first: end.next,
            origin: end.origin,
            made: now,
            before_newest,
            before: end.head,
        };
        let path = segment_path(folder, header.first);
        let file = create(&*disk, folder, &path, &header)?;
        segments.put(Segment {
            first: header.first,
            end: HEADER as u64,
            newest: None,
        });
        Ok(Self {
            folder: folder.to_owned(),
            disk,
            segments,
            file,
            path,
            end: End {
                head: header.head(),
                ..end
            },
            first: header.first,
            length: HEADER as u64,
            made: now,
            newest: before_newest,
            scratch: Vec::new(),
        })
    }

    /// Returns the end of the log.
    pub(crate) fn end(&self) -> End {
        self.end
    }

    /// Returns the segment that is being written, and its length.
    pub(crate) fn segment(&self) -> (u64, u64) {
        (self.first, self.length)
    }

    /// Returns the file that is being written, for a thread that syncs it meanwhile.
    pub(crate) fn file(&self) -> (Arc<dyn DiskFile>, PathBuf) {
        (Arc::clone(&self.file), self.path.clone())
    }

    /// Returns whether the segment has reached its size or its age. An empty segment never has.
    pub(crate) fn is_full(&self, bytes: u64, span: i64, now: Timestamp) -> bool {
        let empty = self.length <= HEADER as u64;
        !empty && (self.length >= bytes || self.made.after(span).has_come(now))
    }

    /// Writes records to the operating system, all or none, and returns the number of the first.
    pub(crate) fn write<'a>(&mut self, records: impl Iterator<Item = (&'a Event, Origin)>) -> Result<u64, StoreError> {
        self.scratch.clear();
        let (first, mut end, mut newest) = (self.end.next, self.end, self.newest);
        for (event, origin) in records {
            end.head = record::push(&mut self.scratch, end.head, end.next, origin, event);
            end.next += 1;
            end.origin = end.origin.max(origin);
            newest = newest.max(event.key.at);
        }
        if let Err(why) = write_all(&*self.file, &self.scratch) {
            return Err(self.take_back(&why));
        }
        self.length += self.scratch.len() as u64;
        (self.end, self.newest) = (end, newest);
        self.segments.grown(self.first, self.length);
        self.scratch.shrink_to(1 << 20);
        Ok(first)
    }

    /// Cuts off what a failed write may have left. Where that fails too, the end of the file is uncertain.
    fn take_back(&self, why: &std::io::Error) -> StoreError {
        match self.file.truncate(self.length) {
            Ok(()) => StoreError::write(&self.path, why),
            Err(and) => StoreError::failed(
                &self.path,
                &format!("{why}, and what was written of it could not be cut off: {and}"),
            ),
        }
    }

    /// Begins a new segment, once this one is on the disk.
    pub(crate) fn roll(&mut self, now: Timestamp) -> Result<(), StoreError> {
        sync(&*self.file, &self.path)?;
        let next = Self::begin(
            &self.folder,
            Arc::clone(&self.disk),
            Arc::clone(&self.segments),
            self.end,
            self.newest,
            now,
        )?;
        self.segments.sealed(self.first, self.newest);
        *self = next;
        Ok(())
    }
}

/// Syncs a segment to the disk. A failed fsync is not tried again: the system may have discarded what it could not
/// write, and would report the next one as a success.
pub(crate) fn sync(file: &dyn DiskFile, path: &Path) -> Result<(), StoreError> {
    file.sync().map_err(|why| StoreError::failed(path, &format!("fsync failed: {why}")))
}

/// Creates a segment with its header, and syncs it. An incomplete one is removed.
fn create(disk: &dyn Disk, folder: &Path, path: &Path, header: &Header) -> Result<Arc<dyn DiskFile>, StoreError> {
    let file = disk.create(path).map_err(|why| StoreError::write(path, &why))?;
    if let Err(why) = write_all(&*file, &header.bytes()) {
        disk.remove(path).map_err(|why| StoreError::failed(path, &why))?;
        return Err(StoreError::write(path, &why));
    }
    sync(&*file, path)?;
    disk.sync_folder(folder).map_err(|why| StoreError::failed(folder, &why))?;
    Ok(file)
}
