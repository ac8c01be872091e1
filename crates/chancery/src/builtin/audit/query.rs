//! `query_audit_log`: returns the events that a query finds, page by page.

use chancery_sdk::{Result, Value, json};
use store::Cursor;

use super::arguments::{Arguments, RESULTS, next_cursor};
use super::kept::{Audit, MOST_BYTES, unread};
use crate::event;

/// Finds one page of events.
pub(super) async fn query(audit: Audit, args: Arguments) -> Result<Value> {
    let query = args.query(&["order", "limit", "cursor"])?;
    let page = audit.store()?.query(query).await.map_err(unread)?;
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

/// Returns the output schema.
pub(super) fn output() -> Value {
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
            "result": { "type": "string", "enum": RESULTS },
            "details": { "type": "object" },
        },
        "required": ["seq", "timestamp", "event_type", "actor", "result"],
    });
    json!({
        "type": "object",
        "properties": { "events": { "type": "array", "items": event }, "next_cursor": next_cursor() },
        "required": ["events", "next_cursor"],
    })
}
