//! What events can be found by, and what is found.

use std::str::FromStr;
use std::sync::Arc;

use model::Timestamp;

use super::record::View;
use crate::{AuditResult, Stored};

/// Which events, in which order, from where on. What is not given does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditQuery {
    /// From this instant on.
    pub from: Option<Timestamp>,
    /// Before this instant.
    pub until: Option<Timestamp>,
    /// Of one of these types; empty for all.
    pub kinds: Vec<Arc<str>>,
    /// By actors of this kind.
    pub actor_kind: Option<Arc<str>>,
    /// By this actor.
    pub actor: Option<Arc<str>>,
    /// About this server.
    pub server: Option<Arc<str>>,
    /// About this tool.
    pub tool: Option<Arc<str>>,
    /// That came out so.
    pub result: Option<AuditResult>,
    /// Of this trace.
    pub trace: Option<Arc<str>>,
    /// In which order.
    pub order: Order,
    /// Behind the page that gave it.
    pub cursor: Option<Cursor>,
    /// How many at most; 1,000 are the most.
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
    /// The last first.
    #[default]
    Newest,
    /// The first first.
    Oldest,
}

/// Where a page ended. As text for whoever carries it; it means something for the query that gave it only.
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
    /// Behind an event, in either order: for a page that somebody has cut shorter than the store gave it.
    #[must_use]
    pub fn behind(event: &Stored) -> Self {
        Self(event.seq)
    }
}

/// Some of the events that a query finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The events, in the order of the query.
    pub events: Vec<Stored>,
    /// Where to go on; nothing where there is no more. An empty page may have one.
    pub next: Option<Cursor>,
}

/// What a tally counts by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TallyBy {
    /// The event's type.
    Kind,
    /// The actor.
    Actor,
    /// The server; events without one count as the empty text.
    Server,
    /// The tool, likewise.
    Tool,
    /// How it came out.
    Result,
}

/// How many events a query finds, by one column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Each value and how often it occurs, the most frequent first.
    pub counts: Vec<(Arc<str>, u64)>,
    /// How many have none of these values: only 10,000 are told apart.
    pub others: u64,
    /// How many there are at all.
    pub total: u64,
}

impl AuditQuery {
    /// Whether an event is meant.
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

    /// Whether an event that was read is meant. The query's order, limit and cursor do not count.
    #[must_use]
    pub fn finds(&self, event: &Stored) -> bool {
        self.matches(&View::of_stored(event))
    }

    /// The texts that a block must hold one of, by field of the index.
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
