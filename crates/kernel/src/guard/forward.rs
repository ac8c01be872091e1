//! Tells servers that negotiated `audit` what happens, each event with its number, so that a gap shows (MGP §6.4, D10).

use std::sync::Arc;

use jsonrpc::{Limits, Message, Raw};
use mgp::audit::EventType;
use store::Stored;

use crate::upstream::Session;

/// Forwards what happens from now on over a connection, for as long as it lives. One that reads too slowly misses some, and sees that it does.
pub(crate) fn follow(session: &Arc<Session>) {
    let Some(ledger) = &session.inner.guard.ledger else { return };
    let mut follower = ledger.store.follow(0);
    let (weak, over) = (Arc::downgrade(session), session.over().clone());
    session.inner.spawn(async move {
        while let Some(Ok(chunk)) = over.run_until_cancelled(follower.next()).await {
            let Some(session) = weak.upgrade() else { return };
            // What servers say is not sent on: two that listen could keep each other talking (D11).
            let own = chunk.events.iter().filter(|event| *event.key.kind != *EventType::REPORTED.as_str());
            for message in own.filter_map(told) {
                session.notify(&message, &session.inner.admit_own());
            }
        }
    });
}

/// An event as servers are told of it; nothing, where its bytes are no JSON any more.
fn told(event: &Stored) -> Option<Message> {
    let raw = Raw::parse(event.body.clone(), &Limits::default()).ok()?;
    Some(mgp::audit::notification(&raw, event.seq))
}
