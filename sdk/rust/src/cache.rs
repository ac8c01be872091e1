//! Caching hints of the modern era (2026-07-28 server/utilities/caching).

use std::time::Duration;

use serde_json::{Map, Value, json};

/// How long a result stays fresh, and who may share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    time: Duration,
    public: bool,
}

impl Cache {
    /// Allows any cache to keep the result, because it is the same for all clients.
    #[must_use]
    pub fn public(time: Duration) -> Self {
        Self { time, public: true }
    }

    /// Allows caching only for the caller's own authorization context.
    #[must_use]
    pub fn private(time: Duration) -> Self {
        Self { time, public: false }
    }

    pub(crate) fn write(self, result: &mut Map<String, Value>) {
        result.insert("ttlMs".to_owned(), json!(u64::try_from(self.time.as_millis()).unwrap_or(u64::MAX)));
        result.insert("cacheScope".to_owned(), json!(if self.public { "public" } else { "private" }));
    }

    /// Removes the hints, for clients that do not know them.
    pub(crate) fn strip(result: &mut Value) {
        if let Value::Object(fields) = result {
            fields.remove("ttlMs");
            fields.remove("cacheScope");
        }
    }
}
