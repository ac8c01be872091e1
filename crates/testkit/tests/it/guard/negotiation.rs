//! MGP §2, §1.3: the four combinations of peers that know MGP and peers that don't; what is not asked for is not said.

use serde_json::{Value, json};
use testkit::{Era, Gateway, Script, Step, Wire, gateway};

use super::without_hold;
use crate::{ECHO, ERAS, StartWithStore as _, WAYS, assert_has, pairs};

fn declaration() -> Value {
    json!({"version": "0.5.2", "extensions": ["security", "error_handling", "streaming"]})
}

/// Returns the carriers of MGP D7 in an era.
fn declared(era: Era, mut capabilities: Value, declaration: Value) -> Value {
    match era {
        Era::Legacy => capabilities["mgp"] = declaration,
        Era::Modern => capabilities["extensions"] = json!({"dev.cloto/mgp": declaration}),
    }
    capabilities
}

fn server(era: Era, speaks: bool) -> Script {
    let plain = json!({"tools": {}});
    let capabilities = if speaks { declared(era, plain, declaration()) } else { plain };
    Script::of(era).tool("say", [Step::answer(ECHO)]).capabilities(capabilities)
}

fn greeting(gateway: &Gateway, era: Era) -> Value {
    let method = if era == Era::Legacy { "initialize" } else { "server/discover" };
    let params = gateway.server("s").received_of(method)[0].params();
    match era {
        Era::Legacy => params["capabilities"].clone(),
        Era::Modern => params["_meta"]["io.modelcontextprotocol/clientCapabilities"].clone(),
    }
}

#[tokio::test]
async fn row_1_3_row_2_4_1_row_2_4_3_all_four_combinations_work_and_only_who_asks_is_told() {
    for (era, server_speaks) in pairs(ERAS, [false, true]) {
        for client_speaks in [false, true] {
            let gateway = gateway().upstream("s", server(era, server_speaks)).guarded(|_| {}).start();
            let capabilities = if client_speaks {
                declared(era, json!({}), declaration())
            } else {
                json!({})
            };
            let client = gateway.client(era, Wire::Pipe).capabilities(capabilities).open();
            let told = match era {
                Era::Legacy => client.hello().await,
                Era::Modern => client.request("server/discover", json!({})).await.result(),
            };
            assert_eq!(client.tools().await, ["say"], "{era:?}: an agent sees no tools of the gateway's");
            assert!(!client.call("say", json!({})).await.is_error());
            let offered = greeting(&gateway, era);
            let carriers = match era {
                Era::Legacy => [&offered["mgp"], &offered["experimental"]["mgp"]],
                Era::Modern => [&offered["extensions"]["dev.cloto/mgp"]; 2],
            };
            for carrier in carriers {
                let names = carrier["extensions"].as_array().cloned().unwrap_or_default();
                assert!(
                    names.contains(&json!("security")) && !names.contains(&json!("streaming")),
                    "{era:?}: {offered}"
                );
            }
            let answer = match era {
                Era::Legacy => &told["capabilities"]["mgp"],
                Era::Modern => &told["capabilities"]["extensions"]["dev.cloto/mgp"],
            };
            match client_speaks {
                true => assert_eq!(
                    answer["extensions"],
                    json!(["security", "error_handling"]),
                    "{era:?}: the intersection"
                ),
                false => assert!(answer.is_null() && !told.to_string().contains("mgp"), "{era:?}: silence: {told}"),
            }
            gateway.stop().await;
        }
    }
}

/// MGP D18: who negotiated `error_handling` gets errors, with what to do in `data._mgp`.
#[tokio::test]
async fn d18_a_refusal_is_an_error_for_who_asked_for_errors() {
    for (era, wire) in WAYS {
        let gateway = super::guarded(era).guarded(without_hold).start();
        let client = gateway
            .client(era, wire)
            .capabilities(declared(era, json!({}), declaration()))
            .ready()
            .await;
        let reply = client.call("destroy", json!({})).await;
        assert_eq!(reply.error().0, 1000, "{era:?} {wire:?}");
        let error = reply.message.error_raw().expect("an error").to_value();
        let recovery = &error["data"]["_mgp"];
        assert_has(recovery, &json!({"category": "security", "retryable": true}));
        assert!(recovery["details"]["request_id"].is_string());
        gateway.stop().await;
    }
}

