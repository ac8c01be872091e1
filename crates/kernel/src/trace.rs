//! The trace of a request (MGP §6.5): one id in the record of all that it leads to, and for servers that negotiated MGP.

use std::sync::LazyLock;

use jsonrpc::Raw;
use mcp::exchange::Request;
use mcp::meta;
use memchr::memmem::Finder;
use mgp::trace::TraceId;

use crate::seal::fill;
use crate::upstream::Session;

/// Finds the member by which clients name a trace.
static NAMES_TRACE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"trace_id"));

/// Gives a client's request the id that the client names, or that of its trace context, or a new one.
pub(crate) fn begin(request: &mut Request) {
    let may_name = |params: &&Raw| NAMES_TRACE.find(params.bytes()).is_some();
    let named = request.params.as_ref().filter(may_name).and_then(|params| TraceId::read(Some(params)));
    let id = named.or_else(|| TraceId::of(&request.trace)).unwrap_or_else(anew);
    request.trace.name = Some(id.text());
}

/// Hands the trace on to a server, beside the headers of HTTP. One that negotiated MGP is told the id of the record.
pub(crate) fn hand_on(request: &mut Request, session: &Session) {
    let knows_mgp = session.agreed.get().is_some_and(|outcome| outcome.agreement.is_some());
    if !session.is_http() || knows_mgp {
        carry_context(request);
    }
    if let Some(id) = TraceId::of(&request.trace).filter(|_| knows_mgp) {
        request.params = Some(id.write(request.params.as_ref(), u64::from_be_bytes(random()), true));
    }
}

/// A pipe has no headers: the trace of one that had them goes on in `_meta` (2026-07-28 basic, `_meta`).
fn carry_context(request: &mut Request) {
    if !request.trace.is_empty() && meta::trace(request.params.as_ref()).is_empty() {
        request.params = Some(meta::with_trace(request.params.as_ref(), &request.trace));
    }
}

/// The id of something that belongs to no request.
pub(crate) fn anew() -> TraceId {
    TraceId::random(u128::from_be_bytes(random()))
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    fill(&mut bytes);
    bytes
}
