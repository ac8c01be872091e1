//! What servers say of themselves, and what they try that is not theirs: kept as their word, and answered to nobody else (MGP §1.6, §6.5, D11).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jsonrpc::{ErrorObject, Message, Raw};
use mcp::method::{self, Side};
use mgp::audit::{Actor, Draft, Event, EventType, Outcome, Target};
use mgp::negotiation::Extension;
use model::{ServerId, Ticket, Trace};
use policy::{Limits, Rate, Rates};

use super::Guard;
use super::ledger::new_trace;
use crate::upstream::Session;

/// How notifications of MGP begin. What a server says by one is for the gateway: no client has negotiated it with that server.
const NOTIFICATIONS: &str = "notifications/mgp.";
/// The most bytes of an event that a server sends.
const LARGEST: usize = 16 << 10;
/// The most characters that are kept of a name.
const LONGEST: usize = 128;
/// How many events of one server are kept: a server that talks too much must not push out what others do.
const RATE: Rate = Rate {
    calls: 100,
    per: Duration::from_secs(60),
};

/// How much of what servers say is kept.
#[derive(Debug)]
pub(crate) struct Reports(Mutex<Limits>);

impl Default for Reports {
    fn default() -> Self {
        let rates = Rates {
            server: Some(RATE),
            ..Rates::default()
        };
        Self(Mutex::new(Limits::new(rates)))
    }
}

impl Reports {
    fn has_room(&self, server: &ServerId) -> bool {
        let mut limits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        limits.leaves(crate::now(), server, "").is_ok()
    }
}

/// Whether a server's notification is one of MGP, in a gateway that speaks it.
pub(crate) fn is_told(session: &Session, message: &Message) -> bool {
    message.method().is_some_and(|method| method.starts_with(NOTIFICATIONS)) && session.inner.guard.is_guarded()
}

/// Takes a notification of MGP in: an event of the audit is kept, where that was negotiated; the others are not spoken yet.
pub(crate) fn take(session: &Arc<Session>, message: &Message) {
    let listens = session.agreed.get().is_some_and(|outcome| outcome.has(Extension::Audit));
    let params = message.params();
    let size = params.as_ref().map_or(0, Raw::len);
    match server_of(session) {
        Some(server) if listens && message.method() == Some(mgp::audit::METHOD) && size <= LARGEST => {
            let guard = &session.inner.guard;
            let event = Event::reported(&server, params.as_ref(), guard.calendar.now(), new_trace(), &guard.redactor());
            let trace = Trace {
                named: Some(event.trace.into()),
                ..Trace::default()
            };
            guard.report(&server, event.draft, &trace);
        }
        _ => tracing::debug!(server = session.server_name(), method = message.method(), size, "not taken"),
    }
}

/// Whether a server sends what only clients send: above all, calls of tools.
pub(crate) fn is_a_clients(session: &Session, message: &Message) -> bool {
    let named = method::named(message.method().unwrap_or_default());
    !named.is_empty() && named.iter().all(|info| info.from == Side::Client) && session.inner.guard.is_guarded()
}

/// Refuses that, and records it: there is no such method for servers (§1.6: servers cannot call the kernel's tools).
pub(crate) fn refuse(session: &Arc<Session>, ask: Ticket, message: &Message) {
    tried(session, message);
    let method = message.method().unwrap_or_default();
    session.answer(ask, Err(ErrorObject::method_not_found(method)));
}

/// Records that a server tried to be a client.
pub(crate) fn tried(session: &Arc<Session>, message: &Message) {
    let Some(server) = server_of(session) else { return };
    let method = message.method().unwrap_or_default();
    let guard = &session.inner.guard;
    let name = message.params().and_then(|params| params.get("name"));
    let name = name.and_then(|name| name.as_str().map(|name| guard.redactor().text(&cut(&name)).into_owned()));
    let target = Target {
        tool: name.filter(|_| method == "tools/call"),
        ..Target::kernel()
    };
    let details = serde_json::json!({ "code": jsonrpc::code::METHOD_NOT_FOUND, "reason": "servers are no clients", "method": cut(method) });
    let draft = Draft::new(EventType::ToolBlocked, Actor::server(&server), target, Outcome::Blocked);
    tracing::warn!(%server, method, "the server sent a request that only clients may send");
    guard.report(&server, draft.details(Raw::of(&details)), &Trace::default());
}

fn server_of(session: &Session) -> Option<ServerId> {
    session.line.upgrade().map(|line| line.server.spec.id.clone())
}

fn cut(name: &str) -> String {
    name.chars().take(LONGEST).collect()
}

impl Guard {
    fn report(&self, server: &ServerId, draft: Draft, trace: &Trace) {
        if !self.reports.has_room(server) || !self.after_now(draft, trace) {
            tracing::debug!(%server, "the server says more than is kept");
        }
    }
}
