//! The trace of a request, which all its events and all servers that it reaches share (MGP §6.5, MGP D6).

use guard::{Guard, new_trace};
use mcp::exchange::Request;
use mgp::trace::TraceId;

/// Settles the trace of an incoming request. An open gateway keeps no record, and leaves the request as it is.
pub(crate) fn settle(guard: &Guard, request: &mut Request) {
    if !guard.is_guarded() {
        return;
    }
    let named = TraceId::named(|key| request.member(key).cloned());
    let id = named.or_else(|| TraceId::of(&request.trace)).unwrap_or_else(new_trace);
    request.trace.named = Some(id.into());
}
