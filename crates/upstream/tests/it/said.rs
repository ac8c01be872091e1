//! Formats the results of a line for the transcript.

use serde_json::Value;
use upstream::link::Inbox;
use upstream::{Health, Question, ServerEvent};

/// Formats a message without the members that every message has.
pub(crate) fn message(bytes: &[u8]) -> String {
    let mut value: Value = serde_json::from_slice(bytes).expect("a message is JSON");
    let Some(members) = value.as_object_mut() else {
        return value.to_string();
    };
    members.shift_remove("jsonrpc");
    if let Some(params) = members.get_mut("params").and_then(Value::as_object_mut) {
        params.shift_remove("clientInfo");
        if let Some(meta) = params.get_mut("_meta").and_then(Value::as_object_mut) {
            meta.retain(|key, _| !key.starts_with("io.modelcontextprotocol/"));
            if meta.is_empty() {
                params.shift_remove("_meta");
            }
        }
    }
    value.to_string()
}

/// Formats an event. Returns with it the question that the event contains.
pub(crate) fn event(event: ServerEvent) -> (String, Option<Question>) {
    let said = match event {
        ServerEvent::Offering { offers, .. } => format!("offering {} to the guard", offers.len()),
        ServerEvent::Offered { lists, .. } => {
            let mut lists: Vec<&str> = lists.iter().map(|list| list.method()).collect();
            lists.sort_unstable();
            format!("offered, changed: [{}]", lists.join(", "))
        }
        ServerEvent::Negotiated { own, .. } => format!("negotiated{}", if own { ", over the gateway's own connection" } else { "" }),
        ServerEvent::SessionEnded { why, .. } => format!("session ended: {why}"),
        ServerEvent::Notification { clients, message, .. } => {
            format!("notification for {clients:?}: {}", self::message(message.bytes()))
        }
        ServerEvent::ResourceUpdated { clients, uri, .. } => format!("resource updated for {clients:?}: {uri}"),
        ServerEvent::Asked { owner, question } => {
            let owner = owner.map_or_else(|| "no client".to_owned(), |owner| format!("client {owner}"));
            return (format!("asked of {owner}: {}", question.method()), Some(question));
        }
        ServerEvent::QuestionWithdrawn { reason, .. } => format!("question withdrawn: {}", reason.unwrap_or_default()),
        ServerEvent::Reported { params, .. } => format!("reported {}", params.map_or_else(String::new, |params| params.text().to_owned())),
        ServerEvent::TriedAsClient { method, .. } => format!("tried {method}"),
    };
    (said, None)
}

pub(crate) fn health(health: &Health) -> String {
    match health {
        Health::Configured => "not needed yet".to_owned(),
        Health::Known => "known from an earlier time".to_owned(),
        Health::Started => "started".to_owned(),
        // The length of the back-off has a random part.
        Health::Error(why) => format!("cannot be used: {}", without_times(&why.to_string())),
    }
}

/// Replaces the random length of a back-off by a word.
pub(crate) fn without_times(text: &str) -> String {
    match (text.find("(tried again in "), text.rfind(" s)")) {
        (Some(from), Some(to)) if from < to => format!("{}(tried again soon{}", &text[..from], &text[to + 2..]),
        _ => text.to_owned(),
    }
}

/// Delivers a frame to the gateway, as the server's pipe does.
pub(crate) fn deliver(inbox: &dyn Inbox, frame: &str) {
    inbox.frame(frame.as_bytes().to_vec().into());
}
