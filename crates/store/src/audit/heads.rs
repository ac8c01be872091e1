//! The file that remembers dropped segments: their numbers and the head after each, one line per segment.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use model::{Digest, Timestamp};

use super::writer::Origin;
use crate::StoreError;
use crate::disk::{Disk, write_all};

/// A segment that retention dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dropped {
    /// The segment's first record.
    pub(crate) first: u64,
    /// The segment's last record.
    pub(crate) last: u64,
    /// The chain's head after the segment.
    pub(crate) head: Digest,
    /// The last row of the outbox in it or before it.
    pub(crate) origin: Origin,
    /// When it was dropped.
    pub(crate) at: Timestamp,
}

fn path(folder: &Path) -> PathBuf {
    folder.join("heads")
}

/// Returns every segment that was dropped, in order. A last line that is cut short is ignored: its segment is still
/// there.
pub(crate) fn dropped(folder: &Path) -> Result<Vec<Dropped>, StoreError> {
    let path = path(folder);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(why) if why.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(why) => return Err(StoreError::io("read", &path, &why)),
    };
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    let mut found: Vec<Dropped> = Vec::new();
    for (at, line) in whole.lines().enumerate() {
        let dropped = parse(line).filter(|new| found.last().is_none_or(|last| last.last + 1 == new.first));
        let dropped = dropped.ok_or_else(|| StoreError::damaged(&path, format!("line {} is not what was written", at + 1)))?;
        found.push(dropped);
    }
    Ok(found)
}

/// Writes a line, and syncs it before its segment is removed.
pub(crate) fn remember(disk: &dyn Disk, folder: &Path, dropped: &Dropped) -> Result<(), StoreError> {
    let path = path(folder);
    let whole = whole_length(&path)?;
    let file = match whole {
        None => disk.create(&path),
        Some(_) => disk.open(&path),
    }
    .map_err(|why| StoreError::write(&path, &why))?;
    let before = whole.unwrap_or_default();
    file.truncate(before).map_err(|why| StoreError::failed(&path, &why))?;
    let line = format!(
        "{} {} {} {} {}\n",
        dropped.first, dropped.last, dropped.head, dropped.origin, dropped.at.0
    );
    if let Err(why) = write_all(&*file, line.as_bytes()) {
        file.truncate(before).map_err(|why| StoreError::failed(&path, &why))?;
        return Err(StoreError::write(&path, &why));
    }
    file.sync().map_err(|why| StoreError::failed(&path, &why))?;
    disk.sync_folder(folder).map_err(|why| StoreError::failed(folder, &why))
}

/// Returns the length of the file up to its last whole line; `None` where there is no file.
fn whole_length(path: &Path) -> Result<Option<u64>, StoreError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at as u64 + 1))),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(None),
        Err(why) => Err(StoreError::io("read", path, &why)),
    }
}

fn parse(line: &str) -> Option<Dropped> {
    let mut words = line.split(' ');
    let dropped = Dropped {
        first: words.next()?.parse().ok()?,
        last: words.next()?.parse().ok()?,
        head: digest(words.next()?)?,
        origin: words.next()?.parse().ok()?,
        at: Timestamp(words.next()?.parse().ok()?),
    };
    (words.next().is_none() && dropped.first <= dropped.last).then_some(dropped)
}

fn digest(hex: &str) -> Option<Digest> {
    let mut digest = [0; 32];
    if hex.len() != 64 || !hex.is_ascii() {
        return None;
    }
    for (byte, at) in digest.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&hex[at..at + 2], 16).ok()?;
    }
    Some(Digest(digest))
}