/// MGP §3.5, §3.6: a server that negotiated `security` is told that it has to wait, and what was decided.
#[tokio::test]
async fn row_3_5_a_server_is_told_that_it_waits_and_what_was_decided() {
    let mut wants = declaration();
    wants["permissions_required"] = json!(["filesystem.write"]);
    let script = Script::legacy()
        .tool("say", [Step::answer(ECHO)])
        .capabilities(declared(Era::Legacy, json!({"tools": {}}), wants))
        .on("mgp/permission/await", [Step::answer("{}")])
        .on("mgp/permission/grant", [Step::answer("{}")]);
    let gateway = gateway().upstream("s", script).guarded(|_| {}).start_with_store().await;
    let operations = super::operations(&gateway);
    let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
    let awaited = gateway.server("s").nth("mgp/permission/await", 1).await.params();
    let request = awaited["request_id"].as_str().expect("a request id").to_owned();
    let told = super::rejection(&client.call("say", json!({})).await);
    assert_eq!(told["details"]["request_id"], json!(request), "{told}");
    let (server, permission) = (model::ServerId::new("s").expect("good"), model::Permission::new("filesystem.write"));
    let answer = model::PermissionAnswer::Approved;
    operations
        .decide_permission(&server, &permission, answer, None)
        .await
        .expect("decided");
    let granted = gateway.server("s").nth("mgp/permission/grant", 1).await.params();
    assert_eq!(granted["grants"], json!({"filesystem.write": "approved"}), "{granted}");
    assert!(!client.call("say", json!({})).await.result()["isError"].as_bool().unwrap_or(false));
    gateway.stop().await;
}

/// What servers are told: a version, and what is built, by both sets of names; and nothing that is not.
#[tokio::test]
async fn row_2_2_row_2_2e_d7_d8_servers_are_told_version_and_extensions() {
    let told = [
        "security",
        "permissions",
        "tool_security",
        "access_control",
        "audit",
        "code_safety",
        "error_handling",
    ];
    for era in ERAS {
        let gateway = gateway().upstream("s", server(era, true)).guarded(|_| {}).start();
        gateway.client(Era::Legacy, Wire::Pipe).connect().await.tools().await;
        let offered = greeting(&gateway, era);
        let carriers = match era {
            Era::Legacy => vec![&offered["mgp"], &offered["experimental"]["mgp"]],
            Era::Modern => vec![&offered["extensions"]["dev.cloto/mgp"]],
        };
        for carrier in carriers {
            assert_eq!(carrier["version"], "0.5.2", "{era:?}: {offered}");
            let names: std::collections::BTreeSet<&str> = carrier["extensions"]
                .as_array()
                .expect("a list")
                .iter()
                .filter_map(Value::as_str)
                .collect();
            assert_eq!(names, told.into(), "{era:?}");
        }
        gateway.stop().await;
    }
}

