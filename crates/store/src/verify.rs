//! Verifies that a store is what was written: the chain of the audit record by record, and `control.db`.

use std::fs;
use std::path::{Path, PathBuf};

use model::Digest;

use crate::StoreError;
use crate::audit::{Dropped, Frames, HEADER, Next, dropped, header_of, list, segment_path, synced};
use crate::control;

/// The result of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The number of segments.
    pub segments: usize,
    /// The number of records that fit the chain.
    pub records: u64,
    /// The number of the last record that fits the chain; 0 where there is none.
    pub last: u64,
    /// The head after it: two copies of a log with the same number and head hold the same events.
    pub head: Digest,
    /// The number of segments that retention has dropped.
    pub dropped: usize,
    /// The first place where the audit is not what was written.
    pub bad: Option<Bad>,
    /// A record that was just being written: a running store continues it, a start removes it.
    pub torn: Option<Torn>,
    /// What is wrong with `control.db`.
    pub control: Option<StoreError>,
}

/// A place where the audit is not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    /// The file.
    pub file: PathBuf,
    /// The record's number.
    pub seq: u64,
    /// The record's position in the file.
    pub offset: u64,
    /// What is wrong.
    pub why: String,
}

/// An incomplete record at the very end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    /// The file.
    pub file: PathBuf,
    /// The record's number.
    pub seq: u64,
    /// The bytes of it that are there.
    pub bytes: u64,
}

impl Report {
    /// Returns whether nothing is wrong.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.bad.is_none() && self.control.is_none()
    }
}

/// Verifies the store of a folder, whether or not a process writes to it.
///
/// # Errors
/// When the folder cannot be read.
pub fn verify(folder: &Path) -> Result<Report, StoreError> {
    let mut report = audit(&folder.join("audit"))?;
    report.control = control::verify(&folder.join("control.db")).err();
    Ok(report)
}

/// The position in the chain while it is followed.
struct Chain {
    next: u64,
    head: Digest,
    records: u64,
    bad: Option<Bad>,
    torn: Option<Torn>,
}

fn audit(folder: &Path) -> Result<Report, StoreError> {
    // What was on the disk when we began, in case another process writes meanwhile.
    let synced = synced(folder);
    let segments = list(folder).map_err(|why| StoreError::io("read", folder, &why))?;
    let mut chain = Chain {
        next: 1,
        head: Digest([0; 32]),
        records: 0,
        bad: None,
        torn: None,
    };
    let gone = match dropped(folder) {
        Ok(gone) => gone,
        Err(why) => {
            chain.bad(&folder.join("heads"), 0, &why.to_string());
            Vec::new()
        }
    };
    if let Some(last) = before(&gone, segments.first().copied()) {
        (chain.next, chain.head) = (last.last + 1, last.head);
    }
    for (at, first) in segments.iter().enumerate() {
        if chain.bad.is_some() {
            break;
        }
        chain.segment(folder, *first, at + 1 == segments.len())?;
    }
    if let Some(synced) = synced.filter(|synced| *synced >= chain.next && chain.bad.is_none()) {
        let file = segments.last().map_or(folder.to_owned(), |first| segment_path(folder, *first));
        chain.bad(
            &file,
            0,
            &format!("the log ends here, and records up to {synced} had been on the disk"),
        );
    }
    Ok(Report {
        segments: segments.len(),
        records: chain.records,
        last: chain.next - 1,
        head: chain.head,
        dropped: gone.len(),
        bad: chain.bad,
        torn: chain.torn,
        control: None,
    })
}

/// Returns the last dropped segment before the first one that exists. The file of the very last one may still exist, if
/// the process died before removing it.
fn before(gone: &[Dropped], first: Option<u64>) -> Option<&Dropped> {
    let first = first.unwrap_or(u64::MAX);
    gone.iter().rfind(|dropped| dropped.first < first)
}

impl Chain {
    fn bad(&mut self, file: &Path, offset: u64, why: &str) {
        self.bad = Some(Bad {
            file: file.to_owned(),
            seq: self.next,
            offset,
            why: why.to_owned(),
        });
    }

    fn segment(&mut self, folder: &Path, first: u64, is_last: bool) -> Result<(), StoreError> {
        let path = segment_path(folder, first);
        let header = match header_of(&path) {
            Ok(header) => header,
            // A segment that is just being made.
            Err(StoreError::Damaged { .. }) if is_last && length(&path)? < HEADER as u64 => return Ok(()),
            Err(StoreError::Damaged { what, .. }) => {
                self.bad(&path, 0, &what);
                return Ok(());
            }
            Err(why) => return Err(why),
        };
        if header.first != first || first != self.next || header.before != self.head {
            self.bad(
                &path,
                0,
                "it does not follow what is before it: records are missing, or were exchanged",
            );
            return Ok(());
        }
        self.head = header.head();
        self.records(&path, is_last)
    }

    fn records(&mut self, path: &Path, is_last: bool) -> Result<(), StoreError> {
        let mut frames = Frames::open(path, HEADER as u64, length(path)?)?;
        loop {
            let offset = frames.offset();
            let why = match frames.next()? {
                Next::Record(frame) if frame.view.seq == self.next && frame.follows(self.head) => {
                    self.head = frame.head;
                    self.next += 1;
                    self.records += 1;
                    continue;
                }
                Next::Record(_) => "it is not what was written",
                Next::Bad(why) => why,
                Next::End => return Ok(()),
                Next::Short(bytes) if is_last => {
                    self.torn = Some(Torn {
                        file: path.to_owned(),
                        seq: self.next,
                        bytes,
                    });
                    return Ok(());
                }
                Next::Short(_) => "it is cut short",
            };
            self.bad(path, offset, why);
            return Ok(());
        }
    }
}

fn length(path: &Path) -> Result<u64, StoreError> {
    let metadata = fs::metadata(path).map_err(|why| StoreError::io("read", path, &why))?;
    Ok(metadata.len())
}
