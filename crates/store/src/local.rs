//! The store in a folder of this machine.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use model::{Digest, Timestamp};
use tokio::sync::watch;

use crate::audit::{AuditQuery, Found, Index, Keeper, Log, LogFollower, LogReader, Next, Page, Recovered, Search, Tally, TallyBy, recover};
use crate::backup::Backup;
use crate::control::{self, Control};
use crate::disk::{private, private_folder};
use crate::error::shown;
use crate::{
    AuditStore, BoxFuture, Chunk, Commit, CommitError, Committed, ControlStore, Event, Follower, Health, Remembered, SealKeys, Settings,
    Store, StoreError,
};

/// The most events that one replay returns.
const MAX_REPLAY: usize = 1000;

/// A store in a folder, and the threads that write to it. Dropping it writes and syncs what waits, and blocks until
/// that is done.
#[derive(Debug)]
pub struct LocalStore {
    folder: PathBuf,
    control: Result<Arc<Control>, StoreError>,
    log: Result<Arc<Log>, StoreError>,
    keeper: Option<Arc<Keeper>>,
    reader: LogReader,
    index: Index,
    written: watch::Receiver<u64>,
    /// The lock file, held for as long as the store is open.
    _lock: File,
}

impl LocalStore {
    /// Opens the store of a folder, which is created where it is missing. The call blocks on the disk: do not make it
    /// on a thread that others need.
    ///
    /// What a process that died left half-written is repaired. Where `control.db` or the end of the audit is damaged,
    /// the store opens to be read, and [`Store::health`] says why nothing is written.
    ///
    /// # Errors
    /// When another process has the folder, a later chancery wrote it, or it cannot be created.
    pub fn open(settings: &Settings) -> Result<Self, StoreError> {
        let folder = settings.folder.clone();
        let audit = folder.join("audit");
        private_folder(&audit)
            .and_then(|()| private_folder(&folder))
            .map_err(|why| StoreError::write(&folder, &why))?;
        let lock = lock(&folder)?;
        let control_path = folder.join("control.db");
        let db = match control::open(&control_path, settings.control_bytes) {
            Err(why @ StoreError::Newer { .. }) => return Err(why),
            opened => opened,
        };
        let Recovered {
            writer,
            last,
            deferred,
            segments,
        } = recover(&audit, settings)?;
        let reader = LogReader::new(&audit, segments);
        let index = Index::open(&audit, |block, head| stands(&reader, block, head))?;
        let (wake, wake_ups) = sync_channel(1);
        let log = writer.map(|writer| Arc::new(Log::start(writer, deferred, settings, &audit, wake)));
        let keeper = log.as_ref().ok();
        let keeper = keeper.map(|log| Arc::new(Keeper::start(reader.clone(), index.clone(), settings, log, wake_ups)));
        let written = match &log {
            Ok(log) => log.written(),
            Err(_) => watch::channel(last).1,
        };
        let control = db.and_then(|db| Control::start(db, &control_path, log.clone(), settings.queue).map(Arc::new));
        if let Err(why) = &control {
            tracing::error!(error = %why, "control.db cannot be used");
        }
        Ok(Self {
            folder,
            control,
            log,
            keeper,
            reader,
            index,
            written,
            _lock: lock,
        })
    }

    /// Returns the store's folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Drops the segments that need not be kept at an instant, and returns how many. The store does so by itself
    /// whenever a segment is begun, and every hour.
    ///
    /// # Errors
    /// When a segment could not be dropped, or the audit cannot be written to.
    pub fn retain(&self, now: Timestamp) -> Result<usize, StoreError> {
        match (&self.log, &self.keeper) {
            (Ok(log), Some(keeper)) => keeper.retain(log, now),
            (Err(why), _) => Err(why.clone()),
            _ => Err(StoreError::Closed),
        }
    }

    fn control(&self) -> Result<&Arc<Control>, StoreError> {
        self.control.as_ref().map_err(Clone::clone)
    }

    async fn write_deferred(&self) {
        if let Ok(log) = &self.log {
            log.write_deferred().await;
        }
    }

    fn log(&self) -> Result<&Arc<Log>, StoreError> {
        self.log.as_ref().map_err(Clone::clone)
    }

    /// Makes a search that sees everything that was appended, and the deferred events.
    async fn search(&self) -> Search {
        self.write_deferred().await;
        Search::new(self.reader.clone(), self.index.clone(), *self.written.borrow())
    }
}

