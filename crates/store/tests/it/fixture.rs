//! Stores in folders of their own, and what is put into them.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bytes::Bytes;
use model::{Access, By, Digest, Grant, GrantScope, PrincipalId, Role, ServerId, Timestamp, Token, ToolId};
use store::{Actor, AuditKey, AuditQuery, AuditResult, Change, Clock, Commit, Event, LocalStore, Order, Settings, Store, Stored};
use tempfile::TempDir;

/// Makes a folder that is removed with the test.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder can be made")
}

/// Small segments, so that a test has several.
pub(crate) fn settings(folder: &Path) -> Settings {
    Settings {
        segment_bytes: 8 << 10,
        ..Settings::new(folder.join("store"))
    }
}

pub(crate) fn open(settings: &Settings) -> LocalStore {
    LocalStore::open(settings).expect("the store opens")
}

/// A clock that a test sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hands(Arc<AtomicI64>);

impl Hands {
    pub(crate) fn set(&self, millis: i64) {
        self.0.store(millis, Ordering::SeqCst);
    }

    pub(crate) fn clock(&self) -> Clock {
        let hands = Arc::clone(&self.0);
        Clock::new(move || Timestamp(hands.load(Ordering::SeqCst)))
    }
}

/// Makes an event with a name: `TOOL_EXECUTED` by `alice` on `fs/read`.
pub(crate) fn event(name: &str) -> Event {
    Event {
        key: AuditKey {
            at: Timestamp(1_000),
            kind: "TOOL_EXECUTED".into(),
            actor: Actor {
                kind: "agent".into(),
                id: "alice".into(),
            },
            server: Some("fs".into()),
            tool: Some("read".into()),
            result: AuditResult::Success,
            trace: Some(format!("trace-{name}").into()),
        },
        body: Bytes::from(format!("{{\"name\":\"{name}\"}}")),
    }
}

/// Returns the name that [`event`] gave, or what the store itself has to say.
pub(crate) fn name(stored: &Stored) -> String {
    let body = String::from_utf8_lossy(&stored.body);
    let name = body.strip_prefix("{\"name\":\"").and_then(|rest| rest.strip_suffix("\"}"));
    name.map_or_else(|| stored.key.kind.to_string(), str::to_owned)
}

/// Returns every event of a store, in order.
pub(crate) async fn everything(store: &dyn Store) -> Vec<Stored> {
    let mut all = Vec::new();
    let mut from = 1;
    loop {
        let chunk = store.replay(from, 1000).await.expect("the log can be read");
        if chunk.events.is_empty() {
            return all;
        }
        from = chunk.next;
        all.extend(chunk.events);
    }
}

pub(crate) async fn names(store: &dyn Store) -> Vec<String> {
    everything(store).await.iter().map(name).collect()
}

/// Returns the names that a query finds, page by page.
pub(crate) async fn found(store: &dyn Store, query: &AuditQuery) -> Vec<String> {
    let (mut all, mut query) = (Vec::new(), query.clone());
    loop {
        let page = store.query(query.clone()).await.expect("the log can be searched");
        assert!(page.events.len() <= query.limit);
        all.extend(page.events.iter().map(name));
        match page.next {
            Some(cursor) => query.cursor = Some(cursor.to_string().parse().expect("a cursor is a text")),
            None => return all,
        }
    }
}

pub(crate) fn oldest_first() -> AuditQuery {
    AuditQuery {
        order: Order::Oldest,
        limit: 1000,
        ..AuditQuery::default()
    }
}

pub(crate) fn by(name: &str, at: i64) -> By {
    By {
        principal: PrincipalId::new(name),
        at: Timestamp(at),
    }
}

/// Reads `fs` or `fs/read`; a tool may have an empty name, which `GrantScope::parse` refuses and the store does not.
pub(crate) fn scope(text: &str) -> GrantScope {
    match text.split_once('/') {
        Some((server, tool)) => GrantScope::Tool(ToolId {
            server: server_id(server),
            name: tool.into(),
        }),
        None => GrantScope::Server(server_id(text)),
    }
}

pub(crate) fn server_id(text: &str) -> ServerId {
    ServerId::new(text).expect("an id")
}

pub(crate) fn grant(principal: &str, about: &str) -> Grant {
    Grant {
        principal: PrincipalId::new(principal),
        scope: scope(about),
        access: Access::Allow,
        confirms: false,
        granted: by("root", 1),
        expires: None,
        justification: None,
    }
}

pub(crate) fn token(id: &str, digest: u64) -> Token {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&digest.to_be_bytes());
    Token {
        id: id.into(),
        digest: Digest(bytes),
        principal: PrincipalId::new("alice"),
        role: Role::Agent,
        scopes: Vec::new(),
        created: by("root", 1),
        expires: None,
        revoked: None,
    }
}

/// Returns a grant and the event that reports it.
pub(crate) fn granting(principal: &str, about: &str) -> Commit {
    Commit::new(
        vec![Change::PutGrant(grant(principal, about))],
        vec![event(&format!("grant {principal} {about}"))],
    )
}
