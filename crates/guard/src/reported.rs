//! Records what servers report of themselves, and requests that only clients may send: kept as the server's word, at a bounded rate (MGP §1.6, §6.5,
//! MGP D11).

use jsonrpc::Raw;
use mgp::audit::{Actor, Draft, Event, EventType, Outcome, Target};
use model::{ServerId, Trace};

use crate::guard::Guard;
use crate::record::new_trace;

/// The number of characters of a name that are kept at most.
const LONGEST: usize = 128;
impl Guard {
    /// Records an audit event that a server reports by a notification of MGP.
    pub fn reported(&self, server: &ServerId, params: Option<&Raw>) {
        let event = Event::reported(server, params, self.calendar().now(), new_trace(), &self.redactor());
        let trace = Trace {
            named: Some(event.trace.into()),
            ..Trace::default()
        };
        self.report(server, event.draft, &trace);
    }

    /// Records that a server sent a request that only clients may send: above all, a call of a tool (MGP §1.6).
    pub fn tried_as_client(&self, server: &ServerId, method: &str, params: Option<&Raw>) {
        let name = params.and_then(|params| params.get("name"));
        let name = name.and_then(|name| name.as_str().map(|name| self.redactor().text(&cut(&name)).into_owned()));
        let target = Target {
            tool: name.filter(|_| method == "tools/call"),
            ..Target::kernel()
        };
        let details =
            serde_json::json!({ "code": jsonrpc::code::METHOD_NOT_FOUND, "reason": "servers are no clients", "method": cut(method) });
        let draft = Draft::new(EventType::ToolBlocked, Actor::server(server), target, Outcome::Blocked);
        tracing::warn!(%server, method, "the server sent a request that only clients may send");
        self.report(server, draft.details(Raw::of(&details)), &Trace::default());
    }

    fn report(&self, server: &ServerId, draft: Draft, trace: &Trace) {
        if !self.reports.has_room(server) || !self.record().after_now(draft, trace) {
            tracing::debug!(%server, "the server reports more than is kept");
        }
    }
}

fn cut(name: &str) -> String {
    name.chars().take(LONGEST).collect()
}
