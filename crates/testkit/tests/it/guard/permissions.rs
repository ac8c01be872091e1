//! MGP §3, D2 to D5: the permissions that servers want, who decides, and what the servers are told.

use std::collections::BTreeMap;

use model::{Permission, PermissionAnswer};
use serde_json::{Value, json};
use testkit::{Builder, Client, Era, Gateway, Script, Step, Wire, gateway};

use super::{operations, rejection, server_id, speaking};
use crate::{ECHO, StartWithStore as _, WAYS, assert_has, said};

/// Returns a server that wants permissions for itself, and has a tool that needs one of them, one that needs another, and one that names
/// none.
fn wanting(wants: &Value) -> Script {
    let needs = |name: &str, permission: &str| json!({"name": name, "inputSchema": {"type": "object"}, "security": {"risk_level": "safe", "permissions_required": [permission]}});
    let mut capabilities = speaking(Era::Legacy, json!({"tools": {}}), &["security"]);
    capabilities["mgp"]["permissions_required"] = wants.clone();
    Script::legacy()
        .tool_defined(needs("write", "memory.write"), [Step::answer(ECHO)])
        .tool_defined(needs("fetch", "network.outbound"), [Step::answer(ECHO)])
        .tool("plain", [Step::answer(ECHO)])
        .capabilities(capabilities)
        .on("mgp/permission/await", [Step::answer("{}")])
        .on("mgp/permission/grant", [Step::answer("{}")])
}

fn built(wants: &Value) -> Builder {
    gateway().upstream("s", wanting(wants)).guarded(|_| {})
}

async fn decide(gateway: &Gateway, permission: &str, answer: PermissionAnswer) {
    let (operations, permission) = (operations(gateway), Permission::new(permission));
    let decided = operations.decide_permission(&server_id("s"), &permission, answer, None).await;
    decided.expect("decided");
}

/// Returns the names of the tools that pass.
async fn passing(client: &Client) -> Vec<&'static str> {
    let mut passing = Vec::new();
    for tool in ["write", "fetch", "plain"] {
        let reply = client.call(tool, json!({})).await;
        match reply.result()["isError"] == true {
            true => assert_eq!(rejection(&reply)["code"], 1000, "{tool}"),
            false => passing.push(tool),
        }
    }
    passing
}

#[tokio::test]
async fn row_3_2_d5_the_eleven_permissions_have_their_risks_and_short_names_are_read() {
    let eleven = [
        ("filesystem.read", "moderate"),
        ("filesystem.write", "dangerous"),
        ("network.outbound", "moderate"),
        ("network.listen", "dangerous"),
        ("shell.execute", "dangerous"),
        ("code_execution", "dangerous"),
        ("memory.read", "safe"),
        ("memory.write", "moderate"),
        ("system.info", "safe"),
        ("camera", "dangerous"),
        ("notification", "safe"),
    ];
    // Three of them by short names, and one with a name of its own.
    let mut wants = vec![
        json!("shell"),
        json!("network"),
        json!("filesystem"),
        json!("com.example.custom_permission"),
    ];
    wants.extend(eleven[5..].iter().map(|(name, _)| json!(name)));
    wants.push(json!("network.listen"));
    let gateway = built(&Value::from(wants)).start_with_store().await;
    let olga = gateway.client(Era::Legacy, Wire::Pipe).operator("olga").ready().await;
    gateway.server("s").nth("mgp/permission/await", 1).await;
    let listed = olga.call("mgp.permission.list", json!({"server_id": "s"})).await.result();
    let listed = said(&listed)["permissions"].as_array().expect("permissions").clone();
    let risks: BTreeMap<&str, &str> = listed
        .iter()
        .filter_map(|one| Some((one["permission"].as_str()?, one["risk_level"].as_str()?)))
        .collect();
    for (name, risk) in eleven {
        assert_eq!(risks.get(name), Some(&risk), "{name} in {risks:?}");
    }
    assert!(
        risks.contains_key("com.example.custom_permission") && risks.len() == 12,
        "{risks:?}"
    );
    assert!(listed.iter().all(|one| one["status"] == "pending" && one["request_id"].is_string()));
    gateway.stop().await;
}

