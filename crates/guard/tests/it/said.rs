//! Formats the results of a line for the transcript.

use mgp::error::Refusal;
use model::RequestId;
use serde_json::Value;
use store::Stored;

/// The members of an event's details that are shown.
const SHOWN: [&str; 14] = [
    "action",
    "because",
    "code",
    "error",
    "request_id",
    "answer",
    "principal",
    "access",
    "approval",
    "risk_level",
    "places",
    "event_type",
    "count",
    "method",
];

/// Formats a refusal: its code, its text, and when to try again.
pub(crate) fn refusal(refusal: &Refusal) -> String {
    let again = refusal
        .recovery()
        .retry_after_ms
        .map_or_else(String::new, |wait| format!(" (again in {wait} ms)"));
    format!("refused {} {}{again}", refusal.code.number(), refusal.message())
}

/// Formats an event of the audit on one line.
pub(crate) fn event(event: &Stored) -> String {
    let body: Value = serde_json::from_slice(&event.body).expect("an event is JSON");
    let key = &event.key;
    let server = key.server.as_deref().unwrap_or_default();
    let tool = key.tool.as_deref().map_or_else(String::new, |tool| format!("/{tool}"));
    let details = SHOWN.iter().filter_map(|name| Some((name, body["details"].get(name)?)));
    let details: Vec<String> = details
        .map(|(name, value)| match value {
            Value::String(text) => format!("{name}={text}"),
            other => format!("{name}={other}"),
        })
        .collect();
    let details = if details.is_empty() {
        String::new()
    } else {
        format!(" [{}]", details.join(", "))
    };
    let result = body["result"].as_str().unwrap_or_default();
    format!("recorded {} {} {server}{tool} {result}{details}", key.kind, key.actor.id)
}

/// Replaces random ids by the transcript's names.
pub(crate) fn without_ids(text: &str, requests: &[RequestId]) -> String {
    let named = requests.iter().zip(1..);
    named.fold(text.to_owned(), |text, (request, number)| {
        text.replace(request.as_str(), &format!("r{number}"))
    })
}
