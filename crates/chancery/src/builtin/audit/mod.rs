//! The audit service of MGP §19.4 over the gateway's own record: `query_audit_log`, `get_audit_stats`, `export_audit`.
//!
//! It keeps nothing itself, so that no event is sent to it: what it answers with is what the store holds when it is asked.

mod arguments;
mod export;
mod stats;

use std::sync::Arc;

use chancery_sdk::{Args, Error, Result, Server, Tool, ToolResult, Value, json, structured};
use store::{AuditStore, Cursor, Retention};

use crate::event;
use arguments::Arguments;

/// The most bytes of events in one answer, beyond the first event.
const MOST_BYTES: usize = 512 * 1024;

/// The service.
#[derive(Clone, Debug)]
pub(crate) struct Audit {
    store: Option<Arc<dyn AuditStore>>,
    retention: Retention,
}

impl Audit {
    /// Over a store. Without one it says that there is nothing to read.
    pub(crate) fn new(store: Option<Arc<dyn AuditStore>>, retention: Retention) -> Self {
        Self { store, retention }
    }

    /// The server, for one connection.
    pub(crate) fn server(&self) -> Server {
        let [query, stats, export] = [self.clone(), self.clone(), self.clone()];
        Server::new("chancery-audit", env!("CARGO_PKG_VERSION"))
            .instructions("The record of what went through this gateway, for operators. Times are RFC 3339; `until` is not included.")
            .tool(
                Tool::new("query_audit_log")
                    .title("Query the audit log")
                    .description("Finds audit events by time, type, actor, target, result and trace, page by page, the last ones first.")
                    .read_only()
                    .input(arguments::schema(&["order", "limit", "cursor"]))
                    .output(query_output())
                    .handler(move |_, args| answered(query.clone(), args, Self::query)),
            )
            .tool(
                Tool::new("get_audit_stats")
                    .title("Count audit events")
                    .description("Counts audit events by type, result, actor, server or tool, and says how long events are kept.")
                    .read_only()
                    .input(arguments::schema(&["group_by"]))
                    .output(stats::output())
                    .handler(move |_, args| answered(stats.clone(), args, Self::stats)),
            )
            .tool(
                Tool::new("export_audit")
                    .title("Export audit events")
                    .description("Writes audit events as JSON lines or CSV, the first ones first, part by part: go on with `next_cursor`.")
                    .read_only()
                    .input(arguments::schema(&["format", "limit", "cursor"]))
                    .output(export::output())
                    .handler(move |_, args| answered(export.clone(), args, Self::export)),
            )
    }

    fn store(&self) -> Result<&Arc<dyn AuditStore>> {
        let nothing = || {
            Error::tool(
                "failed to read the audit: this gateway keeps none; ask the one that `chancery serve` runs, or use `chancery audit query`",
            )
        };
        self.store.as_ref().ok_or_else(nothing)
    }

    async fn query(self, args: Arguments) -> Result<Value> {
        let query = args.query(&["order", "limit", "cursor"])?;
        let page = self.store()?.query(query).await.map_err(unread)?;
        let (mut events, mut bytes, mut cut) = (Vec::new(), 0, None);
        for stored in &page.events {
            bytes += stored.body.len();
            if !events.is_empty() && bytes > MOST_BYTES {
                cut = page.events.get(events.len() - 1).map(Cursor::behind);
                break;
            }
            events.push(event::numbered(stored));
        }
        let next = cut.or(page.next);
        Ok(json!({ "events": events, "next_cursor": next.map(|cursor| cursor.to_string()) }))
    }
}

/// Reads the arguments of a call and does its work.
async fn answered<Fut>(audit: Audit, args: Args, work: impl FnOnce(Audit, Arguments) -> Fut) -> Result<ToolResult>
where
    Fut: Future<Output = Result<Value>>,
{
    let value = work(audit, Arguments::new(args)).await?;
    Ok(structured(value))
}

/// What the caller is told when the store can't be read.
fn unread(error: store::StoreError) -> Error {
    Error::tool(format!("failed to {error}"))
}

fn query_output() -> Value {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let event = json!({
        "type": "object",
        "description": "An event as MGP §6.3 has it, with its number.",
        "properties": {
            "seq": { "type": "integer", "description": "Its number: one more for each event, for ever." },
            "timestamp": { "type": "string", "format": "date-time" },
            "trace_id": text("The trace that it belongs to."),
            "event_type": text("What happened."),
            "actor": {
                "type": "object",
                "properties": { "type": text("agent, operator, server, kernel or system"), "id": text("Which one.") },
                "required": ["type", "id"],
            },
            "target": {
                "type": "object",
                "properties": { "server_id": text("The server."), "tool_name": text("The tool, by its own name.") },
            },
            "result": { "type": "string", "enum": arguments::RESULTS },
            "details": { "type": "object" },
        },
        "required": ["seq", "timestamp", "event_type", "actor", "result"],
    });
    json!({
        "type": "object",
        "properties": { "events": { "type": "array", "items": event }, "next_cursor": arguments::next_cursor() },
        "required": ["events", "next_cursor"],
    })
}

#[cfg(test)]
mod tests;
