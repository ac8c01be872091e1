//! `export_audit`: exports every event that is kept, also those that queries no longer find (`tiered`), part by part.

use chancery_sdk::{Result, Value, json};

use super::arguments::{Arguments, FORMATS, next_cursor};
use super::kept::{Audit, MOST_BYTES, unread};
use crate::event;

/// The number of events that one call examines: a rare event among many may take several calls.
const MOST_LOOKS: usize = 100_000;
/// The number of events that are read at once.
const AT_ONCE: usize = 512;

/// Writes one part.
pub(super) async fn export(audit: Audit, args: Arguments) -> Result<Value> {
    let query = args.query(&["format", "limit", "cursor"])?;
    let format = args.word("format", &FORMATS, FORMATS[0])?;
    let mut next: u64 = args.cursor()?.unwrap_or(1);
    let store = audit.store()?;
    let mut part = Part::new(format, next == 1);
    let mut looked = 0;
    while looked < MOST_LOOKS {
        let chunk = store.replay(next, AT_ONCE).await.map_err(unread)?;
        if chunk.events.is_empty() {
            return Ok(part.finish(None));
        }
        for stored in &chunk.events {
            if query.finds(stored) {
                part.add(stored);
            }
            if part.events == query.limit || part.data.len() > MOST_BYTES {
                return Ok(part.finish(Some(stored.seq + 1)));
            }
        }
        looked += chunk.events.len();
        next = chunk.next;
    }
    Ok(part.finish(Some(next)))
}
/// A part of an export that is being written.
struct Part {
    format: &'static str,
    data: String,
    events: usize,
}

impl Part {
    /// Begins a part. The first part of a table has the names of its columns.
    fn new(format: &'static str, is_first: bool) -> Self {
        let head = if format == "csv" && is_first { event::COLUMNS } else { "" };
        Self {
            format,
            data: head.to_owned(),
            events: 0,
        }
    }

    fn add(&mut self, stored: &store::Stored) {
        self.events += 1;
        match self.format {
            "csv" => self.data.push_str(&event::row(stored)),
            _ => {
                self.data.push_str(&event::numbered(stored).to_string());
                self.data.push('\n');
            }
        }
    }

    fn finish(self, next: Option<u64>) -> Value {
        json!({
            "format": self.format, "events": self.events, "data": self.data, "next_cursor": next.map(|next| next.to_string()),
        })
    }
}

/// Returns the output schema.
pub(super) fn output() -> Value {
    json!({
        "type": "object",
        "properties": {
            "format": { "type": "string", "enum": FORMATS },
            "events": { "type": "integer", "minimum": 0, "description": "How many events are in this part." },
            "data": { "type": "string", "description": "The events; put the parts one behind the other." },
            "next_cursor": next_cursor(),
        },
        "required": ["format", "events", "data", "next_cursor"],
    })
}
