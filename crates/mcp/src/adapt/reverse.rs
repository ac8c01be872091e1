//! Adapts the requests that servers send to clients, and the clients' answers.

use jsonrpc::{ObjectBuilder, Raw, RawKind};

use super::{elicitation, sampling};
use crate::meta::{self, key};
use crate::revision::Revision;

/// Adapts the params of a reverse request from the server's revision to the client's. In the modern era they stand
/// inside of `inputRequests` on both ends.
///
/// `elicitation_id` is written where 2025-11-25 needs one and the modern server gave none. Returns the same bytes where
/// nothing has to change.
#[must_use]
pub fn reverse_params(method: &str, params: &Raw, from: Revision, to: Revision, elicitation_id: &str) -> Raw {
    let mut params = params.clone();
    if to.is_modern() && !from.is_modern() {
        // A retry carries answers and nothing else: no progress, no task, and 2026-07-28 has no ids of elicitations.
        params = meta::remove(&meta::remove(&params, key::PROGRESS_TOKEN), key::RELATED_TASK);
        let mut gone = vec!["task"];
        if method == "elicitation/create" && elicitation::is_url(&params) {
            gone.push("elicitationId");
        }
        let present = gone.into_iter().filter(|name| params.get(name).is_some());
        params = present.fold(params.edit(), |edit, name| edit.remove(&[name])).finish();
    }
    match method {
        "elicitation/create" if elicitation::is_url(&params) => {
            let needs_id = from.is_modern() && !to.is_modern() && params.get("elicitationId").is_none();
            if needs_id {
                params.edit().set(&["elicitationId"], &Raw::string(elicitation_id)).finish()
            } else {
                params
            }
        }
        "elicitation/create" if to <= Revision::V2025_06_18 && from > to => elicitation::titled_choices(&params).unwrap_or(params),
        "sampling/createMessage" if to <= Revision::V2025_06_18 && from > to => sampling::one_block_each(&params).unwrap_or(params),
        _ => params,
    }
}

/// Adapts a client's answer to a reverse request to the server's revision. Returns the same bytes where nothing has to
/// change.
#[must_use]
pub fn reverse_result(method: &str, result: &Raw, from: Revision, to: Revision) -> Raw {
    let changed = match method {
        "sampling/createMessage" if to <= Revision::V2025_06_18 && from > to => sampling::one_block(result),
        _ => None,
    };
    changed.unwrap_or_else(|| result.clone())
}

/// Returns the capabilities that a client must have declared to be asked this, for example
/// `{"elicitation":{"url":{}}}`; `{}` for a method that is not a reverse request.
#[must_use]
pub fn required_capabilities(method: &str, params: &Raw) -> Raw {
    let nothing = Raw::object_empty();
    let of = |name: &str| ObjectBuilder::new().raw(name, &nothing).finish();
    let sub = |name: &str, member: &str| ObjectBuilder::new().raw(name, &of(member)).finish();
    let has = |name: &str| params.get(name).is_some_and(|value| value.kind() != RawKind::Null);
    match method {
        "elicitation/create" if elicitation::is_url(params) => sub("elicitation", "url"),
        "elicitation/create" => sub("elicitation", "form"),
        "sampling/createMessage" if has("tools") || has("toolChoice") => sub("sampling", "tools"),
        "sampling/createMessage" => of("sampling"),
        "roots/list" => of("roots"),
        _ => nothing,
    }
}
