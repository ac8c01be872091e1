//! Servers and tools.

use kernel::desk::{Answer, Request};
use kernel::office::Office;
use model::GrantScope;

use crate::Problem;
use crate::input::{Body, Query};
use crate::page::{page, whole};
use crate::routes::Found;
use crate::show;

pub(super) fn servers(office: &Office, found: &Found, query: &Query) -> Result<Answer, Problem> {
    let servers = office.servers();
    let entries = servers.iter().map(|status| (status.id.to_string(), show::server(status)));
    page(found.route, query, entries.collect::<Vec<_>>())
}

pub(super) fn list(office: &Office, found: &Found, query: &Query) -> Result<Answer, Problem> {
    let tools = office.tools();
    let entries = tools.iter().map(|tool| (tool.id.to_string(), show::tool(tool)));
    page(found.route, query, entries.collect::<Vec<_>>())
}

pub(super) async fn approve(office: &Office, request: &Request) -> Result<Answer, Problem> {
    let body = Body::read(request, &["server", "tool"])?;
    body.required("tool")?;
    match body.scope()? {
        GrantScope::Tool(tool) => Ok(whole(200, &show::pin(&office.approve_tool(&tool).await?))),
        GrantScope::Server(_) => Err(Problem::invalid("the field `tool` is missing")),
    }
}
