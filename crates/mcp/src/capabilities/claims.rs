//! Which methods that the core does not know belong to what a peer declared.

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
/// Where the revisions let peers declare what is their own.
const NESTED: [&str; 2] = ["extensions", "experimental"];

/// Everything that a peer's capabilities let its methods begin with.
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

/// What a method begins with; a notification's own name starts behind `notifications/`.
#[must_use]
pub fn claimed_by(method: &str) -> &str {
    let name = method.strip_prefix("notifications/").unwrap_or(method);
    name.split_once('/').map_or(name, |(segment, _)| segment)
}

/// `com.acme/search` begins methods with `search`, `com.acme` or `acme`; a name without a prefix with itself. The first label is a registry's, not a vendor's.
fn claim(key: &str, claims: &mut HashSet<Box<str>>) {
    match key.rsplit_once('/') {
        None => drop(claims.insert(key.into())),
        Some((prefix, name)) => {
            claims.extend([name.into(), prefix.into()]);
            claims.extend(prefix.split('.').skip(1).map(Box::from));
        }
    }
}

/// The keys of an object whose value is neither `null` nor `false`. An object that repeats a key declares nothing.
fn declared(object: &Raw) -> Vec<String> {
    let Ok(object) = object.object() else { return Vec::new() };
    let on = |value: &Raw| value.kind() != RawKind::Null && value.as_bool() != Some(false);
    object
        .iter()
        .filter(|(_, value)| on(value))
        .map(|(key, _)| key.to_owned())
        .collect()
}
