//! What a store does, whatever it is made of.

use std::fmt;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;

use crate::audit::{AuditQuery, Page, Tally, TallyBy};
use crate::{Chunk, Commit, CommitError, Committed, Event, Remembered, SealKeys, StoreError};

/// A future behind a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How the store is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// It reads and writes.
    Sound,
    /// It reads; changes and events are refused for this reason. A full disk is tried again with each, everything else stays until the
    /// store is opened anew.
    ReadOnly(StoreError),
}

/// Remembers. Every method may be called from many tasks at once; a future that is dropped before it resolved may or may not have taken
/// effect, once.
pub trait Store: fmt::Debug + Send + Sync {
    /// Everything that is remembered about who may do what, as of now.
    ///
    /// # Errors
    /// When `control.db` cannot be read or is damaged: then nothing that it says may be believed.
    fn load(&self) -> BoxFuture<'_, Result<Remembered, StoreError>>;

    /// Changes, and the events that tell of them, in one transaction: on the disk before it resolves. The events get their numbers before
    /// those of any event that is appended afterwards.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] when a change contradicts what is remembered, [`CommitError::Store`] when it could not be stored. Nothing took
    /// effect then, save that after [`StoreError::Failed`] only opening the store anew tells.
    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>>;

    /// An event: with the operating system before it resolves, and on the disk when the settings say. Its number.
    ///
    /// # Errors
    /// When it could not be stored.
    fn append(&self, event: Event) -> BoxFuture<'_, Result<u64, StoreError>>;

    /// Takes an event that nobody waits for: it is with the operating system when the next one is that is appended, or a moment later, and on the
    /// disk when the settings say. What is read from then on has it.
    /// Gives the event back where too many wait, it is too large, or nothing can be written any more.
    #[must_use]
    fn note(&self, event: Event) -> Option<Event>;

    /// Events by what they can be found by, page by page. Everything appended before is found.
    ///
    /// # Errors
    /// When the log cannot be read.
    fn query(&self, query: AuditQuery) -> BoxFuture<'_, Result<Page, StoreError>>;

    /// How many events a query finds, by one of their columns. The query's limit and cursor do not count.
    ///
    /// # Errors
    /// When the log cannot be read.
    fn tally(&self, query: AuditQuery, by: TallyBy) -> BoxFuture<'_, Result<Tally, StoreError>>;

    /// At most `limit` events from a number on, in order: what `mgp.audit.replay` answers with.
    ///
    /// # Errors
    /// When the log cannot be read.
    fn replay(&self, from: u64, limit: usize) -> BoxFuture<'_, Result<Chunk, StoreError>>;

    /// Follows the log from a number on; 0 for what comes from now on.
    fn follow(&self, from: u64) -> Box<dyn Follower>;

    /// The keys for sealed state: a new one takes the place of the current, which becomes the previous.
    ///
    /// # Errors
    /// When it could not be stored.
    fn rotate_seal_key(&self) -> BoxFuture<'_, Result<SealKeys, StoreError>>;

    /// A copy of the whole store as of one instant, in a folder that is made for it, while everything goes on. The copy can be opened.
    ///
    /// # Errors
    /// When the folder is there already, or the copy could not be made.
    fn backup<'a>(&'a self, to: &'a Path) -> BoxFuture<'a, Result<(), StoreError>>;

    /// How the store is.
    fn health(&self) -> Health;
}

/// Reads a log as it grows.
pub trait Follower: fmt::Debug + Send {
    /// The next events, at most some hundred; waits for the first. What retention has dropped is passed over: then the first event's number
    /// is higher than the last one's plus one, and [`Chunk::kept_from`] says why.
    ///
    /// # Errors
    /// When the log cannot be read, and [`StoreError::Closed`] when nothing will come any more.
    fn next(&mut self) -> BoxFuture<'_, Result<Chunk, StoreError>>;
}