#[tokio::test]
async fn row_3_5_row_3_6_a_server_awaits_what_is_then_granted_denied_or_deferred() {
    let wants = json!(["memory.write", "network.outbound", "camera"]);
    let gateway = built(&wants).start_with_store().await;
    let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
    let awaited = gateway.server("s").nth("mgp/permission/await", 1).await.params();
    assert!(awaited["request_id"].is_string() && awaited["message"].is_string(), "{awaited}");
    assert_eq!(awaited["policy"], "interactive");
    let mut asked: Vec<&str> = awaited["permissions"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    asked.sort_unstable();
    assert_eq!(asked, ["camera", "memory.write", "network.outbound"]);
    assert_eq!(passing(&client).await, Vec::<&str>::new(), "nothing before a decision");
    decide(&gateway, "memory.write", PermissionAnswer::Approved).await;
    decide(&gateway, "network.outbound", PermissionAnswer::Denied).await;
    decide(&gateway, "camera", PermissionAnswer::Deferred).await;
    let all = |server: &testkit::Scripted| {
        let mut told = BTreeMap::new();
        for one in server.received_of("mgp/permission/grant") {
            for (permission, word) in one.params()["grants"].as_object().into_iter().flatten() {
                told.insert(permission.clone(), word.clone());
            }
        }
        json!(told) == json!({"camera": "deferred", "memory.write": "approved", "network.outbound": "denied"})
    };
    gateway.server("s").until("what was decided", all).await;
    for granted in gateway.server("s").received_of("mgp/permission/grant") {
        let granted = granted.params();
        assert_eq!(granted["request_id"], awaited["request_id"], "{granted}");
        assert_eq!(granted["approved_by"], "olga", "{granted}");
    }
    // MGP D4: what was denied is blocked; what names no permission waits for the one that is put off.
    assert_eq!(passing(&client).await, ["write"]);
    decide(&gateway, "camera", PermissionAnswer::Denied).await;
    assert_eq!(passing(&client).await, ["write", "plain"]);
    gateway.stop().await;
}

/// MGP D4: what is denied blocks the tools that require it; a tool that names none goes on until nothing is left.
#[tokio::test]
async fn d4_a_partial_denial_blocks_what_requires_it_and_a_revocation_reaches_the_running_session() {
    for (era, wire) in WAYS {
        let wants = json!(["memory.write", "network.outbound"]);
        let gateway = built(&wants).start_with_store().await;
        let client = gateway.client(era, wire).ready().await;
        for permission in ["memory.write", "network.outbound"] {
            decide(&gateway, permission, PermissionAnswer::Approved).await;
        }
        assert_eq!(passing(&client).await, ["write", "fetch", "plain"], "{era:?} {wire:?}");
        decide(&gateway, "memory.write", PermissionAnswer::Denied).await;
        assert_eq!(passing(&client).await, ["fetch", "plain"], "{era:?} {wire:?}");
        decide(&gateway, "network.outbound", PermissionAnswer::Denied).await;
        assert_eq!(passing(&client).await, Vec::<&str>::new(), "{era:?} {wire:?}");
        gateway.stop().await;
    }
}

/// MGP D2: nothing blocks on a person: start-up completes, tools are listed, and calls say what they wait for.
#[tokio::test]
async fn d2_start_up_completes_and_calls_name_the_request() {
    for (era, wire) in WAYS {
        let gateway = built(&json!(["memory.write"])).start();
        let client = gateway.client(era, wire).connect().await;
        assert_eq!(client.tools().await, ["write", "fetch", "plain"], "{era:?} {wire:?}");
        let awaited = gateway.server("s").nth("mgp/permission/await", 1).await.params();
        let told = rejection(&client.call("write", json!({})).await);
        assert_has(&told, &json!({"code": 1000, "retryable": true}));
        assert_eq!(told["details"]["request_id"], awaited["request_id"], "{told}");
        gateway.stop().await;
    }
}

/// A decision outlives the process; no person is asked again.
#[tokio::test]
async fn row_3_6_a_decision_outlives_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    for round in 0..2 {
        let gateway = built(&json!(["memory.write"])).remembering(folder.path()).await.start();
        let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
        if round == 0 {
            gateway.server("s").nth("mgp/permission/await", 1).await;
            decide(&gateway, "memory.write", PermissionAnswer::Approved).await;
            decide(&gateway, "network.outbound", PermissionAnswer::Approved).await;
        }
        assert_eq!(passing(&client).await, ["write", "fetch", "plain"], "round {round}");
        let awaited = gateway.server("s").count_of("mgp/permission/await");
        assert_eq!(awaited > 0, round == 0, "{awaited}, round {round}");
        gateway.stop().await;
    }
}
