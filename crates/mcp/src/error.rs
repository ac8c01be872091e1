//! The error codes of the revisions, their translation between eras, and their HTTP statuses in the modern era.

use jsonrpc::{ErrorObject, Raw, code};

use crate::revision::Revision;

/// The code for a resource that was not found, up to 2025-11-25; since then [`code::INVALID_PARAMS`].
pub const RESOURCE_NOT_FOUND: i64 = -32002;
/// The code for a URL that must be visited first, 2025-11-25 only; since then an `input_required` result.
pub const URL_ELICITATION_REQUIRED: i64 = -32042;
/// The code for headers and a body that disagree (2026-07-28).
pub const HEADER_MISMATCH: i64 = -32020;
/// The code for a client that did not declare what the request needs (2026-07-28).
pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
/// The code for a revision that is unknown or not served (2026-07-28).
pub const UNSUPPORTED_VERSION: i64 = -32022;

/// Makes a -32020 error: `why` says which header, and what it should have been.
#[must_use]
pub fn header_mismatch(why: impl std::fmt::Display) -> ErrorObject {
    ErrorObject::new(HEADER_MISMATCH, format!("Header mismatch: {why}"))
}

/// Makes a -32021 error: `required` is a `ClientCapabilities` object that names what is missing.
#[must_use]
pub fn missing_client_capability(required: &Raw) -> ErrorObject {
    let data = Raw::object_empty().edit().set(&["requiredCapabilities"], required).finish();
    ErrorObject::new(MISSING_CLIENT_CAPABILITY, "Missing required client capability").with_data(data)
}

/// Makes a -32022 error: `supported` is in the order of preference.
#[must_use]
pub fn unsupported_version(requested: &str, supported: &[Revision]) -> ErrorObject {
    let names: Vec<_> = supported.iter().map(|revision| revision.as_str()).collect();
    let data = Raw::object_empty()
        .edit()
        .set(&["supported"], &Raw::of(&names))
        .set(&["requested"], &Raw::string(requested));
    ErrorObject::new(UNSUPPORTED_VERSION, "Unsupported protocol version").with_data(data.finish())
}

/// Makes the error for a resource that was not found, with the code of a revision.
#[must_use]
pub fn resource_not_found(uri: &str, revision: Revision) -> ErrorObject {
    let code = if revision.is_modern() {
        code::INVALID_PARAMS
    } else {
        RESOURCE_NOT_FOUND
    };
    ErrorObject::new(code, "Resource not found").with_data(Raw::object_empty().edit().set(&["uri"], &Raw::string(uri)).finish())
}

/// Returns whether only a modern server answers with this error (2026-07-28 basic/versioning: recognized modern
/// errors).
#[must_use]
pub fn is_modern(error: &ErrorObject) -> bool {
    matches!(error.code, HEADER_MISMATCH | MISSING_CLIENT_CAPABILITY | UNSUPPORTED_VERSION)
}

/// Returns the revisions that a server lists when it refuses one: in a -32022, and in the -32602 with which legacy
/// servers refuse `initialize`.
#[must_use]
pub fn supported_versions(error: &ErrorObject) -> Vec<String> {
    if !matches!(error.code, UNSUPPORTED_VERSION | code::INVALID_PARAMS) {
        return Vec::new();
    }
    let supported = error.data.as_ref().and_then(|data| data.get("supported"));
    let items = supported.map(|supported| supported.items()).unwrap_or_default();
    items
        .iter()
        .filter_map(|item| item.as_str().map(std::borrow::Cow::into_owned))
        .collect()
}

/// Returns the code that a legacy client gets for an error of a modern server that answered `method`.
fn legacy_code(code: i64, method: &str, has_uri: bool) -> i64 {
    match code {
        // 2025-11-25 server/resources. Without the URI in its data it is some other fault of the params.
        code::INVALID_PARAMS if method == "resources/read" && has_uri => RESOURCE_NOT_FOUND,
        // Only the client could declare more; the legacy era has no code for this.
        MISSING_CLIENT_CAPABILITY => code::INVALID_REQUEST,
        // These are between the gateway and the server; the client can do nothing about them.
        HEADER_MISMATCH | UNSUPPORTED_VERSION => code::INTERNAL_ERROR,
        other => other,
    }
}

/// Returns the code that a modern client gets for an error of a legacy server.
fn modern_code(code: i64) -> i64 {
    match code {
        // 2026-07-28 basic, error codes: must not be emitted any more.
        RESOURCE_NOT_FOUND => code::INVALID_PARAMS,
        URL_ELICITATION_REQUIRED => MISSING_CLIENT_CAPABILITY,
        // Reserved for the specification: whatever the server meant, it is not what a modern client would read.
        -32099..=-32020 => code::INTERNAL_ERROR,
        other => other,
    }
}

fn has_uri(data: Option<&Raw>) -> bool {
    data.is_some_and(|data| data.get("uri").is_some())
}

/// Adapts an error of a modern server for a legacy client. Message and data stay.
#[must_use]
pub fn to_legacy(error: &ErrorObject, method: &str) -> ErrorObject {
    ErrorObject {
        code: legacy_code(error.code, method, has_uri(error.data.as_ref())),
        ..error.clone()
    }
}

/// Adapts an error of a legacy server for a modern client. Message and data stay, except that -32042 becomes -32021 for
/// a client that can't be sent to a URL; for one that can, see [`crate::adapt::InputRequired::of_url_elicitations`].
#[must_use]
pub fn to_modern(error: &ErrorObject) -> ErrorObject {
    if error.code == URL_ELICITATION_REQUIRED {
        return ErrorObject {
            message: error.message.clone(),
            ..missing_client_capability(&url_elicitation())
        };
    }
    ErrorObject {
        code: modern_code(error.code),
        ..error.clone()
    }
}

/// Adapts the `error` member of a response from the server's revision to the client's, byte for byte where nothing
/// changes.
#[must_use]
pub fn relay(error: &Raw, method: &str, from: Revision, to: Revision) -> Raw {
    let Some(parsed) = ErrorObject::parse(error) else {
        return error.clone();
    };
    let changed = match (from.is_modern(), to.is_modern()) {
        (true, false) => to_legacy(&parsed, method),
        (false, true) => to_modern(&parsed),
        _ => return error.clone(),
    };
    let mut edit = error.edit();
    if changed.code != parsed.code {
        edit = edit.set(&["code"], &Raw::of(&changed.code));
    }
    if let Some(data) = changed.data.as_ref().filter(|_| changed.data != parsed.data) {
        edit = edit.set(&["data"], data);
    }
    edit.finish()
}

/// `{"elicitation":{"url":{}}}`
fn url_elicitation() -> Raw {
    Raw::object_empty()
        .edit()
        .set(&["elicitation", "url"], &Raw::object_empty())
        .finish()
}

/// The stage at which a modern request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Before it was dispatched: it is malformed, lacks its `_meta`, or its headers contradict its body.
    Envelope,
    /// The gateway or the server that handled it answered with an error.
    Answer,
}

/// Returns the HTTP status of a response that is this error and nothing before it, in the modern era (2026-07-28 basic and streamable
/// HTTP).
#[must_use]
pub fn http_status(error: &ErrorObject, stage: Stage) -> u16 {
    match error.code {
        HEADER_MISMATCH | MISSING_CLIENT_CAPABILITY | UNSUPPORTED_VERSION => 400,
        code::METHOD_NOT_FOUND => 404,
        code::PARSE_ERROR | code::INVALID_REQUEST | code::INVALID_PARAMS if stage == Stage::Envelope => 400,
        _ => 200,
    }
}

#[cfg(test)]
mod tests;
