//! The record: decisions and their outcomes, as events of the audit (MGP §6, DESIGN 8).

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jsonrpc::Raw;
use mgp::audit::{Draft, Outcome};
use mgp::error::{Code, Refusal};
use mgp::trace::TraceId;
use model::{Timestamp, Trace};
use store::{AuditKey, AuditResult, Event, Store};

/// The time that a call waits for its record. An event that is stored later is about a call that was not sent.
const PATIENCE: Duration = Duration::from_secs(10);

/// Writes events into the audit. The grounds of a decision are stored before it takes effect; other events are noted later. Without a store it keeps
/// nothing.
#[derive(Debug)]
pub struct Record {
    store: Option<Arc<dyn Store>>,
}

impl Record {
    pub(crate) fn new(store: Option<Arc<dyn Store>>) -> Self {
        Self { store }
    }

    /// Returns whether events are kept. If not, a caller need not prepare one.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.store.is_some()
    }

    /// Returns the store, where the gateway has one.
    #[must_use]
    pub fn store(&self) -> Option<&Arc<dyn Store>> {
        self.store.as_ref()
    }

    /// Stores an event before the action that it describes.
    ///
    /// # Errors
    /// When it cannot be stored: then the action must not happen.
    pub async fn before(&self, draft: Draft, trace: &Trace) -> Result<(), Refusal> {
        let Some(store) = &self.store else { return Ok(()) };
        match tokio::time::timeout(PATIENCE, store.append(event(draft, trace))).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(unstored(&error)),
            Err(_) => Err(unstored(&"the disk takes too long")),
        }
    }

    /// Notes an event after its action. The caller waits if more is noted than the disk takes.
    pub async fn after(&self, draft: Draft, trace: &Trace) {
        let Some(store) = &self.store else { return };
        if let Some(event) = store.note(event(draft, trace))
            && let Err(error) = store.append(event).await
        {
            tracing::error!(%error, "an audit event was lost");
        }
    }

    /// Notes an event after its action, for a caller that cannot wait. Returns whether there was room.
    #[must_use]
    pub fn after_now(&self, draft: Draft, trace: &Trace) -> bool {
        let Some(store) = &self.store else { return true };
        store.note(event(draft, trace)).is_none()
    }
}

/// Completes an event with the time and its trace, as it is stored.
#[must_use]
pub fn event(draft: Draft, trace: &Trace) -> Event {
    let trace = TraceId::of(trace).unwrap_or_else(new_trace);
    let event = draft.at(wall_clock(), trace);
    let key = AuditKey {
        at: event.timestamp,
        kind: event.draft.event_type.as_str().into(),
        actor: store::Actor {
            kind: event.draft.actor.kind.as_str().into(),
            id: event.draft.actor.id.as_str().into(),
        },
        server: Some(event.draft.target.server.as_str().into()),
        tool: event.draft.target.tool.as_deref().map(Into::into),
        result: match event.draft.result {
            Outcome::Success => AuditResult::Success,
            Outcome::Failure => AuditResult::Failure,
            Outcome::Blocked => AuditResult::Blocked,
            Outcome::Pending => AuditResult::Pending,
        },
        trace: Some(event.trace.clone().into()),
    };
    Event {
        key,
        body: event.to_bytes().into(),
    }
}

/// Makes an event's details of members that are all texts.
#[must_use]
pub fn details(members: &[(&str, &str)]) -> Raw {
    let object: serde_json::Map<String, serde_json::Value> =
        members.iter().map(|(name, text)| ((*name).to_owned(), (*text).into())).collect();
    Raw::of(&object)
}

/// Returns the refusal of an action that could not be recorded first.
pub(crate) fn unstored(error: &dyn std::fmt::Display) -> Refusal {
    tracing::error!(%error, "refused what could not be recorded");
    Refusal::new(
        Code::ResourceExhausted,
        "the gateway can't record this, and does nothing that it can't record",
    )
    .with_hint("ask its operator: `chancery store verify` says what is wrong")
}

/// Makes the id of a trace that no peer has named.
#[must_use]
pub fn new_trace() -> TraceId {
    let mut bits = [0_u8; 16];
    runtime::fill(&mut bits);
    TraceId::random(u128::from_be_bytes(bits))
}

/// Reads the machine's clock, whose time the audit shows.
fn wall_clock() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
