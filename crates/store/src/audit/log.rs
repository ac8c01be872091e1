//! The log, to which many tasks append at once: group commit.
//!
//! In interval mode, a task that appends while no other task writes does the writing itself, for its own event and for
//! those that other tasks append meanwhile: a write to the page cache costs less than waking a thread for it, and a
//! slow disk delays one task and not all. A thread of the log's own, the flusher, syncs, begins segments, takes over
//! from a task that has written for others long enough, and in `always` mode does all the writing, with one fsync for
//! all waiting tasks.
//!
//! An event that no task waits for is deferred: it is written before the events of the next write, or by the flusher
//! after a moment.

use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::{oneshot, watch};

use super::record;
use super::recover;
pub(crate) use super::writer::Origin;
use super::writer::{self, End, Writer};
use crate::disk::DiskFile;
use crate::{Clock, Event, Health, Settings, StoreError, SyncMode};

/// The number of rounds in which a task writes what other tasks append meanwhile.
const ROUNDS: usize = 8;
/// The most bytes of events that may wait to be written.
const WAITING_BYTES: usize = 16 << 20;
/// How long a deferred event may stay unwritten.
const DEFERRED_FOR: Duration = Duration::from_millis(10);
/// The shortest time that the flusher leaves to a task that is writing.
const SHORTEST: Duration = Duration::from_millis(1);

type Reply = oneshot::Sender<Result<u64, StoreError>>;

/// The end of the log, and the thread that syncs it.
#[derive(Debug)]
pub(crate) struct Log {
    shared: Arc<Shared>,
    flusher: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    queue: Mutex<Queue>,
    /// The condition that the flusher waits on.
    wake: Condvar,
    /// The writer; the task that has set `Queue::writing` holds it.
    writer: Mutex<Writer>,
    written: watch::Sender<u64>,
    synced: watch::Sender<Synced>,
    sync: SyncMode,
    clock: Clock,
    segment_bytes: u64,
    segment_span: i64,
    limit: usize,
    folder: PathBuf,
    /// Wakes the keeper.
    wake_keeper: SyncSender<()>,
}

/// What is on the disk for certain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Synced {
    /// The last record.
    pub(crate) seq: u64,
    /// The last row of the outbox.
    pub(crate) origin: Origin,
}

#[derive(Debug, Default)]
struct Queue {
    pending: Vec<Pending>,
    bytes: usize,
    /// The deferred events. They are written before others once something can be written.
    deferred: Vec<Event>,
    /// Since when there are deferred events.
    deferred_since: Option<Instant>,
    /// Whether the flusher waits to be woken, without a time limit.
    resting: bool,
    /// Whether a task or the flusher holds the writer.
    writing: bool,
    /// Whether the flusher holds it.
    handed: bool,
    dirty_since: Option<Instant>,
    closing: bool,
    /// Why nothing can be written: for good, or according to the last attempt.
    trouble: Option<StoreError>,
}

#[derive(Debug)]
struct Pending {
    records: Vec<(Event, Origin)>,
    reply: Option<Reply>,
    /// Whether to answer once the record is written, in `always` mode too.
    early: bool,
}

/// What a task that appends does next.
enum Turn {
    Write(Pending),
    Wait(oneshot::Receiver<Result<u64, StoreError>>),
}

/// What the flusher does next.
enum Task {
    Write,
    Sync,
    Stop,
}

impl Log {
    /// Starts the flusher.
    pub(crate) fn start(writer: Writer, deferred: Vec<Event>, settings: &Settings, folder: &Path, wake_keeper: SyncSender<()>) -> Self {
        let seq = writer.end().next - 1;
        let shared = Arc::new(Shared {
            queue: Mutex::new(Queue {
                // What recovery found may not be on the disk yet.
                dirty_since: Some(Instant::now()),
                bytes: weight(&deferred),
                deferred_since: (!deferred.is_empty()).then(Instant::now),
                deferred,
                ..Queue::default()
            }),
            wake: Condvar::new(),
            writer: Mutex::new(writer),
            written: watch::Sender::new(seq),
            synced: watch::Sender::new(Synced::default()),
            sync: settings.sync,
            clock: settings.clock.clone(),
            segment_bytes: settings.segment_bytes,
            segment_span: i64::try_from(settings.segment_span.as_millis()).unwrap_or(i64::MAX),
            limit: settings.queue,
            folder: folder.to_owned(),
            wake_keeper,
        });
        let flusher = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("audit-flusher".into())
            .spawn(move || flusher.flush())
            .expect("the system can start a thread");
        Self {
            shared,
            flusher: Mutex::new(Some(thread)),
        }
    }

