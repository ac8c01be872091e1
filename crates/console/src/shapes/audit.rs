//! The shapes of the audit.

use std::borrow::Cow;

use mgp::audit::Outcome;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::Stored;

use super::values::Instant;
use crate::page::{Cursor, Limit};

/// An event as it was stored, with its number. What it says is not read here: `mgp::audit` has its format.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Event(Map<String, Value>);

impl From<&Stored> for Event {
    fn from(event: &Stored) -> Self {
        let mut shown = Map::from_iter([("seq".to_owned(), Value::from(event.seq))]);
        match serde_json::from_slice(&event.body) {
            Ok(Value::Object(body)) => shown.extend(body),
            Ok(other) => drop(shown.insert("event".to_owned(), other)),
            Err(_) => {}
        }
        Self(shown)
    }
}

impl JsonSchema for Event {
    fn schema_name() -> Cow<'static, str> {
        "Event".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An event of the audit (MGP §6.3)",
            "type": "object",
            "required": ["seq", "timestamp", "event_type", "actor", "result"],
            "properties": {
                "seq": { "type": "integer", "description": "Its number: a gap shows" },
                "timestamp": generator.subschema_for::<Instant>(),
                "event_type": { "type": "string" },
                "trace_id": { "type": "string" },
                "actor": { "type": "object" },
                "target": { "type": "object" },
                "result": { "enum": Outcome::ALL.map(Outcome::as_str) },
                "details": { "type": "object" },
            },
        })
    }
}

/// In which order events are listed
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Order {
    #[default]
    Newest,
    Oldest,
}

impl From<Order> for store::Order {
    fn from(order: Order) -> Self {
        match order {
            Order::Newest => Self::Newest,
            Order::Oldest => Self::Oldest,
        }
    }
}

/// Which events are listed
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Filter {
    /// From this instant on, RFC 3339
    pub(crate) since: Option<Instant>,
    /// Before this instant
    pub(crate) until: Option<Instant>,
    /// The type; several with commas
    #[serde(rename = "type")]
    pub(crate) kinds: Option<String>,
    /// The actor's id
    pub(crate) actor: Option<String>,
    /// The server
    pub(crate) server: Option<String>,
    /// The tool
    pub(crate) tool: Option<String>,
    /// `SUCCESS`, `FAILURE`, `BLOCKED` or `PENDING`
    pub(crate) result: Option<String>,
    /// The trace
    pub(crate) trace: Option<String>,
    /// `newest` or `oldest` first
    #[serde(default)]
    pub(crate) order: Order,
    #[serde(default)]
    pub(crate) limit: Limit,
    pub(crate) cursor: Option<Cursor>,
}

/// Where a stream of events begins
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Start {
    /// The number of the first event that is wanted
    pub(crate) from: Option<u64>,
}
