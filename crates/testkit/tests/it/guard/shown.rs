//! What clients read of a tool's security: those that negotiated it, what the gateway goes by; the others nothing (MGP §2.4.3, §4.2, D6).

use serde_json::{Value, json};
use testkit::{Client, Era, Script, Step, gateway};

use super::{set_risk, speaking};
use crate::{ECHO, ERAS, WAYS, assert_has, pairs};

/// Returns a server that declares one tool in all carriers, and one in none.
fn declaring(era: Era) -> Script {
    let security = json!({"risk_level": "safe", "permissions_required": ["shell"], "side_effects": ["process"], "validator": "sandbox", "reversible": false});
    let run = json!({
        "name": "run", "inputSchema": {"type": "object", "properties": {"command": {"type": "string"}}},
        "security": security, "_mgp": {"security": security}, "_meta": {"own": 1, "dev.cloto/mgp": {"security": security}},
    });
    Script::of(era)
        .tool_defined(run, [Step::answer(ECHO)])
        .tool("plain", [Step::answer(ECHO)])
        .capabilities(speaking(era, json!({"tools": {}}), &["security"]))
}

async fn listed(client: &Client) -> Vec<Value> {
    let listed = client.request("tools/list", json!({})).await.result();
    listed["tools"].as_array().expect("tools").clone()
}

#[tokio::test]
async fn row_1_1_row_2_4_3_who_did_not_ask_sees_nothing_of_mgp_anywhere() {
    for (upstream, (era, wire)) in pairs(ERAS, WAYS) {
        let gateway = gateway().upstream("s", declaring(upstream)).guarded(|_| {}).start();
        let client = gateway.client(era, wire).open();
        let hello = match era {
            Era::Legacy => client.hello().await,
            Era::Modern => client.request("server/discover", json!({})).await.result(),
        };
        let tools = listed(&client).await;
        let seen = format!("{hello}{}", json!(tools));
        assert!(!seen.contains("mgp") && !seen.contains("security"), "{era:?} {wire:?}: {seen}");
        assert_eq!(tools[0]["_meta"]["own"], 1, "what is not MGP's stays");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn d6_row_4_2_row_4_3_who_asked_reads_what_the_gateway_goes_by_in_both_carriers() {
    for (upstream, (era, wire)) in pairs(ERAS, WAYS) {
        let gateway = gateway()
            .upstream("s", declaring(upstream))
            .guarded(|security| set_risk(security, "s", "plain", model::Risk::Dangerous))
            .start();
        let builder = gateway.client(era, wire).capabilities(speaking(era, json!({}), &["security"]));
        let tools = listed(&builder.connect().await).await;
        for tool in &tools {
            let security = &tool["security"];
            assert_eq!(security, &tool["_meta"]["dev.cloto/mgp"]["security"], "{era:?} {wire:?}: {tool}");
            assert!(tool.get("_mgp").is_none(), "{tool}");
            // It takes a command, whatever it says of itself; of the other, the operator has said it.
            assert_eq!(security["risk_level"], "dangerous", "{era:?} {wire:?}: {tool}");
        }
        let run = &tools[0]["security"];
        assert_eq!(run["permissions_required"], json!(["shell.execute"]));
        assert_eq!(run["side_effects"], json!(["process"]));
        assert_has(run, &json!({"validator": "sandbox", "reversible": false}));
        assert_eq!(run["confirmation_required"], true, "{run}");
        gateway.stop().await;
    }
}
