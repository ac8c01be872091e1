//! The port of a caller: the interface that a kind of caller implements so that its calls get progress, questions and cancellation.

use std::sync::Arc;

use jsonrpc::{ErrorObject, Message};
use mcp::exchange::Peer;
use model::Ticket;
use runtime::BoxFuture;
use tokio::sync::Notify;

/// The port of one caller, through which the gateway reaches it. An MCP connection implements it, and so does every other kind of caller.
///
/// A ticket names one request of the caller; the caller gives it out, and it is unique among its own. A caller that cancels a request answers the
/// questions that were put in its course with an error. Law: a method that does not return a future never blocks, because a server's reader task may
/// call it.
pub trait Port: Send + Sync {
    /// Returns the caller's capabilities, if they were negotiated once for all its requests. A kind of caller that is no MCP client returns a peer of
    /// [`Revision::LATEST_LEGACY`](mcp::revision::Revision::LATEST_LEGACY): the questions of a tool call then come through [`ask`](Self::ask). A
    /// caller is asked only what its peer's capabilities include.
    fn peer(&self) -> Option<Arc<Peer>>;
    /// Returns the [`Notify`] that is notified when the caller cancels a request; none when it has done so already.
    fn cancellation(&self, ticket: Ticket) -> Option<Arc<Notify>>;
    /// Sends progress or a log of a request, and waits if the caller reads slowly.
    fn interim(&self, ticket: Ticket, message: Message) -> BoxFuture<'_, ()>;
    /// Sends progress or a log of a request, or drops it if the caller reads slowly.
    fn interim_now(&self, ticket: Ticket, message: Message);
    /// Puts a question to the caller: elicitation, sampling, roots, consent. `related` is the request in whose course it is asked. Returns the name by
    /// which the question can be withdrawn.
    fn ask(&self, related: Option<Ticket>, question: Message, asker: Box<dyn Asker>) -> Ticket;
    /// Withdraws a question. One that is answered already is left as it is.
    fn withdraw(&self, ask: Ticket, reason: Option<String>);
}

/// The receiver of the answer to a question.
pub trait Asker: Send {
    /// Takes the answer, or the error in its place.
    fn answered(self: Box<Self>, answer: Result<Message, ErrorObject>);
    /// Takes progress that the caller reports before its answer.
    fn progressed(&self, _message: &Message) {}
}
