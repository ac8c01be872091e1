//! The canned server without its transport: eras, replies and refusals.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::ValueEnum;

use crate::canned::{Answer, CHANGE, Canned, LARGE, SMALL, Tools};
use crate::envelope::{Era, MODERN, Request};

/// The eras that a server supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Offer {
    Both,
    Legacy,
    Modern,
}

impl Offer {
    pub(super) fn has(self, era: Era) -> bool {
        match self {
            Self::Both => true,
            Self::Legacy => era == Era::Legacy,
            Self::Modern => era == Era::Modern,
        }
    }
}

/// The server's reply to one message.
#[derive(Debug)]
pub(super) enum Reply<'a> {
    /// A canned result.
    Result(&'a Answer),
    /// A canned result, and behind it the news that the list of tools is another.
    Changed(&'a Answer),
    /// A JSON-RPC error, with its HTTP status.
    Refusal(Refusal),
    /// No reply: the message was a notification.
    Accepted,
}

/// A JSON-RPC error of the server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refusal {
    pub(super) status: u16,
    code: i32,
    message: &'static str,
}

impl Refusal {
    pub(super) const fn new(status: u16, code: i32, message: &'static str) -> Self {
        Self { status, code, message }
    }

    /// Returns the whole error message, for the request `id`.
    pub(super) fn for_id(self, id: &str) -> String {
        let Self { code, message, .. } = self;
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
    }
}

/// A server without its transport.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) offer: Offer,
    prefix: String,
    changing: bool,
    /// Whether the list is now the other one.
    changed: AtomicBool,
    canned: Canned,
}

impl Server {
    pub(super) fn new(offer: Offer, tools: &Tools<'_>) -> Self {
        Self {
            offer,
            prefix: tools.prefix.to_owned(),
            changing: tools.changing,
            changed: AtomicBool::new(false),
            canned: Canned::new(tools),
        }
    }

    /// Returns the reply to one message, which was sent in `era`.
    pub(super) fn reply(&self, request: &Request<'_>, era: Era) -> Reply<'_> {
        if request.id.is_none() {
            return Reply::Accepted;
        }
        match request.method {
            "tools/call" => self.call(request.params.name, era),
            "tools/list" => Reply::Result(self.list(era)),
            "initialize" if self.offer.has(Era::Legacy) => Reply::Result(self.canned.initialize(request.params.protocol_version)),
            // 2026-07-28 basic/versioning: a modern-only server names its revisions to a client that says `initialize`.
            "initialize" => Reply::Refusal(Refusal::new(
                400,
                -32022,
                "unsupported protocol version, this server speaks 2026-07-28",
            )),
            "server/discover" if self.offer.has(Era::Modern) => Reply::Result(&self.canned.discover),
            "ping" if era == Era::Legacy => Reply::Result(&self.canned.empty),
            _ => Reply::Refusal(Refusal::new(if era == Era::Modern { 404 } else { 200 }, -32601, "method not found")),
        }
    }

    fn list(&self, era: Era) -> &Answer {
        let results = self.canned.results(era);
        if self.changed.load(Ordering::Relaxed) {
            &results.changed
        } else {
            &results.tools
        }
    }

    fn call(&self, name: &str, era: Era) -> Reply<'_> {
        let results = self.canned.results(era);
        match name.strip_prefix(&*self.prefix) {
            Some(name) if name == SMALL.0 => Reply::Result(&results.small),
            Some(name) if name == LARGE.0 => Reply::Result(&results.large),
            Some(CHANGE) if self.changing => {
                self.changed.fetch_xor(true, Ordering::Relaxed);
                Reply::Changed(&results.small)
            }
            _ => Reply::Refusal(Refusal::new(if era == Era::Modern { 400 } else { 200 }, -32602, "unknown tool")),
        }
    }

    /// Returns the era of an HTTP request that names `version`, or the refusal of a server that doesn't support it.
    pub(super) fn era_of(&self, version: Option<&[u8]>) -> Result<Era, Refusal> {
        let era = if version == Some(MODERN.as_bytes()) {
            Era::Modern
        } else {
            Era::Legacy
        };
        match (self.offer.has(era), era) {
            (true, _) => Ok(era),
            (false, Era::Modern) => Err(Refusal::new(400, -32000, "bad request: unsupported protocol version")),
            (false, Era::Legacy) => Err(Refusal::new(400, -32020, "the revision 2026-07-28 and its headers are required")),
        }
    }
}
