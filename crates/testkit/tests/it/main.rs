//! The gateway as a whole, between scripted peers: what must hold of it, each a behaviour that can fail.

mod bad_clients;
mod bad_servers;
mod bridges;
mod callers;
mod isolation;
mod leaks;
mod policy;
mod sealed;
mod transcripts;

use serde_json::{Value, json};
use testkit::{Era, Script, Step, Wire};

/// Every way in: era and wire of a client, or of a server.
const WAYS: [(Era, Wire); 4] = [
    (Era::Legacy, Wire::Pipe),
    (Era::Legacy, Wire::Http),
    (Era::Modern, Wire::Pipe),
    (Era::Modern, Wire::Http),
];

/// A server of that kind with one tool that says what it was given.
fn echo(era: Era, wire: Wire) -> Script {
    Script::of(era).over_http(wire == Wire::Http).tool("say", [Step::answer(ECHO)])
}

/// A result whose structured content are the arguments.
const ECHO: &str = r#"{"resultType":"complete","content":[],"structuredContent":$arguments}"#;

fn said(result: &Value) -> &Value {
    &result["structuredContent"]
}

fn form() -> Value {
    json!({"elicitation": {"form": {}}, "sampling": {}, "roots": {"listChanged": true}})
}
