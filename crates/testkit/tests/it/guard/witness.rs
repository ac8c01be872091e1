//! A store that notes when it has reported an event as stored.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::Value;
use store::{
    AuditQuery, AuditStore, BoxFuture, Chunk, Commit, CommitError, Committed, ControlStore, Event, Follower, Health, Page, Remembered,
    SealKeys, Store, StoreError, Tally, TallyBy,
};

/// An event, and when its store reported that it is kept.
pub(crate) type Kept = (Instant, Value);

/// What was stored, as it is seen from outside of the store.
#[derive(Clone, Debug, Default)]
pub(crate) struct Witness(Arc<Mutex<Vec<Kept>>>);

impl Witness {
    /// Returns the store, and the witness of what it reports.
    pub(crate) fn beside(&self, store: Arc<dyn Store>) -> Arc<dyn Store> {
        Arc::new(Witnessed(store, self.clone()))
    }

    /// Returns every event that was reported as stored so far, in that order.
    pub(crate) fn events(&self) -> Vec<Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note<'a>(&self, bodies: impl Iterator<Item = &'a [u8]>) {
        let now = Instant::now();
        let events = bodies.map(|body| (now, serde_json::from_slice(body).expect("an event is JSON")));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(events);
    }
}

#[derive(Debug)]
struct Witnessed(Arc<dyn Store>, Witness);

impl ControlStore for Witnessed {
    fn load(&self) -> BoxFuture<'_, Result<Remembered, StoreError>> {
        self.0.load()
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        self.0.commit(commit)
    }

    fn rotate_seal_key(&self) -> BoxFuture<'_, Result<SealKeys, StoreError>> {
        self.0.rotate_seal_key()
    }
}

impl AuditStore for Witnessed {
    fn append(&self, event: Event) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move {
            let body = event.body.clone();
            let stored = self.0.append(event).await?;
            self.1.note(std::iter::once(&body[..]));
            Ok(stored)
        })
    }

    fn note(&self, event: Event) -> Option<Event> {
        let body = event.body.clone();
        let refused = self.0.note(event);
        if refused.is_none() {
            self.1.note(std::iter::once(&body[..]));
        }
        refused
    }

    fn query(&self, query: AuditQuery) -> BoxFuture<'_, Result<Page, StoreError>> {
        self.0.query(query)
    }

    fn tally(&self, query: AuditQuery, by: TallyBy) -> BoxFuture<'_, Result<Tally, StoreError>> {
        self.0.tally(query, by)
    }

    fn replay(&self, from: u64, limit: usize) -> BoxFuture<'_, Result<Chunk, StoreError>> {
        self.0.replay(from, limit)
    }

    fn follow(&self, from: u64) -> Box<dyn Follower> {
        self.0.follow(from)
    }
}

impl Store for Witnessed {
    fn backup<'a>(&'a self, to: &'a Path) -> BoxFuture<'a, Result<(), StoreError>> {
        self.0.backup(to)
    }

    fn health(&self) -> Health {
        self.0.health()
    }
}
