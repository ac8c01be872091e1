//! What of MGP the gateway offers, and what came of it with one client (MGP §2).

use jsonrpc::ErrorObject;
use mcp::capabilities::ClientCapabilities;
use mcp::exchange::Peer;
use mcp::revision::Era;
use mcp::server::ClientHello;
use mgp::error::{Code, Refusal};
use mgp::negotiation::{Extension, Offer, Outcome};

use crate::client::Client;
use crate::inner::Inner;

/// What is built. An open gateway guards nothing, and says nothing of MGP.
const BUILT: [Extension; 5] = [
    Extension::Security,
    Extension::AccessControl,
    Extension::Audit,
    Extension::CodeSafety,
    Extension::ErrorHandling,
];

impl Inner {
    /// What the gateway offers to either side.
    pub(crate) fn mgp(&self) -> Offer {
        let is_guarded = self.settings().security.is_some();
        Offer {
            extensions: BUILT.into_iter().filter(|_| is_guarded).collect(),
        }
    }

    /// A greeting with the gateway's own declaration in it, in place of the client's (MGP D7).
    pub(crate) fn introduced(&self, hello: &ClientHello, era: Era) -> ClientHello {
        let capabilities = self.mgp().towards_server(hello.capabilities.raw(), era);
        ClientHello {
            capabilities: ClientCapabilities::new(capabilities),
            info: hello.info.clone(),
        }
    }
}

impl Client {
    /// What came of the negotiation with a client, by the capabilities that it declares.
    pub(crate) fn negotiated(&self, peer: &Peer) -> Outcome {
        self.inner.mgp().with_client(peer.capabilities.raw())
    }

    /// A failure of the gateway's own as its client is told it: by its code of MGP, where it negotiated `error_handling` (§14.3).
    pub(crate) fn failure(&self, peer: &Peer, code: Code, plain: ErrorObject) -> ErrorObject {
        match self.has_error_handling(peer) {
            true => Refusal::new(code, plain.message).to_error(),
            false => plain,
        }
    }

    /// Whether its tool calls may be refused with errors (D18).
    pub(crate) fn has_error_handling(&self, peer: &Peer) -> bool {
        self.negotiated(peer).has(Extension::ErrorHandling)
    }
}
