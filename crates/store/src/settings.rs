//! The settings of a store: its folder, how soon data is synced, and how long events are kept.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use model::Timestamp;

use crate::disk::{Disk, LocalDisk};

/// When an event is safe from a power cut. It is safe from the death of the process before `append` resolves, in both
/// modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncMode {
    /// At most so long after it was appended: `audit.sync = "interval"`.
    Interval(Duration),
    /// Before `append` resolves; those that wait together share an fsync: `audit.sync = "always"`.
    Always,
}

/// How long events are kept (MGP §19.4). Only whole segments are dropped, and their chain heads stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// For ever: `keep_all`.
    KeepAll,
    /// For a duration: `time_based`.
    Time(Duration),
    /// As many as fit into a number of bytes: `size_based`.
    Size(u64),
    /// Found by queries for a while, then only kept for export and verification, then dropped: `tiered`.
    Tiered {
        /// How long queries find them.
        searchable: Duration,
        /// How long they are kept in all.
        kept: Duration,
    },
}

/// The settings of a store.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder of the store; created where it is missing.
    pub folder: PathBuf,
    /// When an event is safe from a power cut.
    pub sync: SyncMode,
    /// The size at which a new segment begins. A segment is the least that retention drops.
    pub segment_bytes: u64,
    /// The age at which a new segment begins, so that a quiet log can be dropped by age too.
    pub segment_span: Duration,
    /// How long events are kept.
    pub retention: Retention,
    /// The most bytes that `control.db` may have; beyond, the disk counts as full.
    pub control_bytes: u64,
    /// How many events, and how many commits, may wait for the disk; more are refused as [`crate::StoreError::Busy`].
    pub queue: usize,
    /// The clock.
    pub clock: Clock,
    /// The file system that segments are written to.
    pub disk: Arc<dyn Disk>,
}

impl Settings {
    /// Returns the defaults, for a folder: fsync every 50 ms, segments of 64 MiB or a day, everything kept.
    #[must_use]
    pub fn new(folder: impl AsRef<Path>) -> Self {
        Self {
            folder: folder.as_ref().to_owned(),
            sync: SyncMode::Interval(Duration::from_millis(50)),
            segment_bytes: 64 << 20,
            segment_span: Duration::from_secs(24 * 60 * 60),
            retention: Retention::KeepAll,
            control_bytes: 1 << 30,
            queue: 4096,
            clock: Clock::system(),
            disk: Arc::new(LocalDisk),
        }
    }
}

/// The source of the time; tests set their own.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// Returns the machine's clock.
    #[must_use]
    pub fn system() -> Self {
        Self::new(|| {
            let millis = |span: Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
            Timestamp(match SystemTime::now().duration_since(UNIX_EPOCH) {
                Ok(since) => millis(since),
                Err(before) => -millis(before.duration()),
            })
        })
    }

    /// Returns a clock that calls a function.
    #[must_use]
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Returns the present time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
