//! A guarded gateway: who may call what, who is asked, and what is written down.

mod access;
mod arguments;
mod choke_point;
mod consent;
mod kernel_tools;
mod negotiation;
mod operator;
mod races;
mod record;
mod retries;
mod rows;
mod watchers;
mod witness;

use model::{Principal, PrincipalId, Role};
use serde_json::{Value, json};
use testkit::{Era, Script, Step, gateway};

use crate::ECHO;

/// A server with a tool of each risk.
fn risky(era: Era) -> Script {
    let tool = |name: &str, annotations: Value| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": annotations});
    let answer = || vec![vec![Step::answer(ECHO)]];
    Script::of(era)
        .tool_as(tool("look", json!({"readOnlyHint": true})), answer())
        .tool_as(tool("change", json!({})), answer())
        .tool_as(tool("destroy", json!({"destructiveHint": true})), answer())
}

/// A gateway that is guarded as one without configuration is, with `risky` behind it.
fn guarded(era: Era) -> testkit::Builder {
    gateway().upstream("fs", risky(era)).guarded(|_| {})
}

fn operator() -> Principal {
    Principal {
        id: PrincipalId::new("olga"),
        role: Role::Operator,
    }
}

/// The rejection that a model reads (MGP D18).
fn rejection(reply: &testkit::Reply) -> Value {
    assert_eq!(reply.result()["isError"], true, "{:?}", reply.message);
    serde_json::from_str(&reply.text()).expect("a rejection is JSON")
}
