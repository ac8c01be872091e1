//! Adapts the results of servers for clients.

use jsonrpc::{Editor, Object, ObjectBuilder, Raw, RawKind};

use super::list;
use super::{content, tool};
use crate::meta::{self, key};
use crate::method::is_cacheable;
use crate::revision::Revision;

/// The sort of result that a modern server sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultType {
    /// The result that was asked for. Also where the member is absent (2026-07-28 basic, `resultType`).
    Complete,
    /// A question: see [`super::InputRequired`].
    InputRequired,
    /// A task in place of the result (SEP-2663).
    Task,
    /// The type of an extension, or an unknown one; a member that is not a string is an empty text.
    Other(String),
}

/// Reads `resultType` of a modern server's result; in a legacy result the member means nothing.
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

/// Adapts a complete result of `method` from the server's revision to the client's. Returns the same bytes where
/// nothing has to change.
#[must_use]
pub fn result(method: &str, result: &Raw, from: Revision, to: Revision) -> Raw {
    match (from.is_modern(), to.is_modern()) {
        (false, true) => complete(method, result, None),
        _ if to >= from => result.clone(),
        _ => lower(method, result, from, to),
    }
}

/// Adds to a legacy server's result what the modern era requires of every result, and of those that can be cached
/// (2026-07-28 server/utilities/caching). The server has not said how long the result holds and for whom, so it is
/// marked as expired at once and private. `info` says who answered (2026-07-28 basic, `_meta`).
#[must_use]
pub fn complete(method: &str, result: &Raw, info: Option<&Raw>) -> Raw {
    let mut edit = result.edit().set(&["resultType"], &Raw::string("complete"));
    if let Some(info) = info {
        edit = edit.set(&["_meta", key::SERVER_INFO], info);
    }
    if !is_cacheable(method) {
        return edit.finish();
    }
    edit.set(&["ttlMs"], &Raw::uint(0))
        .set(&["cacheScope"], &Raw::string("private"))
        .finish()
}

/// Removes from a modern server's result what the legacy era does not define.
#[must_use]
pub fn strip(method: &str, result: &Raw) -> Raw {
    lower(method, result, Revision::LATEST, Revision::LATEST)
}

/// Adapts a result to an older revision: one scan finds what is there, a second changes it.
fn lower(method: &str, result: &Raw, from: Revision, to: Revision) -> Raw {
    // A result that repeats a member can't be judged; the client gets it as the server sent it.
    let Ok(members) = result.object() else { return result.clone() };
    let mut edit = result.edit();
    if from.is_modern() {
        let cached: &[&str] = if is_cacheable(method) { &["ttlMs", "cacheScope"] } else { &[] };
        for name in ["resultType"].iter().chain(cached).filter(|name| members.get(name).is_some()) {
            edit = edit.remove(&[name]);
        }
        edit = meta::without(edit, members.get(key::META), &[key::SERVER_INFO]);
    }
    if to < from {
        edit = down(edit, method, &members, from, to);
    }
    edit.finish()
}

/// Rewrites what a client of an older revision would refuse in terms of that revision.
fn down(edit: Editor, method: &str, members: &Object, from: Revision, to: Revision) -> Editor {
    let changed_list = |key: &'static str, change: &dyn Fn(&Raw) -> Option<Raw>| Some((key, change(members.get(key)?)?));
    let list = match method {
        "tools/call" => changed_list("content", &|blocks| content::blocks(blocks, to)),
        "prompts/get" => changed_list("messages", &|messages| content::messages(messages, to)),
        "tools/list" => changed_list("tools", &|tools| {
            list::map_items(tools, |item| tool::changed(item, from, to).map(|item| vec![item]))
        }),
        _ => None,
    };
    let edit = match list {
        Some((key, changed)) => edit.set(&[key], &changed),
        None => edit,
    };
    match members.get("structuredContent") {
        // Objects only, up to 2025-11-25 (server/tools). The key is the one that `tool::tool` gives its schema.
        Some(value) if method == "tools/call" && from.is_modern() && value.kind() != RawKind::Object => {
            edit.set(&["structuredContent"], &ObjectBuilder::new().raw(tool::WRAPPED, value).finish())
        }
        _ => edit,
    }
}
