//! What goes into a machine and what comes out of it.

use std::sync::Arc;

use bytes::Bytes;
use jsonrpc::{DecodeError, Frame, Message};
use serde_json::Value;
use tokio::sync::oneshot;

use super::Facts;
use crate::args::Args;
use crate::core::Change;
use crate::error::Result;
use crate::handler::Handler;
use crate::known::Known;
use crate::level::Level;

/// One incoming HTTP request body or line of stdin, and the way back for its answers.
pub(crate) type ExchangeId = u64;
/// One request that a handler works on.
pub(crate) type CallId = u64;

/// What kind of connection a machine serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// One process, one client, both eras; each message shows its own.
    Stdio,
    /// One legacy session over HTTP.
    LegacyHttp,
    /// One modern request over HTTP.
    ModernHttp,
}

/// Where a handler's question waits for its answer. The machine only carries it.
pub(crate) type Reply = oneshot::Sender<Result<Value>>;

#[derive(Debug)]
pub(crate) enum Input {
    /// A body or line has come.
    Frame(ExchangeId, std::result::Result<Frame, DecodeError>),
    /// The client does not wait for that exchange any more; in the modern era that cancels (2026-07-28 basic/patterns/cancellation).
    Hangup(ExchangeId),
    /// A handler reports.
    Call(CallId, CallEvent),
    /// Something changed that the client may want to hear about.
    Change(Change),
    /// The server wants to stop: end what would never end by itself.
    Close,
}

#[derive(Debug)]
pub(crate) enum CallEvent {
    /// A notification on the call's own stream. Log messages carry their level; what a task says has no stream of its own.
    Notify {
        message: Message,
        level: Option<Level>,
        of_task: bool,
    },
    /// A question to a legacy client.
    Ask { method: String, params: Value, reply: Reply },
    /// Questions whose handler stopped waiting are to be withdrawn.
    Withdraw,
    /// From here on the call is the task of that id.
    BecameTask(String),
    /// The client shall come back later for the rest of its stream (2025-11-25 basic/transports, SEP-1699).
    Detach,
    /// The handler is through.
    Done(Result<Value>),
}

/// Which way a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// Back to where that exchange came from.
    Exchange(ExchangeId),
    /// To the legacy client, unrelated to any request.
    Session,
}

/// What a response means to HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Fine,
    BadRequest,
    NotFound,
}

#[derive(Debug)]
pub(crate) enum Output {
    /// Write that; with `last` the exchange is over.
    Send {
        route: Route,
        bytes: Bytes,
        verdict: Verdict,
        last: bool,
    },
    /// The exchange is over without (another) message.
    Finish(ExchangeId),
    /// Close the exchange's stream; it goes on when the client comes back.
    Detach(ExchangeId),
    /// Run that, then report `CallEvent::Done`; a task reports to the task store instead.
    Start(CallId, Work),
    /// Stop that.
    Cancel(CallId),
    /// Hand the answer to the handler that asked.
    Answer(Reply, Result<Value>),
}

/// A handler to be run and what it has to know.
pub(crate) struct Work {
    pub(crate) handler: Handler,
    pub(crate) args: Args,
    pub(crate) facts: Arc<Facts>,
    pub(crate) known: Known,
    pub(crate) kind: WorkKind,
}

/// How the work ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WorkKind {
    /// With the answer to a request. `may_become_task`: or on its own, if the handler says so.
    Call { may_become_task: bool },
    /// As a task.
    Task(String),
    /// In nothing: a notification was handled.
    Notification,
}

impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Work")
            .field("args", &self.args)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}
