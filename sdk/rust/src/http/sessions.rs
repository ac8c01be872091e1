//! Legacy sessions over HTTP (2025-11-25 basic/transports, "Session Management").

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::streams::{StreamSink, Streams};
use crate::core::Core;
use crate::drive::{DRAIN, Driver, INBOX};
use crate::machine::{ExchangeId, Input, Lane};
use crate::random;

/// How many sessions may exist at once.
const MAX_SESSIONS: usize = 1024;
/// How long a session without requests and streams is kept.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// One client's session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) streams: Streams,
    pub(crate) inbox: mpsc::Sender<Input>,
    gone: CancellationToken,
    exchanges: AtomicU64,
    seen: Mutex<Instant>,
}

impl Session {
    pub(crate) fn next_exchange(&self) -> ExchangeId {
        self.exchanges.fetch_add(1, Ordering::Relaxed)
    }

    fn idle(&self, now: Instant) -> Duration {
        let seen = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if self.streams.connected() {
            Duration::ZERO
        } else {
            now.duration_since(seen)
        }
    }

    fn touch(&self) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// All sessions of an endpoint.
#[derive(Debug)]
pub(crate) struct Sessions {
    core: Arc<Core>,
    stop: CancellationToken,
    all: Mutex<HashMap<String, Arc<Session>>>,
}

impl Sessions {
    pub(crate) fn new(core: Arc<Core>, stop: CancellationToken) -> Self {
        Self {
            core,
            stop,
            all: Mutex::new(HashMap::new()),
        }
    }

    /// Creates a session; returns `None` if all places are taken by sessions in use.
    pub(crate) fn create(&self) -> Option<Arc<Session>> {
        let streams = Streams::default();
        let (inbox, inputs) = mpsc::channel(INBOX);
        let gone = self.stop.child_token();
        let session = Arc::new(Session {
            id: random::name(),
            streams: streams.clone(),
            inbox: inbox.clone(),
            gone: gone.clone(),
            // Stream 0 is the session's own.
            exchanges: AtomicU64::new(1),
            seen: Mutex::new(Instant::now()),
        });
        self.locked(|all| {
            make_room(all)?;
            all.insert(session.id.clone(), Arc::clone(&session));
            Some(())
        })?;
        let driver = Driver::new(Arc::clone(&self.core), Lane::LegacyHttp, StreamSink(streams), inbox);
        let stop = self.stop.clone();
        // A stopping server answers what it can; a client that ends its session wants no more answers.
        let patience = move || if stop.is_cancelled() { DRAIN } else { Duration::ZERO };
        tokio::spawn(driver.run(inputs, gone, patience));
        Some(session)
    }

    pub(crate) fn get(&self, id: &str) -> Option<Arc<Session>> {
        let session = self.locked(|all| all.get(id).cloned())?;
        session.touch();
        Some(session)
    }

    /// Ends a session. Returns whether there was one.
    pub(crate) fn end(&self, id: &str) -> bool {
        let session = self.locked(|all| all.remove(id));
        session.inspect(|session| session.gone.cancel()).is_some()
    }

    fn locked<T>(&self, look: impl FnOnce(&mut HashMap<String, Arc<Session>>) -> T) -> T {
        look(&mut self.all.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Ends the sessions that have been idle too long; if there is still no room, the one that has been idle longest.
fn make_room(all: &mut HashMap<String, Arc<Session>>) -> Option<()> {
    let now = Instant::now();
    all.retain(|_, session| {
        let stays = session.idle(now) < IDLE;
        if !stays {
            session.gone.cancel();
        }
        stays
    });
    if all.len() < MAX_SESSIONS {
        return Some(());
    }
    let (id, idle) = all
        .iter()
        .map(|(id, session)| (id.clone(), session.idle(now)))
        .max_by_key(|(_, idle)| *idle)?;
    if idle.is_zero() {
        return None;
    }
    all.remove(&id).map(|session| session.gone.cancel())
}
