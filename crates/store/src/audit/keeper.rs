//! The keeper thread beside the log: it indexes what is on the disk, and drops segments that need not be kept any
//! longer.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use model::Timestamp;
use rusqlite::Connection;
use serde_json::json;
use tokio::sync::watch;

use super::heads::{self, Dropped};
use super::index::{self, Block, Index};
use super::log::{Log, Synced};
use super::reader::{LogReader, Walk};
use super::retention::{self, Plan};
use super::segment::{header_of, segment_path};
use crate::{Event, Settings, StoreError};

/// How often the keeper looks for old segments while nothing is written.
const ROUND: Duration = Duration::from_secs(60 * 60);
/// The number of blocks that are added in one transaction.
const BATCH: usize = 64;

/// The position up to which the index is complete.
#[derive(Debug)]
struct Place {
    walk: Walk,
    /// The block that is not full yet.
    open: Option<Block>,
}

/// The keeper thread, and what it shares with callers that ask for retention or copy segments.
#[derive(Debug)]
pub(crate) struct Keeper {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    reader: LogReader,
    index: Index,
    settings: Settings,
    /// The lock on segments and index: while it is held, no segment is dropped and nothing is indexed by others.
    alone: Mutex<()>,
}

impl Keeper {
    /// Starts the thread; it ends when the sender of its wake-ups is dropped.
    pub(crate) fn start(reader: LogReader, index: Index, settings: &Settings, log: &Arc<Log>, wake_ups: Receiver<()>) -> Self {
        let shared = Arc::new(Shared {
            reader,
            index,
            settings: settings.clone(),
            alone: Mutex::new(()),
        });
        let (keeper, synced, log) = (Arc::clone(&shared), log.synced(), Arc::downgrade(log));
        let thread = std::thread::Builder::new()
            .name("audit-keeper".into())
            .spawn(move || keeper.run(&wake_ups, &synced, &log))
            .expect("the system can start a thread");
        Self {
            shared,
            thread: Mutex::new(Some(thread)),
        }
    }

    /// Drops the segments that may be dropped at an instant.
    pub(crate) fn retain(&self, log: &Log, now: Timestamp) -> Result<usize, StoreError> {
        let mut db = self.shared.connect()?;
        self.shared.retain(&mut db, log, now)
    }

    /// Runs a function while no segment is dropped.
    pub(crate) fn undisturbed<T>(&self, work: impl FnOnce() -> T) -> T {
        let _alone = self.shared.alone.lock().unwrap_or_else(PoisonError::into_inner);
        work()
    }

    /// Waits for the thread's end.
    pub(crate) fn close(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread
            && thread.join().is_err()
        {
            tracing::error!("the thread that indexes the audit ended with a panic");
        }
    }
}

impl Shared {
    fn connect(&self) -> Result<Connection, StoreError> {
        self.index.connect().map_err(|why| self.index.error(&why))
    }

    fn run(&self, wake_ups: &Receiver<()>, synced: &watch::Receiver<Synced>, log: &Weak<Log>) {
        let mut db = match self.connect() {
            Ok(db) => db,
            Err(why) => return tracing::error!(error = %why, "the audit is not indexed"),
        };
        let mut segments = 0;
        let mut place = None;
        loop {
            let woken = match wake_ups.recv_timeout(ROUND) {
                Ok(()) => true,
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let until = synced.borrow().seq;
            if let Err(why) = self.index(&mut db, &mut place, until) {
                place = None;
                tracing::error!(error = %why, "failed to index the audit: queries are slower");
            }
            let now_segments = self.reader.segments().count();
            if woken && now_segments == segments {
                continue;
            }
            segments = now_segments;
            let Some(log) = log.upgrade() else { return };
            if let Err(why) = self.retain(&mut db, &log, self.settings.clock.now()) {
                tracing::error!(error = %why, "failed to drop old segments of the audit");
            }
        }
    }

    /// Indexes whole blocks, from where the last run ended, because finding a record anew costs a walk over its
    /// segment.
    fn index(&self, db: &mut Connection, place: &mut Option<Place>, until: u64) -> Result<(), StoreError> {
        let failed = |why| self.index.error(&why);
        let _alone = self.alone.lock().unwrap_or_else(PoisonError::into_inner);
        let Place { walk, open } = match place {
            Some(place) => place,
            None => place.insert(Place {
                walk: self.reader.walk(index::indexed(db).map_err(failed)? + 1),
                open: None,
            }),
        };
        let mut blocks: Vec<Block> = Vec::new();
        while walk.position() <= until {
            let Some((segment, frame)) = walk.next()? else { break };
            match open {
                Some(block) if block.segment == segment && !block.is_full() => block.add(&frame),
                _ => {
                    blocks.extend(open.replace(Block::starting(segment, &frame)));
                    if blocks.len() == BATCH {
                        index::add(db, &blocks).map_err(failed)?;
                        blocks.clear();
                    }
                }
            }
        }
        // A block that may still grow is left for the next run.
        blocks.extend(open.take_if(|block| block.is_full() || !self.is_last_segment(block.last + 1)));
        index::add(db, &blocks).map_err(failed)
    }

    /// Returns whether a record is, or would be, in the segment that is being written.
    fn is_last_segment(&self, seq: u64) -> bool {
        let segments = self.reader.segments();
        segments.holding(seq).is_none_or(|held| segments.after(held.first).is_none())
    }

    fn retain(&self, db: &mut Connection, log: &Log, now: Timestamp) -> Result<usize, StoreError> {
        let failed = |why| self.index.error(&why);
        let _alone = self.alone.lock().unwrap_or_else(PoisonError::into_inner);
        let segments = self.reader.segments().all();
        let known: HashMap<u64, Timestamp> = index::condemned(db).map_err(failed)?;
        let Plan { drop, hide, condemned } = retention::plan(&segments, self.settings.retention, now, &known);
        if condemned != known {
            index::condemn(db, &condemned).map_err(failed)?;
        }
        for pair in segments.windows(2).take(drop) {
            if let [segment, next] = pair {
                self.drop_segment(log, segment.first, next.first, now)?;
            }
        }
        if let Some(first) = segments.get(hide).filter(|_| hide > 0) {
            index::forget_before(db, first.first).map_err(failed)?;
        }
        Ok(drop)
    }

    /// Drops a segment: its head is noted first, then the file is removed.
    fn drop_segment(&self, log: &Log, first: u64, next: u64, now: Timestamp) -> Result<(), StoreError> {
        let (disk, folder) = (&*self.settings.disk, self.reader.folder());
        let header = header_of(&segment_path(folder, next))?;
        let dropped = Dropped {
            first,
            last: next - 1,
            head: header.before,
            origin: header.origin,
            at: now,
        };
        if heads::dropped(folder)?.last().is_none_or(|last| last.first != first) {
            heads::remember(disk, folder, &dropped)?;
        }
        let path = segment_path(folder, first);
        self.reader.segments().remove(first);
        disk.remove(&path).map_err(|why| StoreError::io("remove", &path, &why))?;
        disk.sync_folder(folder).map_err(|why| StoreError::io("sync", folder, &why))?;
        let details = json!({ "first_seq": first, "last_seq": next - 1, "head": header.before.to_string() });
        log.defer(Event::own(now, "dev.chancery.audit_segment_dropped", &details));
        Ok(())
    }
}
