//! MGP §14.6, D32: a call is made again where its server says that this helps, and never otherwise.

use serde_json::{Value, json};
use testkit::{Era, Gateway, Script, Step, Wire, gateway};

use super::set_risk;
use crate::ECHO;

fn server(rounds: Vec<Vec<Step>>, extensions: Value) -> Script {
    Script::legacy()
        .capabilities(json!({"tools": {}, "mgp": {"version": "0.5.2", "extensions": extensions}}))
        .tool_rounds("flaky", rounds)
        .tool("spare", [Step::answer(ECHO)])
}

fn fails(recovery: &str) -> Vec<Step> {
    vec![Step::send(format!(
        r#"{{"jsonrpc":"2.0","id":$id,"error":{{"code":5000,"message":"down","data":{{"_mgp":{recovery}}}}}}}"#
    ))]
}

fn calls(gateway: &Gateway) -> Vec<String> {
    let calls = gateway.server("s").received_of("tools/call");
    calls
        .iter()
        .map(|call| call.params()["name"].as_str().unwrap_or_default().to_owned())
        .collect()
}

async fn call(gateway: &Gateway) -> testkit::Reply {
    let client = gateway.client(Era::Legacy, Wire::Pipe).principal("local").ready().await;
    client.call("flaky", json!({})).await
}

const AGAIN: &str = r#"{"retryable":true,"retry_after_ms":1,"retry_strategy":"fixed_delay","max_retries":5}"#;
const NEVER: &str = r#"{"retryable":false}"#;
const SPARE: &str = r#"{"retryable":true,"retry_after_ms":1,"max_retries":1,"fallback_tool":"spare"}"#;

#[tokio::test]
async fn row_14_6_d32_what_helps_is_tried_again_up_to_the_gateway_s_own_cap() {
    let never_does = server(vec![fails(AGAIN)], json!(["error_handling"]));
    let gateway = gateway().upstream("s", never_does).guarded(|_| {}).start();
    assert_eq!(call(&gateway).await.error().0, 5000);
    assert_eq!(calls(&gateway).len(), 4, "once, and three times more: the server wanted five");
    gateway.stop().await;
}

#[tokio::test]
async fn row_14_6_what_does_not_help_is_not_tried_again() {
    for (recovery, extensions) in [(NEVER, json!(["error_handling"])), (AGAIN, json!(["audit"]))] {
        let gateway = gateway()
            .upstream("s", server(vec![fails(recovery)], extensions))
            .guarded(|_| {})
            .start();
        assert_eq!(call(&gateway).await.error().0, 5000, "{recovery}");
        assert_eq!(calls(&gateway).len(), 1, "{recovery}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn row_14_6_d32_the_fallback_comes_last_and_is_asked_about_like_any_other() {
    for denied in [false, true] {
        let script = server(vec![fails(SPARE)], json!(["error_handling"]));
        let gateway = gateway()
            .upstream("s", script)
            .guarded(|security| {
                if denied {
                    set_risk(security, "s", "spare", model::Risk::Dangerous);
                    security.approval_hold = std::time::Duration::ZERO;
                }
            })
            .start();
        let reply = call(&gateway).await;
        assert_eq!(reply.is_error(), denied);
        let expected: &[&str] = if denied {
            &["flaky", "flaky"]
        } else {
            &["flaky", "flaky", "spare"]
        };
        assert_eq!(calls(&gateway), expected);
        gateway.stop().await;
    }
}
