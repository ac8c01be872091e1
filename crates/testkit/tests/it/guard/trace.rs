//! MGP §6.5, D6: one trace from the client to the server and into the audit, whether the client or the gateway names
//! it.

use serde_json::{Value, json};
use testkit::{Era, Script, Step, Wire, gateway};

use super::{events, guarded, speaking, until, without_hold};
use crate::{ECHO, StartWithStore as _, WAYS, pairs};

const NAMED: &str = "550e8400-e29b-41d4-a716-446655440000";
const PARENT: &str = "00-550e8400e29b41d4a716446655440000-00f067aa0ba902b7-01";

fn mgp_server(era: Era, wire: Wire) -> Script {
    Script::of(era)
        .over_http(wire == Wire::Http)
        .tool("say", [Step::answer(ECHO)])
        .capabilities(speaking(era, json!({"tools": {}}), &["security"]))
}

/// Returns the ids under which a server was told of a call: in MGP's members, and as W3C trace context.
fn told(params: &Value) -> [String; 4] {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let w3c = text(&params["_meta"]["traceparent"]);
    [
        text(&params["trace_id"]),
        text(&params["_mgp"]["trace_id"]),
        text(&params["_meta"]["dev.cloto/mgp"]["trace_id"]),
        w3c.split('-').nth(1).unwrap_or_default().to_owned(),
    ]
}

#[tokio::test]
async fn row_6_5_d6_one_trace_at_the_server_and_in_the_audit_in_whatever_carrier_it_came() {
    let carriers = [
        json!({"trace_id": NAMED}),
        json!({"_mgp": {"trace_id": NAMED}}),
        json!({"_meta": {"dev.cloto/mgp": {"trace_id": NAMED}}}),
        json!({"_meta": {"traceparent": PARENT}}),
    ];
    for ((upstream, server_wire), (era, wire)) in pairs(WAYS, WAYS) {
        let built = gateway().upstream("s", mgp_server(upstream, server_wire)).guarded(|_| {});
        let gateway = built.start_with_store().await;
        let client = gateway.client(era, wire).ready().await;
        for (n, carrier) in carriers.iter().enumerate() {
            let mut params = json!({"name": "say", "arguments": {}});
            for (key, value) in carrier.as_object().expect("an object") {
                params[key] = value.clone();
            }
            assert!(!client.request("tools/call", params).await.is_error());
            let context = format!("{carrier} from {era:?} {wire:?} to {upstream:?} {server_wire:?}");
            let received = gateway.server("s").received_of("tools/call")[n].params();
            let hex = NAMED.replace('-', "");
            assert_eq!(told(&received), [NAMED, NAMED, NAMED, &hex], "{context}: {received}");
            for kind in ["dev.chancery.call_admitted", "TOOL_EXECUTED"] {
                let event = until(&gateway, kind, n + 1).await.remove(n);
                assert_eq!(event["trace_id"], NAMED, "{context}: {event}");
            }
        }
        gateway.stop().await;
    }
}

/// Where the client names none, the gateway does: one for all events of a call, another for the next.
#[tokio::test]
async fn row_6_5_a_call_without_a_trace_gets_one_of_its_own() {
    let gateway = guarded(Era::Legacy)
        .upstream("s", mgp_server(Era::Legacy, Wire::Pipe))
        .start_with_store()
        .await;
    let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
    for tool in ["say", "say", "look"] {
        client.call(tool, json!({})).await;
    }
    let (admitted, executed) = (
        until(&gateway, "dev.chancery.call_admitted", 3).await,
        until(&gateway, "TOOL_EXECUTED", 3).await,
    );
    let ids = |events: &[Value]| -> Vec<String> { events.iter().map(|event| event["trace_id"].to_string()).collect() };
    assert_eq!(ids(&admitted), ids(&executed));
    assert!(admitted[0]["trace_id"] != admitted[1]["trace_id"]);
    let received = gateway.server("s").received_of("tools/call")[0].params();
    assert_eq!(admitted[0]["trace_id"], received["trace_id"]);
    // A server that does not speak MGP, and was given no trace, is told nothing.
    let plain = gateway.server("fs").received_of("tools/call")[0].params();
    assert_eq!(plain, json!({"name": "look", "arguments": {}}));
    gateway.stop().await;
}

/// What one gateway told its server goes on through the next.
#[tokio::test]
async fn row_6_5_a_trace_goes_on_over_several_hops() {
    let (near, far) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let built = async |folder: &tempfile::TempDir| {
        let built = gateway().upstream("s", mgp_server(Era::Legacy, Wire::Pipe)).guarded(|_| {});
        built.remembering(folder.path()).await.start()
    };
    let (near, far) = (built(&near).await, built(&far).await);
    let mut params = json!({"name": "say", "arguments": {}});
    for gateway in [&near, &far] {
        let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
        client.request("tools/call", params).await;
        params = gateway.server("s").received_of("tools/call")[0].params();
    }
    let of = async |gateway| until(gateway, "TOOL_EXECUTED", 1).await[0]["trace_id"].clone();
    assert_eq!(of(&near).await, of(&far).await);
    let parent = &params["_meta"]["traceparent"];
    assert_eq!(
        parent,
        &near.server("s").received_of("tools/call")[0].params()["_meta"]["traceparent"]
    );
    near.stop().await;
    far.stop().await;
}

/// Each attempt, and each refusal, belongs to the call that was made.
#[tokio::test]
async fn row_6_5_attempts_and_refusals_are_of_the_call_s_trace() {
    let again = r#"{"jsonrpc":"2.0","id":$id,"error":{"code":5000,"message":"down","data":{"_mgp":{"retryable":true,"retry_after_ms":1,"max_retries":1}}}}"#;
    let script = Script::legacy()
        .capabilities(speaking(Era::Legacy, json!({"tools": {}}), &["error_handling"]))
        .tool("flaky", [Step::send(again)]);
    let gateway = guarded(Era::Legacy)
        .upstream("s", script)
        .guarded(without_hold)
        .start_with_store()
        .await;
    let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
    for tool in ["flaky", "destroy"] {
        client
            .request("tools/call", json!({"name": tool, "arguments": {}, "trace_id": tool}))
            .await;
    }
    until(&gateway, "TOOL_BLOCKED", 1).await;
    let of = |events: &[Value], kind: &str| -> Vec<Value> {
        let of_kind = events.iter().filter(|event| event["event_type"] == kind);
        of_kind.map(|event| event["trace_id"].clone()).collect()
    };
    let all = events(&gateway).await;
    assert!(!of(&all, "dev.chancery.retry").is_empty());
    assert!(of(&all, "dev.chancery.retry").iter().all(|id| id == "flaky"), "{all:?}");
    for kind in ["dev.chancery.approval_requested", "TOOL_BLOCKED"] {
        assert_eq!(of(&all, kind), ["destroy"], "{kind}");
    }
    gateway.stop().await;
}
