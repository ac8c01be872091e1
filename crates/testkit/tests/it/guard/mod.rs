//! A guarded gateway: who may call what, who is asked, and what is recorded.

mod access;
mod arguments;
mod choke_point;
mod clock;
mod code_safety;
mod codes;
mod consent;
mod dismissal;
mod events;
mod kernel_tools;
mod negotiation;
mod operator;
mod permissions;
mod races;
mod record;
mod retries;
mod rows;
mod servers;
mod shown;
mod trace;
mod watchers;
pub(crate) mod witness;

use std::time::Duration;

use kernel::Security;
use kernel::operator::{NewGrant, NewToken, Operations};
use mgp::tool::Override;
use model::{Access, GrantScope, Principal, PrincipalId, Risk, Role, ServerId, ToolId};
use serde_json::{Value, json};
use store::{AuditQuery, Order};
use testkit::{Client, Era, Gateway, Script, Step, Wire, gateway};

use crate::ECHO;

/// Returns a server with a tool of each risk.
fn risky(era: Era) -> Script {
    let tool = |name: &str, annotations: Value| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": annotations});
    let answer = || [Step::answer(ECHO)];
    Script::of(era)
        .tool_defined(tool("look", json!({"readOnlyHint": true})), answer())
        .tool_defined(tool("change", json!({})), answer())
        .tool_defined(tool("destroy", json!({"destructiveHint": true})), answer())
}

/// Returns a gateway that is guarded in this way, with one server `s` with this one tool behind it, and a client that knows the tool.
async fn before_a_tool(definition: Value, change: impl FnOnce(&mut Security)) -> (Gateway, Client) {
    let script = Script::legacy().tool_defined(definition, [Step::answer(ECHO)]);
    let gateway = gateway().upstream("s", script).guarded(change).start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
    (gateway, client)
}

/// Has the gateway refuse a call at once that would wait for an operator's decision.
fn without_hold(security: &mut Security) {
    security.approval_hold = Duration::ZERO;
}

/// Returns a gateway that is guarded as one without configuration is, with `risky` behind it.
fn guarded(era: Era) -> testkit::Builder {
    gateway().upstream("fs", risky(era)).guarded(|_| {})
}

fn operator() -> Principal {
    Principal {
        id: PrincipalId::new("olga"),
        role: Role::Operator,
    }
}

/// Returns the rejection that a model reads (MGP D18).
fn rejection(reply: &testkit::Reply) -> Value {
    assert_eq!(reply.result()["isError"], true, "{:?}", reply.message);
    serde_json::from_str(&reply.text()).expect("a rejection is JSON")
}

pub(crate) fn operations(gateway: &Gateway) -> Operations {
    gateway.kernel.operations(operator(), None).expect("an operator")
}

/// Returns a grant, or a denial, of a server or of one of its tools, as `server` or `server/tool`.
pub(crate) fn grant_of(principal: &str, scope: &str, access: Access) -> NewGrant {
    NewGrant {
        principal: PrincipalId::new(principal),
        scope: GrantScope::parse(scope).expect("a good scope"),
        access,
        confirms: false,
        expires: None,
        justification: None,
    }
}

/// Returns a token of an agent, under that id, without an end.
pub(crate) fn token_of(id: &str, principal: &str) -> NewToken {
    NewToken {
        id: Some(id.to_owned()),
        principal: PrincipalId::new(principal),
        role: Role::Agent,
        scopes: Vec::new(),
        expires: None,
    }
}

/// Sets the risk of a tool, whatever its server says, as an operator does in the configuration.
fn set_risk(security: &mut Security, server: &str, tool: &str, risk: Risk) {
    let risk = Override {
        risk: Some(risk),
        ..Override::default()
    };
    let server = security.servers.entry(server_id(server)).or_default();
    server.tools.insert(tool.into(), risk);
}

fn server_id(id: &str) -> ServerId {
    ServerId::new(id).expect("a good id")
}

fn tool_id(server: &str, name: &str) -> ToolId {
    ToolId {
        server: server_id(server),
        name: name.into(),
    }
}

/// Capabilities that declare MGP with these extensions, on the first carrier of an era.
fn speaking(era: Era, mut capabilities: Value, extensions: &[&str]) -> Value {
    let declaration = json!({"version": "0.5.2", "extensions": extensions});
    match era {
        Era::Legacy => capabilities["mgp"] = declaration,
        Era::Modern => capabilities["extensions"] = json!({"dev.cloto/mgp": declaration}),
    }
    capabilities
}

/// Returns everything that is on record.
async fn events(gateway: &Gateway) -> Vec<Value> {
    let query = AuditQuery {
        order: Order::Oldest,
        limit: 1000,
        ..AuditQuery::default()
    };
    let page = operations(gateway)
        .store()
        .expect("a store")
        .query(query)
        .await
        .expect("a readable log");
    page.events
        .iter()
        .map(|event| serde_json::from_slice(&event.body).expect("an event is JSON"))
        .collect()
}

/// Returns the events of a type, once there are so many.
///
/// When they are not recorded in time.
/// When they do not come.
pub(crate) async fn until(gateway: &Gateway, kind: &str, count: usize) -> Vec<Value> {
    let deadline = tokio::time::Instant::now() + testkit::PATIENCE;
    loop {
        let all = events(gateway).await;
        let found: Vec<Value> = all.iter().filter(|event| event["event_type"] == kind).cloned().collect();
        if found.len() >= count {
            return found;
        }
        assert!(
            tokio::time::Instant::now() < deadline,
            "waited in vain for {count} {kind} among {all:#?}"
        );
        tokio::task::yield_now().await;
    }
}
