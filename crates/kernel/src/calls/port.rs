//! The way back to a caller: what a kind of caller has to implement so that its calls get progress, questions and cancellation.

use std::sync::Arc;

use jsonrpc::{ErrorObject, Message};
use mcp::exchange::Peer;
use model::Ticket;
use runtime::BoxFuture;
use tokio::sync::Notify;

/// The way back to one caller. An MCP connection implements it, and so does every other kind of caller.
///
/// A ticket names one request of the caller; the caller gives it out, and it is unique among its own. A caller that cancels a request answers the
/// questions that were put in its course with an error. Law: what does not return a future never blocks, for a server's reader may call it.
pub trait Port: Send + Sync {
    /// Returns what the caller can do, where that was negotiated once for all its requests. A kind of caller that is no MCP client returns a peer of
    /// [`Revision::LATEST_LEGACY`](mcp::revision::Revision::LATEST_LEGACY): what a tool call asks then comes through [`ask`](Self::ask). Of what the
    /// peer's capabilities do not have it is asked nothing.
    fn peer(&self) -> Option<Arc<Peer>>;
    /// Returns what is notified when the caller cancels a request; none when it has done so already.
    fn cancellation(&self, ticket: Ticket) -> Option<Arc<Notify>>;
    /// Sends progress or a log of a request, and waits where the caller reads slowly.
    fn interim(&self, ticket: Ticket, message: Message) -> BoxFuture<'_, ()>;
    /// Sends progress or a log of a request; drops it where the caller reads slowly.
    fn interim_now(&self, ticket: Ticket, message: Message);
    /// Puts a question to the caller: elicitation, sampling, roots, consent. `related` is the request in whose course it is asked. Returns the name by
    /// which the question can be withdrawn.
    fn ask(&self, related: Option<Ticket>, question: Message, asker: Box<dyn Asker>) -> Ticket;
    /// Takes a question back that is not answered yet.
    fn withdraw(&self, ask: Ticket, reason: Option<String>);
}

/// Waits for the answer to a question.
pub trait Asker: Send {
    /// Takes the answer, or why there is none.
    fn answered(self: Box<Self>, answer: Result<Message, ErrorObject>);
    /// Takes what the caller reports before its answer.
    fn progressed(&self, _message: &Message) {}
}
