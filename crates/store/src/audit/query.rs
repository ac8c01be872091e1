//! Queries for events, and their results.

use std::str::FromStr;
use std::sync::Arc;

use model::Timestamp;

use super::record::View;
use crate::{AuditResult, Stored};

/// A query: which events, in which order, from which position. A condition that is not set admits every event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditQuery {
    /// Events from this instant on.
    pub from: Option<Timestamp>,
    /// Events before this instant.
    pub until: Option<Timestamp>,
    /// Events of one of these types; empty for all.
    pub kinds: Vec<Arc<str>>,
    /// Events by actors of this kind.
    pub actor_kind: Option<Arc<str>>,
    /// Events by this actor.
    pub actor: Option<Arc<str>>,
    /// Events about this server.
    pub server: Option<Arc<str>>,
    /// Events about this tool.
    pub tool: Option<Arc<str>>,
    /// Events with this result.
    pub result: Option<AuditResult>,
    /// Events of this trace.
    pub trace: Option<Arc<str>>,
    /// The order of the events.
    pub order: Order,
    /// Events behind the page that returned this cursor.
    pub cursor: Option<Cursor>,
    /// The most events of a page; 1,000 are the most.
    pub limit: usize,
}

impl Default for AuditQuery {
    fn default() -> Self {
        Self {
            from: None,
            until: None,
            kinds: Vec::new(),
            actor_kind: None,
            actor: None,
            server: None,
            tool: None,
            result: None,
            trace: None,
            order: Order::Newest,
            cursor: None,
            limit: 100,
        }
    }
}

/// The order of events by their numbers, which is that in which they were stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The newest first.
    #[default]
    Newest,
    /// The oldest first.
    Oldest,
}

/// The position behind a page. Clients get it as text; it is valid only for the query that returned it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor(pub(super) u64);

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Cursor {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

impl Cursor {
    /// Returns the position behind an event, in either order: for a caller that has cut a page shorter than the store
    /// returned it.
    #[must_use]
    pub fn behind(event: &Stored) -> Self {
        Self(event.seq)
    }
}

/// A page of the events that a query finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The events, in the order of the query.
    pub events: Vec<Stored>,
    /// The position of the next page; `None` at the end. An empty page may have one.
    pub next: Option<Cursor>,
}

/// The column that a tally counts by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TallyBy {
    /// The event's type.
    Kind,
    /// The actor.
    Actor,
    /// The server; events without one count as the empty text.
    Server,
    /// The tool; events without one count as the empty text.
    Tool,
    /// The result.
    Result,
}

/// The number of events that a query finds, by one column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Each value and the number of its events, the most frequent first.
    pub counts: Vec<(Arc<str>, u64)>,
    /// The number of events with other values: only 10,000 values are told apart.
    pub others: u64,
    /// The number of all events.
    pub total: u64,
}

impl AuditQuery {
    /// Returns whether the query's conditions admit an event.
    pub(crate) fn matches(&self, view: &View<'_>) -> bool {
        let is = |wanted: &Option<Arc<str>>, text: Option<&str>| wanted.as_ref().is_none_or(|wanted| Some(&**wanted) == text);
        self.from.is_none_or(|from| view.at >= from)
            && self.until.is_none_or(|until| view.at < until)
            && (self.kinds.is_empty() || self.kinds.iter().any(|kind| **kind == *view.kind))
            && is(&self.actor_kind, Some(view.actor_kind))
            && is(&self.actor, Some(view.actor))
            && is(&self.server, view.server)
            && is(&self.tool, view.tool)
            && self.result.is_none_or(|result| result == view.result)
            && is(&self.trace, view.trace)
    }

    /// Returns whether the query's conditions admit an event that was read. Its order, limit and cursor do not count.
    #[must_use]
    pub fn finds(&self, event: &Stored) -> bool {
        self.matches(&View::of_stored(event))
    }

    /// Returns the texts that a block must contain one of, by field of the index.
    pub(crate) fn words(&self) -> Vec<(&'static str, Vec<Arc<str>>)> {
        let one = |text: &Option<Arc<str>>| text.iter().cloned().collect::<Vec<_>>();
        let fields = [
            ("kind", self.kinds.clone()),
            ("actor_kind", one(&self.actor_kind)),
            ("actor", one(&self.actor)),
            ("server", one(&self.server)),
            ("tool", one(&self.tool)),
            ("result", self.result.iter().map(|result| result.as_str().into()).collect()),
        ];
        fields.into_iter().filter(|(_, texts)| !texts.is_empty()).collect()
    }
}
