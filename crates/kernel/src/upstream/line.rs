//! A line to a server: who shares it, what they subscribed to, and the connection it has at present.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use arc_swap::ArcSwapOption;
use jsonrpc::{Change, ErrorObject, Message};
use mcp::adapt;
use mcp::meta::{LogLevel, key};
use mcp::method::ListKind;
use mcp::revision::Revision;
use mcp::server::ClientHello;
use model::{PrincipalId, Ticket};
use tokio::sync::{Notify, watch};

use super::{Server, Session, Unavailable, connect, fetch, listener};
use crate::client::Client;
use crate::tasks;

/// Who shares a line (DESIGN 1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) principal: PrincipalId,
    /// The canonical form of the relayed capabilities.
    pub(crate) capabilities: Arc<[u8]>,
    /// The one client session it belongs to, where that brings reverse capabilities.
    pub(crate) client: Option<u64>,
    /// Which of several lines of the same caller.
    pub(crate) lane: u8,
}

/// A line. Its connection may come and go; what its sharers want of it stays.
pub(crate) struct Line {
    pub(crate) server: Arc<Server>,
    pub(crate) key: Key,
    pub(crate) hello: ClientHello,
    live: ArcSwapOption<Session>,
    connecting: tokio::sync::Mutex<()>,
    /// The newest connection, whether or not its handshake is complete.
    newest: Mutex<Weak<Session>>,
    books: Mutex<Books>,
    /// Milliseconds since the start of the kernel at which the line was last used.
    used: AtomicU64,
    /// Wakes the listener of a modern server when the subscriptions change.
    pub(crate) wanted: Notify,
    /// The URIs that a modern server has acknowledged.
    subscribed: watch::Sender<Vec<String>>,
}

#[derive(Default)]
struct Books {
    attached: Vec<Weak<Client>>,
    subscriptions: BTreeMap<String, usize>,
    level: Option<LogLevel>,
    asks: HashMap<Ticket, (Weak<Client>, Ticket)>,
}

