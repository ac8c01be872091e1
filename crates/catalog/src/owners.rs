//! Which server declared an extension, and so gets the methods that the core does not know.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jsonrpc::{Raw, RawKind};

use crate::Offer;

/// The capabilities that the revisions themselves define.
const CORE: [&str; 6] = ["tools", "resources", "prompts", "completions", "logging", "tasks"];

/// First segments of methods, and the offer that declared them; `None` where two did.
#[derive(Debug, Default)]
pub(crate) struct Owners(HashMap<Box<str>, Option<usize>>);

impl Owners {
    pub(crate) fn build(offers: &[Arc<Offer>]) -> Self {
        let mut owners = HashMap::new();
        for (o, offer) in offers.iter().enumerate() {
            for claim in claims(&offer.advertised.capabilities) {
                let owner = owners.entry(claim).or_insert(Some(o));
                *owner = owner.filter(|owner| *owner == o);
            }
        }
        Self(owners)
    }

    /// The offer that a method belongs to; a notification's own name starts behind `notifications/`.
    pub(crate) fn of(&self, method: &str) -> Option<usize> {
        let name = method.strip_prefix("notifications/").unwrap_or(method);
        let segment = name.split('/').next()?;
        self.0.get(segment).copied().flatten()
    }
}

/// Everything that a server's capabilities let its methods begin with.
fn claims(capabilities: &Raw) -> HashSet<Box<str>> {
    let mut claims = HashSet::new();
    let top = declared(capabilities).into_iter().filter(|key| !CORE.contains(&key.as_str()));
    let nested = ["extensions", "experimental"].into_iter().filter_map(|key| capabilities.get(key));
    for key in top.filter(|key| !matches!(key.as_str(), "extensions" | "experimental")) {
        claim(&key, &mut claims);
    }
    for key in nested.flat_map(|map| declared(&map)) {
        claim(&key, &mut claims);
    }
    claims.remove("");
    claims
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
