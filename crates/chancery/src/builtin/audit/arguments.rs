//! The arguments of the audit server's tools: which events, how many, and from which position. Unknown arguments are
//! refused.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

use chancery_sdk::{Args, Error, Result, Value, json};
use store::{AuditQuery, AuditResult, Order};

/// The results of events (MGP D11).
pub(super) const RESULTS: [&str; 4] = ["SUCCESS", "FAILURE", "BLOCKED", "PENDING"];
/// The columns that events can be counted by.
pub(super) const COLUMNS: [&str; 5] = ["event_type", "result", "actor", "server", "tool"];
/// The formats of an export.
pub(super) const FORMATS: [&str; 2] = ["jsonl", "csv"];
/// The orders in which events can be shown.
const ORDERS: [&str; 2] = ["newest", "oldest"];
/// The most events in one answer.
const MOST_EVENTS: usize = 1000;

/// The arguments that select events: every tool has these.
const FILTER: [&str; 9] = [
    "from",
    "until",
    "event_types",
    "actor_type",
    "actor_id",
    "server_id",
    "tool_name",
    "result",
    "trace_id",
];

/// Returns the input schema of a tool that has these arguments beside the filter.
pub(super) fn schema(beside: &[&str]) -> Value {
    let properties: BTreeMap<&str, Value> = FILTER.iter().chain(beside).map(|name| (*name, property(name))).collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn property(name: &str) -> Value {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let instant = |description: &str| json!({ "type": "string", "format": "date-time", "description": description });
    match name {
        "from" => instant("From this instant on."),
        "until" => instant("Before this instant."),
        "event_types" => json!({
            "type": "array", "items": { "type": "string" },
            "description": "Of one of these types, such as TOOL_EXECUTED or dev.chancery.call_admitted.",
        }),
        "actor_type" => text("By actors of this kind: agent, operator, server, kernel or system."),
        "actor_id" => text("By this principal or server."),
        "server_id" => text("About this server."),
        "tool_name" => text("About this tool, by its own name."),
        "result" => json!({ "type": "string", "enum": RESULTS, "description": "That came out so." }),
        "trace_id" => text("Of this trace."),
        "order" => json!({ "type": "string", "enum": ORDERS, "default": "newest", "description": "Which events come first." }),
        "limit" => json!({
            "type": "integer", "minimum": 1, "maximum": MOST_EVENTS, "default": 100, "description": "How many events at most.",
        }),
        "cursor" => text("`next_cursor` of the answer before, to the same question."),
        "format" => json!({ "type": "string", "enum": FORMATS, "default": "jsonl", "description": "How the events are written." }),
        _ => json!({
            "type": "array", "items": { "type": "string", "enum": COLUMNS }, "default": ["event_type", "result"],
            "description": "What the events are counted by.",
        }),
    }
}

/// Returns the schema of the next page's position in an answer.
pub(super) fn next_cursor() -> Value {
    json!({ "type": ["string", "null"], "description": "Pass it as `cursor` for what follows; null at the end. A part without events may have one." })
}

/// The arguments of one call.
#[derive(Debug)]
pub(super) struct Arguments(Args);

impl Arguments {
    pub(super) fn new(args: Args) -> Self {
        Self(args)
    }

    /// Returns the query that the filter and the tool's other arguments describe.
    pub(super) fn query(&self, beside: &[&str]) -> Result<AuditQuery> {
        let known = || FILTER.iter().chain(beside);
        let given = self.0.as_object().into_iter().flatten().map(|(name, _)| name);
        if let Some(unknown) = given.into_iter().find(|name| !known().any(|known| known == name)) {
            let known: Vec<&str> = known().copied().collect();
            return Err(Error::tool(format!(
                "there is no argument `{unknown}`; there are {}",
                known.join(", ")
            )));
        }
        let order = self.word("order", &ORDERS, "newest")?;
        Ok(AuditQuery {
            from: self.instant("from")?,
            until: self.instant("until")?,
            kinds: self.texts("event_types")?.unwrap_or_default(),
            actor_kind: self.text("actor_type")?,
            actor: self.text("actor_id")?,
            server: self.text("server_id")?,
            tool: self.text("tool_name")?,
            result: self.result()?,
            trace: self.text("trace_id")?,
            order: if order == "oldest" { Order::Oldest } else { Order::Newest },
            cursor: self.cursor()?,
            limit: self.limit()?,
        })
    }

    /// Returns the position to continue from.
    pub(super) fn cursor<T: FromStr>(&self) -> Result<Option<T>> {
        let wrong = |_| Error::tool("`cursor` can't be used: give `next_cursor` of the answer before");
        self.text("cursor")?.map(|text| text.parse().map_err(wrong)).transpose()
    }

    /// Returns the most events that the answer may have.
    fn limit(&self) -> Result<usize> {
        let Some(value) = self.given("limit") else { return Ok(100) };
        let limit = value.as_u64().and_then(|limit| usize::try_from(limit).ok());
        limit
            .filter(|limit| (1..=MOST_EVENTS).contains(limit))
            .ok_or_else(|| Error::tool(format!("`limit` can't be {value}: it is a whole number from 1 to {MOST_EVENTS}")))
    }

    /// Returns the value of an argument that must be one of some words.
    pub(super) fn word(&self, name: &str, words: &[&'static str], otherwise: &'static str) -> Result<&'static str> {
        let Some(text) = self.text(name)? else { return Ok(otherwise) };
        one_of(name, &text, words)
    }

    /// Returns the values of an argument that must be some of some words.
    pub(super) fn words(&self, name: &str, words: &[&'static str]) -> Result<Option<Vec<&'static str>>> {
        let Some(texts) = self.texts(name)? else { return Ok(None) };
        texts.iter().map(|text| one_of(name, text, words)).collect::<Result<_>>().map(Some)
    }

    fn given(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn text(&self, name: &str) -> Result<Option<Arc<str>>> {
        let wrong = || Error::tool(format!("`{name}` must be a string"));
        self.given(name)
            .map(|value| value.as_str().map(Into::into).ok_or_else(wrong))
            .transpose()
    }

    fn texts(&self, name: &str) -> Result<Option<Vec<Arc<str>>>> {
        let wrong = || Error::tool(format!("`{name}` must be a list of strings"));
        let Some(value) = self.given(name) else { return Ok(None) };
        let list = value.as_array().ok_or_else(wrong)?;
        list.iter()
            .map(|item| item.as_str().map(Into::into).ok_or_else(wrong))
            .collect::<Result<_>>()
            .map(Some)
    }

    fn instant(&self, name: &str) -> Result<Option<model::Timestamp>> {
        let wrong = |text: &str| {
            Error::tool(format!(
                "`{name}` can't be `{text}`: write date, time and offset, such as `2099-12-31T23:59:59Z`"
            ))
        };
        self.text(name)?
            .map(|text| mgp::time::parse(&text).ok_or_else(|| wrong(&text)))
            .transpose()
    }

    fn result(&self) -> Result<Option<AuditResult>> {
        let Some(text) = self.text("result")? else { return Ok(None) };
        Ok(Some(match one_of("result", &text, &RESULTS)? {
            "SUCCESS" => AuditResult::Success,
            "FAILURE" => AuditResult::Failure,
            "BLOCKED" => AuditResult::Blocked,
            _ => AuditResult::Pending,
        }))
    }
}

fn one_of(name: &str, text: &str, words: &[&'static str]) -> Result<&'static str> {
    let found = words.iter().find(|word| **word == text).copied();
    found.ok_or_else(|| Error::tool(format!("`{name}` can't be `{text}`; it is one of {}", words.join(", "))))
}
