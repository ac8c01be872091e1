//! Sealed state, which a client carries for the gateway and can neither read nor change (DESIGN 10).

use std::sync::Arc;
use std::time::Duration;

use mcp::exchange::Request;
use mcp::seal::{Continuation, SealedCall, Sealer as _, request_digest_input};
use model::{Principal, ServerId};
use runtime::{Runtime, sha256};

use super::process_key::ProcessKey;

/// Seals the continuation of requests, and opens what it sealed.
pub(crate) struct Seal {
    key: ProcessKey,
    runtime: Arc<Runtime>,
}

impl Seal {
    pub(crate) fn new(runtime: &Arc<Runtime>) -> Self {
        Self {
            key: ProcessKey::new(),
            runtime: runtime.clone(),
        }
    }

    /// Seals the continuation of a request; none if that is larger than a client should have to carry.
    pub(crate) fn close(
        &self,
        principal: &Principal,
        server: &ServerId,
        request: &Request,
        then: Continuation,
        ttl: Duration,
    ) -> Option<String> {
        let sealed = SealedCall {
            server: server.clone(),
            principal: principal.id.clone(),
            expires: self.runtime.uptime_secs() + ttl.as_secs(),
            digest: digest_of(request),
            then,
        };
        sealed.encode().ok().map(|plain| self.key.seal(&plain))
    }

    /// Opens what [`Seal::close`] made: for the principal, server and request that it was made for, in time.
    pub(crate) fn open(&self, principal: &Principal, server: &ServerId, request: &Request, sealed: &str) -> Option<Continuation> {
        let call = SealedCall::decode(&self.key.open(sealed)?)?;
        call.check(&principal.id, self.runtime.uptime_secs(), &digest_of(request)).ok()?;
        (call.server == *server).then_some(call.then)
    }
}

fn digest_of(request: &Request) -> Vec<u8> {
    let input = request_digest_input(request.method.name(), request.params.as_ref());
    sha256(&input).0.to_vec()
}

#[cfg(test)]
mod tests;
