//! `get_audit_stats`: returns the number of events of each kind, and how long they are kept.

use chancery_sdk::{Result, Value, json};
use store::{AuditQuery, AuditStore, Order, Retention, StoreError, Tally, TallyBy};

use super::arguments::{Arguments, COLUMNS};
use super::kept::{Audit, unread};

/// The most values that are told apart in one column of an answer.
const MOST_VALUES: usize = 100;

/// Counts events.
pub(super) async fn stats(audit: Audit, args: Arguments) -> Result<Value> {
    let query = args.query(&["group_by"])?;
    let columns = args.words("group_by", &COLUMNS)?;
    let columns = columns.unwrap_or_else(|| COLUMNS[..2].to_vec());
    let store = audit.store()?;
    counted(&**store, query, &columns, audit.retention).await.map_err(unread)
}

async fn counted(
    store: &dyn AuditStore,
    query: AuditQuery,
    columns: &[&'static str],
    retention: Retention,
) -> std::result::Result<Value, StoreError> {
    let (mut counts, mut total) = (serde_json::Map::new(), 0);
    for column in columns {
        let tally = store.tally(query.clone(), by(column)).await?;
        total = tally.total;
        counts.insert((*column).to_owned(), shown(&tally));
    }
    if columns.is_empty() {
        total = store.tally(query.clone(), TallyBy::Result).await?.total;
    }
    let end = async |order| {
        let one = AuditQuery {
            order,
            limit: 1,
            ..query.clone()
        };
        let page = store.query(one).await?;
        Ok::<_, StoreError>(page.events.first().map(|event| mgp::time::format(event.key.at)))
    };
    Ok(json!({
        "total": total,
        "counts": counts,
        "first": end(Order::Oldest).await?,
        "last": end(Order::Newest).await?,
        "kept_from": store.replay(1, 1).await?.kept_from,
        "retention": kept(retention),
    }))
}

fn by(column: &str) -> TallyBy {
    match column {
        "result" => TallyBy::Result,
        "actor" => TallyBy::Actor,
        "server" => TallyBy::Server,
        "tool" => TallyBy::Tool,
        _ => TallyBy::Kind,
    }
}

/// Returns the most frequent values, and the number of events with others.
fn shown(tally: &Tally) -> Value {
    let (shown, rest) = tally.counts.split_at(tally.counts.len().min(MOST_VALUES));
    let values: Vec<Value> = shown
        .iter()
        .map(|(value, count)| json!({ "value": &**value, "count": count }))
        .collect();
    let others = tally.others + rest.iter().map(|(_, count)| count).sum::<u64>();
    json!({ "values": values, "others": others })
}

/// Returns how long events are kept, in the terms of the configuration.
fn kept(retention: Retention) -> Value {
    match retention {
        Retention::KeepAll => json!({ "policy": "keep_all" }),
        Retention::Time(kept) => json!({ "policy": "time_based", "keep_seconds": kept.as_secs() }),
        Retention::Size(most) => json!({ "policy": "size_based", "max_bytes": most }),
        Retention::Tiered { searchable, kept } => json!({
            "policy": "tiered", "searchable_seconds": searchable.as_secs(), "keep_seconds": kept.as_secs(),
        }),
    }
}

/// Returns the output schema.
pub(super) fn output() -> Value {
    let count = |description: &str| json!({ "type": "integer", "minimum": 0, "description": description });
    let column = json!({
        "type": "object",
        "properties": {
            "values": {
                "type": "array",
                "description": "The most frequent first; an event without a server or tool counts as the empty text.",
                "items": {
                    "type": "object",
                    "properties": { "value": { "type": "string" }, "count": count("How many events have it.") },
                    "required": ["value", "count"],
                },
            },
            "others": count("How many events have a value that is not listed."),
        },
        "required": ["values", "others"],
    });
    let columns: serde_json::Map<String, Value> = COLUMNS.iter().map(|name| ((*name).to_owned(), column.clone())).collect();
    let instant = |description: &str| json!({ "type": ["string", "null"], "format": "date-time", "description": description });
    json!({
        "type": "object",
        "properties": {
            "total": count("How many events are meant."),
            "counts": { "type": "object", "properties": columns, "additionalProperties": false },
            "first": instant("When the first of them happened."),
            "last": instant("When the last of them happened."),
            "kept_from": count("The number of the first event that is kept at all."),
            "retention": {
                "type": "object",
                "description": "How long events are kept; `[audit]` of the configuration says so.",
                "properties": {
                    "policy": { "type": "string", "enum": ["keep_all", "time_based", "size_based", "tiered"] },
                    "keep_seconds": count("How long events are kept at all."),
                    "searchable_seconds": count("How long `query_audit_log` and `get_audit_stats` find them; `export_audit` finds the others too."),
                    "max_bytes": count("How many bytes of them are kept."),
                },
                "required": ["policy"],
            },
        },
        "required": ["total", "counts", "first", "last", "kept_from", "retention"],
    })
}
