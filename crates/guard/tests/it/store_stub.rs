//! A store in memory, whose disk can be full, slow or nearly full.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use store::{
    AuditQuery, AuditStore, BoxFuture, Chunk, Commit, CommitError, Committed, Conflict, ControlStore, Event, Follower, Health, Page,
    Remembered, SealKey, SealKeys, Store, StoreError, Stored, Tally, TallyBy,
};
use tokio::sync::watch;

/// The state of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disk {
    /// It stores everything.
    Sound,
    /// It stores nothing.
    Full,
    /// It never confirms anything.
    Slow,
    /// It stores commits and events that a caller waits for, and no others.
    Crowded,
    /// It has always stored another commit first.
    Contested,
}

#[derive(Debug)]
pub(crate) struct StoreStub {
    disk: Mutex<Disk>,
    events: Arc<Mutex<Vec<Stored>>>,
    count: watch::Sender<u64>,
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl StoreStub {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            disk: Mutex::new(Disk::Sound),
            events: Arc::default(),
            count: watch::Sender::new(0),
        })
    }

    pub(crate) fn put(&self, disk: Disk) {
        *hold(&self.disk) = disk;
    }

    fn disk(&self) -> Disk {
        *hold(&self.disk)
    }

    /// Returns the events from a number on; the first one is 1.
    pub(crate) fn events(&self, from: u64) -> Vec<Stored> {
        let events = hold(&self.events);
        events.iter().filter(|event| event.seq >= from).cloned().collect()
    }

    fn push(&self, event: Event) -> u64 {
        let mut events = hold(&self.events);
        let seq = events.len() as u64 + 1;
        events.push(Stored {
            seq,
            key: event.key,
            body: event.body,
        });
        self.count.send_replace(seq);
        seq
    }
}

/// Returns the content of a new store.
pub(crate) fn nothing_remembered() -> Remembered {
    Remembered {
        revision: 1,
        tokens: Vec::new(),
        grants: Vec::new(),
        permissions: Vec::new(),
        requests: Vec::new(),
        approvals: Vec::new(),
        pins: Vec::new(),
        facts: Vec::new(),
        keys: SealKeys {
            current: SealKey::new(1, [7; 32]),
            previous: None,
        },
    }
}

fn full() -> StoreError {
    StoreError::Full { path: "audit".into() }
}

impl ControlStore for StoreStub {
    fn load(&self) -> BoxFuture<'_, Result<Remembered, StoreError>> {
        Box::pin(async { Err(StoreError::Closed) })
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        Box::pin(async move {
            match self.disk() {
                Disk::Full => return Err(full().into()),
                Disk::Slow => std::future::pending().await,
                Disk::Contested => return Err(Conflict::TokenExists("contested".into()).into()),
                Disk::Sound | Disk::Crowded => {}
            }
            for event in commit.events {
                self.push(event);
            }
            Ok(Committed { revision: 1 })
        })
    }

    fn rotate_seal_key(&self) -> BoxFuture<'_, Result<SealKeys, StoreError>> {
        Box::pin(async { Err(StoreError::Closed) })
    }
}

impl AuditStore for StoreStub {
    fn append(&self, event: Event) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move {
            match self.disk() {
                Disk::Full => Err(full()),
                Disk::Slow => std::future::pending().await,
                Disk::Sound | Disk::Crowded | Disk::Contested => Ok(self.push(event)),
            }
        })
    }

    fn note(&self, event: Event) -> Option<Event> {
        match self.disk() {
            Disk::Sound | Disk::Contested => {
                self.push(event);
                None
            }
            Disk::Full | Disk::Slow | Disk::Crowded => Some(event),
        }
    }

    fn query(&self, _: AuditQuery) -> BoxFuture<'_, Result<Page, StoreError>> {
        Box::pin(async { Err(StoreError::Closed) })
    }

    fn tally(&self, _: AuditQuery, _: TallyBy) -> BoxFuture<'_, Result<Tally, StoreError>> {
        Box::pin(async { Err(StoreError::Closed) })
    }

    fn replay(&self, _: u64, _: usize) -> BoxFuture<'_, Result<Chunk, StoreError>> {
        Box::pin(async { Err(StoreError::Closed) })
    }

    fn follow(&self, from: u64) -> Box<dyn Follower> {
        let next = if from == 0 { *self.count.borrow() + 1 } else { from };
        Box::new(Tail {
            next,
            count: self.count.subscribe(),
            events: self.events.clone(),
        })
    }
}

/// A reader of the events as they come.
#[derive(Debug)]
struct Tail {
    next: u64,
    count: watch::Receiver<u64>,
    events: Arc<Mutex<Vec<Stored>>>,
}

impl Follower for Tail {
    fn next(&mut self) -> BoxFuture<'_, Result<Chunk, StoreError>> {
        Box::pin(async {
            let next = self.next;
            let last = self.count.wait_for(|count| *count >= next).await.map_err(|_| StoreError::Closed)?;
            self.next = *last + 1;
            drop(last);
            let events = hold(&self.events).iter().filter(|event| event.seq >= next).cloned().collect();
            Ok(Chunk {
                events,
                next: self.next,
                kept_from: 1,
            })
        })
    }
}

impl Store for StoreStub {
    fn backup<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async { Err(StoreError::Closed) })
    }

    fn health(&self) -> Health {
        Health::Sound
    }
}
