//! Rows of `docs/reference/mgp-rows.md` that no other file of these tests shows, each under its number.

use std::io;
use std::sync::{Arc, Mutex};

use model::{Access, ServerId};
use policy::{DefaultAccess, PermissionPolicy};
use serde_json::{Value, json};
use testkit::{Era, Gateway, Reply, Script, Step, Wire, gateway};

use super::{before_a_tool, grant_of, guarded, operations, rejection, without_hold};
use crate::{ECHO, StartWithStore as _, WAYS, pairs};

fn schema() -> Value {
    let text = json!({"type": "string"});
    json!({"type": "object", "properties": {"query": text, "sql": text, "url": text, "code": text}})
}

/// Returns a server that declares MGP of a version, and wants a permission.
fn wanting(version: &str) -> Script {
    let declaration = json!({"version": version, "extensions": ["security"], "permissions_required": ["filesystem.write"]});
    Script::legacy()
        .tool("say", [Step::answer(ECHO)])
        .capabilities(json!({"tools": {}, "mgp": declaration}))
}

fn spoke_mgp(gateway: &Gateway, server: &str) -> bool {
    let received = gateway.server(server).received();
    received
        .iter()
        .any(|one| one.message.method().is_some_and(|method| method.starts_with("mgp/")))
}

#[tokio::test]
async fn row_2_4_2_a_plain_server_hears_nothing_of_mgp() {
    for (era, wire) in WAYS {
        let gateway = guarded(era)
            .guarded(|security| {
                let fs = security.servers.entry(ServerId::new("fs").expect("good")).or_default();
                fs.permissions.push(model::Permission::new("filesystem.write"));
            })
            .start();
        let client = gateway.client(era, wire).ready().await;
        assert_eq!(rejection(&client.call("look", json!({})).await)["code"], 1000);
        assert!(!spoke_mgp(&gateway, "fs"), "{era:?} {wire:?}");
        gateway.stop().await;
    }
}

/// Collects what the gateway logs on this thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn listen(&self) -> tracing::subscriber::DefaultGuard {
        let log = self.clone();
        let writing = tracing_subscriber::fmt().with_max_level(tracing::Level::WARN).with_ansi(false);
        tracing::subscriber::set_default(writing.with_writer(move || log.clone()).finish())
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().expect("nobody panics here")).into_owned()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("nobody panics here").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Another major version is plain MCP, another minor one of 0.x is not.
#[tokio::test]
async fn row_2_4_4_and_2_5_versions_decide_whether_mgp_is_spoken() {
    for (version, speaks, warned) in [
        ("1.0.0", false, "plain MCP"),
        ("0.6.0", true, "another minor version"),
        ("0.5.9", true, ""),
    ] {
        let log = Log::default();
        let _listening = log.listen();
        let gateway = gateway().upstream("s", wanting(version)).guarded(|_| {}).start();
        let client = gateway.client(Era::Legacy, Wire::Pipe).connect().await;
        assert_eq!(client.tools().await, ["say"], "{version} connects");
        if speaks {
            gateway.server("s").nth("mgp/permission/await", 1).await;
        } else {
            client.call("say", json!({})).await;
            assert!(!spoke_mgp(&gateway, "s"), "{version}");
        }
        let said = log.text();
        match warned.is_empty() {
            true => assert!(!said.contains(version), "{version}: {said}"),
            false => assert!(said.contains(version) && said.contains(warned), "{version}: {said}"),
        }
        gateway.stop().await;
    }
}

#[tokio::test]
async fn row_3_3_four_policies_on_one_server() {
    use PermissionPolicy::{AutoApprove, ConfigOnly, DenyAll, Interactive};
    for (policy, passes) in [(Interactive, false), (AutoApprove, true), (DenyAll, false), (ConfigOnly, false)] {
        let gateway = gateway()
            .upstream("s", wanting("0.5.2"))
            .guarded(|security| security.tables.permissions = policy)
            .start();
        let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
        let reply = client.call("say", json!({"a": 1})).await;
        match passes {
            true => assert_eq!(reply.said(), json!({"a": 1}), "{policy:?}"),
            false => assert_eq!(rejection(&reply)["code"], 1000, "{policy:?}"),
        }
        assert_eq!(gateway.server("s").count_of("tools/call"), usize::from(passes), "{policy:?}");
        gateway.stop().await;
    }
}

