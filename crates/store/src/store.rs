//! The interfaces of the two parts of a store, and of the whole.

use std::fmt;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;

use crate::audit::{AuditQuery, Page, Tally, TallyBy};
use crate::{Chunk, Commit, CommitError, Committed, Event, Remembered, SealKeys, StoreError};

/// A future behind a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Whether a store can be written to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// The store reads and writes.
    Sound,
    /// The store reads; changes and events are refused for this reason. A full disk is tried again with each, any other
    /// error lasts until the store is opened anew.
    ReadOnly(StoreError),
}

/// The part that remembers who may do what, and the keys for sealed state (`control.db`).
///
/// Every method may be called from many tasks at once; a future that is dropped before it resolved may or may not have taken effect, once.
pub trait ControlStore: fmt::Debug + Send + Sync {
    /// Reads everything that is remembered about who may do what, as of now.
    ///
    /// # Errors
    /// When `control.db` cannot be read or is damaged: then nothing that it says may be believed.
    fn load(&self) -> BoxFuture<'_, Result<Remembered, StoreError>>;

    /// Makes changes and stores the events that report them, in one transaction, which is on the disk before this
    /// resolves. The events get their numbers before those of any event that is appended afterwards.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] when a change contradicts what is remembered, [`CommitError::Store`] when it could not
    /// be stored. Nothing took effect then, except that after [`StoreError::Failed`] only opening the store anew tells.
    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>>;

    /// Makes a new key for sealed state the current one; the former one becomes the previous.
    ///
    /// # Errors
    /// When it could not be stored.
    fn rotate_seal_key(&self) -> BoxFuture<'_, Result<SealKeys, StoreError>>;
}

/// The part that remembers what happened: the audit, a log of events.
///
/// Every method may be called from many tasks at once; a future that is dropped before it resolved may or may not have taken effect, once.
pub trait AuditStore: fmt::Debug + Send + Sync {
    /// Stores an event, and returns its number. The event is with the operating system before this resolves, and on the
    /// disk when the settings say.
    ///
    /// # Errors
    /// When it could not be stored.
    fn append(&self, event: Event) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Defers an event that its sender does not wait for: it is with the operating system when the next appended event
    /// is, or a moment later, and on the disk when the settings say. Reads that begin afterwards see it. Returns the
    /// event where too many wait, it is too large, or nothing can be written any more.
    #[must_use]
    fn note(&self, event: Event) -> Option<Event>;

    /// Finds events by their keys, page by page. Everything appended before is found.
    ///
    /// # Errors
    /// When the log cannot be read.
    fn query(&self, query: AuditQuery) -> BoxFuture<'_, Result<Page, StoreError>>;

    /// Counts the events that a query finds, by one of their columns. The query's limit and cursor do not count.
    ///
    /// # Errors
    /// When the log cannot be read.
    fn tally(&self, query: AuditQuery, by: TallyBy) -> BoxFuture<'_, Result<Tally, StoreError>>;

    /// Reads at most `limit` events from a number on, in order: the answer of `mgp.audit.replay`.
    ///
    /// # Errors
    /// When the log cannot be read.
    fn replay(&self, from: u64, limit: usize) -> BoxFuture<'_, Result<Chunk, StoreError>>;

    /// Follows the log from a number on; 0 for events that are stored from now on.
    fn follow(&self, from: u64) -> Box<dyn Follower>;
}

/// The store of a gateway: both parts, which are copied and judged together because a commit writes to both.
pub trait Store: ControlStore + AuditStore {
    /// Copies the whole store as of one instant to a new folder, while it stays in use. The copy can be opened.
    ///
    /// # Errors
    /// When the folder is there already, or the copy could not be made.
    fn backup<'a>(&'a self, to: &'a Path) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Says whether the store can be written to.
    fn health(&self) -> Health;
}

/// Reads a log as it grows.
pub trait Follower: fmt::Debug + Send {
    /// Returns the next events, at most some hundred; waits for the first. Events that retention has dropped are
    /// skipped: then the first event's number is higher than the last one's plus one, and [`Chunk::kept_from`] says
    /// why.
    ///
    /// # Errors
    /// When the log cannot be read, and [`StoreError::Closed`] when no more events will be stored.
    fn next(&mut self) -> BoxFuture<'_, Result<Chunk, StoreError>>;
}
