//! Finds out which extension methods belong to what a peer declared.

use std::collections::HashSet;

use jsonrpc::{Raw, RawKind};

/// The capabilities that the revisions themselves define, of servers and of clients.
const CORE: [&str; 9] = [
    "tools",
    "resources",
    "prompts",
    "completions",
    "logging",
    "tasks",
    "roots",
    "sampling",
    "elicitation",
];
/// The members in which the revisions let peers declare capabilities of their own.
const NESTED: [&str; 2] = ["extensions", "experimental"];

/// Returns the first parts of the method names that a peer's capabilities claim.
#[must_use]
pub fn claims(capabilities: &Raw) -> HashSet<Box<str>> {
    let mut claims = HashSet::new();
    let is_own = |key: &&String| !CORE.contains(&key.as_str()) && !NESTED.contains(&key.as_str());
    for key in declared(capabilities).iter().filter(is_own) {
        claim(key, &mut claims);
    }
    for map in NESTED.into_iter().filter_map(|key| capabilities.get(key)) {
        for key in declared(&map) {
            claim(&key, &mut claims);
        }
    }
    claims.remove("");
    claims
}

/// Returns the part of a method's name that a capability claims; a notification's own name starts behind
/// `notifications/`.
#[must_use]
pub fn claimed_by(method: &str) -> &str {
    let name = method.strip_prefix("notifications/").unwrap_or(method);
    name.split_once('/').map_or(name, |(segment, _)| segment)
}

/// Adds what a capability's name claims: `com.acme/search` claims methods that begin with `search`, `com.acme` or
/// `acme`, and a name without a prefix claims itself. The first label is a registry's, not a vendor's.
fn claim(key: &str, claims: &mut HashSet<Box<str>>) {
    match key.rsplit_once('/') {
        None => drop(claims.insert(key.into())),
        Some((prefix, name)) => {
            claims.extend([name.into(), prefix.into()]);
            claims.extend(prefix.split('.').skip(1).map(Box::from));
        }
    }
}

/// Returns the keys of an object whose value is neither `null` nor `false`. An object that repeats a key declares nothing.
fn declared(object: &Raw) -> Vec<String> {
    let Ok(object) = object.object() else { return Vec::new() };
    let on = |value: &Raw| value.kind() != RawKind::Null && value.as_bool() != Some(false);
    object
        .iter()
        .filter(|(_, value)| on(value))
        .map(|(key, _)| key.to_owned())
        .collect()
}
