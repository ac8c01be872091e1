//! The servers that last returned each URI to a principal, by which resources that no list has are found (DESIGN 4).

use std::collections::{HashMap, VecDeque};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use jsonrpc::Raw;
use memchr::memmem::Finder;
use model::{PrincipalId, ServerId};

/// The number of URIs that are remembered with their servers.
const MAX_RETURNED: usize = 4096;
/// The length of a URI in bytes above which it is not remembered.
const MAX_RETURNED_URI: usize = 4096;

/// The URIs that servers have returned lately. Bounded: the oldest are forgotten.
#[derive(Debug, Default)]
pub(crate) struct Returned {
    entries: Mutex<Entries>,
}

type Key = (PrincipalId, String);

#[derive(Debug, Default)]
struct Entries {
    by_key: HashMap<Key, Entry, foldhash::fast::RandomState>,
    /// The keys in the order in which they were returned; a key that was returned again stands there again.
    order: VecDeque<(Key, u64)>,
    count: u64,
}

#[derive(Debug)]
struct Entry {
    server: ServerId,
    /// When it was returned last, counted in returns.
    at: u64,
}

impl Returned {
    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers the URIs in the result of a method: what was read, links and embedded resources. A result that cannot contain one is not parsed.
    pub(crate) fn learn(&self, principal: &PrincipalId, server: &ServerId, method: &str, result: &Raw) {
        let blocks: Vec<Raw> = match method {
            "resources/read" => items(result, "contents"),
            _ if !may_hold_uri(result.bytes()) => return,
            "prompts/get" => {
                let messages = items(result, "messages");
                messages.iter().filter_map(|message| message.get("content")).collect()
            }
            _ => items(result, "content"),
        };
        for block in blocks {
            let uri = block.get("uri").or_else(|| block.at(&["resource", "uri"]));
            let uri = uri.and_then(|raw| raw.as_str().map(std::borrow::Cow::into_owned));
            if let Some(uri) = uri.filter(|uri| uri.len() <= MAX_RETURNED_URI) {
                self.entries().note((principal.clone(), uri), server);
            }
        }
    }

    /// Returns the server that last returned a URI to a principal.
    pub(crate) fn by(&self, principal: &PrincipalId, uri: &str) -> Option<ServerId> {
        let key = (principal.clone(), uri.to_owned());
        self.entries().by_key.get(&key).map(|entry| entry.server.clone())
    }
}

impl Entries {
    fn note(&mut self, key: Key, server: &ServerId) {
        self.count += 1;
        let at = self.count;
        let server = server.clone();
        self.order.push_back((key.clone(), at));
        self.by_key.insert(key, Entry { server, at });
        if self.order.len() > 2 * MAX_RETURNED {
            // A key that was returned again since then stands further behind.
            let by_key = &self.by_key;
            self.order.retain(|(key, at)| by_key.get(key).is_some_and(|entry| entry.at == *at));
        }
        while self.by_key.len() > MAX_RETURNED {
            let Some((key, at)) = self.order.pop_front() else { return };
            if self.by_key.get(&key).is_some_and(|entry| entry.at == at) {
                self.by_key.remove(&key);
            }
        }
    }
}

fn items(result: &Raw, key: &str) -> Vec<Raw> {
    result.get(key).map(|list| list.items()).unwrap_or_default()
}

/// Returns whether the bytes contain the start of a resource block's type.
fn may_hold_uri(bytes: &[u8]) -> bool {
    static RESOURCE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"resource"));
    RESOURCE.find(bytes).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(uri: &str) -> Raw {
        Raw::of(&serde_json::json!({ "contents": [{ "uri": uri, "text": "" }] }))
    }

    #[test]
    fn the_server_that_returned_a_uri_last_has_it() {
        let returned = Returned::default();
        let (alice, bob) = (PrincipalId::new("alice"), PrincipalId::new("bob"));
        let server = |id: &str| ServerId::new(id).expect("letters");
        returned.learn(&alice, &server("one"), "resources/read", &read("x://1"));
        returned.learn(&alice, &server("two"), "resources/read", &read("x://1"));
        assert_eq!(returned.by(&alice, "x://1"), Some(server("two")));
        assert_eq!(returned.by(&bob, "x://1"), None, "what one principal was shown is not another's");
        assert_eq!(returned.by(&alice, "x://2"), None);
    }

    #[test]
    fn the_oldest_are_forgotten_and_what_was_returned_again_is_not_old() {
        let returned = Returned::default();
        let alice = PrincipalId::new("alice");
        let server = ServerId::new("one").expect("letters");
        for n in 0..MAX_RETURNED {
            returned.learn(&alice, &server, "resources/read", &read(&format!("x://{n}")));
        }
        returned.learn(&alice, &server, "resources/read", &read("x://0"));
        returned.learn(&alice, &server, "resources/read", &read("x://new"));
        assert!(returned.by(&alice, "x://0").is_some());
        assert!(returned.by(&alice, "x://1").is_none());
        assert_eq!(returned.entries().by_key.len(), MAX_RETURNED);
        for _ in 0..3 * MAX_RETURNED {
            returned.learn(&alice, &server, "resources/read", &read("x://0"));
        }
        assert!(
            returned.by(&alice, "x://new").is_some(),
            "one that is returned often pushes no other out"
        );
        assert!(returned.entries().order.len() <= 2 * MAX_RETURNED);
    }
}
