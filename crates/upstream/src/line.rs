//! A line to a server: the clients that share it, what they want of the server, and its present connection.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use arc_swap::ArcSwapOption;
use mcp::meta::LogLevel;
use mcp::server::ClientHello;
use model::PrincipalId;
use tokio::sync::{Notify, watch};

use crate::session::Session;
use crate::state::ServerState;

/// The key of a line: which callers share it (DESIGN 1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The principal on whose behalf it is used.
    pub principal: PrincipalId,
    /// The canonical form of the relayed capabilities.
    pub capabilities: Arc<[u8]>,
    /// The one client session that it belongs to, where that can be asked.
    pub client: Option<u64>,
    /// The number among several lines of one caller.
    pub lane: u8,
}

/// A line to a server. Its connection may end and be replaced; what its sharers want of it stays.
pub struct Line {
    /// The number of the line, which no other line of the gateway has.
    pub number: u64,
    /// The server that it leads to.
    pub server: Arc<ServerState>,
    /// Its key.
    pub key: Key,
    pub(crate) hello: ClientHello,
    pub(crate) live: ArcSwapOption<Session>,
    /// The lock that is held while a connection is made.
    pub(crate) connecting: tokio::sync::Mutex<()>,
    /// The newest connection, whether or not its handshake is complete.
    newest: Mutex<Weak<Session>>,
    wishes: Mutex<Wishes>,
    /// Milliseconds since the start of the gateway at which the line was last used.
    used: AtomicU64,
    /// Wakes the listener of a modern server when the sharers' wishes change.
    pub(crate) wanted: Notify,
    /// The URIs that a modern server has acknowledged.
    subscribed: watch::Sender<Vec<String>>,
}

/// The wishes of a line's sharers towards its server.
#[derive(Default)]
struct Wishes {
    /// The numbers of the clients that receive the server's messages that belong to no call, each with the count of its attachments.
    attached: BTreeMap<u64, usize>,
    subscriptions: BTreeMap<String, usize>,
    tasks: BTreeSet<String>,
    level: Option<LogLevel>,
}

/// The attachment of a client, which receives the server's messages that belong to no call for as long as it holds this.
#[derive(Debug)]
pub struct Attachment {
    line: Weak<Line>,
    client: u64,
}

impl Line {
    pub(crate) fn new(server: &Arc<ServerState>, key: Key, hello: ClientHello) -> Arc<Self> {
        Arc::new(Self {
            number: server.context.number(),
            server: server.clone(),
            key,
            hello,
            live: ArcSwapOption::empty(),
            connecting: tokio::sync::Mutex::new(()),
            newest: Mutex::default(),
            wishes: Mutex::default(),
            used: AtomicU64::new(server.context.runtime.uptime_ms()),
            wanted: Notify::new(),
            subscribed: watch::Sender::new(Vec::new()),
        })
    }

    fn wishes(&self) -> MutexGuard<'_, Wishes> {
        self.wishes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // === its connection

    /// Returns the present connection, if it has not ended.
    #[must_use]
    pub fn live(&self) -> Option<Arc<Session>> {
        self.live.load_full().filter(|session| !session.is_over())
    }

    /// Notes a connection that is being made.
    pub(crate) fn note_attempt(&self, session: &Arc<Session>) {
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(session);
    }