    /// Appends an event, and returns its number.
    pub(crate) async fn append(&self, event: Event) -> Result<u64, StoreError> {
        record::check(&event)?;
        let shared = &self.shared;
        match shared.enter(vec![(event, 0)], false, true)? {
            Turn::Write(own) => shared.lead(own),
            Turn::Wait(reply) => reply.await.map_err(|_| StoreError::Closed)?,
        }
    }

    /// Defers an event that no task waits for. Returns it where there is no room for it, or nothing can be written any
    /// more.
    pub(crate) fn note(&self, event: Event) -> Option<Event> {
        let mut queue = self.shared.queue();
        let lasting = queue.trouble.as_ref().is_some_and(StoreError::is_lasting);
        let full = queue.deferred.len() >= self.shared.limit || queue.bytes + event.weight() > WAITING_BYTES;
        if lasting || full || queue.closing || record::check(&event).is_err() {
            return Some(event);
        }
        self.shared.put_deferred(&mut queue, event);
        None
    }

    /// Writes the deferred events, and returns when they are written or could not be.
    pub(crate) async fn write_deferred(&self) {
        let shared = &self.shared;
        let is_written = |queue: &Queue| queue.deferred.is_empty() && !queue.writing;
        if is_written(&shared.queue()) {
            return;
        }
        match shared.enter(Vec::new(), true, false) {
            Ok(Turn::Write(own)) => drop(shared.lead(own)),
            Ok(Turn::Wait(reply)) => drop(reply.await),
            Err(error) => tracing::debug!(%error, "what was noted is not written"),
        }
    }

    /// Appends events of the outbox, in order, from a thread that may block. They are not refused because other events
    /// wait.
    pub(crate) fn deliver(&self, records: Vec<(Event, Origin)>) -> Result<(), StoreError> {
        match self.shared.enter(records, true, false)? {
            Turn::Write(own) => self.shared.lead(own).map(drop),
            Turn::Wait(reply) => reply.blocking_recv().map_err(|_| StoreError::Closed)?.map(drop),
        }
    }

    /// Defers an event of the log itself, which is written when something can be.
    pub(crate) fn defer(&self, event: Event) {
        let mut queue = self.shared.queue();
        self.shared.put_deferred(&mut queue, event);
    }

    /// Returns a watch on the number of the last record that was written.
    pub(crate) fn written(&self) -> watch::Receiver<u64> {
        self.shared.written.subscribe()
    }

    /// Returns a watch on what is on the disk for certain.
    pub(crate) fn synced(&self) -> watch::Receiver<Synced> {
        self.shared.synced.subscribe()
    }

    /// Returns the end of the log, and the segment that is being written with its length.
    pub(crate) fn end(&self) -> (End, (u64, u64)) {
        let writer = self.shared.writer();
        (writer.end(), writer.segment())
    }

    pub(crate) fn health(&self) -> Health {
        match &self.shared.queue().trouble {
            Some(why) => Health::ReadOnly(why.clone()),
            None => Health::Sound,
        }
    }

