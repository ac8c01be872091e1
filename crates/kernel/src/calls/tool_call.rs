//! Tool calls of callers that have no MCP message: a call is turned into a request, and its outcome into a result.

use std::sync::Arc;

use jsonrpc::{ErrorObject, Raw};
use mcp::adapt;
use mcp::exchange::{Outcome, Request};
use model::Ticket;

use super::caller::Caller;
use super::room::Calls;

const METHOD: &str = "tools/call";

impl Calls {
    /// Calls a tool by its name in the list of tools. The caller's port gets progress under the ticket. Returns the result in the revision of the
    /// port's peer, or the error; none when the caller has cancelled the call.
    pub async fn call_tool(
        self: &Arc<Self>,
        caller: &Arc<Caller>,
        ticket: Ticket,
        name: &str,
        arguments: Option<Raw>,
    ) -> Option<Result<Raw, ErrorObject>> {
        let Some(peer) = caller.port()?.peer() else {
            return Some(Err(ErrorObject::internal()));
        };
        let mut params = Raw::object_empty().edit().set(&["name"], &Raw::string(name));
        if let Some(arguments) = &arguments {
            params = params.set(&["arguments"], arguments);
        }
        let to = peer.revision;
        let request = Request {
            progress: Some(Raw::uint(ticket.0)),
            ..Request::internal(METHOD, Some(params.finish()), peer)
        };
        Some(match self.run(caller, ticket, Box::new(request)).await? {
            Outcome::Result(answered) => Ok(adapt::result(METHOD, &answered.result, answered.revision, to)),
            Outcome::Error(failed) => Err(failed.error),
            // A peer of the legacy era is asked through its port.
            Outcome::InputRequired(_) => Err(ErrorObject::internal()),
        })
    }
}
