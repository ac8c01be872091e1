//! Events of the audit: opaque JSON, and beside it the fields by which queries find them (MGP §6.3).

use std::sync::Arc;

use bytes::Bytes;
use model::Timestamp;

/// The most bytes that the JSON of an event may have.
pub(crate) const MAX_BODY: usize = 1 << 20;
/// The most bytes that one text of a key may have.
pub(crate) const MAX_TEXT: usize = 4096;

/// The actor of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The actor's kind: `agent`, `operator`, `server`, `system`.
    pub kind: Arc<str>,
    /// The actor's id.
    pub id: Arc<str>,
}

/// The result that an event reports (MGP D11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AuditResult {
    /// The action was done.
    Success,
    /// The action was tried and failed.
    Failure,
    /// The action was not allowed.
    Blocked,
    /// The action waits for a person's decision.
    Pending,
}

impl AuditResult {
    /// Every result, in the order of their codes in a segment.
    pub(crate) const ALL: [Self; 4] = [Self::Success, Self::Failure, Self::Blocked, Self::Pending];

    /// Returns the result's name on the wire: `SUCCESS`, `FAILURE`, `BLOCKED`, `PENDING`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "SUCCESS",
            Self::Failure => "FAILURE",
            Self::Blocked => "BLOCKED",
            Self::Pending => "PENDING",
        }
    }
}

/// The fields by which queries find an event. Texts of more than 4 KiB are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditKey {
    /// When it happened.
    pub at: Timestamp,
    /// The event's type: `TOOL_EXECUTED`, or a reverse-domain name.
    pub kind: Arc<str>,
    /// The actor.
    pub actor: Actor,
    /// The server it concerns.
    pub server: Option<Arc<str>>,
    /// The tool it concerns, by its name on that server.
    pub tool: Option<Arc<str>>,
    /// The result.
    pub result: AuditResult,
    /// The trace it belongs to.
    pub trace: Option<Arc<str>>,
}

/// An event to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The fields by which queries find it.
    pub key: AuditKey,
    /// The event itself: one JSON value of at most 1 MiB, kept byte by byte and not read.
    pub body: Bytes,
}

/// An event that was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its number: 1 for the first of a store, one more for each that follows, for ever.
    pub seq: u64,
    /// The fields by which queries find it.
    pub key: AuditKey,
    /// The event itself.
    pub body: Bytes,
}

/// Events in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The events.
    pub events: Vec<Stored>,
    /// The number of the event after these.
    pub next: u64,
    /// The first number that is still kept: events before it were dropped.
    pub kept_from: u64,
}

impl Event {
    /// Makes an event of the store itself, in the format of MGP §6.3.
    pub(crate) fn own(at: Timestamp, kind: &str, details: &serde_json::Value) -> Self {
        let body = serde_json::json!({
            "timestamp": rfc3339(at),
            "event_type": kind,
            "actor": { "type": "system", "id": "chancery" },
            "result": AuditResult::Success.as_str(),
            "details": details,
        });
        Self {
            key: AuditKey {
                at,
                kind: kind.into(),
                actor: Actor {
                    kind: "system".into(),
                    id: "chancery".into(),
                },
                server: None,
                tool: None,
                result: AuditResult::Success,
                trace: None,
            },
            body: Bytes::from(body.to_string()),
        }
    }

    /// Returns about how many bytes the event takes in a segment.
    pub(crate) fn weight(&self) -> usize {
        self.body.len() + 256
    }
}

/// Returns the instant as MGP §6.3 writes it; the number itself where the calendar ends.
fn rfc3339(at: Timestamp) -> String {
    match jiff::Timestamp::from_millisecond(at.0) {
        Ok(instant) => format!("{instant:.3}"),
        Err(_) => at.0.to_string(),
    }
}
