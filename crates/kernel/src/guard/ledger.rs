//! The record: what was decided and what came of it, as events of the audit (MGP §6, DESIGN 8).

use std::sync::Arc;
use std::time::Duration;

use jsonrpc::Raw;
use mgp::audit::{Draft, Outcome};
use mgp::error::{Code, Refusal};
use mgp::trace::TraceId;
use model::Trace;
use store::{AuditKey, AuditResult, Event, Store};

use super::{Guard, wall_clock};
use crate::seal::fill;

/// How long a call waits for its record. One that is stored later than that tells of a call that did not leave.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where events go. What a decision rests on is stored before it takes effect; what only tells of something is noted.
pub(crate) struct Ledger {
    pub(crate) store: Arc<dyn Store>,
}

impl Guard {
    /// An event as it is stored.
    pub(crate) fn event(draft: Draft, trace: &Trace) -> Event {
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

    /// Members of an event's details, all of them texts.
    pub(crate) fn details(members: &[(&str, &str)]) -> Raw {
        let object: serde_json::Map<String, serde_json::Value> =
            members.iter().map(|(name, text)| ((*name).to_owned(), (*text).into())).collect();
        Raw::of(&object)
    }

    /// Stores an event before what it tells of happens.
    ///
    /// # Errors
    /// When it cannot be stored: then it must not happen.
    pub(crate) async fn before(&self, draft: Draft, trace: &Trace) -> Result<(), Refusal> {
        let Some(ledger) = &self.ledger else { return Ok(()) };
        match tokio::time::timeout(PATIENCE, ledger.store.append(Self::event(draft, trace))).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(unstored(&error)),
            Err(_) => Err(unstored(&"the disk takes too long")),
        }
    }

    /// Tells of something that has happened. Whoever tells more than the disk takes has to wait.
    pub(crate) async fn after(&self, draft: Draft, trace: &Trace) {
        let Some(ledger) = &self.ledger else { return };
        if let Some(event) = ledger.store.note(Self::event(draft, trace))
            && let Err(error) = ledger.store.append(event).await
        {
            tracing::error!(%error, "an audit event was lost");
        }
    }

    /// The same, where nobody can wait; whether there was room.
    pub(crate) fn after_now(&self, draft: Draft, trace: &Trace) -> bool {
        let Some(ledger) = &self.ledger else { return true };
        ledger.store.note(Self::event(draft, trace)).is_none()
    }
}

/// Why something is refused that could not be written down first.
pub(super) fn unstored(error: &dyn std::fmt::Display) -> Refusal {
    tracing::error!(%error, "refused what could not be recorded");
    Refusal::new(
        Code::ResourceExhausted,
        "the gateway can't record this, and does nothing that it can't record",
    )
    .with_hint("ask its operator: `chancery store verify` says what is wrong")
}

/// The id of a trace that nobody has named.
pub(crate) fn new_trace() -> TraceId {
    let mut bits = [0_u8; 16];
    fill(&mut bits);
    TraceId::random(u128::from_be_bytes(bits))
}
