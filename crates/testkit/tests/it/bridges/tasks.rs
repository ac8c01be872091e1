//! Tasks: the core of 2025-11-25 and the extension of the modern era, both ways.

use serde_json::{Value, json};
use testkit::{Client, Era, Exchange, Script, Step, Wire, gateway};

use super::retry;
use crate::callers::sole_question;
use crate::{ECHO, ERAS, WAYS, WIRES, assert_has, form, pairs, said};

const OLD_TASK: &str = r#"{"taskId":"t1","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":60000,"pollInterval":50}"#;
const TASKS: &str = "io.modelcontextprotocol/tasks";

/// Returns a tool whose calls become tasks.
fn long() -> Value {
    json!({"name": "long", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}})
}

fn old_tasks() -> Script {
    Script::legacy()
        .capabilities(json!({"tools": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}}))
        .tool_defined(long(), [Step::answer(format!(r#"{{"task":{OLD_TASK}}}"#))])
}

/// Returns capabilities with the extension for tasks among them.
fn with_tasks(mut capabilities: Value) -> Value {
    capabilities["extensions"] = json!({TASKS: {}});
    capabilities
}

/// Returns a task as a modern server tells of it, with these members besides.
fn new_task(status: &str, more: &str) -> String {
    format!(
        r#"{{"resultType":"complete","taskId":"t1","status":"{status}","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":60000,"pollIntervalMs":50{more}}}"#
    )
}

/// Returns what the gateway says of the task now.
async fn task_now(client: &Client) -> Value {
    client.request("tasks/get", json!({"taskId": "t1"})).await.result()
}

/// Opens a stream of what is told of these tasks.
async fn listen(client: &Client, tasks: &[&str]) -> Exchange {
    client
        .start("subscriptions/listen", json!({"notifications": {"taskIds": tasks}}))
        .await
}

/// Asks about the task until it is as wanted, and returns it.
async fn task_once(client: &Client, is_wanted: impl Fn(&Value) -> bool) -> Value {
    loop {
        let task = task_now(client).await;
        if is_wanted(&task) {
            return task;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_legacy_servers_task_is_polled_by_a_modern_client() {
    let done = OLD_TASK.replace("working", "completed");
    let script = old_tasks().on("tasks/get", [Step::answer(done)]).on(
        "tasks/result",
        [
            Step::gate("over"),
            Step::answer(r#"{"content":[{"type":"text","text":"at last"}]}"#),
        ],
    );
    for wire in WIRES {
        let gateway = gateway().upstream("far", script.clone()).start();
        let client = gateway.client(Era::Modern, wire).capabilities(with_tasks(json!({}))).ready().await;
        let created = client.call("long", json!({})).await.result();
        assert_has(&created, &json!({"resultType": "task", "taskId": "t1"}));
        assert_eq!(created["ttlMs"], 60000);
        let early = task_now(&client).await;
        assert_eq!(early["status"], "working", "no result, not complete: {early}");
        gateway.server("far").open_gate("over");
        let result = task_once(&client, |task| task["status"] == "completed").await;
        assert_eq!(result["result"]["content"][0]["text"], "at last", "{result}");
        let stranger = gateway.client(Era::Modern, wire).principal("stranger").ready().await;
        let theirs = stranger.request("tasks/get", json!({"taskId": "t1"})).await;
        assert!(theirs.is_error(), "another principal's task is unknown: {theirs:?}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_modern_servers_task_is_waited_for_by_a_legacy_client() {
    let created = new_task("working", "").replacen("complete", "task", 1);
    let script = Script::modern()
        .capabilities(json!({"tools": {}, "extensions": {TASKS: {}}}))
        .tool("long", [Step::answer(created)])
        .on(
            "tasks/get",
            [
                Step::gate("over"),
                Step::answer(new_task("completed", r#","result":{"content":[{"type":"text","text":"at last"}]}"#)),
            ],
        );
    for wire in WIRES {
        let gateway = gateway().upstream("far", script.clone()).start();
        let client = gateway.client(Era::Legacy, wire).ready().await;
        let created = client
            .request("tools/call", json!({"name": "long", "arguments": {}, "task": {"ttl": 60000}}))
            .await
            .result();
        assert_has(&created["task"], &json!({"taskId": "t1", "status": "working"}));
        assert!(gateway.server("far").received_of("tools/call")[0].params().get("task").is_none());
        let waiting = client.start("tasks/result", json!({"taskId": "t1"})).await;
        gateway.server("far").nth("tasks/get", 1).await;
        gateway.server("far").open_gate("over");
        let result = client.reply(&waiting).await.result();
        assert_eq!(result["content"][0]["text"], "at last", "{result}");
        assert_eq!(result["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], "t1", "{result}");
        let got = task_now(&client).await;
        assert_has(&got, &json!({"status": "completed", "ttl": 60000}));
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_legacy_servers_task_stays_with_the_process_that_runs_it() {
    let result = [
        Step::gate("heard"),
        Step::elicit(r#""who?""#),
        Step::gate("over"),
        Step::answer(r#"{"content":[],"structuredContent":$answers}"#),
    ];
    let script = |asks: bool| {
        old_tasks()
            .tool("say", [Step::answer(ECHO)])
            .on("tasks/get", [Step::answer(OLD_TASK)])
            .on("tasks/result", if asks { result.to_vec() } else { result[2..].to_vec() })
    };
    for (asks, wire) in pairs([false, true], WIRES) {
        let gateway = gateway().upstream("far", script(asks)).start();
        let capabilities = with_tasks(if asks { form() } else { json!({}) });
        let client = gateway
            .client(Era::Modern, wire)
            .principal("ann")
            .capabilities(capabilities)
            .ready()
            .await;
        assert_eq!(client.call("long", json!({})).await.result()["resultType"], "task");
        let stream = listen(&client, &["t1"]).await;
        client.notification("notifications/subscriptions/acknowledged").await;
        if asks {
            gateway.server("far").open_gate("heard");
            let asked = client.told("notifications/tasks").await;
            assert_eq!(asked["status"], "input_required", "{asked}");
            let (key, _) = sole_question(&asked);
            let update = json!({"taskId": "t1", "inputResponses": {key: {"action": "decline"}}});
            assert!(!client.request("tasks/update", update).await.is_error());
        }
        let running = task_now(&client).await;
        assert_eq!(running["status"], "working", "{asks} {wire:?}: {running}");
        assert_eq!(client.call("say", json!({"on": 1})).await.said()["on"], 1);
        gateway.server("far").open_gate("over");
        let over = client.told("notifications/tasks").await;
        assert_has(&over, &json!({"taskId": "t1", "status": "completed"}));
        let got = task_now(&client).await;
        assert_eq!((&got["status"], &got["result"]), (&over["status"], &over["result"]), "{got}");
        client.cancel(&stream).await;
        gateway.stop().await;
        assert_eq!(gateway.kernel.census()[2..], [0; 3]);
    }
}

#[tokio::test]
async fn a_legacy_server_may_ask_before_it_makes_a_task_of_a_call() {
    let steps = [Step::elicit(r#""who?""#), Step::answer(format!(r#"{{"task":{OLD_TASK}}}"#))];
    let script = old_tasks()
        .tool_defined(long(), steps)
        .on("tasks/get", [Step::answer(OLD_TASK.replace("working", "completed"))])
        .on("tasks/result", [Step::answer(r#"{"content":[{"type":"text","text":"at last"}]}"#)]);
    for wire in WIRES {
        let gateway = gateway().upstream("far", script.clone()).start();
        let client = gateway.client(Era::Modern, wire).capabilities(with_tasks(form())).ready().await;
        let asked = client.call("long", json!({})).await;
        let (key, _) = sole_question(&asked.result());
        let created = retry(&client, "long", &key, json!({"action": "decline"}), &asked.state())
            .await
            .result();
        assert_has(&created, &json!({"resultType": "task", "taskId": "t1"}));
        let result = task_once(&client, |task| task["status"] == "completed").await;
        assert_eq!(result["result"]["content"][0]["text"], "at last", "{result}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn tasks_of_2025_11_25_cross_between_legacy_ends() {
    let related = r#"{"io.modelcontextprotocol/related-task":{"taskId":"t1"}}"#;
    let question = format!(r#"{{"message":"who?","requestedSchema":{{"type":"object","properties":{{}}}},"_meta":{related}}}"#);
    let script = old_tasks()
        .on("tasks/list", [Step::answer(format!(r#"{{"tasks":[{OLD_TASK}]}}"#))])
        .on("tasks/get", [Step::answer(OLD_TASK.replace("working", "input_required"))])
        .on(
            "tasks/result",
            [
                Step::ask("elicitation/create", &question),
                Step::answer(format!(r#"{{"content":[],"structuredContent":$answers,"_meta":{related}}}"#)),
            ],
        )
        .on("tasks/cancel", [Step::answer(OLD_TASK.replace("working", "cancelled"))]);
    for (server_wire, wire) in pairs(WIRES, WIRES) {
        let gateway = gateway()
            .upstream("far", script.clone().over_http(server_wire == Wire::Http))
            .start();
        let client = gateway.client(Era::Legacy, wire).capabilities(form()).connect().await;
        let listed = client.request("tools/list", json!({})).await.result();
        assert_eq!(listed["tools"][0]["execution"]["taskSupport"], "required", "{listed}");
        let call = json!({"name": "long", "arguments": {}, "task": {"ttl": 60000}});
        let created = client.request("tools/call", call).await.result();
        assert_eq!(created["task"]["taskId"], "t1", "{created}");
        let sent = gateway.server("far").received_of("tools/call")[0].params();
        assert_eq!(sent["task"], json!({"ttl": 60000}), "{sent}");
        let task: Value = serde_json::from_str(OLD_TASK).expect("a task");
        let tasks = client.request("tasks/list", json!({})).await.result();
        assert_eq!(tasks, json!({"tasks": [task]}));
        let got = task_now(&client).await;
        assert_has(&got, &json!({"status": "input_required", "pollInterval": 50}));
        let waiting = client.start("tasks/result", json!({"taskId": "t1"})).await;
        let question = client.question().await;
        let asked = question.params().expect("params").to_value();
        assert_eq!(asked["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], "t1", "{asked}");
        client.answer(&question, json!({"action": "decline"})).await;
        let result = client.reply(&waiting).await.result();
        assert_eq!(said(&result), &json!([{"action": "decline"}]));
        assert_eq!(result["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], "t1", "{result}");
        let cancelled = client.request("tasks/cancel", json!({"taskId": "t1"})).await.result();
        assert_has(&cancelled, &json!({"taskId": "t1", "status": "cancelled"}));
        let stranger = gateway.client(Era::Legacy, wire).principal("stranger").ready().await;
        assert!(stranger.request("tasks/get", json!({"taskId": "t1"})).await.is_error());
        gateway.stop_after(&[&client, &stranger], "at the end").await;
    }
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
        let client = gateway.client(Era::Modern, wire).capabilities(with_tasks(form())).ready().await;
        assert_eq!(client.call("long", json!({})).await.result()["resultType"], "task");
        let asked = task_once(&client, |task| task["inputRequests"].is_object()).await;
        assert_eq!(asked["status"], "input_required", "{asked}");
        let (key, question) = sole_question(&asked);
        assert_eq!(question["method"], "elicitation/create");
        let update = json!({"taskId": "t1", "inputResponses": {key: {"action": "decline"}}});
        assert!(!client.request("tasks/update", update).await.is_error());
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
    let asks = r#","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{}}}}}"#;
    let script = Script::modern()
        .capabilities(json!({"tools": {}, "extensions": {TASKS: {}}}))
        .tool("long", [Step::answer(new_task("working", "").replacen("complete", "task", 1))])
        .on("tasks/get", [Step::answer(new_task("input_required", asks))])
        .on("tasks/update", [Step::answer(r#"{"resultType":"complete"}"#)])
        .on("tasks/cancel", [Step::answer(r#"{"resultType":"complete"}"#)]);
    for wire in WIRES {
        let gateway = gateway().upstream("far", script.clone()).start();
        let client = gateway.client(Era::Legacy, wire).capabilities(form()).ready().await;
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
        let cancelled = client.request("tasks/cancel", json!({"taskId": "t1"})).await.result();
        assert_has(&cancelled, &json!({"taskId": "t1", "status": "cancelled"}));
        gateway.server("far").nth("tasks/cancel", 1).await;
        gateway.stop_after(&[&client], "at the end").await;
    }
}

#[tokio::test]
async fn cancelling_a_legacy_servers_task_reaches_it_from_a_modern_client() {
    let script = old_tasks()
        .on("tasks/get", [Step::answer(OLD_TASK.replace("working", "cancelled"))])
        .on(
            "tasks/result",
            [Step::gate("cancelled"), Step::Fail(-32602, "cancelled".to_owned())],
        )
        .on("tasks/cancel", [Step::answer(OLD_TASK.replace("working", "cancelled"))]);
    for wire in WIRES {
        let gateway = gateway().upstream("far", script.clone()).start();
        let client = gateway.client(Era::Modern, wire).capabilities(with_tasks(json!({}))).ready().await;
        assert_eq!(client.call("long", json!({})).await.result()["resultType"], "task");
        let acknowledged = client.request("tasks/cancel", json!({"taskId": "t1"})).await.result();
        assert_eq!(acknowledged["resultType"], "complete", "an empty acknowledgement: {acknowledged}");
        assert!(acknowledged.get("taskId").is_none(), "{acknowledged}");
        gateway.server("far").nth("tasks/cancel", 1).await;
        let stream = listen(&client, &["t1"]).await;
        client.notification("notifications/subscriptions/acknowledged").await;
        gateway.server("far").open_gate("cancelled");
        let heard = client.told("notifications/tasks").await;
        assert_eq!(heard["status"], "cancelled", "{heard}");
        let got = task_now(&client).await;
        assert_eq!(got["status"], "cancelled", "what `tasks/result` refuses is no failure: {got}");
        client.cancel(&stream).await;
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
        let client = gateway.client(Era::Modern, wire).capabilities(with_tasks(json!({}))).ready().await;
        assert_eq!(client.call("long", json!({})).await.result()["resultType"], "task");
        let stream = listen(&client, &["t1", "t2"]).await;
        let acknowledged = client.told("notifications/subscriptions/acknowledged").await;
        assert_eq!(
            acknowledged["notifications"]["taskIds"],
            json!(["t1"]),
            "only what is this client's: {acknowledged}"
        );
        gateway.server("far").say("notifications/tasks/status", OLD_TASK);
        let heard = client.told("notifications/tasks").await;
        assert_has(&heard, &json!({"taskId": "t1", "status": "working"}));
        assert_eq!(heard["_meta"]["io.modelcontextprotocol/subscriptionId"], stream.id.raw().to_value());
        gateway.stop().await;
    }
}

/// Returns a tool whose calls become tasks, with ids that are the server's own business.
fn new_tasks(era: Era, wire: Wire, says: &str) -> Script {
    let task = |status: &str| match era {
        Era::Legacy => OLD_TASK.replace("working", status),
        Era::Modern => OLD_TASK
            .replace("working", status)
            .replace("ttl\"", "ttlMs\"")
            .replace("pollInterval\"", "pollIntervalMs\""),
    };
    let said = format!(r#"{{"content":[{{"type":"text","text":"{says}"}}]}}"#);
    let script = match era {
        Era::Legacy => old_tasks()
            .on("tasks/get", [Step::answer(task("completed"))])
            .on("tasks/result", [Step::answer(said)]),
        Era::Modern => {
            let flat = |status: &str, kind: &str, more: &str| task(status).replacen('{', &format!(r#"{{"resultType":"{kind}"{more},"#), 1);
            Script::modern()
                .capabilities(json!({"tools": {}, "extensions": {TASKS: {}}}))
                .tool("long", [Step::answer(flat("working", "task", ""))])
                .on(
                    "tasks/get",
                    [Step::answer(flat("completed", "complete", &format!(r#","result":{said}"#)))],
                )
        }
    };
    script.over_http(wire == Wire::Http).tool("say", [Step::answer(ECHO)])
}

/// A task lives as long as its server says, and with it what it runs in, whether or not a client asks meanwhile.
#[tokio::test(start_paused = true)]
async fn a_task_outlives_the_silence_of_its_client() {
    for ((server_era, server_wire), (era, wire)) in pairs(WAYS, WAYS) {
        let way = format!("{era:?} {wire:?} to {server_era:?} {server_wire:?}");
        let script = new_tasks(server_era, server_wire, "at last");
        let gateway = gateway().upstream("far", script).start();
        // Not the line that is always kept.
        let client = gateway
            .client(era, wire)
            .principal("ann")
            .capabilities(with_tasks(form()))
            .ready()
            .await;
        let wanted = json!({"name": "long", "arguments": {}, "task": {"ttl": 60000}});
        let created = match era {
            Era::Legacy => client.request("tools/call", wanted).await.result()["task"].clone(),
            Era::Modern => client.call("long", json!({})).await.result(),
        };
        let (task, status) = (&created["taskId"], &created["status"]);
        assert_eq!((task, status), (&json!("t1"), &json!("working")), "{way}: {created}");
        // Asked about again and again, each time later than an idle line is kept, but within what the server said (60 s) of the last.
        for _ in 0..3 {
            for _ in 0..11 {
                tokio::time::advance(std::time::Duration::from_secs(5)).await;
                tokio::task::yield_now().await;
            }
            let task = task_now(&client).await;
            assert_eq!(task["status"], "completed", "{way}: {task}");
        }
        client.leave().await;
        gateway.stop().await;
    }
}

/// Ids are only their servers' own: what one of them says must never be shown as the other's.
#[tokio::test]
async fn tasks_of_one_name_are_never_taken_for_each_other() {
    for (server, (era, wire)) in pairs(ERAS, WAYS) {
        let way = format!("{era:?} {wire:?} to {server:?}");
        let gateway = gateway()
            .upstream("one", new_tasks(server, Wire::Pipe, "of one"))
            .upstream("two", new_tasks(server, Wire::Pipe, "of two"))
            .start();
        let connect = async |principal: &str| {
            gateway
                .client(era, wire)
                .principal(principal)
                .capabilities(with_tasks(json!({})))
                .ready()
                .await
        };
        let create = async |client: &Client, tool: &str| {
            let wanted = json!({"name": tool, "arguments": {}, "task": {"ttl": 60000}});
            assert!(!client.request("tools/call", wanted).await.is_error(), "{way}");
        };
        let (ann, bob) = (connect("ann").await, connect("bob").await);
        // Those of different principals have nothing to do with each other,
        create(&ann, "one__long").await;
        create(&bob, "two__long").await;
        let method = if era == Era::Legacy { "tasks/result" } else { "tasks/get" };
        for (client, text) in [(&ann, "of one"), (&bob, "of two")] {
            let shown = loop {
                let result = client.request(method, json!({"taskId": "t1"})).await.result();
                let content = if era == Era::Legacy {
                    &result["content"]
                } else {
                    &result["result"]["content"]
                };
                if let Some(text) = content[0]["text"].as_str() {
                    break text.to_owned();
                }
            };
            assert_eq!(shown, text, "{way}");
        }
        // but for two tasks of the same principal the gateway cannot tell which one is meant.
        create(&ann, "two__long").await;
        let asked = |id: &str| gateway.server(id).count_of("tasks/get");
        let before = (asked("one"), asked("two"));
        let (code, text) = ann.request("tasks/get", json!({"taskId": "t1"})).await.error();
        assert_eq!(code, jsonrpc::code::INVALID_PARAMS, "{way}: {text}");
        assert!(text.contains("(one, two)"), "{way}: {text}");
        assert!(ann.request("tasks/cancel", json!({"taskId": "t1"})).await.is_error(), "{way}");
        if server == Era::Modern {
            assert_eq!((asked("one"), asked("two")), before, "{way}: neither was asked");
        }
        gateway.stop().await;
    }
}
