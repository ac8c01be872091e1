//! Notices changes of configuration files by polling.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::digest::of_bytes;

/// The files of a configuration as they were last seen. A file that doesn't exist is watched too: it may appear.
#[derive(Clone, Debug)]
pub struct Watch {
    files: Vec<(PathBuf, Stamp)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Stamp {
    Absent,
    Present {
        modified: Option<SystemTime>,
        length: u64,
        digest: String,
    },
}

impl Watch {
    /// Records the files as they are now.
    #[must_use]
    pub fn new(files: impl IntoIterator<Item = PathBuf>) -> Self {
        let files = files.into_iter().map(|path| {
            let stamp = Stamp::of(&path, None);
            (path, stamp)
        });
        Self { files: files.collect() }
    }

    /// Returns the files whose contents have changed since the last poll. Reads only files whose time or length
    /// changed.
    pub fn changed(&mut self) -> Vec<PathBuf> {
        let mut changed = Vec::new();
        for (path, stamp) in &mut self.files {
            let now = Stamp::of(path, Some(stamp));
            if !now.same_contents(stamp) {
                changed.push(path.clone());
            }
            *stamp = now;
        }
        changed
    }

    /// Returns the watched files.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(path, _)| path.as_path())
    }
}

impl Stamp {
    fn of(path: &Path, last: Option<&Self>) -> Self {
        let Ok(metadata) = std::fs::metadata(path) else {
            return Self::Absent;
        };
        let (now, len) = (metadata.modified().ok(), metadata.len());
        match last {
            Some(Self::Present { modified, length, digest }) if *modified == now && *length == len && now.is_some() => Self::Present {
                modified: now,
                length: len,
                digest: digest.clone(),
            },
            _ => match std::fs::read(path) {
                Ok(bytes) => Self::Present {
                    modified: now,
                    length: len,
                    digest: of_bytes(&bytes),
                },
                Err(_) => Self::Absent,
            },
        }
    }

    fn same_contents(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Absent, Self::Absent) => true,
            (Self::Present { digest: a, .. }, Self::Present { digest: b, .. }) => a == b,
            _ => false,
        }
    }
}
