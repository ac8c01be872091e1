//! What a request tells its server beside what its client wants: the trace that it belongs to, and what the gateway speaks (MGP §6.5, D6, D7).

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use mcp::capabilities::ClientCapabilities;
use mcp::exchange::{Peer, Request};
use mcp::meta;
use mcp::revision::Era;
use memchr::memmem::Finder;
use mgp::trace::TraceId;

use crate::guard::ledger::new_trace;
use crate::inner::Inner;
use crate::upstream::Session;

/// Finds a declaration of MGP, in whatever carrier.
static NAMES_MGP: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"mgp"));

/// Settles the trace of a request that comes in: every event of it, and every server that it reaches, has the same.
pub(crate) fn settle_trace(inner: &Inner, request: &mut Request) {
    if !inner.guard.is_guarded() {
        return;
    }
    let named = TraceId::named(|key| request.member(key).cloned());
    let id = named.or_else(|| TraceId::of(&request.trace)).unwrap_or_else(new_trace);
    request.trace.named = Some(id.into());
}

/// The request as a server is told it.
pub(crate) fn told<'a>(inner: &Inner, session: &Session, request: &'a Request) -> Cow<'a, Request> {
    let mut told = Cow::Borrowed(request);
    // A pipe has no headers: the trace of a request that had them goes on in `_meta` (2026-07-28 basic, `_meta`).
    if !session.is_http() && !request.trace.is_empty() && meta::trace(request.params.as_ref()).is_empty() {
        told.to_mut().params = Some(meta::with_trace(request.params.as_ref(), &request.trace));
    }
    let speaks = session.agreed.get().is_some_and(|outcome| outcome.agreement.is_some());
    if let Some(id) = TraceId::of(&request.trace).filter(|_| speaks) {
        let params = id.write(told.params.as_ref(), inner.random_u64(), true);
        told.to_mut().params = Some(params);
    }
    if session.era() == Era::Modern && (speaks || declares(&request.peer)) {
        introduce(inner, told.to_mut());
    }
    told
}

/// Whether a client may have declared something that is between it and the gateway.
fn declares(peer: &Peer) -> bool {
    NAMES_MGP.find(peer.capabilities.raw().bytes()).is_some()
}

/// Each modern request says what its client speaks: here that is the gateway (D7).
fn introduce(inner: &Inner, request: &mut Request) {
    match request.peer.era() {
        Era::Modern => request.params = request.params.as_ref().map(|params| inner.mgp().in_request(params)),
        Era::Legacy => {
            let declared = inner.mgp().towards_server(request.peer.capabilities.raw(), Era::Modern);
            request.peer = Arc::new(Peer {
                capabilities: ClientCapabilities::new(declared),
                ..(*request.peer).clone()
            });
        }
    }
}