impl Line {
    pub(crate) fn new(server: &Arc<Server>, key: Key, hello: ClientHello) -> Arc<Self> {
        Arc::new(Self {
            server: server.clone(),
            key,
            hello,
            live: ArcSwapOption::empty(),
            connecting: tokio::sync::Mutex::new(()),
            newest: Mutex::default(),
            books: Mutex::default(),
            used: AtomicU64::new(server.inner().uptime_ms()),
            wanted: Notify::new(),
            subscribed: watch::Sender::new(Vec::new()),
        })
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection there is, if it lives.
    pub(crate) fn live(&self) -> Option<Arc<Session>> {
        self.live.load_full().filter(|session| !session.is_over())
    }

    /// Notes a connection that is being made.
    pub(crate) fn note_attempt(&self, session: &Arc<Session>) {
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(session);
    }

    /// The connection that was made last, if anybody still holds it.
    pub(crate) fn newest(&self) -> Option<Arc<Session>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).upgrade()
    }

    /// The connection: the one there is, or a new one.
    ///
    /// # Errors
    /// When the server can't be reached, or was just tried without success.
    pub(crate) async fn session(self: &Arc<Self>) -> Result<Arc<Session>, Unavailable> {
        self.touch();
        match self.live() {
            Some(session) => Ok(session),
            None => Box::pin(self.reconnect()).await,
        }
    }

    async fn reconnect(self: &Arc<Self>) -> Result<Arc<Session>, Unavailable> {
        let _alone = self.connecting.lock().await;
        if let Some(session) = self.live() {
            return Ok(session);
        }
        let retired = || Unavailable::lasting("it was removed from the configuration, or changed");
        if self.server.is_retired() {
            return Err(retired());
        }
        self.server.check_backoff()?;
        match connect::connect(self).await {
            Ok(session) => {
                self.live.store(Some(session.clone()));
                if self.server.is_retired() {
                    self.hang_up("the server was removed from the configuration, or changed");
                    return Err(retired());
                }
                self.server.came_up();
                self.resume(&session);
                Ok(session)
            }
            Err(error) => {
                self.server.doubt_era();
                self.server.went_down(&error);
                Err(error)
            }
        }
    }

    /// Gives a fresh connection what the line's sharers want of it: subscriptions, the log level, and a look at what is offered now.
    fn resume(self: &Arc<Self>, session: &Arc<Session>) {
        fetch::refresh(self, session, &ListKind::ALL);
        if session.era() == mcp::revision::Era::Modern {
            listener::start(self, session);
        }
        let (uris, level): (Vec<String>, Option<LogLevel>) = {
            let books = self.books();
            (books.subscriptions.keys().cloned().collect(), books.level)
        };
        fetch::restore(session, uris, level);
    }

    /// The connection has ended by itself.
    pub(crate) fn lost(self: &Arc<Self>, session: &Session, why: &str) {
        let was_live = self
            .live
            .load()
            .as_ref()
            .is_some_and(|live| std::ptr::eq(Arc::as_ptr(live), session));
        if was_live {
            self.live.store(None);
            self.server.lost(session.since, Unavailable::new(why).saying(session.last_words()));
        }
        self.take_asks_back(why);
    }

    /// Ends the connection there is, so that the next use makes a new one.
    pub(crate) fn renew(&self, session: &Arc<Session>, why: &str) {
        session.end(why);
        self.live.rcu(|live| live.clone().filter(|live| !Arc::ptr_eq(live, session)));
        self.take_asks_back(why);
    }

    /// Ends the line.
    pub(crate) fn hang_up(&self, why: &str) {
        if let Some(session) = self.live.swap(None) {
            session.end(why);
        }
        self.take_asks_back(why);
    }

    /// Nobody waits for the answers to a server's questions once its connection has ended.
    fn take_asks_back(&self, why: &str) {
        let asks = std::mem::take(&mut self.books().asks);
        for (client, ask) in asks.into_values() {
            if let Some(client) = client.upgrade() {
                client.take_ask_back(ask, Some(why.to_owned()));
            }
        }
    }

    pub(crate) fn touch(&self) {
        self.used.store(self.server.inner().uptime_ms(), Ordering::Relaxed);
    }

    /// Whether nobody needs the line: no client is attached, no call is under way, and the last use is long ago.
    pub(crate) fn is_idle(&self, now_ms: u64, idle_ms: u64) -> bool {
        let busy = self.live().is_some_and(|session| session.is_busy());
        let attached = self.clients().next().is_some();
        !busy && !attached && now_ms.saturating_sub(self.used.load(Ordering::Relaxed)) > idle_ms
    }

    // === who shares it

    /// Notes that a client hears what this server says to nobody in particular.
    pub(crate) fn attach(&self, client: &Arc<Client>) {
        let mut books = self.books();
        books.attached.retain(|weak| weak.strong_count() > 0);
        if !books.attached.iter().any(|weak| weak.as_ptr() == Arc::as_ptr(client)) {
            books.attached.push(Arc::downgrade(client));
        }
    }

    fn clients(&self) -> impl Iterator<Item = Arc<Client>> + use<> {
        let attached: Vec<Weak<Client>> = self.books().attached.clone();
        attached.into_iter().filter_map(|weak| weak.upgrade())
    }

    // === what they want

    /// Counts one more subscriber of a URI; whether it is the first.
    pub(crate) fn subscribe(&self, uri: &str) -> bool {
        let first = {
            let mut books = self.books();
            let count = books.subscriptions.entry(uri.to_owned()).or_insert(0);
            *count += 1;
            *count == 1
        };
        self.wanted.notify_one();
        first
    }

    /// Counts one subscriber of a URI less; whether it was the last.
    pub(crate) fn unsubscribe(&self, uri: &str) -> bool {
        let last = {
            let mut books = self.books();
            let Some(count) = books.subscriptions.get_mut(uri) else {
                return true;
            };
            *count -= 1;
            let last = *count == 0;
            if last {
                books.subscriptions.remove(uri);
            }
            last
        };
        self.wanted.notify_one();
        last
    }

    pub(crate) fn subscriptions(&self) -> Vec<String> {
        self.books().subscriptions.keys().cloned().collect()
    }

    /// Notes the level that a sharer wants: a line of one client's own has that, a shared one the most talkative; whether the server must be told.
    pub(crate) fn want_level(&self, level: LogLevel) -> bool {
        let mut books = self.books();
        let suits = |current: LogLevel| current == level || (current < level && self.key.client.is_none());
        if books.level.is_some_and(suits) {
            return false;
        }
        books.level = Some(level);
        true
    }

    // === what the server says

    /// A notification that belongs to no call.
    pub(crate) fn event(self: &Arc<Self>, session: &Arc<Session>, message: &Message) {
        let name = message.method().unwrap_or_default();
        if let Some(kind) = ListKind::ALL.into_iter().find(|kind| kind.changed() == name) {
            if !session.offers(kind) {
                return tracing::debug!(server = %self.server.spec.id, name, "ignored: the server has no such list");
            }
            let kinds: &[ListKind] = if kind == ListKind::Resources {
                &[ListKind::Resources, ListKind::ResourceTemplates]
            } else {
                std::slice::from_ref(&kind)
            };
            return fetch::refresh(self, session, kinds);
        }
        match name {
            "notifications/subscriptions/acknowledged" => self.acknowledged(message),
            "notifications/resources/updated" => self.updated(message),
            _ => {
                let message = without_subscription(message);
                tasks::told(self, &message);
                let Some(message) = for_legacy(&message, session.revision()) else {
                    return;
                };
                for client in self.clients() {
                    client.event(&message);
                }
            }
        }
    }

    /// A modern server says what it has subscribed us to.
    pub(crate) fn acknowledged(&self, message: &Message) {
        let params = message.params();
        let uris = params
            .as_ref()
            .and_then(|params| params.at(&["notifications", "resourceSubscriptions"]));
        let uris = uris.map(|uris| uris.items()).unwrap_or_default();
        let uris = uris.iter().filter_map(|uri| uri.as_str().map(std::borrow::Cow::into_owned));
        self.subscribed.send_replace(uris.collect());
    }

    /// Resolves when the server has acknowledged a subscription.
    pub(crate) async fn until_subscribed(&self, uri: &str) {
        let mut subscribed = self.subscribed.subscribe();
        // The sender lives as long as the line.
        drop(subscribed.wait_for(|uris| uris.iter().any(|known| known == uri)).await);
    }

    fn updated(&self, message: &Message) {
        let Some(uri) = message
            .params()
            .and_then(|p| p.get("uri"))
            .and_then(|u| u.as_str().map(std::borrow::Cow::into_owned))
        else {
            return;
        };
        let message = without_subscription(message);
        for client in self.clients() {
            client.resource_updated(&self.server.spec.id, &uri, &message);
        }
    }

    // === what the server asks outside any call

    pub(crate) fn ask_owner(self: &Arc<Self>, session: &Arc<Session>, ask: Ticket, message: &Message) {
        let owner = self.key.client.and_then(|id| self.server.inner().clients.by_number(id));
        match owner {
            Some(client) => client.ask_for_server(self, session, None, ask, message),
            None => {
                let error = ErrorObject::new(
                    jsonrpc::code::INVALID_REQUEST,
                    "the question belongs to no request, so there is nobody to ask",
                );
                session.answer(ask, Err(error));
            }
        }
    }

    pub(crate) fn note_ask(&self, ask: Ticket, client: &Arc<Client>, theirs: Ticket) {
        let mut books = self.books();
        books.asks.retain(|_, (client, _)| client.strong_count() > 0);
        books.asks.insert(ask, (Arc::downgrade(client), theirs));
    }

    pub(crate) fn ask_answered(&self, ask: Ticket) {
        self.books().asks.remove(&ask);
    }

    pub(crate) fn ask_taken_back(&self, ask: Ticket, reason: Option<String>) {
        let asked = self.books().asks.remove(&ask);
        if let Some((client, theirs)) = asked
            && let Some(client) = client.upgrade()
        {
            client.take_ask_back(theirs, reason);
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.hang_up("nobody uses the connection any more");
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

/// A notification as legacy clients have it; `None` where they have nothing like it.
fn for_legacy(message: &Message, from: Revision) -> Option<Message> {
    if !from.is_modern() {
        return Some(message.clone());
    }
    let (name, params) = adapt::notification(message.method()?, message.params().as_ref(), from, Revision::LATEST_LEGACY)?;
    let changed = Change {
        method: Some(&name),
        params: params.as_ref(),
        ..Change::default()
    };
    Some(message.with(changed))
}

fn without_subscription(message: &Message) -> Message {
    match message.params() {
        Some(params) if params.at(&["_meta", key::SUBSCRIPTION_ID]).is_some() => {
            let params = params.edit().remove(&["_meta", key::SUBSCRIPTION_ID]).finish();
            message.with(Change {
                params: Some(&params),
                ..Change::default()
            })
        }
        _ => message.clone(),
    }
}