/// A server that does not know the method is guarded all the same, and is not asked again.
#[tokio::test]
async fn d3_permissions_hold_where_the_server_knows_no_permission_methods() {
    for code in [-32601, -32602, -32600] {
        let script = wanting("0.5.2").on("mgp/permission/await", [Step::Fail(code, "what?".to_owned())]);
        let gateway = gateway().upstream("s", script).guarded(|_| {}).start();
        let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
        gateway.server("s").nth("mgp/permission/await", 1).await;
        assert_eq!(rejection(&client.call("say", json!({})).await)["code"], 1000, "{code}");
        assert_eq!(gateway.server("s").count_of("mgp/permission/await"), 1, "{code}: no retry");
        assert_eq!(gateway.server("s").count_of("tools/call"), 0, "{code}");
        gateway.stop().await;
    }
}

/// The risk is read wherever a server may write it.
#[tokio::test]
async fn row_4_2_d6_every_carrier_of_security_is_read() {
    let security = json!({"risk_level": "dangerous"});
    for carrier in [
        json!({"security": security}),
        json!({"_mgp": {"security": security}}),
        json!({"_meta": {"dev.cloto/mgp": {"security": security}}}),
        json!({"annotations": {"destructiveHint": true}}),
    ] {
        let mut tool = json!({"name": "act", "inputSchema": {"type": "object"}});
        for (name, value) in carrier.as_object().expect("an object") {
            tool[name] = value.clone();
        }
        let (gateway, client) = before_a_tool(tool, without_hold).await;
        assert_eq!(rejection(&client.call("act", json!({})).await)["code"], 1000, "{carrier}");
        assert_eq!(gateway.server("s").count_of("tools/call"), 0, "{carrier}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn row_4_5_no_validator_lets_a_bad_argument_reach_the_server() {
    let strict = json!({"level": "strict", "language": "python"});
    let rows = [
        (json!({"validator": "readonly"}), json!({"sql": "drop table users"})),
        (
            json!({"validator": "network_restricted"}),
            json!({"url": "http://169.254.169.254/latest/meta-data"}),
        ),
        (
            json!({"validator": "code_safety", "code_safety": strict}),
            json!({"code": "import os\nos.system('id')"}),
        ),
    ];
    for (mut security, bad) in rows {
        security["risk_level"] = json!("moderate");
        let tool = json!({"name": "act", "inputSchema": schema(), "security": security, "annotations": {"readOnlyHint": true}});
        let (gateway, client) = before_a_tool(tool, |_| {}).await;
        let told = rejection(&client.call("act", bad).await);
        assert!(told["code"] == 1010 || told["code"] == 1011, "{security}: {told}");
        assert_eq!(told["status"], "rejected");
        assert!(told["violations"].as_array().is_some_and(|found| !found.is_empty()), "{told}");
        assert_eq!(gateway.server("s").count_of("tools/call"), 0, "{security}");
        gateway.stop().await;
    }
}

/// What is said of the tool beats what is said of the server beats the default.
#[tokio::test]
async fn row_5_2_the_tool_beats_the_server_beats_the_default() {
    let passes = |reply: &Reply| !reply.is_error() && reply.result()["isError"] != true;
    let _fs = || ServerId::new("fs").expect("good");
    for (default, (server, tool)) in pairs(
        [DefaultAccess::OptIn, DefaultAccess::OptOut],
        [(Access::Allow, Access::Deny), (Access::Deny, Access::Allow)],
    ) {
        let gateway = guarded(Era::Legacy)
            .guarded(|security| security.tables.access = Some(default))
            .start_with_store()
            .await;
        let operations = operations(&gateway);
        let client = gateway.client(Era::Legacy, Wire::Pipe).principal("local").ready().await;
        for (scope, access) in [("fs", server), ("fs/look", tool)] {
            operations.grant(grant_of("local", scope, access)).await.expect("granted");
        }
        let context = format!("{default:?}, {server:?} of the server, {tool:?} of the tool");
        assert_eq!(passes(&client.call("look", json!({})).await), tool == Access::Allow, "{context}");
        assert_eq!(
            passes(&client.call("change", json!({})).await),
            server == Access::Allow,
            "{context}"
        );
        gateway.stop().await;
    }
}

/// MGP §1.4: the same over stdio and Streamable HTTP, on both sides and in both eras: what may pass does, and what may not does not.
#[tokio::test]
async fn row_1_4_the_same_on_every_wire() {
    for ((upstream, server_wire), (era, wire)) in pairs(WAYS, WAYS) {
        let script = super::risky(upstream).over_http(server_wire == Wire::Http);
        let gateway = gateway().upstream("fs", script).guarded(without_hold).start();
        let client = gateway.client(era, wire).ready().await;
        let context = format!("{era:?} {wire:?} on {upstream:?} {server_wire:?}");
        assert_eq!(client.call("look", json!({"a": 1})).await.said(), json!({"a": 1}), "{context}");
        assert_eq!(rejection(&client.call("destroy", json!({})).await)["code"], 1000, "{context}");
        assert_eq!(gateway.server("fs").count_of("tools/call"), 1, "{context}");
        gateway.stop().await;
    }
}

/// MGP §1.5: JSON-RPC 2.0, methods of MGP below `mgp/` and notifications below `notifications/mgp.`, and MCP's own beside them.
#[tokio::test]
async fn row_1_5_row_1_6a_what_servers_are_sent_has_the_format_of_the_specification() {
    let declaration = json!({"version": "0.5.2", "extensions": ["security", "audit"], "permissions_required": ["filesystem.write"]});
    let script = Script::legacy()
        .tool("say", [Step::answer(ECHO)])
        .capabilities(json!({"tools": {}, "mgp": declaration}))
        .on("mgp/permission/await", [Step::answer("{}")])
        .on("mgp/permission/grant", [Step::answer("{}")]);
    let gateway = gateway().upstream("s", script).guarded(|_| {}).start_with_store().await;
    let _client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
    let server = gateway.server("s");
    server.nth("mgp/permission/await", 1).await;
    let (operations, permission) = (super::operations(&gateway), model::Permission::new("filesystem.write"));
    let answer = model::PermissionAnswer::Approved;
    let id = ServerId::new("s").expect("good");
    operations.decide_permission(&id, &permission, answer, None).await.expect("decided");
    server.nth("mgp/permission/grant", 1).await;
    server.nth("notifications/mgp.audit", 1).await;
    for received in server.received() {
        let line = received.message.line();
        let message: Value = serde_json::from_slice(&line).expect("JSON");
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        let Some(method) = message["method"].as_str() else { continue };
        if method.contains("mgp") {
            let is_request = message.get("id").is_some();
            let prefix = if is_request { "mgp/" } else { "notifications/mgp." };
            assert!(method.starts_with(prefix) && message["params"].is_object(), "{message}");
        }
    }
    gateway.stop().await;
}

/// MGP D33: five validators, each known by its name; what is none of them is not skipped.
#[tokio::test]
async fn d33_a_tool_is_safe_with_a_known_validator_only() {
    for (validator, dangerous) in [
        ("sandbox", false),
        ("readonly", false),
        ("network_restricted", false),
        ("none", false),
        ("Sandbox", true),
        ("read_only", true),
        ("", true),
    ] {
        let security = json!({"risk_level": "safe", "validator": validator});
        let tool = json!({"name": "act", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}, "security": security});
        let (gateway, client) = before_a_tool(tool, without_hold).await;
        let reply = client.call("act", json!({})).await;
        assert_eq!(reply.result()["isError"] == true, dangerous, "`{validator}`: {:?}", reply.message);
        gateway.stop().await;
    }
}
