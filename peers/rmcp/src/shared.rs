//! The state that all sessions and stateless requests of one server process share.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{RequestStateCodec, ResourceUpdatedNotificationParam};
use rmcp::service::SubscriptionSink;
use rmcp::task_manager::TaskManager;
use rmcp::{Peer, RoleServer};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::era::Era;

/// The key that seals `requestState`; a test server has nothing to hide from its clients.
const REQUEST_STATE_KEY: [u8; 32] = *b"conformance upstream, not secret";

/// How long a change waits for a stream that was accepted.
const OPENING_WAIT: Duration = Duration::from_secs(1);

#[derive(Debug, Clone)]
pub enum Change {
    Tools,
    Prompts,
    Resource(String),
}

/// A legacy session that has finished its handshake.
#[derive(Clone)]
pub struct Session {
    pub peer: Peer<RoleServer>,
    pub subscribed: Arc<Mutex<HashSet<String>>>,
}

pub struct Shared {
    pub era: Era,
    pub tasks: TaskManager,
    pub codec: RequestStateCodec,
    /// The keys of the calls of `wait_until_cancelled` that were cancelled.
    pub cancelled: watch::Sender<HashSet<String>>,
    extra_tool: AtomicBool,
    extra_prompt: AtomicBool,
    sessions: Mutex<Vec<Session>>,
    listeners: Mutex<Vec<(u64, SubscriptionSink)>>,
    /// The number of streams that were accepted, and may be acknowledged by now, but have no listener yet.
    opening: watch::Sender<usize>,
}

impl Shared {
    pub fn new(era: Era) -> Self {
        Self {
            era,
            tasks: TaskManager::new(),
            codec: RequestStateCodec::new_unchecked(REQUEST_STATE_KEY),
            cancelled: watch::Sender::default(),
            extra_tool: AtomicBool::new(false),
            extra_prompt: AtomicBool::new(false),
            sessions: Mutex::default(),
            listeners: Mutex::default(),
            opening: watch::Sender::default(),
        }
    }

    pub fn has_extra_tool(&self) -> bool {
        self.extra_tool.load(Ordering::SeqCst)
    }

    pub fn has_extra_prompt(&self) -> bool {
        self.extra_prompt.load(Ordering::SeqCst)
    }

    pub fn add_session(&self, session: Session) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|known| !known.peer.is_transport_closed());
        sessions.push(session);
    }

    /// Counts a stream without a listener. rmcp acknowledges a stream before it provides the means to write on it: a
    /// change in between waits for the listener.
    pub fn opening_listener(&self) {
        self.opening.send_modify(|count| *count += 1);
    }

    /// Registers a `subscriptions/listen` stream until the guard is dropped.
    pub fn add_listener(self: &Arc<Self>, sink: SubscriptionSink) -> ListenerGuard {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        let key = listeners.last().map_or(0, |(key, _)| key + 1);
        listeners.push((key, sink));
        drop(listeners);
        self.opening.send_modify(|count| *count = count.saturating_sub(1));
        ListenerGuard {
            shared: Arc::clone(self),
            key,
        }
    }

    /// Makes a change and notifies all subscribers before it returns.
    pub async fn change(&self, change: &Change) {
        match change {
            Change::Tools => drop(self.extra_tool.fetch_xor(true, Ordering::SeqCst)),
            Change::Prompts => drop(self.extra_prompt.fetch_xor(true, Ordering::SeqCst)),
            Change::Resource(_) => {}
        }
        // A stream that broke while it was acknowledged never gets a listener.
        let settled = timeout(OPENING_WAIT, self.opening.subscribe().wait_for(|count| *count == 0))
            .await
            .is_ok();
        if !settled {
            self.opening.send_replace(0);
        }
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (_, sink) in listeners {
            // A listener that did not subscribe to this kind of change gets an error here, and nothing on the wire.
            let _ = match change {
                Change::Tools => sink.notify_tool_list_changed().await,
                Change::Prompts => sink.notify_prompt_list_changed().await,
                Change::Resource(uri) => sink.notify_resource_updated(uri).await,
            };
        }
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for session in sessions {
            let _ = match change {
                Change::Tools => session.peer.notify_tool_list_changed().await,
                Change::Prompts => session.peer.notify_prompt_list_changed().await,
                Change::Resource(uri) if session.watches(uri) => {
                    session
                        .peer
                        .notify_resource_updated(ResourceUpdatedNotificationParam::new(uri))
                        .await
                }
                Change::Resource(_) => Ok(()),
            };
        }
    }
}

impl Session {
    fn watches(&self, uri: &str) -> bool {
        self.subscribed.lock().unwrap_or_else(PoisonError::into_inner).contains(uri)
    }
}

pub struct ListenerGuard {
    shared: Arc<Shared>,
    key: u64,
}

impl Drop for ListenerGuard {
    fn drop(&mut self) {
        self.shared
            .listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|(key, _)| *key != self.key);
    }
}
