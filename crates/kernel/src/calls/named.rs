//! Handles `tools/call` and `prompts/get`, by the name on the wire (DESIGN 3). The path of a plain tool call is here, from its name to its answer.

use std::sync::Arc;

use catalog::View;
use jsonrpc::ErrorObject;
use mcp::exchange::{Outcome, Request};
use mcp::method::ListKind;
use mcp::mirror::ParamHeaders;
use mcp::revision::Era;
use mcp::tasks::TaskSupport;
use mgp::error::Code;
use mgp::kernel_tool::KernelTool;
use model::{ServerId, ToolId};
use policy::Action;
use upstream::Server;

use super::admission::admit;
use super::room::Asked;
use super::{lists, own_tool, refused, retry, send, tasks};
use crate::mgp_offer::of_guard;

/// Handles a request that names a tool or a prompt.
pub(crate) async fn request(asked: Asked<'_>, kind: ListKind, mut request: Box<Request>) -> Outcome {
    let Some(wire) = request.param("name") else {
        return Outcome::refused(ErrorObject::invalid_params(format!(
            "`{}` needs `name`, a string",
            request.method.name()
        )));
    };
    if kind == ListKind::Tools
        && let Some(tool) = KernelTool::find(&wire).filter(|_| asked.calls.guard.is_guarded())
    {
        return Box::pin(own_tool::call(asked, request, tool)).await;
    }
    let found = match resolve(&asked.view(&request.peer), kind, &wire) {
        Some(found) => Ok(found),
        None => Box::pin(resolve_anew(asked, kind, &request, &wire)).await,
    };
    let found = match found {
        Ok(found) => found,
        Err(unknown) => return unknown,
    };
    let Some(server) = asked.calls.server(&found.server) else {
        return refused::gone(&found.server);
    };
    if let Err(error) = found.check_mirrors(&request) {
        return Outcome::refused(error);
    }
    request.rename = (*found.own != wire).then(|| found.own.clone());
    request.headers.clone_from(&found.headers);
    match kind {
        ListKind::Tools => call(asked, request, &server, found).await,
        _ => get(asked, request, &server, &found).await,
    }
}

/// Calls a tool.
async fn call(asked: Asked<'_>, mut request: Box<Request>, server: &Arc<Server>, found: Found) -> Outcome {
    let may_be_task = found.task_required || tasks::is_wanted(&request);
    let tool = ToolId {
        server: found.server,
        name: found.own,
    };
    let admitted = match admit(asked, &mut request, &tool).await {
        Ok(admitted) => admitted,
        Err(refused) => return refused,
    };
    if server.state.says_how_to_retry() {
        return Box::pin(retry::call_with_retry(asked, request, server, admitted, found.task_required)).await;
    }
    let permit = admitted.permit();
    let outcome = match may_be_task {
        true => Box::pin(tasks::call(asked, request, server, permit, found.task_required)).await,
        false => send::send(asked, request, server, permit).await,
    };
    admitted.ended(&outcome).await;
    outcome
}

/// Gets a prompt.
async fn get(asked: Asked<'_>, request: Box<Request>, server: &Arc<Server>, found: &Found) -> Outcome {
    let action = Action::GetPrompt {
        server: &found.server,
        prompt: &found.own,
    };
    match asked.admit(action, &request).await {
        Ok(permit) => send::send(asked, request, server, permit).await,
        Err(refused) => refused,
    }
}

/// The tool or prompt that a name stands for.
pub(crate) struct Found {
    server: ServerId,
    own: Arc<str>,
    headers: Option<Arc<ParamHeaders>>,
    task_required: bool,
}

impl Found {
    /// Checks the parameter headers of a tool that asks for them, as a server must (2026-07-28 basic/transports/streamable-http).
    fn check_mirrors(&self, request: &Request) -> Result<(), ErrorObject> {
        match (&self.headers, &request.mirrors) {
            (Some(headers), Some(mirrors)) if request.peer.era() == Era::Modern => {
                mcp::mirror::validate(mirrors, request.method.name(), request.params.as_ref(), Some(headers))
            }
            _ => Ok(()),
        }
    }
}

fn resolve(view: &View, kind: ListKind, wire: &str) -> Option<Found> {
    let target = match kind {
        ListKind::Tools => view.tool(wire),
        _ => view.prompt(wire),
    }?;
    Some(Found {
        server: target.server.clone(),
        own: target.item.key.as_str().into(),
        headers: target.item.headers.clone(),
        task_required: kind == ListKind::Tools && target.item.task_support == TaskSupport::Required,
    })
}

/// Resolves a name that is not listed. The first call may come before the first list, so servers without a known offer get their time to answer. A
/// denied tool is not listed either: policy refuses a call of it, on record.
async fn resolve_anew(asked: Asked<'_>, kind: ListKind, request: &Request, wire: &str) -> Result<Found, Outcome> {
    let settled = lists::settled(asked.calls, asked.caller, &request.peer).await;
    if let Some(found) = resolve(&settled, kind, wire) {
        return Ok(found);
    }
    let whole = || resolve(&asked.calls.views.whole(&request.peer), kind, wire);
    if let Some(found) = (kind == ListKind::Tools).then(whole).flatten() {
        return Ok(found);
    }
    let what = if kind == ListKind::Tools { "tool" } else { "prompt" };
    let missing = lists::missing_note(&asked.view(&request.peer));
    let unknown = ErrorObject::invalid_params(format!("Unknown {what}: {wire}{missing}"));
    Err(Outcome::refused(match kind {
        ListKind::Tools => refused::failure(&of_guard(&asked.calls.guard), &request.peer, Code::ToolNotFound, unknown),
        _ => unknown,
    }))
}
