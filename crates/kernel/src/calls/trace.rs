//! The trace of a request: every event of it, and every server that it reaches, has the same (MGP §6.5, MGP D6).

use guard::{Guard, new_trace};
use mcp::exchange::Request;
use mgp::trace::TraceId;

/// Settles the trace of a request that comes in. An open gateway keeps no record, and leaves the request as it is.
pub(crate) fn settle(guard: &Guard, request: &mut Request) {
    if !guard.is_guarded() {
        return;
    }
    let named = TraceId::named(|key| request.member(key).cloned());
    let id = named.or_else(|| TraceId::of(&request.trace)).unwrap_or_else(new_trace);
    request.trace.named = Some(id.into());
}
