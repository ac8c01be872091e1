//! All clients that are connected: by number, and legacy HTTP sessions by their id.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Duration;

use jsonrpc::Message;
use mcp::method::ListKind;
use mcp::tasks as shape;
use runtime::Runtime;

use super::changes::{Changes, wants};
use super::client::{Client, Delivery};
use crate::calls::{Dismissals, Found, News, TaskRoutes};

/// The registry of clients.
#[derive(Debug)]
pub(crate) struct Clients {
    by_number: RwLock<HashMap<u64, Weak<Client>>>,
    sessions: RwLock<HashMap<Arc<str>, Entry>>,
    changes: Changes,
    runtime: Arc<Runtime>,
    tasks: Arc<TaskRoutes>,
    pub(super) dismissals: Arc<Dismissals>,
}

#[derive(Debug)]
struct Entry {
    client: Arc<Client>,
    /// The time of the last use, in milliseconds since the start of the kernel.
    used: AtomicU64,
}

impl Clients {
    pub(crate) fn new(runtime: &Arc<Runtime>, tasks: &Arc<TaskRoutes>, dismissals: &Arc<Dismissals>) -> Arc<Self> {
        Arc::new(Self {
            by_number: RwLock::default(),
            sessions: RwLock::default(),
            changes: Changes::default(),
            runtime: runtime.clone(),
            tasks: tasks.clone(),
            dismissals: dismissals.clone(),
        })
    }

    /// Tells every client, after the debounce, that lists have changed.
    pub(crate) fn lists_changed(self: &Arc<Self>, kinds: &HashSet<ListKind>, debounce: Duration) {
        if !self.changes.note(kinds) {
            return;
        }
        let weak = Arc::downgrade(self);
        self.runtime.spawn(async move {
            tokio::time::sleep(debounce).await;
            let Some(clients) = weak.upgrade() else { return };
            for name in clients.changes.take() {
                let message = Message::notification(name, None);
                for client in clients.all() {
                    client.tell(&message, |filter| wants(filter, name));
                }
            }
        });
    }

    pub(crate) fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    /// Adds a client to the registry, by which other modules send it messages.
    pub(crate) fn add(&self, client: &Arc<Client>) {
        self.by_number
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(client.number, Arc::downgrade(client));
    }

    pub(crate) fn forget(&self, number: u64) {
        self.by_number.write().unwrap_or_else(PoisonError::into_inner).remove(&number);
    }

    pub(crate) fn by_number(&self, number: u64) -> Option<Arc<Client>> {
        self.by_number
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&number)?
            .upgrade()
    }

    pub(crate) fn all(&self) -> Vec<Arc<Client>> {
        self.by_number
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .filter_map(Weak::upgrade)
            .collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.by_number.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub(crate) fn sessions(&self) -> usize {
        self.sessions.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Keeps a legacy HTTP session under its id.
    pub(crate) fn open_session(&self, token: Arc<str>, client: Arc<Client>, now_ms: u64) {
        let entry = Entry {
            client,
            used: AtomicU64::new(now_ms),
        };
        self.sessions.write().unwrap_or_else(PoisonError::into_inner).insert(token, entry);
    }

    pub(crate) fn session(&self, token: &str, now_ms: u64) -> Option<Arc<Client>> {
        let sessions = self.sessions.read().unwrap_or_else(PoisonError::into_inner);
        let entry = sessions.get(token)?;
        entry.used.store(now_ms, Ordering::Relaxed);
        Some(entry.client.clone())
    }

    pub(crate) fn close_session(&self, token: &str) -> Option<Arc<Client>> {
        self.sessions
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(token)
            .map(|entry| entry.client)
    }

    /// Removes and returns the sessions that were idle for too long and have no open stream.
    pub(crate) fn expired(&self, now_ms: u64, idle_ms: u64) -> Vec<Arc<Client>> {
        let mut sessions = self.sessions.write().unwrap_or_else(PoisonError::into_inner);
        let is_expired = |entry: &Entry| {
            let read = matches!(&entry.client.delivery, Delivery::Http(streams) if streams.is_read());
            !read && now_ms.saturating_sub(entry.used.load(Ordering::Relaxed)) > idle_ms
        };
        let gone: Vec<Arc<str>> = sessions
            .iter()
            .filter(|(_, entry)| is_expired(entry))
            .map(|(token, _)| token.clone())
            .collect();
        gone.iter()
            .filter_map(|token| sessions.remove(token))
            .map(|entry| entry.client)
            .collect()
    }

    /// Removes and returns every session, at shutdown.
    pub(crate) fn take_sessions(&self) -> Vec<Arc<Client>> {
        self.sessions
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .drain()
            .map(|(_, entry)| entry.client)
            .collect()
    }
}

impl News for Clients {
    /// Tells the clients that listen to the task on that line. Another server or principal may have a task with an equal id.
    fn task(&self, line: u64, message: &Message) {
        let Some(task) = message.params().as_ref().and_then(shape::task_id) else {
            return;
        };
        for client in self.all() {
            let theirs = || matches!(self.tasks.of(&client.caller, &task), Found::One(route) if route.is_at(line));
            client.tell_listeners(message, |filter| filter.tasks.contains(&task) && theirs());
        }
    }
}
