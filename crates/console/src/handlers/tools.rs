//! Servers and tools.

use kernel::office::Office;
use model::ToolId;

use super::named;
use crate::input::{Input, Nothing};
use crate::page::{Page, page};
use crate::problem::Problem;
use crate::shapes::tools::{Pin, Server, ServerFilter, Tool, ToolFilter, ToolName};

pub(crate) fn servers(office: &Office, input: Input<Nothing, ServerFilter>) -> Result<Page<Server>, Problem> {
    let servers = office.servers();
    page(
        &input.query,
        servers.iter().map(|status| (status.id.to_string(), Server::from(status))),
    )
}

pub(crate) fn list(office: &Office, input: Input<Nothing, ToolFilter>) -> Result<Page<Tool>, Problem> {
    let tools = office.tools();
    page(&input.query, tools.iter().map(|tool| (tool.id.to_string(), Tool::from(tool))))
}

pub(crate) async fn approve(office: Office, input: Input<Nothing, Nothing, ToolName>) -> Result<Pin, Problem> {
    let tool = ToolId {
        server: named::server(input.body.server.as_str())?,
        name: input.body.tool.as_str().into(),
    };
    Ok(Pin::from(&office.approve_tool(&tool).await?))
}
