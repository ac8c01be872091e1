//! Tasks: the core of 2025-11-25 and the extension of the modern era, both ways.

use serde_json::json;
use testkit::{Era, Script, Step, gateway};

use super::WIRES;
use crate::callers::sole_question;
use crate::form;

const OLD_TASK: &str = r#"{"taskId":"t1","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":60000,"pollInterval":50}"#;

#[tokio::test]
async fn a_legacy_servers_task_is_polled_by_a_modern_client() {
    let done = OLD_TASK.replace("working", "completed");
    let script = Script::legacy()
        .capabilities(json!({"tools": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}}))
        .tool_as(
            json!({"name": "long", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}}),
            vec![vec![Step::answer(format!(r#"{{"task":{OLD_TASK}}}"#))]],
        )
        .on("tasks/get", [Step::answer(done)])
        .on(
            "tasks/result",
            [
                Step::gate("over"),
                Step::answer(r#"{"content":[{"type":"text","text":"at last"}]}"#),
            ],
        );
    for wire in WIRES {
        let gateway = gateway().upstream("far", script.clone()).start();
        let client = gateway
            .client(Era::Modern, wire)
            .capabilities(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}))
            .connect()
            .await;
        client.tools().await;
        let created = client.call("long", json!({})).await.result();
        assert_eq!(
            (&created["resultType"], &created["taskId"]),
            (&json!("task"), &json!("t1")),
            "{created}"
        );
        assert_eq!(created["ttlMs"], 60000);
        let early = client.request("tasks/get", json!({"taskId": "t1"})).await.result();
        assert_eq!(early["status"], "working", "no result, not complete: {early}");
        gateway.server("far").open_gate("over");
        let result = loop {
            let task = client.request("tasks/get", json!({"taskId": "t1"})).await.result();
            if task["status"] == "completed" {
                break task;
            }
            tokio::task::yield_now().await;
        };
        assert_eq!(result["result"]["content"][0]["text"], "at last", "{result}");
        let stranger = gateway.client(Era::Modern, wire).principal("stranger").connect().await;
        stranger.tools().await;
        let theirs = stranger.request("tasks/get", json!({"taskId": "t1"})).await;
        assert!(theirs.message.is_error(), "somebody else's task is unknown: {theirs:?}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_modern_servers_task_is_waited_for_by_a_legacy_client() {
    let task = |status: &str, more: &str| {
        format!(
            r#"{{"resultType":"complete","taskId":"t1","status":"{status}","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":60000,"pollIntervalMs":50{more}}}"#
        )
    };
    let created = task("working", "").replacen("complete", "task", 1);
    let script = Script::modern()
        .capabilities(json!({"tools": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}))
        .tool("long", [Step::answer(created)])
        .on(
            "tasks/get",
            [
                Step::gate("over"),
                Step::answer(task("completed", r#","result":{"content":[{"type":"text","text":"at last"}]}"#)),
            ],
        );
    for wire in WIRES {
        let gateway = gateway().upstream("far", script.clone()).start();
        let client = gateway.client(Era::Legacy, wire).connect().await;
        client.tools().await;
        let created = client
            .request("tools/call", json!({"name": "long", "arguments": {}, "task": {"ttl": 60000}}))
            .await
            .result();
        assert_eq!(
            (&created["task"]["taskId"], &created["task"]["status"]),
            (&json!("t1"), &json!("working")),
            "{created}"
        );
        assert!(gateway.server("far").received_of("tools/call")[0].params().get("task").is_none());
        let waiting = client.start("tasks/result", json!({"taskId": "t1"})).await;
        gateway.server("far").nth("tasks/get", 1).await;
        gateway.server("far").open_gate("over");
        let result = client.reply(&waiting).await.result();
        assert_eq!(result["content"][0]["text"], "at last", "{result}");
        assert_eq!(result["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], "t1", "{result}");
        let got = client.request("tasks/get", json!({"taskId": "t1"})).await.result();
        assert_eq!((&got["status"], &got["ttl"]), (&json!("completed"), &json!(60000)), "{got}");
        gateway.stop().await;
    }
}

const TASKS: &str = "io.modelcontextprotocol/tasks";

fn old_tasks() -> Script {
    let tool = json!({"name": "long", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}});
    Script::legacy()
        .capabilities(json!({"tools": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}}))
        .tool_as(tool, vec![vec![Step::answer(format!(r#"{{"task":{OLD_TASK}}}"#))]])
}

#[tokio::test]
async fn a_question_in_a_legacy_servers_task_is_answered_by_an_update_of_a_modern_client() {
    let script = old_tasks()
        .on("tasks/get", [Step::answer(OLD_TASK.replace("working", "input_required"))])
        .on(
            "tasks/result",
            [
                Step::elicit(r#""who?""#),
                Step::answer(r#"{"content":[],"structuredContent":$answers}"#),
            ],
        );
    for wire in WIRES {
        let gateway = gateway().upstream("far", script.clone()).start();
        let mut capabilities = form();
        capabilities["extensions"] = json!({TASKS: {}});
        let client = gateway.client(Era::Modern, wire).capabilities(capabilities).connect().await;
        client.tools().await;
        assert_eq!(client.call("long", json!({})).await.result()["resultType"], "task");
        let asked = loop {
            let task = client.request("tasks/get", json!({"taskId": "t1"})).await.result();
            if task["inputRequests"].is_object() {
                break task;
            }
            tokio::task::yield_now().await;
        };
        assert_eq!(asked["status"], "input_required", "{asked}");
        let (key, question) = sole_question(&asked);
        assert_eq!(question["method"], "elicitation/create");
        let update = json!({"taskId": "t1", "inputResponses": {key: {"action": "decline"}}});
        assert!(!client.request("tasks/update", update).await.message.is_error());
        gateway
            .server("far")
            .until("the answer", |server| {
                server.received().iter().any(|r| r.message.method().is_none())
            })
            .await;
        gateway.stop().await;
        assert_eq!(gateway.kernel.census()[2..], [0; 3]);
    }
}

#[tokio::test]
async fn a_question_in_a_modern_servers_task_is_put_to_the_legacy_client_that_waits() {
    let task = |status: &str, more: &str| {
        format!(
            r#"{{"resultType":"complete","taskId":"t1","status":"{status}","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":60000,"pollIntervalMs":50{more}}}"#
        )
    };
    let asks = r#","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{}}}}}"#;
    let script = Script::modern()
        .capabilities(json!({"tools": {}, "extensions": {TASKS: {}}}))
        .tool("long", [Step::answer(task("working", "").replacen("complete", "task", 1))])
        .on("tasks/get", [Step::answer(task("input_required", asks))])
        .on("tasks/update", [Step::answer(r#"{"resultType":"complete"}"#)])
        .on("tasks/cancel", [Step::answer(r#"{"resultType":"complete"}"#)]);
    for wire in WIRES {
        let gateway = gateway().upstream("far", script.clone()).start();
        let client = gateway.client(Era::Legacy, wire).capabilities(form()).connect().await;
        client.tools().await;
        let call = json!({"name": "long", "arguments": {}, "task": {}});
        assert_eq!(client.request("tools/call", call).await.result()["task"]["taskId"], "t1");
        let waiting = client.start("tasks/result", json!({"taskId": "t1"})).await;
        let question = client.question().await;
        assert_eq!(question.method(), Some("elicitation/create"));
        client.answer(&question, json!({"action": "accept", "content": {"a": 1}})).await;
        let update = gateway.server("far").nth("tasks/update", 1).await.params();
        assert_eq!(update["inputResponses"], json!({"q": {"action": "accept", "content": {"a": 1}}}));
        assert_eq!(update["taskId"], "t1");
        client.cancel(&waiting).await;
        assert!(!client.request("tasks/cancel", json!({"taskId": "t1"})).await.message.is_error());
        gateway.server("far").nth("tasks/cancel", 1).await;
        client.leave().await;
        gateway.stop().await;
        assert_eq!(gateway.kernel.census(), [0; 5]);
    }
}

#[tokio::test]
async fn cancelling_a_legacy_servers_task_reaches_it_from_a_modern_client() {
    let script = old_tasks()
        .on("tasks/get", [Step::answer(OLD_TASK)])
        .on(
            "tasks/result",
            [Step::gate("cancelled"), Step::Fail(-32602, "cancelled".to_owned())],
        )
        .on("tasks/cancel", [Step::answer(OLD_TASK.replace("working", "cancelled"))]);
    for wire in WIRES {
        let gateway = gateway().upstream("far", script.clone()).start();
        let client = gateway
            .client(Era::Modern, wire)
            .capabilities(json!({"extensions": {TASKS: {}}}))
            .connect()
            .await;
        client.tools().await;
        assert_eq!(client.call("long", json!({})).await.result()["resultType"], "task");
        let acknowledged = client.request("tasks/cancel", json!({"taskId": "t1"})).await.result();
        assert_eq!(acknowledged["resultType"], "complete", "an empty acknowledgement: {acknowledged}");
        assert!(acknowledged.get("taskId").is_none(), "{acknowledged}");
        gateway.server("far").nth("tasks/cancel", 1).await;
        gateway.server("far").open_gate("cancelled");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_tasks_state_reaches_those_who_listen_to_it() {
    let script = old_tasks()
        .on("tasks/get", [Step::answer(OLD_TASK)])
        .on("tasks/result", [Step::Hang]);
    for wire in WIRES {
        let gateway = gateway().upstream("far", script.clone()).start();
        let client = gateway
            .client(Era::Modern, wire)
            .capabilities(json!({"extensions": {TASKS: {}}}))
            .connect()
            .await;
        client.tools().await;
        assert_eq!(client.call("long", json!({})).await.result()["resultType"], "task");
        let stream = client
            .start("subscriptions/listen", json!({"notifications": {"taskIds": ["t1", "t2"]}}))
            .await;
        let acknowledged = client
            .notification("notifications/subscriptions/acknowledged")
            .await
            .params()
            .expect("params")
            .to_value();
        assert_eq!(
            acknowledged["notifications"]["taskIds"],
            json!(["t1"]),
            "only what is this client's: {acknowledged}"
        );
        gateway.server("far").say("notifications/tasks/status", OLD_TASK);
        let heard = client
            .notification("notifications/tasks")
            .await
            .params()
            .expect("params")
            .to_value();
        assert_eq!((&heard["taskId"], &heard["status"]), (&json!("t1"), &json!("working")), "{heard}");
        assert_eq!(heard["_meta"]["io.modelcontextprotocol/subscriptionId"], stream.id.raw().to_value());
        gateway.stop().await;
    }
}
