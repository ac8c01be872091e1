//! The closed list of protocols beside MCP, and the moments of a session in which each takes part.

use std::borrow::Cow;

use jsonrpc::Message;
use mcp::exchange::Request;
use mcp::revision::Era;
use mcp::server::{ClientHello, Ready};
use model::ServerId;

use super::incoming::Incoming;
use super::mgp::Mgp;
use crate::context::Config;

/// A protocol beside MCP on one session. Values in, effects out: it sends nothing itself.
#[derive(Debug)]
pub enum SessionProtocol {
    /// MGP.
    Mgp(Mgp),
}

impl SessionProtocol {
    /// Makes the protocols of a new session.
    pub(crate) fn all() -> [Self; 1] {
        [Self::Mgp(Mgp::default())]
    }

    /// Adds the gateway's declaration to the handshake with a server.
    pub(crate) fn declare(&self, config: &Config, hello: ClientHello, era: Era) -> ClientHello {
        match self {
            Self::Mgp(mgp) => mgp.declare(config, hello, era),
        }
    }

    /// Negotiates, when the handshake is complete. Returns whether the event sink has to be told.
    pub(crate) fn ready(&self, config: &Config, server: &ServerId, ready: &Ready) -> bool {
        match self {
            Self::Mgp(mgp) => mgp.ready(config, server, ready),
        }
    }

    /// Adds the protocol's members to a request.
    pub(crate) fn outgoing<'a>(&self, config: &Config, era: Era, request: Cow<'a, Request>) -> Cow<'a, Request> {
        match self {
            Self::Mgp(mgp) => mgp.outgoing(config, era, request),
        }
    }

    /// Examines a notification of the server.
    pub(crate) fn notified(&self, config: &Config, server: &ServerId, message: &Message) -> Incoming {
        match self {
            Self::Mgp(mgp) => mgp.notified(config, server, message),
        }
    }

    /// Examines a request of the server.
    pub(crate) fn requested(&self, config: &Config, server: &ServerId, message: &Message) -> Incoming {
        match self {
            Self::Mgp(mgp) => mgp.requested(config, server, message),
        }
    }
}
