//! MGP §4.5, D18: the validators check the bytes that would be sent, and say what would pass.

use serde_json::{Value, json};
use testkit::{Era, Script, Step, Wire, gateway};

use super::{before_a_tool, rejection, set_risk, without_hold};
use crate::{ECHO, StartWithStore as _, WAYS, assert_has};

fn shell(era: Era) -> Script {
    let schema = json!({"type": "object", "properties": {"command": {"type": "string"}, "sql": {"type": "string"}}});
    let tool = |name: &str, security: Value| json!({"name": name, "inputSchema": schema, "security": security});
    Script::of(era)
        .tool_defined(
            tool("run", json!({"validator": "sandbox", "risk_level": "moderate"})),
            [Step::answer(ECHO)],
        )
        .tool_defined(tool("odd", json!({"validator": "made_up"})), [Step::answer(ECHO)])
}

#[tokio::test]
async fn row_4_5_d18_arguments_that_a_validator_refuses_are_not_sent() {
    for (era, wire) in WAYS {
        let gateway = gateway()
            .upstream("sh", shell(era))
            .guarded(|security| set_risk(security, "sh", "run", model::Risk::Moderate))
            .start();
        let client = gateway.client(era, wire).principal("local").ready().await;
        let told = rejection(&client.call("run", json!({"command": "ls; rm -rf /"})).await);
        assert_has(&told, &json!({"code": 1010, "status": "rejected"}));
        let found = told["violations"][0].as_str().unwrap_or_default();
        assert!(found.starts_with("`/command`"), "says which argument: {told}");
        assert!(told["remediation_hint"].is_string(), "{told}");
        assert_eq!(gateway.server("sh").count_of("tools/call"), 0, "{era:?} {wire:?}");
        let passed = client.call("run", json!({"command": "ls"})).await;
        assert_eq!(passed.said(), json!({"command": "ls"}));
        gateway.stop().await;
    }
}

/// Arguments that JSON readers read in different ways are not sent.
#[tokio::test]
async fn bad_input_duplicate_keys_in_judged_arguments_are_refused() {
    let gateway = gateway().upstream("sh", shell(Era::Legacy)).guarded(|_| {}).start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).principal("local").ready().await;
    let params = r#"{"name":"run","arguments":{"command":"ls","command":"rm -rf /"}}"#;
    let exchange = client.send_request("tools/call", Some(params.to_owned())).await;
    let told = rejection(&client.reply(&exchange).await);
    assert_eq!(told["code"], 1010, "{told}");
    assert_eq!(gateway.server("sh").count_of("tools/call"), 0);
    gateway.stop().await;
}

/// MGP D33: an unknown validator makes the tool dangerous.
#[tokio::test]
async fn d33_an_unknown_validator_is_not_skipped() {
    let gateway = gateway().upstream("sh", shell(Era::Legacy)).guarded(without_hold).start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).principal("local").ready().await;
    let told = rejection(&client.call("odd", json!({})).await);
    assert_eq!(told["code"], 1000, "it waits for a person: {told}");
    gateway.stop().await;
}

/// This validator was not asked for: a text that only looks like an address may be the name of a resource.
#[tokio::test]
async fn the_name_of_a_resource_is_no_address() {
    let schema = json!({"type": "object", "properties": {"uri": {"type": "string"}}});
    let (gateway, client) = before_a_tool(json!({"name": "touch", "inputSchema": schema}), |_| {}).await;
    let passed = client.call("touch", json!({"uri": "memo://notes/1"})).await;
    assert_eq!(passed.said(), json!({"uri": "memo://notes/1"}));
    for uri in ["http://169.254.169.254/latest", "gopher://10.0.0.1:6379/_x", "file:///etc/passwd"] {
        let told = rejection(&client.call("touch", json!({"uri": uri})).await);
        assert_eq!(told["code"], 1010, "{uri}: {told}");
    }
    gateway.stop().await;
}

/// MGP D26 is for tools that are declared to take code; others may leave it out.
#[tokio::test]
async fn d26_code_that_only_looks_like_it_may_be_missing() {
    let text = json!({"type": "string"});
    let schema = json!({"type": "object", "properties": {"command": text, "python": text}});
    let tool = json!({"name": "run", "inputSchema": schema, "security": {"validator": "sandbox"}});
    let (gateway, client) = before_a_tool(tool, without_hold).await;
    let told = rejection(&client.call("run", json!({"command": "ls"})).await);
    assert_eq!(told["code"], 1000, "nothing is wrong with it, but a person has to consent: {told}");
    let told = rejection(&client.call("run", json!({"command": "ls", "python": "import subprocess"})).await);
    assert_eq!(told["code"], 1011, "{told}");
    gateway.stop().await;
}

/// MGP D33: of the five validators, `none` is one: the server handles it, and nothing is looked for where nothing looks like it.
#[tokio::test]
async fn row_4_5_d33_none_means_that_nothing_is_looked_for() {
    let schema = json!({"type": "object", "properties": {"body": {"type": "string"}}});
    let tool = json!({"name": "keep", "inputSchema": schema, "security": {"validator": "none"}});
    let (gateway, client) = before_a_tool(tool, |_| {}).await;
    let prose = json!({"body": "never run `rm -rf /` as root; http://169.254.169.254/ is no place to look; import os"});
    assert_eq!(client.call("keep", prose.clone()).await.said(), prose);
    gateway.stop().await;
}

/// What fits the limit of a message is judged and passes; what does not is refused clearly; and the next call is served.
#[tokio::test]
async fn bad_input_an_argument_of_ten_megabytes() {
    let text = "a".repeat(10 << 20);
    for (era, wire) in WAYS {
        let gateway = gateway()
            .upstream("sh", shell(era))
            .guarded(|security| set_risk(security, "sh", "run", model::Risk::Moderate));
        let gateway = gateway.start_with_store().await;
        let client = gateway.client(era, wire).principal("local").ready().await;
        let started = std::time::Instant::now();
        let reply = client.call("run", json!({"command": format!("ls {text}")})).await;
        let told = rejection(&reply);
        assert!(told["code"] == 1010 && told["reason"].is_string(), "{era:?} {wire:?}");
        assert!(reply.text().len() < 10_000, "a refusal does not repeat it");
        let free = client.call("run", json!({"note": text})).await;
        assert!(!free.is_error(), "{era:?} {wire:?}");
        assert!(started.elapsed() < testkit::PATIENCE, "{era:?} {wire:?}");
        assert_eq!(client.call("run", json!({"command": "ls"})).await.said(), json!({"command": "ls"}));
        for event in super::events(&gateway).await {
            assert!(event.to_string().len() < 10_000, "the record does not either");
        }
        gateway.stop().await;
    }
}