    /// Returns the connection that was made last, if it is still held.
    pub(crate) fn newest(&self) -> Option<Arc<Session>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).upgrade()
    }

    /// Starts a task that the shutdown waits for: it sends the server messages that belong to no call.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.server.context.runtime.spawn(task);
    }

    /// Removes the connection if it is this one. Returns whether it was.
    pub(crate) fn forget(&self, session: &Session) -> bool {
        let is_it = |live: &Option<Arc<Session>>| live.as_ref().is_some_and(|live| std::ptr::eq(Arc::as_ptr(live), session));
        let before = self.live.rcu(|live| live.clone().filter(|_| !is_it(live)));
        is_it(&before)
    }

    /// Ends the line's connection.
    pub(crate) fn hang_up(&self, why: &str) {
        if let Some(session) = self.live.swap(None) {
            session.end(why);
        }
    }

    pub(crate) fn touch(&self) {
        self.used.store(self.server.context.runtime.uptime_ms(), Ordering::Relaxed);
    }

    /// Returns whether the line is not needed: no client is attached, no call is under way, and the last use is long ago.
    pub(crate) fn is_idle(&self, now_ms: u64, idle_ms: u64) -> bool {
        let busy = self.live().is_some_and(|session| session.is_busy());
        let attached = !self.wishes().attached.is_empty();
        !busy && !attached && now_ms.saturating_sub(self.used.load(Ordering::Relaxed)) > idle_ms
    }

    // === who shares it

    /// Attaches a client: it receives the server's messages that belong to no call.
    #[must_use]
    pub fn attach(self: &Arc<Self>, client: u64) -> Attachment {
        *self.wishes().attached.entry(client).or_insert(0) += 1;
        Attachment {
            line: Arc::downgrade(self),
            client,
        }
    }

    /// Returns the numbers of the clients that are attached.
    pub(crate) fn clients(&self) -> Vec<u64> {
        self.wishes().attached.keys().copied().collect()
    }

    // === what they want

    /// Counts one more subscriber of a URI. Returns whether it is the first.
    pub fn subscribe(&self, uri: &str) -> bool {
        let first = {
            let mut wishes = self.wishes();
            let count = wishes.subscriptions.entry(uri.to_owned()).or_insert(0);
            *count += 1;
            *count == 1
        };
        self.wanted.notify_one();
        first
    }

    /// Counts one subscriber of a URI less. Returns whether it was the last.
    pub fn unsubscribe(&self, uri: &str) -> bool {
        let last = {
            let mut wishes = self.wishes();
            let Some(count) = wishes.subscriptions.get_mut(uri) else {
                return true;
            };
            *count -= 1;
            let last = *count == 0;
            if last {
                wishes.subscriptions.remove(uri);
            }
            last
        };
        self.wanted.notify_one();
        last
    }

    pub(crate) fn subscriptions(&self) -> Vec<String> {
        self.wishes().subscriptions.keys().cloned().collect()
    }

    /// Sets the tasks on this line whose progress a modern server is to report.
    pub fn watch_tasks(&self, tasks: BTreeSet<String>) {
        self.wishes().tasks = tasks;
        self.wanted.notify_one();
    }

    pub(crate) fn tasks(&self) -> Vec<String> {
        self.wishes().tasks.iter().cloned().collect()
    }

    /// Notes the log level that a sharer wants: a line of one client has that level, a shared line the most verbose one. Returns whether the server
    /// must be told.
    #[must_use]
    pub fn want_level(&self, level: LogLevel) -> bool {
        let mut wishes = self.wishes();
        let suits = |current: LogLevel| current == level || (current < level && self.key.client.is_none());
        if wishes.level.is_some_and(suits) {
            return false;
        }
        wishes.level = Some(level);
        true
    }

    pub(crate) fn level(&self) -> Option<LogLevel> {
        self.wishes().level
    }

    /// Notes the URIs that a modern server has subscribed the gateway to.
    pub(crate) fn note_subscribed(&self, uris: Vec<String>) {
        self.subscribed.send_replace(uris);
    }

    /// Resolves when the server has acknowledged a subscription.
    pub async fn until_subscribed(&self, uri: &str) {
        let mut subscribed = self.subscribed.subscribe();
        // The sender lives as long as the line.
        drop(subscribed.wait_for(|uris| uris.iter().any(|known| known == uri)).await);
    }
}

impl Attachment {
    /// Returns whether it is to that line.
    #[must_use]
    pub fn is_to(&self, line: &Arc<Line>) -> bool {
        self.line.as_ptr() == Arc::as_ptr(line)
    }
}

impl Drop for Attachment {
    fn drop(&mut self) {
        let Some(line) = self.line.upgrade() else { return };
        let mut wishes = line.wishes();
        if let Some(count) = wishes.attached.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                wishes.attached.remove(&self.client);
            }
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.hang_up("no client uses the connection any more");
    }
}

impl std::fmt::Debug for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Line")
            .field("server", &self.server.spec.id)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}
