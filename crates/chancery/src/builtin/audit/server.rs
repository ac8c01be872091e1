//! The three tools of the service.

use chancery_sdk::{Args, Result, Server, Tool, ToolResult, Value, structured};

use super::arguments::{self, Arguments};
use super::kept::Audit;
use super::{export, query, stats};

/// Makes the server of one connection.
pub(crate) fn server(audit: &Audit) -> Server {
    let [for_query, for_stats, for_export] = [audit.clone(), audit.clone(), audit.clone()];
    Server::new("chancery-audit", env!("CARGO_PKG_VERSION"))
        .instructions("The record of what went through this gateway, for operators. Times are RFC 3339; `until` is not included.")
        .tool(
            Tool::new("query_audit_log")
                .title("Query the audit log")
                .description("Finds audit events by time, type, actor, target, result and trace, page by page, the last ones first.")
                .read_only()
                .input(arguments::schema(&["order", "limit", "cursor"]))
                .output(query::output())
                .handler(move |_, args| answered(for_query.clone(), args, query::query)),
        )
        .tool(
            Tool::new("get_audit_stats")
                .title("Count audit events")
                .description("Counts audit events by type, result, actor, server or tool, and says how long events are kept.")
                .read_only()
                .input(arguments::schema(&["group_by"]))
                .output(stats::output())
                .handler(move |_, args| answered(for_stats.clone(), args, stats::stats)),
        )
        .tool(
            Tool::new("export_audit")
                .title("Export audit events")
                .description("Writes audit events as JSON lines or CSV, the first ones first, part by part: go on with `next_cursor`.")
                .read_only()
                .input(arguments::schema(&["format", "limit", "cursor"]))
                .output(export::output())
                .handler(move |_, args| answered(for_export.clone(), args, export::export)),
        )
}

/// Reads the arguments of a call and carries it out.
async fn answered<Fut>(audit: Audit, args: Args, work: impl FnOnce(Audit, Arguments) -> Fut) -> Result<ToolResult>
where
    Fut: Future<Output = Result<Value>>,
{
    let value = work(audit, Arguments::new(args)).await?;
    Ok(structured(value))
}