/// Locks the folder for this process, and notes the process's id.
fn lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join("lock");
    let failed = |why: &dyn std::fmt::Display| StoreError::io("lock", &path, why);
    let mut file = private(OpenOptions::new().read(true).write(true).create(true).truncate(false))
        .open(&path)
        .map_err(|why| failed(&why))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut pid = String::new();
            // The id is only a hint for finding the process.
            let by = match file.read_to_string(&mut pid) {
                Ok(_) if !pid.trim().is_empty() => format!(" (process {})", pid.trim()),
                _ => String::new(),
            };
            return Err(StoreError::InUse {
                path: shown(folder),
                by: by.into(),
            });
        }
        Err(TryLockError::Error(why)) => return Err(failed(&why)),
    }
    let noted = file
        .set_len(0)
        .and_then(|()| file.write_all(format!("{}\n", std::process::id()).as_bytes()));
    if let Err(why) = noted {
        tracing::debug!(error = %why, "failed to note who has the store");
    }
    Ok(file)
}

/// Returns the process that has the store of a folder open, or had it last.
#[must_use]
pub fn holder(folder: &Path) -> Option<u32> {
    std::fs::read_to_string(folder.join("lock")).ok()?.trim().parse().ok()
}

/// Returns whether the last record of a block still has the head that the index remembers.
fn stands(reader: &LogReader, block: &Found, head: Digest) -> bool {
    let Ok(Some(mut frames)) = reader.part(block.segment, block.offset, block.until) else {
        return false;
    };
    loop {
        match frames.next() {
            Ok(Next::Record(frame)) if frame.view.seq == block.last => return frame.head == head,
            Ok(Next::Record(_)) => {}
            _ => return false,
        }
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, StoreError> + Send + 'static) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| StoreError::Closed)?
}

impl ControlStore for LocalStore {
    fn load(&self) -> BoxFuture<'_, Result<Remembered, StoreError>> {
        Box::pin(async { self.control()?.load().await })
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        Box::pin(async { self.control()?.commit(commit).await })
    }

    fn rotate_seal_key(&self) -> BoxFuture<'_, Result<SealKeys, StoreError>> {
        Box::pin(async { self.control()?.rotate().await })
    }
}

impl AuditStore for LocalStore {
    fn append(&self, event: Event) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async { self.log()?.append(event).await })
    }

    fn note(&self, event: Event) -> Option<Event> {
        match &self.log {
            Ok(log) => log.note(event),
            Err(_) => Some(event),
        }
    }

    fn query(&self, query: AuditQuery) -> BoxFuture<'_, Result<Page, StoreError>> {
        Box::pin(async {
            let search = self.search().await;
            blocking(move || search.page(&query)).await
        })
    }

    fn tally(&self, query: AuditQuery, by: TallyBy) -> BoxFuture<'_, Result<Tally, StoreError>> {
        Box::pin(async move {
            let search = self.search().await;
            blocking(move || search.tally(&query, by)).await
        })
    }

    fn replay(&self, from: u64, limit: usize) -> BoxFuture<'_, Result<Chunk, StoreError>> {
        Box::pin(async move {
            self.write_deferred().await;
            let (mut walk, until) = (self.reader.walk(from.max(1)), *self.written.borrow());
            blocking(move || walk.chunk(limit.clamp(1, MAX_REPLAY), until)).await
        })
    }

    fn follow(&self, from: u64) -> Box<dyn Follower> {
        Box::new(LogFollower::new(self.reader.clone(), self.written.clone(), from))
    }
}

impl Store for LocalStore {
    fn backup<'a>(&'a self, to: &'a Path) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async {
            self.write_deferred().await;
            let backup = Backup {
                from: self.folder.clone(),
                to: to.to_owned(),
                control: Arc::clone(self.control()?),
                log: Arc::clone(self.log()?),
                keeper: self.keeper.clone().ok_or(StoreError::Closed)?,
            };
            blocking(move || backup.make()).await
        })
    }

    fn health(&self) -> Health {
        let of = |part: Result<Health, &StoreError>| part.unwrap_or_else(|why| Health::ReadOnly(why.clone()));
        let control = of(self.control.as_ref().map(|control| control.health()));
        let log = of(self.log.as_ref().map(|log| log.health()));
        if control == Health::Sound { log } else { control }
    }
}

impl Drop for LocalStore {
    /// Closes the parts in the order of their use: `control.db` sends events to the log, the log wakes the keeper.
    fn drop(&mut self) {
        if let Ok(control) = &self.control {
            control.close();
        }
        self.control = Err(StoreError::Closed);
        if let Ok(log) = std::mem::replace(&mut self.log, Err(StoreError::Closed)) {
            log.close();
        }
        if let Some(keeper) = self.keeper.take() {
            keeper.close();
        }
    }
}
