//! Writes events of the audit for users: as JSON, and as lines of a table.

use serde_json::{Value, json};
use store::Stored;

/// The names of a table's columns.
pub(crate) const COLUMNS: &str = "seq,timestamp,event_type,result,actor_type,actor_id,server_id,tool_name,trace_id,details\n";

/// Returns the event as it was stored, with its number.
pub(crate) fn numbered(event: &Stored) -> Value {
    let body = serde_json::from_slice(&event.body).unwrap_or(Value::Null);
    let mut all = serde_json::Map::from_iter([("seq".to_owned(), json!(event.seq))]);
    match body {
        Value::Object(body) => all.extend(body),
        other => drop(all.insert("event".to_owned(), other)),
    }
    Value::Object(all)
}

/// Returns one line of a table.
pub(crate) fn row(event: &Stored) -> String {
    let key = &event.key;
    let body: Value = serde_json::from_slice(&event.body).unwrap_or(Value::Null);
    let details = body.get("details").map(ToString::to_string).unwrap_or_default();
    let (seq, at) = (event.seq.to_string(), mgp::time::format(key.at));
    let cells = [
        seq.as_str(),
        &at,
        &key.kind,
        key.result.as_str(),
        &key.actor.kind,
        &key.actor.id,
        key.server.as_deref().unwrap_or_default(),
        key.tool.as_deref().unwrap_or_default(),
        key.trace.as_deref().unwrap_or_default(),
        &details,
    ];
    cells.map(cell).join(",") + "\n"
}

/// Returns a cell of a CSV file (RFC 4180). Names come from servers and clients: none may become a formula in the
/// program that opens the file.
fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn cells_keep_their_place_and_are_no_formulas() {
        let cells = ["plain", "a,b", "say \"no\"", "=1+1", "-2", "@x,y", ""].map(cell);
        assert_eq!(cells, ["plain", "\"a,b\"", "\"say \"\"no\"\"\"", "'=1+1", "'-2", "\"'@x,y\"", ""]);
    }
}
