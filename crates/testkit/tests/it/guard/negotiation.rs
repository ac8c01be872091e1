//! MGP §2, §1.3: the four combinations of peers that know MGP and peers that don't; what is not asked for is not said.

use serde_json::{Value, json};
use testkit::{Era, Gateway, Script, Step, Wire, gateway};

use crate::ECHO;

fn declaration() -> Value {
    json!({"version": "0.5.2", "extensions": ["security", "error_handling", "streaming"]})
}

/// The carriers of D7 in an era.
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
async fn all_four_combinations_work_and_only_who_asks_is_told() {
    for era in [Era::Legacy, Era::Modern] {
        for server_speaks in [false, true] {
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
                assert!(!client.call("say", json!({})).await.message.is_error());
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
}

/// D18: who negotiated `error_handling` gets errors, with what to do in `data._mgp`.
#[tokio::test]
async fn a_refusal_is_an_error_for_who_asked_for_errors() {
    for (era, wire) in crate::WAYS {
        let gateway = super::guarded(era)
            .guarded(|security| security.approval_hold = std::time::Duration::ZERO)
            .start();
        let client = gateway
            .client(era, wire)
            .capabilities(declared(era, json!({}), declaration()))
            .connect()
            .await;
        client.tools().await;
        let reply = client.call("destroy", json!({})).await;
        assert_eq!(reply.error().0, 1000, "{era:?} {wire:?}");
        let error = reply.message.error_raw().expect("an error").to_value();
        let recovery = &error["data"]["_mgp"];
        assert_eq!(
            (&recovery["category"], &recovery["retryable"]),
            (&json!("security"), &json!(true)),
            "{error}"
        );
        assert!(recovery["details"]["request_id"].is_string());
        gateway.stop().await;
    }
}

/// §3.5, §3.6: a server that negotiated `security` is told that it has to wait, and what was decided.
#[tokio::test]
async fn a_server_is_told_of_its_permissions() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut wants = declaration();
    wants["permissions_required"] = json!(["filesystem.write"]);
    let script = Script::legacy()
        .tool("say", [Step::answer(ECHO)])
        .capabilities(declared(Era::Legacy, json!({"tools": {}}), wants))
        .on("mgp/permission/await", [Step::answer("{}")])
        .on("mgp/permission/grant", [Step::answer("{}")]);
    let gateway = gateway()
        .upstream("s", script)
        .guarded(|_| {})
        .remembering(folder.path())
        .await
        .start();
    let office = gateway.kernel.office(super::operator(), None).expect("an operator");
    let client = gateway.client(Era::Legacy, Wire::Pipe).connect().await;
    client.tools().await;
    let awaited = gateway.server("s").nth("mgp/permission/await", 1).await.params();
    let request = awaited["request_id"].as_str().expect("a request id").to_owned();
    let told = super::rejection(&client.call("say", json!({})).await);
    assert_eq!(told["details"]["request_id"], json!(request), "{told}");
    let (server, permission) = (model::ServerId::new("s").expect("good"), model::Permission::new("filesystem.write"));
    let answer = model::PermissionAnswer::Approved;
    office.decide_permission(&server, &permission, answer, None).await.expect("decided");
    let granted = gateway.server("s").nth("mgp/permission/grant", 1).await.params();
    assert_eq!(granted["grants"], json!({"filesystem.write": "approved"}), "{granted}");
    assert!(!client.call("say", json!({})).await.result()["isError"].as_bool().unwrap_or(false));
    gateway.stop().await;
}
