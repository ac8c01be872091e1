//! The handlers of servers and tools.

use kernel::operator::Operations;
use model::ToolId;

use super::named;
use crate::input::{Input, Nothing};
use crate::page::{Page, page};
use crate::problem::Problem;
use crate::shapes::tools::{Pin, Server, ServerFilter, Tool, ToolFilter, ToolName};

pub(crate) fn servers(operations: &Operations, input: Input<Nothing, ServerFilter>) -> Result<Page<Server>, Problem> {
    let servers = operations.servers();
    page(
        &input.query,
        servers.iter().map(|status| (status.id.to_string(), Server::from(status))),
    )
}

pub(crate) fn list(operations: &Operations, input: Input<Nothing, ToolFilter>) -> Result<Page<Tool>, Problem> {
    let tools = operations.tools();
    page(&input.query, tools.iter().map(|tool| (tool.id.to_string(), Tool::from(tool))))
}

pub(crate) async fn approve(operations: Operations, input: Input<Nothing, Nothing, ToolName>) -> Result<Pin, Problem> {
    let tool = ToolId {
        server: named::server(input.body.server.as_str())?,
        name: input.body.tool.as_str().into(),
    };
    Ok(Pin::from(&operations.approve_tool(&tool).await?))
}
