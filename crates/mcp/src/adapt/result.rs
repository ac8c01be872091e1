//! Answers of servers on their way to clients.

use jsonrpc::{Raw, RawKind};

use super::{content, tool};
use crate::json;
use crate::meta::{self, key};
use crate::method::is_cacheable;
use crate::revision::Revision;

/// What sort of result a modern server sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultType {
    /// What was asked for. Also where the member is absent (2026-07-28 basic, `resultType`).
    Complete,
    /// A question: see [`super::InputRequired`].
    InputRequired,
    /// A task in place of the result (SEP-2663).
    Task,
    /// Of an extension, or of none; a member that is no string is an empty text.
    Other(String),
}

/// Reads `resultType`. Of a modern server only: in a legacy result the member means nothing.
#[must_use]
pub fn result_type(result: &Raw) -> ResultType {
    let Some(kind) = result.get("resultType") else {
        return ResultType::Complete;
    };
    match kind.as_str().as_deref() {
        Some("complete") => ResultType::Complete,
        Some("input_required") => ResultType::InputRequired,
        Some("task") => ResultType::Task,
        other => ResultType::Other(other.unwrap_or_default().to_owned()),
    }
}

/// A complete result of `method` on its way from a server of one revision to a client of another. The same bytes where nothing has to change.
#[must_use]
pub fn result(method: &str, result: &Raw, from: Revision, to: Revision) -> Raw {
    match (from.is_modern(), to.is_modern()) {
        (true, true) => result.clone(),
        (false, true) => complete(method, result),
        (true, false) => {
            let result = strip(method, result);
            down(method, &result, from, to)
        }
        (false, false) => down(method, result, from, to),
    }
}

/// A result of a legacy server with what the modern era requires of every result, and of those that can be cached (2026-07-28
/// server/utilities/caching). Nothing is known of how long it holds and for whom, so: not at all, and for nobody else.
#[must_use]
pub fn complete(method: &str, result: &Raw) -> Raw {
    let edit = result.edit().set(&["resultType"], &Raw::string("complete"));
    if !is_cacheable(method) {
        return edit.finish();
    }
    edit.set(&["ttlMs"], &Raw::uint(0))
        .set(&["cacheScope"], &Raw::string("private"))
        .finish()
}

/// A result of a modern server without what the legacy era does not know.
#[must_use]
pub fn strip(method: &str, result: &Raw) -> Raw {
    let result = meta::remove(result, key::SERVER_INFO);
    let edit = result.edit().remove(&["resultType"]);
    if !is_cacheable(method) {
        return edit.finish();
    }
    edit.remove(&["ttlMs"]).remove(&["cacheScope"]).finish()
}

/// What a client of an older revision would refuse, in words it has.
fn down(method: &str, result: &Raw, from: Revision, to: Revision) -> Raw {
    if to >= from {
        return result.clone();
    }
    let mut edit = result.edit();
    match method {
        "tools/call" => {
            if let Some(blocks) = result.get("content").and_then(|list| content::blocks(&list, to)) {
                edit = edit.set(&["content"], &blocks);
            }
            if let Some(structured) = result.get("structuredContent").filter(|value| value.kind() != RawKind::Object) {
                // Objects only, up to 2025-11-25 (server/tools). The word is the one that `tool::tool` gives its schema.
                edit = edit.set(&["structuredContent"], &json::object([(tool::WRAPPED, &structured)]));
            }
        }
        "prompts/get" => {
            if let Some(messages) = result.get("messages").and_then(|list| content::messages(&list, to)) {
                edit = edit.set(&["messages"], &messages);
            }
        }
        "tools/list" => {
            let changed = |list: Raw| json::map_items(&list, |item| tool::changed(item, from, to).map(|item| vec![item]));
            if let Some(tools) = result.get("tools").and_then(changed) {
                edit = edit.set(&["tools"], &tools);
            }
        }
        _ => return result.clone(),
    }
    edit.finish()
}
