//! A disk that fails when a test sets it to.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::{Arc, Mutex};

use store::disk::{Disk, DiskFile, LocalDisk};

/// What goes wrong, until a test sets it otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    /// The number of bytes that still fit; what does not fit is cut short, and then refused.
    pub(crate) room: Option<usize>,
    /// The most bytes that one write takes.
    pub(crate) piece: Option<usize>,
    /// Writes fail with this.
    pub(crate) write: Option<ErrorKind>,
    /// Syncs fail.
    pub(crate) sync: bool,
    /// Nothing can be cut off.
    pub(crate) truncate: bool,
    /// No file can be made.
    pub(crate) create: Option<ErrorKind>,
}

/// How often the disk was asked for what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) writes: usize,
    pub(crate) syncs: usize,
}

#[derive(Debug, Default)]
struct State {
    faults: Faults,
    asked: Asked,
}

/// The machine's disk with faults.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultyDisk(Arc<Mutex<State>>);

impl FaultyDisk {
    pub(crate) fn set(&self, faults: Faults) {
        self.0.lock().expect("no test panics here").faults = faults;
    }

    pub(crate) fn asked(&self) -> Asked {
        self.0.lock().expect("no test panics here").asked
    }

    fn file(&self, file: Arc<dyn DiskFile>) -> Arc<dyn DiskFile> {
        Arc::new(FaultyFile { disk: self.clone(), file })
    }
}

#[derive(Debug)]
struct FaultyFile {
    disk: FaultyDisk,
    file: Arc<dyn DiskFile>,
}

impl Disk for FaultyDisk {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        let create = self.0.lock().expect("no test panics here").faults.create;
        if let Some(kind) = create {
            return Err(kind.into());
        }
        Ok(self.file(LocalDisk.create(path)?))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(self.file(LocalDisk.open(path)?))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        LocalDisk.remove(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        LocalDisk.sync_folder(path)
    }
}

impl DiskFile for FaultyFile {
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.disk.0.lock().expect("no test panics here");
        state.asked.writes += 1;
        if let Some(kind) = state.faults.write {
            return Err(kind.into());
        }
        let mut most = bytes.len().min(state.faults.piece.unwrap_or(usize::MAX));
        if let Some(room) = &mut state.faults.room {
            if *room == 0 {
                return Err(ErrorKind::StorageFull.into());
            }
            most = most.min(*room);
            *room -= most;
        }
        self.file.write(&bytes[..most])
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.disk.0.lock().expect("no test panics here");
        state.asked.syncs += 1;
        if state.faults.sync {
            return Err(io::Error::other("the disk is gone"));
        }
        self.file.sync()
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        if self.disk.0.lock().expect("no test panics here").faults.truncate {
            return Err(io::Error::other("the disk is gone"));
        }
        self.file.truncate(length)
    }
}
