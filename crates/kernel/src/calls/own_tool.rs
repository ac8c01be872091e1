//! Calls the gateway's own tools: a call is admitted and recorded as every other call (MGP §5.4).

use mcp::exchange::{Outcome, Request};
use mgp::kernel_tool::{self, KernelTool};
use model::ToolId;

use super::admission::admit;
use super::refused;
use super::room::Asked;
use crate::mgp_offer::of_guard;
use crate::own_server::own_server;

/// Calls one of the gateway's own tools.
pub(crate) async fn call(asked: Asked<'_>, mut request: Box<Request>, tool: KernelTool) -> Outcome {
    let id = ToolId {
        server: own_server(),
        name: tool.name().into(),
    };
    let admitted = match admit(asked, &mut request, &id).await {
        Ok(admitted) => admitted,
        Err(refused) => return refused,
    };
    let answered = asked.calls.own_tools.call(&asked.caller.subject, tool, request.member("arguments"));
    let outcome = match answered.await {
        Ok(structured) => Outcome::own(kernel_tool::result(&structured)),
        Err(refusal) => refused::tool_call(&of_guard(&asked.calls.guard), &request.peer, &refusal),
    };
    admitted.ended(&outcome).await;
    outcome
}
