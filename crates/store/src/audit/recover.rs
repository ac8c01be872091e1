//! Finds the end of the log at a start: a record that a dying process left half-written is cut off, a record that a
//! damaged disk changed is not touched.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::{Digest, Timestamp};
use serde_json::json;

use super::heads;
use super::scan::{Frames, Next};
use super::segment::{HEADER, Header, Segment, Segments, header_of, list, segment_path};
use super::writer::{End, Last, Writer};
use crate::disk::private;
use crate::{Event, Settings, StoreError};

/// What recovery found.
#[derive(Debug)]
pub(crate) struct Recovered {
    /// The writer at the end of the log, or why the log cannot be written to.
    pub(crate) writer: Result<Writer, StoreError>,
    /// The last record that can be read.
    pub(crate) last: u64,
    /// Events that report what happened, to be written.
    pub(crate) deferred: Vec<Event>,
    pub(crate) segments: Arc<Segments>,
}

/// The state of a log before its first record.
const GENESIS: End = End {
    next: 1,
    head: Digest([0; 32]),
    origin: 0,
};

/// Returns the path of the file that notes how far the log is synced.
pub(crate) fn synced_path(folder: &Path) -> PathBuf {
    folder.join("synced")
}

/// Notes how far the log is on the disk. The note has a fixed length, and is not synced itself: it can be too low,
/// never too high.
pub(crate) fn note_synced(folder: &Path, seq: u64) -> io::Result<()> {
    let mut file = private(OpenOptions::new().write(true).create(true).truncate(false)).open(synced_path(folder))?;
    file.write_all(format!("{seq:020}\n").as_bytes())
}

/// Returns the last record that was on the disk for certain, where that is known.
pub(crate) fn synced(folder: &Path) -> Option<u64> {
    let note = std::fs::read_to_string(synced_path(folder)).ok()?;
    note.strip_suffix('\n').filter(|note| note.len() == 20)?.parse().ok()
}

/// Finds the end of the log.
pub(crate) fn recover(folder: &Path, settings: &Settings) -> Result<Recovered, StoreError> {
    let segments = Arc::new(Segments::default());
    let (mut deferred, mut last) = (Vec::new(), 0);
    let mut firsts = list(folder).map_err(|why| StoreError::io("read", folder, &why))?;
    for (at, first) in firsts.iter().enumerate() {
        segments.put(known(folder, *first, firsts.get(at + 1))?);
    }
    let writer = loop {
        let Some(first) = firsts.last().copied() else {
            break begin(folder, settings, &segments);
        };
        let path = segment_path(folder, first);
        last = first - 1;
        match header_of(&path) {
            Ok(header) => break resume(folder, settings, &segments, header, (&mut deferred, &mut last)),
            // Records are never written behind an incomplete header: the segment was just being made.
            Err(StoreError::Damaged { .. }) if length_of(&path)? <= HEADER as u64 => {
                settings.disk.remove(&path).map_err(|why| StoreError::write(&path, &why))?;
                segments.remove(first);
                firsts.pop();
            }
            Err(why) => break Err(why),
        }
    };
    if let Err(why) = &writer {
        tracing::error!(error = %why, "the audit can only be read");
    }
    let last = writer.as_ref().map_or(last, |writer| writer.end().next - 1);
    Ok(Recovered {
        writer,
        last,
        deferred,
        segments,
    })
}

/// Returns what is known of a segment before it is read.
fn known(folder: &Path, first: u64, next: Option<&u64>) -> Result<Segment, StoreError> {
    let newest = next.and_then(|next| header_of(&segment_path(folder, *next)).ok());
    Ok(Segment {
        first,
        end: length_of(&segment_path(folder, first))?,
        newest: newest.map(|header| header.before_newest),
    })
}

fn length_of(path: &Path) -> Result<u64, StoreError> {
    let metadata = std::fs::metadata(path).map_err(|why| StoreError::io("read", path, &why))?;
    Ok(metadata.len())
}

