//! MGP on a session with a server: its declaration and negotiation, its members in requests, and the messages that are for the gateway (MGP §2, §6.5,
//! MGP D6, D7, D11).

use std::borrow::Cow;
use std::sync::{Arc, LazyLock, OnceLock};

use jsonrpc::{Message, Raw};
use mcp::capabilities::ClientCapabilities;
use mcp::exchange::{Peer, Request};
use mcp::method::{self, Side};
use mcp::revision::Era;
use mcp::server::{ClientHello, Ready};
use memchr::memmem::Finder;
use mgp::negotiation::{Extension, Outcome};
use mgp::trace::TraceId;
use model::ServerId;

use super::incoming::Incoming;
use crate::context::Config;
use crate::event::ServerEvent;

/// Finds a declaration of MGP, in any carrier.
static NAMES_MGP: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"mgp"));
/// The prefix of MGP's notifications. They are for the gateway: no client has negotiated them with that server.
const NOTIFICATIONS: &str = "notifications/mgp.";
/// The size in bytes of the largest event that a server may report.
const LARGEST: usize = 16 << 10;

/// MGP on one session.
#[derive(Debug, Default)]
pub struct Mgp {
    /// The outcome of the negotiation.
    negotiated: OnceLock<Outcome>,
}

impl Mgp {
    /// Returns the outcome of the negotiation; none before the handshake is complete.
    #[must_use]
    pub fn negotiated(&self) -> Option<&Outcome> {
        self.negotiated.get()
    }

    fn is_on(config: &Config) -> bool {
        !config.mgp.extensions.is_empty()
    }

    /// Puts the gateway's own declaration in place of the client's (MGP D7).
    pub(super) fn declare(&self, config: &Config, hello: ClientHello, era: Era) -> ClientHello {
        let capabilities = config.mgp.towards_server(hello.capabilities.raw(), era);
        ClientHello {
            capabilities: ClientCapabilities::new(capabilities),
            info: hello.info,
        }
    }

    /// Negotiates with what the server declares.
    pub(super) fn ready(&self, config: &Config, server: &ServerId, ready: &Ready) -> bool {
        if !Self::is_on(config) {
            return false;
        }
        let outcome = config.mgp.with_server(&ready.offer.capabilities);
        for warning in &outcome.warnings {
            tracing::warn!(%server, %warning, "MGP");
        }
        drop(self.negotiated.set(outcome));
        true
    }

    /// Adds the trace to a request for a server that speaks MGP, and the gateway's declaration to a request for a modern server, in which every
    /// request declares what its client speaks.
    pub(super) fn outgoing<'a>(&self, config: &Config, era: Era, mut request: Cow<'a, Request>) -> Cow<'a, Request> {
        let speaks = self.negotiated().is_some_and(|outcome| outcome.agreement.is_some());
        if let Some(id) = TraceId::of(&request.trace).filter(|_| speaks) {
            let params = id.write(request.params.as_ref(), runtime::number(), true);
            request.to_mut().params = Some(params);
        }
        if era == Era::Modern && (speaks || declares(&request.peer)) {
            introduce(config, request.to_mut());
        }
        request
    }

    /// Claims notifications of MGP: an event of the audit is kept if that was negotiated; the others are not supported yet.
    pub(super) fn notified(&self, config: &Config, server: &ServerId, message: &Message) -> Incoming {
        let method = message.method().unwrap_or_default();
        if !method.starts_with(NOTIFICATIONS) || !Self::is_on(config) {
            return Incoming::Passed;
        }
        let listens = self.negotiated().is_some_and(|outcome| outcome.has(Extension::Audit));
        let params = message.params();
        let size = params.as_ref().map_or(0, Raw::len);
        if listens && method == mgp::audit::METHOD && size <= LARGEST {
            let server = server.clone();
            return Incoming::Claimed(Some(ServerEvent::Reported { server, params }));
        }
        tracing::debug!(%server, method, size, "not taken");
        Incoming::Claimed(None)
    }

    /// Refuses what only clients may send, above all calls of tools (MGP §1.6: servers cannot call the gateway's tools).
    pub(super) fn requested(&self, config: &Config, server: &ServerId, message: &Message) -> Incoming {
        let method = message.method().unwrap_or_default();
        let named = method::named(method);
        let is_a_clients = !named.is_empty() && named.iter().all(|info| info.from == Side::Client);
        if !is_a_clients || !Self::is_on(config) {
            return Incoming::Passed;
        }
        Incoming::Refused(ServerEvent::TriedAsClient {
            server: server.clone(),
            method: method.to_owned(),
            params: message.params(),
        })
    }
}

/// Returns whether a client may have declared something that concerns only it and the gateway.
fn declares(peer: &Peer) -> bool {
    NAMES_MGP.find(peer.capabilities.raw().bytes()).is_some()
}

/// Adds the gateway's declaration to a request to a modern server: the gateway is the client there (MGP D7).
fn introduce(config: &Config, request: &mut Request) {
    match request.peer.era() {
        Era::Modern => request.params = request.params.as_ref().map(|params| config.mgp.in_request(params)),
        Era::Legacy => {
            let declared = config.mgp.towards_server(request.peer.capabilities.raw(), Era::Modern);
            request.peer = Arc::new(Peer {
                capabilities: ClientCapabilities::new(declared),
                ..(*request.peer).clone()
            });
        }
    }
}
