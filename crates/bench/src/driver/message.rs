//! The messages that a driver sends, rendered once with a gap for the id.

use serde_json::{Value, json};

use crate::envelope::{Era, LEGACY, MODERN};

/// The first id of a load. All its ids have ten digits, so that equal answers have equal lengths.
pub(crate) const FIRST_ID: u64 = 1_000_000_000;

/// The operation that a load repeats.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// `tools/call` of one tool.
    Call(Era, String),
    /// `tools/list` with all its pages.
    List(Era),
}

impl Operation {
    /// Returns the request that begins the operation.
    pub(crate) fn first(&self) -> Template {
        match self {
            Self::Call(era, tool) => Template::call(*era, tool),
            Self::List(era) => Template::list(*era, None),
        }
    }

    /// Returns the request for the page behind `cursor`.
    pub(crate) fn next(&self, cursor: &str) -> Template {
        match self {
            Self::Call(era, _) | Self::List(era) => Template::list(*era, Some(cursor)),
        }
    }
}

/// A request with a gap for its id, and the fields that Streamable HTTP repeats in headers.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    pub(crate) method: &'static str,
    /// The value of `Mcp-Name`, where the method has one.
    pub(crate) name: Option<String>,
    tail: Vec<u8>,
}

impl Template {
    fn new(era: Era, method: &'static str, mut params: Value) -> Self {
        if era == Era::Modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": client_info(),
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let tail = format!(r#","method":"{method}","params":{params}}}"#).into();
        Self { method, name: None, tail }
    }

    /// Returns a `tools/call` with arguments of ordinary size.
    pub(crate) fn call(era: Era, tool: &str) -> Self {
        let arguments = json!({"text": "what the canned upstream answers does not depend on this"});
        let call = Self::new(era, "tools/call", json!({"name": tool, "arguments": arguments}));
        Self {
            name: Some(tool.to_owned()),
            ..call
        }
    }

    /// Returns a `tools/list`, of its first page or of the one behind `cursor`.
    pub(crate) fn list(era: Era, cursor: Option<&str>) -> Self {
        Self::new(
            era,
            "tools/list",
            cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor})),
        )
    }

    /// The `initialize` that opens a legacy session of a client that can do `capabilities`.
    pub(crate) fn initialize(capabilities: &Value) -> Self {
        let params = json!({"protocolVersion": LEGACY, "capabilities": capabilities, "clientInfo": client_info()});
        Self::new(Era::Legacy, "initialize", params)
    }

    /// Returns the era probe of the modern era.
    pub(crate) fn discover() -> Self {
        Self::new(Era::Modern, "server/discover", json!({}))
    }

    /// Returns the message with its id in the gap.
    pub(crate) fn render(&self, id: u64) -> Vec<u8> {
        [br#"{"jsonrpc":"2.0","id":"#, id.to_string().as_bytes(), &self.tail].concat()
    }
}

/// The notification that a legacy client sends after the answer to `initialize`.
pub(crate) const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn client_info() -> Value {
    json!({"name": "bench-driver", "version": "1.0.0"})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_whole() {
        for (template, method) in [
            (Template::call(Era::Modern, "echo"), "tools/call"),
            (Template::list(Era::Legacy, Some("next \"page\"")), "tools/list"),
            (Template::initialize(&json!({})), "initialize"),
            (Template::discover(), "server/discover"),
        ] {
            let message: Value = serde_json::from_slice(&template.render(FIRST_ID)).expect("a message is JSON");
            assert_eq!((&message["id"], &message["method"]), (&json!(FIRST_ID), &json!(method)));
        }
    }

    #[test]
    fn only_the_modern_era_speaks_in_meta() {
        let meta = |era| {
            let message: Value = serde_json::from_slice(&Template::call(era, "echo").render(1)).expect("JSON");
            message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].clone()
        };
        assert_eq!((meta(Era::Modern), meta(Era::Legacy)), (json!(MODERN), Value::Null));
    }
}
