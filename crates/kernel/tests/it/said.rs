//! Formats the results of a line for the transcript.

use mcp::exchange::Outcome;
use serde_json::Value;

/// Formats a message without the members that every message has.
pub(crate) fn message(bytes: &[u8]) -> String {
    let mut value: Value = serde_json::from_slice(bytes).expect("a message is JSON");
    if let Some(members) = value.as_object_mut() {
        members.shift_remove("jsonrpc");
    }
    // The gateway's question to a person is shown without its form, which is always equal.
    if let Some(params) = value.get_mut("params").and_then(Value::as_object_mut) {
        params.shift_remove("requestedSchema");
    }
    value.to_string()
}

pub(crate) fn outcome(outcome: Option<&Outcome>) -> String {
    match outcome {
        None => "is over without an answer: it was cancelled".to_owned(),
        Some(Outcome::Result(answered)) => match refusal(answered.result.text()) {
            Some(refusal) => refusal,
            None => format!("is answered {}", answered.result.text()),
        },
        Some(Outcome::Error(failed)) => format!("is answered an error: {} {}", failed.error.code, failed.error.message),
        Some(Outcome::InputRequired(_)) => "is answered a question".to_owned(),
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
