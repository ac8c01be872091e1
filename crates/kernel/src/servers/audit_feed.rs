//! Sends audit events to servers that negotiated `audit`, each with its number, so that the server detects gaps (MGP §6.4, MGP D10).

use std::sync::Arc;

use guard::Guard;
use jsonrpc::{Limits, Message, Raw};
use mgp::audit::EventType;
use runtime::Runtime;
use store::Stored;
use upstream::Session;

/// Forwards new audit events over a connection until it ends. A server that reads too slowly misses some, and detects the gap.
pub(super) fn follow(guard: &Arc<Guard>, runtime: &Runtime, session: &Arc<Session>) {
    let Some(store) = guard.record().store() else { return };
    let mut follower = store.follow(0);
    let (weak, over, permit) = (Arc::downgrade(session), session.over().clone(), guard.admit_own());
    runtime.spawn(async move {
        while let Some(Ok(chunk)) = over.run_until_cancelled(follower.next()).await {
            let Some(session) = weak.upgrade() else { return };
            // Events that servers report are not forwarded: two servers could answer each other's events without end (MGP D11).
            let own = chunk.events.iter().filter(|event| *event.key.kind != *EventType::REPORTED.as_str());
            for message in own.filter_map(told) {
                session.notify(&message, &permit);
            }
        }
    });
}

/// Returns the notification of an event; none if its bytes are not valid JSON.
fn told(event: &Stored) -> Option<Message> {
    let raw = Raw::parse(event.body.clone(), &Limits::default()).ok()?;
    Some(mgp::audit::notification(&raw, event.seq))
}
