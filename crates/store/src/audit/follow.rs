//! Follows the log as it grows.

use tokio::sync::watch;

use super::reader::{LogReader, Walk};
use crate::{BoxFuture, Chunk, Follower, StoreError};

/// The most events that are handed out at once.
const BATCH: usize = 512;

/// A reader of everything that is appended, in order.
#[derive(Debug)]
pub(crate) struct LogFollower {
    reader: LogReader,
    written: watch::Receiver<u64>,
    next: u64,
    /// The position in the files; `None` while a thread reads.
    walk: Option<Walk>,
}

impl LogFollower {
    /// Starts at a number; 0 for what is written from now on.
    pub(crate) fn new(reader: LogReader, written: watch::Receiver<u64>, from: u64) -> Self {
        let next = if from == 0 { *written.borrow() + 1 } else { from };
        Self {
            reader,
            written,
            next,
            walk: None,
        }
    }

    async fn read(&mut self) -> Result<Chunk, StoreError> {
        let next = self.next;
        let until = *self
            .written
            .wait_for(|written| *written >= next)
            .await
            .map_err(|_| StoreError::Closed)?;
        let mut walk = self.walk.take().unwrap_or_else(|| self.reader.walk(next));
        let read = tokio::task::spawn_blocking(move || walk.chunk(BATCH, until).map(|chunk| (chunk, walk)));
        let (chunk, walk) = read.await.map_err(|_| StoreError::Closed)??;
        self.walk = Some(walk);
        self.next = chunk.next;
        Ok(chunk)
    }
}

impl Follower for LogFollower {
    fn next(&mut self) -> BoxFuture<'_, Result<Chunk, StoreError>> {
        Box::pin(self.read())
    }
}
