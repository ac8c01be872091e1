//! The server of a transcript: its messages and its actions.

use serde_json::{Value, json};

use crate::said;
use crate::stage::Stage;

impl Stage {
    pub(crate) fn speaks(&mut self, number: usize, words: &[&str], json: &str) {
        let inbox = self.connections.inbox(number);
        let frame = match words {
            ["says"] => json.to_owned(),
            ["prints", text @ ..] => text.join(" "),
            ["greets", capabilities @ ..] => self.greeting(number, capabilities),
            ["lists", names @ ..] => json!({"jsonrpc": "2.0", "id": self.asked(number, "tools/list"), "result": listed(names)}).to_string(),
            ["answers", method] => {
                let result: Value = serde_json::from_str(json).expect("good JSON");
                json!({"jsonrpc": "2.0", "id": self.asked(number, method), "result": result}).to_string()
            }
            ["refuses", method, text @ ..] => {
                let error = json!({"code": -32601, "message": text.join(" ")});
                json!({"jsonrpc": "2.0", "id": self.asked(number, method), "error": error}).to_string()
            }
            ["does", "not", "read"] => return self.connections.read(number, false),
            ["reads"] => return self.connections.read(number, true),
            ["mutters", text @ ..] => return self.connections.mutter(number, &text.join(" ")),
            ["exits"] => return self.connections.exit(number),
            _ => panic!("no server {words:?}"),
        };
        said::deliver(&*inbox, &frame);
    }

    /// Answers the open handshake.
    fn greeting(&mut self, number: usize, words: &[&str]) -> String {
        let legacy = self.unanswered.contains_key(&(number, "initialize".to_owned()));
        let method = if legacy { "initialize" } else { "server/discover" };
        let result = shaken(&json!(method), words);
        json!({"jsonrpc": "2.0", "id": self.asked(number, method), "result": result}).to_string()
    }

    /// Returns the id of the oldest request of a method that a connection has not answered.
    fn asked(&mut self, number: usize, method: &str) -> Value {
        let key = (number, method.to_owned());
        let ids = self
            .unanswered
            .get_mut(&key)
            .unwrap_or_else(|| panic!("no {method} waits on s{number}"));
        let id = ids.remove(0);
        if ids.is_empty() {
            self.unanswered.remove(&key);
        }
        id
    }
}

/// Returns the answer to a handshake.
pub(crate) fn shaken(method: &Value, words: &[&str]) -> Value {
    let mut capabilities = json!({"tools": {"listChanged": true}});
    if words.contains(&"mgp") {
        capabilities["mgp"] = json!({"version": "0.5.2", "extensions": ["audit"]});
    }
    let info = json!({"name": "scripted", "version": "1"});
    match method.as_str() {
        Some("initialize") => json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info}),
        _ => json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": capabilities,
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": info},
        }),
    }
}

/// Returns a list of tools.
pub(crate) fn listed(names: &[&str]) -> Value {
    let tools: Vec<Value> = names
        .iter()
        .map(|name| json!({"name": name, "inputSchema": {"type": "object"}}))
        .collect();
    json!({"tools": tools, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"})
}
