//! MGP §6.4: servers that negotiated `audit` are told what happens; rules raise alerts.

use kernel::Alert;
use serde_json::{Value, json};
use store::AuditQuery;
use testkit::{Era, Script, Step, Wire};

use super::{guarded, operations, rejection};
use crate::{ECHO, StartWithStore as _};

#[tokio::test]
async fn row_6_3d_d11_a_server_that_listens_is_told_everything_in_order_and_once() {
    let listens = json!({"tools": {}, "mgp": {"version": "0.5.2", "extensions": ["audit"]}});
    let auditor = Script::legacy().capabilities(listens).tool("report", [Step::answer(ECHO)]);
    let gateway = guarded(Era::Legacy).upstream("auditor", auditor).start_with_store().await;
    let client = gateway.client(Era::Legacy, Wire::Pipe).principal("local").ready().await;
    for _ in 0..3 {
        client.call("look", json!({})).await;
    }
    let is_executed = |event: &Value| event["event_type"] == "TOOL_EXECUTED";
    let heard = |server: &testkit::Scripted| {
        let told = server.received_of("notifications/mgp.audit");
        told.iter().filter(|event| is_executed(&event.params())).count() == 3
    };
    gateway.server("auditor").until("the audit of three calls", heard).await;
    let told = gateway.server("auditor").params_of("notifications/mgp.audit");
    let numbers: Vec<u64> = told.iter().filter_map(|event| event["_mgp"]["seq"].as_u64()).collect();
    assert_eq!(numbers.len(), told.len());
    assert!(
        numbers.windows(2).all(|pair| pair[1] == pair[0] + 1),
        "no gap, nothing twice: {numbers:?}"
    );
    assert_eq!(told[0]["_meta"]["dev.cloto/mgp"]["seq"], told[0]["_mgp"]["seq"], "both carriers");
    assert!(
        gateway.server("fs").received_of("notifications/mgp.audit").is_empty(),
        "who did not ask is not told"
    );
    gateway.stop().await;
}

#[tokio::test]
async fn enough_refusals_raise_an_alert_once() {
    let gateway = guarded(Era::Legacy)
        .guarded(|security| {
            security.approval_hold = std::time::Duration::ZERO;
            security.alerts.push(Alert {
                name: "many_refusals".into(),
                event: "TOOL_BLOCKED".into(),
                actor: None,
                count: 3,
                window: std::time::Duration::from_secs(3600),
            });
        })
        .start_with_store()
        .await;
    let operations = operations(&gateway);
    let client = gateway.client(Era::Legacy, Wire::Pipe).principal("local").ready().await;
    for n in 0..5 {
        rejection(&client.call("destroy", json!({"n": n})).await);
    }
    let raised = AuditQuery {
        kinds: vec!["security.many_refusals".into()],
        ..AuditQuery::default()
    };
    let raised = loop {
        let page = operations.store().expect("a store").query(raised.clone()).await.expect("readable");
        if !page.events.is_empty() {
            break page.events;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(raised.len(), 1);
    let event: Value = serde_json::from_slice(&raised[0].body).expect("JSON");
    assert_eq!(event["details"]["actor"], "local", "{event}");
    gateway.stop().await;
}

/// MGP §6.3: every server that negotiated `audit` is told, none of the others; and where all are gone, the record goes on here.
#[tokio::test]
async fn row_6_3d_two_listeners_hear_the_same_and_without_any_it_is_kept_here() {
    let auditor = || {
        let listens = json!({"tools": {}, "mgp": {"version": "0.5.2", "extensions": ["audit"]}});
        Script::legacy().capabilities(listens).tool("report", [Step::answer(ECHO)])
    };
    let gateway = guarded(Era::Legacy)
        .upstream("one", auditor())
        .upstream("two", auditor())
        .start_with_store()
        .await;
    let client = gateway.client(Era::Legacy, Wire::Pipe).principal("local").ready().await;
    client.call("look", json!({})).await;
    let executed = |server: &testkit::Scripted| -> Vec<Value> {
        let mut told = server.params_of("notifications/mgp.audit");
        told.retain(|event| event["event_type"] == "TOOL_EXECUTED");
        told
    };
    let mut heard = Vec::new();
    for server in ["one", "two"] {
        gateway
            .server(server)
            .until("the audit of the call", |server| !executed(server).is_empty())
            .await;
        heard.push(executed(gateway.server(server)));
    }
    assert_eq!(heard[0], heard[1]);
    assert!(gateway.server("fs").received_of("notifications/mgp.audit").is_empty());
    for server in ["one", "two"] {
        gateway.server(server).set_down(true);
        gateway.server(server).crash();
    }
    client.call("look", json!({})).await;
    assert_eq!(super::until(&gateway, "TOOL_EXECUTED", 2).await.len(), 2);
    gateway.stop().await;
}