    /// Writes what waits, syncs, and stops the flusher.
    pub(crate) fn close(&self) {
        self.shared.queue().closing = true;
        self.shared.wake.notify_one();
        let thread = self.flusher.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread
            && thread.join().is_err()
        {
            tracing::error!("the thread that syncs the audit ended with a panic");
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put_deferred(&self, queue: &mut Queue, event: Event) {
        queue.bytes += event.weight();
        queue.deferred.push(event);
        queue.deferred_since.get_or_insert_with(Instant::now);
        if queue.resting {
            self.wake.notify_one();
        }
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds records to the queue, or tells the caller to write them.
    fn enter(&self, records: Vec<(Event, Origin)>, early: bool, limited: bool) -> Result<Turn, StoreError> {
        let bytes: usize = records.iter().map(|(event, _)| event.weight()).sum();
        let mut queue = self.queue();
        if let Some(why) = queue.trouble.as_ref().filter(|why| why.is_lasting()) {
            return Err(why.clone());
        }
        if queue.closing {
            return Err(StoreError::Closed);
        }
        let mut own = Pending {
            records,
            reply: None,
            early,
        };
        let inline = matches!(self.sync, SyncMode::Interval(_));
        if inline && !queue.writing {
            queue.writing = true;
            return Ok(Turn::Write(own));
        }
        if limited && (queue.pending.len() >= self.limit || queue.bytes + bytes > WAITING_BYTES) {
            return Err(StoreError::Busy {
                waiting: queue.pending.len(),
            });
        }
        let (reply, answer) = oneshot::channel();
        own.reply = Some(reply);
        queue.pending.push(own);
        queue.bytes += bytes;
        if !queue.writing {
            queue.writing = true;
            queue.handed = true;
            self.wake.notify_one();
        }
        Ok(Turn::Wait(answer))
    }

    /// Writes the deferred events and the caller's own records, then those that other tasks appended meanwhile, for
    /// some rounds.
    fn lead(&self, own: Pending) -> Result<u64, StoreError> {
        let deferred = self.queue().take_deferred();
        let (own_result, mut hand) = self.write(deferred, &[own]);
        for _ in 0..ROUNDS {
            let Some((deferred, batch)) = self.take_or_leave(hand) else {
                return own_result;
            };
            let (result, full) = self.write(deferred, &batch);
            answer(batch, &result);
            hand = full;
        }
        self.take_or_leave(true);
        own_result
    }

    /// Returns the waiting events for the task that is writing; `None` once none are left, or once the flusher has
    /// taken over.
    fn take_or_leave(&self, hand: bool) -> Option<(Vec<Event>, Vec<Pending>)> {
        let mut queue = self.queue();
        if hand {
            queue.handed = true;
        } else if queue.pending.is_empty() {
            queue.writing = false;
        } else {
            return Some(queue.take_all());
        }
        if hand || queue.closing {
            self.wake.notify_one();
        }
        None
    }

    /// Writes the deferred events, then the records of a batch, to the operating system. Returns the number of the
    /// batch's first record, and whether the segment is full now. Deferred events that can't be written now stay
    /// deferred.
    fn write(&self, deferred: Vec<Event>, batch: &[Pending]) -> (Result<u64, StoreError>, bool) {
        let mut writer = self.writer();
        let records = batch.iter().flat_map(|pending| &pending.records);
        let result = writer.write(
            deferred
                .iter()
                .map(|event| (event, 0))
                .chain(records.map(|(event, origin)| (event, *origin))),
        );
        let full = writer.is_full(self.segment_bytes, self.segment_span, self.clock.now());
        let last = writer.end().next - 1;
        drop(writer);
        self.note(&result);
        let before = deferred.len() as u64;
        match &result {
            Ok(_) => drop(self.written.send_replace(last)),
            Err(_) => self.queue().defer_again(deferred),
        }
        (result.map(|first| first + before), full)
    }

    /// Remembers the outcome of an attempt, and that there is something to sync.
    fn note<T>(&self, result: &Result<T, StoreError>) {
        let mut queue = self.queue();
        match result {
            Ok(_) => {
                if queue.trouble.as_ref().is_some_and(|why| !why.is_lasting()) {
                    queue.trouble = None;
                }
                if queue.dirty_since.is_none() {
                    queue.dirty_since = Some(Instant::now());
                    self.wake.notify_one();
                }
            }
            Err(why) => {
                tracing::error!(error = %why, "failed to write to the audit");
                if !queue.trouble.as_ref().is_some_and(StoreError::is_lasting) {
                    queue.trouble = Some(why.clone());
                }
            }
        }
    }

    /// Runs the flusher.
    fn flush(&self) {
        loop {
            match self.next_task() {
                Task::Write => self.write_for_all(),
                Task::Sync => drop(self.sync()),
                Task::Stop => break,
            }
        }
        if self.sync().is_ok() {
            tracing::debug!("the audit is on the disk");
        }
        let (deferred, left) = self.queue().take_all();
        if !deferred.is_empty() {
            tracing::error!(events = deferred.len(), "events of the audit were lost: they could not be written");
        }
        answer(left, &Err(StoreError::Closed));
    }

    fn next_task(&self) -> Task {
        let mut queue = self.queue();
        loop {
            let deferred = queue.deferred_for();
            if queue.handed || (deferred == Some(Duration::ZERO) && !queue.writing) {
                queue.handed = false;
                queue.writing = true;
                return Task::Write;
            }
            if queue.closing && !queue.writing {
                return Task::Stop;
            }
            let dirty = match (queue.dirty_since, self.sync) {
                (Some(since), SyncMode::Interval(every)) => Some(every.saturating_sub(since.elapsed())),
                (Some(_), SyncMode::Always) => Some(Duration::ZERO),
                (None, _) => None,
            };
            if dirty == Some(Duration::ZERO) {
                return Task::Sync;
            }
            // While other tasks write, deferred events are written with theirs; a task that writes to a log that is
            // dirty wakes no thread for it.
            let left = dirty.map(|left| left.min(DEFERRED_FOR)).or(deferred.map(|left| left.max(SHORTEST)));
            queue.resting = left.is_none();
            queue = match left {
                Some(left) => self.wake.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner),
            };
            queue.resting = false;
        }
    }

    /// Writes everything that waits, in rounds, until nothing waits.
    fn write_for_all(&self) {
        loop {
            let (deferred, batch) = self.queue().take_all();
            let result = match self.roll_if_full() {
                Ok(()) if deferred.is_empty() && batch.is_empty() => Ok(0),
                Ok(()) => self.write(deferred, &batch).0,
                Err(why) => {
                    self.queue().defer_again(deferred);
                    Err(why)
                }
            };
            match self.sync {
                SyncMode::Interval(_) => answer(batch, &result),
                SyncMode::Always => self.answer_synced(batch, result),
            }
            let mut queue = self.queue();
            if queue.pending.is_empty() {
                queue.writing = false;
                return;
            }
        }
    }

    /// Answers the tasks of a batch once it is on the disk; those that asked to be answered earlier, at once.
    fn answer_synced(&self, mut batch: Vec<Pending>, result: Result<u64, StoreError>) {
        if result.is_ok() {
            answer_early(&mut batch, &result);
        }
        let result = result.and_then(|first| self.sync().map(|()| first));
        answer(batch, &result);
    }

    fn roll_if_full(&self) -> Result<(), StoreError> {
        let mut writer = self.writer();
        let now = self.clock.now();
        if !writer.is_full(self.segment_bytes, self.segment_span, now) {
            return Ok(());
        }
        let rolled = writer.roll(now);
        drop(writer);
        if let Err(why) = &rolled {
            self.note::<()>(&Err(why.clone()));
        }
        rolled
    }

    /// Syncs what is written to the disk. Where that fails, nothing is written any more.
    fn sync(&self) -> Result<(), StoreError> {
        if let Some(why) = self.queue().trouble.as_ref().filter(|why| why.is_lasting()) {
            return Err(why.clone());
        }
        self.queue().dirty_since = None;
        let writer = self.writer();
        let (file, path): (Arc<dyn DiskFile>, _) = writer.file();
        let end = writer.end();
        drop(writer);
        if let Err(why) = writer::sync(&*file, &path) {
            self.note::<()>(&Err(why.clone()));
            let waiting = std::mem::take(&mut self.queue().pending);
            answer(waiting, &Err(why.clone()));
            return Err(why);
        }
        let seq = end.next - 1;
        self.synced.send_replace(Synced { seq, origin: end.origin });
        // This is a hint only, but never too high.
        if let Err(why) = recover::note_synced(&self.folder, seq) {
            tracing::debug!(error = %why, "failed to note how far the audit is on the disk");
        }
        // If the keeper has a wake-up pending already, that is enough.
        let _sent = self.wake_keeper.try_send(());
        Ok(())
    }
}

impl Queue {
    fn take_deferred(&mut self) -> Vec<Event> {
        self.deferred_since = None;
        self.bytes = self.bytes.saturating_sub(weight(&self.deferred));
        std::mem::take(&mut self.deferred)
    }

    fn take_all(&mut self) -> (Vec<Event>, Vec<Pending>) {
        (self.bytes, self.deferred_since) = (0, None);
        (std::mem::take(&mut self.deferred), std::mem::take(&mut self.pending))
    }

    /// Defers again what could not be written; it is tried with the next write, or after a moment.
    fn defer_again(&mut self, mut deferred: Vec<Event>) {
        if deferred.is_empty() {
            return;
        }
        self.bytes += weight(&deferred);
        deferred.append(&mut self.deferred);
        self.deferred = deferred;
        self.deferred_since = Some(Instant::now());
    }

    /// Returns how long the deferred events may still wait. Those that could not be written wait for the next task that
    /// writes.
    fn deferred_for(&self) -> Option<Duration> {
        let since = self.deferred_since.filter(|_| self.trouble.is_none())?;
        Some(match self.closing {
            true => Duration::ZERO,
            false => DEFERRED_FOR.saturating_sub(since.elapsed()),
        })
    }
}

fn weight(events: &[Event]) -> usize {
    events.iter().map(Event::weight).sum()
}

/// Tells every task in a batch the outcome.
fn answer(batch: Vec<Pending>, result: &Result<u64, StoreError>) {
    let mut seq = result.as_ref().copied().unwrap_or_default();
    for pending in batch {
        if let Some(reply) = pending.reply {
            // A task that no longer listens is not told.
            let _gone = reply.send(result.clone().map(|_| seq));
        }
        seq += pending.records.len() as u64;
    }
}

/// Tells the tasks that do not wait for the disk.
fn answer_early(batch: &mut [Pending], result: &Result<u64, StoreError>) {
    let mut seq = result.as_ref().copied().unwrap_or_default();
    for pending in batch {
        if let Some(reply) = pending.reply.take_if(|_| pending.early) {
            let _gone = reply.send(result.clone().map(|_| seq));
        }
        seq += pending.records.len() as u64;
    }
}