/// Starts a log without segments: a new one, or one whose segments were all dropped.
fn begin(folder: &Path, settings: &Settings, segments: &Arc<Segments>) -> Result<Writer, StoreError> {
    let end = heads::dropped(folder)?.last().map_or(GENESIS, |last| End {
        next: last.last + 1,
        head: last.head,
        origin: last.origin,
    });
    if let Some(synced) = synced(folder).filter(|synced| *synced >= end.next) {
        return Err(StoreError::damaged(
            folder,
            format!("its segments are gone; the last record was number {synced}"),
        ));
    }
    let now = settings.clock.now();
    Writer::begin(folder, Arc::clone(&settings.disk), Arc::clone(segments), end, now, now)
}

/// Resumes behind the last whole record.
fn resume(
    folder: &Path,
    settings: &Settings,
    segments: &Arc<Segments>,
    header: Header,
    (deferred, sound): (&mut Vec<Event>, &mut u64),
) -> Result<Writer, StoreError> {
    let path = segment_path(folder, header.first);
    let file_length = length_of(&path)?;
    let (last, stop) = walk(&path, header, file_length)?;
    *sound = last.end.next - 1;
    segments.grown(header.first, last.length);
    let next = last.end.next;
    let synced = synced(folder);
    let why = match stop {
        Stop::End if synced.is_some_and(|synced| synced >= next) => Some("records that were on the disk are missing behind it".into()),
        Stop::Short if synced.is_some_and(|synced| synced >= next) => Some("it is cut short, and it had been on the disk".into()),
        // Only a power cut leaves a record that is whole and wrong, and only where it was not on the disk yet.
        Stop::Wrong(why) if synced.is_none_or(|synced| synced >= next) => Some(why.to_owned()),
        Stop::End => None,
        Stop::Short | Stop::Wrong(_) => {
            cut(settings, &path, last.length)?;
            deferred.push(recovered(settings.clock.now(), next, file_length - last.length));
            None
        }
    };
    match why {
        Some(why) => Err(StoreError::damaged(&path, format!("record {next} at byte {}: {why}", last.length))),
        None => Writer::resume(folder, Arc::clone(&settings.disk), Arc::clone(segments), &last),
    }
}

/// Why reading ended.
enum Stop {
    End,
    Short,
    Wrong(&'static str),
}

/// Follows the chain to the last record that fits it.
fn walk(path: &Path, header: Header, length: u64) -> Result<(Last, Stop), StoreError> {
    let mut frames = Frames::open(path, HEADER as u64, length)?;
    let mut last = Last {
        header,
        length: HEADER as u64,
        newest: header.before_newest,
        end: End {
            next: header.first,
            head: header.head(),
            origin: header.origin,
        },
    };
    loop {
        let frame = match frames.next()? {
            Next::Record(frame) => frame,
            Next::End => return Ok((last, Stop::End)),
            Next::Short(_) => return Ok((last, Stop::Short)),
            Next::Bad(why) => return Ok((last, Stop::Wrong(why))),
        };
        if frame.view.seq != last.end.next || !frame.follows(last.end.head) {
            return Ok((last, Stop::Wrong("it is not what was written")));
        }
        last.length = frame.end;
        last.newest = last.newest.max(frame.view.at);
        last.end = End {
            next: frame.view.seq + 1,
            head: frame.head,
            origin: last.end.origin.max(frame.view.origin),
        };
    }
}

fn cut(settings: &Settings, path: &Path, length: u64) -> Result<(), StoreError> {
    let failed = |why: io::Error| StoreError::failed(path, &format!("a record cut short could not be removed: {why}"));
    let file = settings.disk.open(path).map_err(failed)?;
    file.truncate(length).map_err(failed)?;
    file.sync().map_err(failed)
}

/// Makes the event that reports a record cut short.
fn recovered(at: Timestamp, seq: u64, bytes: u64) -> Event {
    let details = json!({
        "seq": seq,
        "bytes_removed": bytes,
        "reason": "the process or the machine stopped while this record was written; no caller was told that it was stored",
    });
    Event::own(at, "dev.chancery.audit_recovered", &details)
}
