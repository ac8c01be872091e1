//! The inputs and outputs of a machine.

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

/// The id of one incoming HTTP request body or line of stdin, to which its answers belong.
pub(crate) type ExchangeId = u64;
/// The id of one request that a handler works on.
pub(crate) type CallId = u64;

/// The kind of connection that a machine serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// One process with one client, in both eras; each message shows its own.
    Stdio,
    /// One legacy session over HTTP.
    LegacyHttp,
    /// One modern request over HTTP.
    ModernHttp,
}

/// The channel for the answer to a handler's question. The machine only passes it on.
pub(crate) type Reply = oneshot::Sender<Result<Value>>;

#[derive(Debug)]
pub(crate) enum Input {
    /// A body or line was received.
    Frame(ExchangeId, std::result::Result<Frame, DecodeError>),
    /// The client no longer waits for that exchange; in the modern era that cancels it (2026-07-28
    /// basic/patterns/cancellation).
    Hangup(ExchangeId),
    /// A handler reports an event.
    Call(CallId, CallEvent),
    /// Something changed that the client may want to be notified of.
    Change(Change),
    /// The server wants to stop: what would never end by itself must be ended.
    Close,
}

#[derive(Debug)]
pub(crate) enum CallEvent {
    /// A notification on the call's own stream. Log messages have a level; notifications of a task have no stream of
    /// their own.
    Notify {
        message: Message,
        level: Option<Level>,
        of_task: bool,
    },
    /// A question to a legacy client.
    Ask { method: String, params: Value, reply: Reply },
    /// Questions whose handler stopped waiting are to be withdrawn.
    Withdraw,
    /// From now on the call is the task of that id.
    BecameTask(String),
    /// The client is to reconnect later for the rest of its stream (2025-11-25 basic/transports, SEP-1699).
    Detach,
    /// The handler has finished.
    Done(Result<Value>),
}

/// The destination of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// The exchange it belongs to.
    Exchange(ExchangeId),
    /// The legacy client, unrelated to any request.
    Session,
}

/// What a response means for HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Fine,
    BadRequest,
    NotFound,
}

#[derive(Debug)]
pub(crate) enum Output {
    /// Write the message; with `last` the exchange is over.
    Send {
        route: Route,
        bytes: Bytes,
        verdict: Verdict,
        last: bool,
    },
    /// End the exchange without (another) message.
    Finish(ExchangeId),
    /// Close the exchange's stream; it goes on when the client reconnects.
    Detach(ExchangeId),
    /// Run the work, then report `CallEvent::Done`; a task reports to the task store instead.
    Start(CallId, Work),
    /// Stop the work.
    Cancel(CallId),
    /// Pass the answer to the handler that asked.
    Answer(Reply, Result<Value>),
}

/// A handler to be run, and its inputs.
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
    /// With the answer to a request. With `may_become_task` the handler may turn it into a task.
    Call { may_become_task: bool },
    /// As a task.
    Task(String),
    /// Without an answer: a notification was handled.
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
