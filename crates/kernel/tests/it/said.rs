//! Formats the results of a line for the transcript.

use mcp::exchange::Outcome;
use serde_json::Value;

/// Formats a message without the members that every message has.
pub(crate) fn message(bytes: &[u8]) -> String {
    let mut value: Value = serde_json::from_slice(bytes).expect("a message is JSON");
    if let Some(members) = value.as_object_mut() {
        members.shift_remove("jsonrpc");
    }
    without_form(&mut value);
    if let Some(meta) = value.pointer_mut("/params/_meta").and_then(Value::as_object_mut) {
        meta.retain(|key, _| !ALWAYS.contains(&key.as_str()));
        if meta.is_empty() {
            value["params"].as_object_mut().map(|params| params.shift_remove("_meta"));
        }
    }
    value.to_string()
}

/// What every request to a modern server has, so that it is not shown.
const ALWAYS: [&str; 3] = [
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/clientCapabilities",
];

/// Removes the form of the gateway's question to a person, which is always equal.
fn without_form(question: &mut Value) {
    if let Some(params) = question.get_mut("params").and_then(Value::as_object_mut) {
        params.shift_remove("requestedSchema");
    }
}

pub(crate) fn outcome(outcome: Option<&Outcome>) -> String {
    match outcome {
        None => "is over without an answer: it was cancelled".to_owned(),
        Some(Outcome::Result(answered)) => match refusal(answered.result.text()) {
            Some(refusal) => refusal,
            None => format!("is answered {}", answered.result.text()),
        },
        Some(Outcome::Error(failed)) => format!("is answered an error: {} {}", failed.error.code, failed.error.message),
        Some(Outcome::InputRequired(asked)) => {
            let mut asked = asked.result.to_value();
            if let Some(requests) = asked["inputRequests"].as_object_mut() {
                requests.values_mut().for_each(without_form);
            }
            format!("is answered a question: {}", asked["inputRequests"])
        }
    }
}

/// Replaces the random id of a request by a word.
pub(crate) fn without_ids(text: &str) -> String {
    let is_id = |word: &&str| word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let words = text.split('`').map(|word| if is_id(&word) { "…" } else { word });
    words.collect::<Vec<_>>().join("`")
}

/// Returns a rejection in the form that models read.
fn refusal(result: &str) -> Option<String> {
    let result: Value = serde_json::from_str(result).ok()?;
    let said: Value = serde_json::from_str(result["content"][0]["text"].as_str()?).ok()?;
    Some(format!(
        "is refused {} {}",
        said["code"],
        said["message"].as_str().or(said["reason"].as_str())?
    ))
}
