//! Tells servers that negotiated `audit` what happens, each event with its number, so that a gap shows (MGP §6.4, MGP D10).

use std::sync::Arc;

use guard::Guard;
use jsonrpc::{Limits, Message, Raw};
use mgp::audit::EventType;
use runtime::Runtime;
use store::Stored;
use upstream::Session;

/// Forwards what happens from now on over a connection, for as long as it lives. One that reads too slowly misses some, and sees that it does.
pub(super) fn follow(guard: &Arc<Guard>, runtime: &Runtime, session: &Arc<Session>) {
    let Some(store) = guard.record().store() else { return };
    let mut follower = store.follow(0);
    let (weak, over, permit) = (Arc::downgrade(session), session.over().clone(), guard.admit_own());
    runtime.spawn(async move {
        while let Some(Ok(chunk)) = over.run_until_cancelled(follower.next()).await {
            let Some(session) = weak.upgrade() else { return };
            // What servers say is not sent on: two that listen could keep each other talking (MGP D11).
            let own = chunk.events.iter().filter(|event| *event.key.kind != *EventType::REPORTED.as_str());
            for message in own.filter_map(told) {
                session.notify(&message, &permit);
            }
        }
    });
}

/// Makes the notification of an event; none where its bytes are no JSON any more.
fn told(event: &Stored) -> Option<Message> {
    let raw = Raw::parse(event.body.clone(), &Limits::default()).ok()?;
    Some(mgp::audit::notification(&raw, event.seq))
}
