//! Copies a store as of one instant, while it is being written.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::StoreError;
use crate::audit::{self, Keeper, Log, list, segment_path};
use crate::control::{self, Control};
use crate::disk::{private, private_folder, sync_folder};

/// A backup: the parts to copy, and the folder to copy them to.
pub(crate) struct Backup {
    pub(crate) from: PathBuf,
    pub(crate) to: PathBuf,
    pub(crate) control: Arc<Control>,
    pub(crate) log: Arc<Log>,
    pub(crate) keeper: Arc<Keeper>,
}

/// The end of the log at the time at which `control.db` was copied.
#[derive(Clone, Copy, Debug)]
struct Cut {
    last: u64,
    segment: u64,
    length: u64,
}

impl Backup {
    /// Makes the backup. The log is cut off at the instant at which `control.db` is copied: no copy has an event
    /// without its change, or a change whose event is neither in the log nor in the outbox.
    pub(crate) fn make(self) -> Result<(), StoreError> {
        let audit = self.to.join("audit");
        if self.to.exists() {
            return Err(StoreError::io(
                "back up to",
                &self.to,
                &"it is there already; name a folder that is not",
            ));
        }
        private_folder(&audit)
            .and_then(|()| private_folder(&self.to))
            .map_err(|why| StoreError::write(&self.to, &why))?;
        self.keeper.undisturbed(|| {
            let cut = self.copy_control()?;
            self.copy_audit(&audit, cut)
        })?;
        sync_folder(&self.to).map_err(|why| StoreError::write(&self.to, &why))
    }

    fn copy_control(&self) -> Result<Cut, StoreError> {
        let (from, to) = (self.from.join("control.db"), self.to.join("control.db"));
        let log = Arc::clone(&self.log);
        let (send, receive) = std::sync::mpsc::sync_channel(1);
        self.control.copy(Box::new(move |db| {
            let (end, (segment, length)) = log.end();
            // The channel has room for the one cut, and its receiver waits.
            let _sent = send.send(Cut {
                last: end.next - 1,
                segment,
                length,
            });
            control::copy(db, &from, &to)
        }))?;
        receive.recv().map_err(|_| StoreError::Closed)
    }

    fn copy_audit(&self, to: &Path, cut: Cut) -> Result<(), StoreError> {
        let from = self.from.join("audit");
        let segments = list(&from).map_err(|why| StoreError::io("read", &from, &why))?;
        for first in segments.into_iter().filter(|first| *first <= cut.segment) {
            let (from, to) = (segment_path(&from, first), segment_path(to, first));
            let length = (first == cut.segment).then_some(cut.length);
            copy(&from, &to, length).map_err(|why| StoreError::write(&to, &why))?;
        }
        let (heads, copied) = (from.join("heads"), to.join("heads"));
        match copy(&heads, &copied, None) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(StoreError::write(&copied, &why)),
            _ => {}
        }
        audit::note_synced(to, cut.last)
            .and_then(|()| sync_folder(to))
            .map_err(|why| StoreError::write(to, &why))
    }
}

/// Copies a file, or the beginning of it, to a new one, and syncs that.
fn copy(from: &Path, to: &Path, length: Option<u64>) -> io::Result<()> {
    let source = File::open(from)?;
    let mut target = private(OpenOptions::new().write(true).create_new(true)).open(to)?;
    io::copy(&mut source.take(length.unwrap_or(u64::MAX)), &mut target)?;
    target.sync_all()
}