/// Each request of the modern era says what its sender speaks: here that is the gateway, whatever its client declared.
#[tokio::test]
async fn d7_modern_requests_declare_the_gateway_and_not_its_client() {
    for (era, wire) in WAYS {
        let gateway = gateway().upstream("s", server(Era::Modern, true)).guarded(|_| {}).start();
        let declared = declared(era, json!({}), json!({"version": "0.4.0", "extensions": ["streaming", "audit"]}));
        let client = gateway.client(era, wire).capabilities(declared).ready().await;
        client.call("say", json!({})).await;
        let sent = gateway.server("s").nth("tools/call", 1).await.params();
        let capabilities = &sent["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        let ours = &capabilities["extensions"]["dev.cloto/mgp"];
        assert_eq!(ours["version"], "0.5.2", "{era:?} {wire:?}: {sent}");
        assert!(
            ours["extensions"]
                .as_array()
                .is_some_and(|names| names.contains(&json!("security"))),
            "{ours}"
        );
        assert!(!capabilities.to_string().contains("streaming"), "{capabilities}");
        gateway.stop().await;
    }
}

/// The client is answered on the carrier that it used, in the words that it used.
#[tokio::test]
async fn d7_d8_a_client_is_answered_on_its_own_carrier_in_its_own_words() {
    let declaration = json!({"version": "0.6.0", "extensions": ["permissions", "tool_security", "callbacks", "error_handling"]});
    let carriers = [
        (json!({"mgp": declaration}), "/mgp"),
        (json!({"experimental": {"mgp": declaration}}), "/experimental/mgp"),
        (json!({"extensions": {"dev.cloto/mgp": declaration}}), "/extensions/dev.cloto~1mgp"),
    ];
    for (capabilities, place) in &carriers {
        let gateway = gateway().upstream("s", server(Era::Legacy, false)).guarded(|_| {}).start();
        let client = gateway.client(Era::Legacy, Wire::Pipe).capabilities(capabilities.clone()).open();
        let told = client.hello().await["capabilities"].clone();
        for (_, other) in &carriers {
            let answer = told.pointer(other).map(|answer| answer["extensions"].clone());
            let expected = (other == place).then(|| json!(["permissions", "tool_security", "error_handling"]));
            assert_eq!(answer, expected, "{capabilities}: {told}");
        }
        gateway.stop().await;
    }
}

/// A server that knows the later names, or declares on the other carrier, is spoken to all the same.
#[tokio::test]
async fn d8_d9_servers_of_later_drafts_are_spoken_to() {
    let declaration = json!({"version": "0.6.0", "extensions": ["permissions", "streaming"], "permissions_required": ["network.outbound"]});
    for capabilities in [
        json!({"tools": {}, "mgp": declaration}),
        json!({"tools": {}, "experimental": {"mgp": declaration}}),
        json!({"tools": {}, "extensions": {"dev.cloto/mgp": declaration}}),
    ] {
        let script = Script::legacy()
            .tool("say", [Step::answer(ECHO)])
            .capabilities(capabilities.clone());
        let gateway = gateway().upstream("s", script).guarded(|_| {}).start();
        gateway.client(Era::Legacy, Wire::Pipe).connect().await.tools().await;
        let awaited = gateway.server("s").nth("mgp/permission/await", 1).await.params();
        assert_eq!(awaited["permissions"], json!(["network.outbound"]), "{capabilities}");
        gateway.stop().await;
    }
}

/// What a server says of its trust only lowers what its operator says; what it calls itself changes no names.
#[tokio::test]
async fn row_2_3_d1_a_server_s_claims_only_lower_its_trust() {
    use model::TrustLevel::{Experimental, Sandboxed, Standard, Trusted};
    for (configured, claim, lowers) in [
        (Standard, "core", true),
        (Standard, "trusted", true),
        (Trusted, "standard", true),
        (Standard, "experimental", false),
        (Standard, "sandboxed", false),
        (Trusted, "untrusted", false),
        (Trusted, "who knows", false),
        (Sandboxed, "core", false),
        (Experimental, "core", false),
    ] {
        let declaration = json!({"version": "0.5.2", "extensions": ["security"], "server_id": "mind.cerebras", "trust_level": claim});
        let tool = json!({"name": "say", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}});
        let script = Script::legacy()
            .tool_defined(tool, [Step::answer(ECHO)])
            .capabilities(json!({"tools": {}, "mgp": declaration}));
        let gateway = gateway()
            .upstream("s", script)
            .guarded(|security| security.servers.entry(super::server_id("s")).or_default().trust = configured)
            .start();
        let _client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
        let judged = super::operations(&gateway).tools();
        let say = judged
            .iter()
            .find(|tool| tool.id == super::tool_id("s", "say"))
            .expect("known by its configured id");
        // `readOnlyHint` makes a tool safe only where its server is trusted enough to say so (DESIGN 7).
        let expected = if lowers { model::Risk::Safe } else { model::Risk::Moderate };
        assert_eq!(say.facts.risk, expected, "{configured:?}, {claim}");
        gateway.stop().await;
    }
}
