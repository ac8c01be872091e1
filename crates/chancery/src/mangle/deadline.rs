//! The time limit of a command: reading, analysis, evaluation and explanation together.

use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use mangle::{eval::Cancel, syntax::Bounds};

use super::args::Reading;

/// A deadline that cancels the work when the time is up; dropped, it cancels nothing any more.
pub(super) struct Deadline {
    cancel: Cancel,
    /// The channel that closes when the work is done.
    done: Option<mpsc::SyncSender<()>>,
    watch: Option<JoinHandle<()>>,
}

impl Deadline {
    /// Starts a deadline now; without a time limit it never expires. `cancel` may be used by others too.
    pub(super) fn start(after: Option<Duration>, cancel: Cancel) -> Self {
        let (done, wait) = mpsc::sync_channel::<()>(1);
        let late = cancel.clone();
        let watch = after.map(|after| {
            std::thread::spawn(move || {
                if wait.recv_timeout(after) == Err(mpsc::RecvTimeoutError::Timeout) {
                    late.cancel();
                }
            })
        });
        Self {
            cancel,
            done: Some(done),
            watch,
        }
    }

    /// Returns the flag that cancels the work.
    pub(super) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Returns the limits of reading and analysing.
    pub(super) fn bounds(&self, reading: &Reading) -> Bounds {
        let bounds = Bounds {
            cancel: self.cancel(),
            ..Bounds::default()
        };
        Bounds {
            bytes: reading.max_bytes.unwrap_or(bounds.bytes),
            ..bounds
        }
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        self.done = None;
        if let Some(watch) = self.watch.take() {
            // The thread only waits and sets a flag.
            let _ended = watch.join();
        }
    }
}
