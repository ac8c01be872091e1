//! The choke point: when policy denies, nothing is sent to a server, whatever is asked.

use mcp::method::{METHODS, MethodKind, Side};
use serde_json::{Value, json};
use testkit::{Era, Gateway, Script, Step, Wire, gateway};

use crate::{ECHO, WAYS, form};

fn everything(era: Era) -> Script {
    let uri = "test://one";
    Script::of(era)
        .tool("say", [Step::answer(ECHO)])
        .tool_defined(
            json!({"name": "long", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}}),
            [Step::answer(r#"{"task":{"taskId":"t1","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":60000}}"#)])
        .prompt("greet", [Step::answer(r#"{"resultType":"complete","messages":[]}"#)])
        .resource(uri, [Step::answer(r#"{"resultType":"complete","contents":[]}"#)])
        .capabilities(json!({
            "tools": {"listChanged": true}, "prompts": {"listChanged": true}, "resources": {"subscribe": true, "listChanged": true}, "logging": {},
            "completions": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}},
            "extensions": {"io.modelcontextprotocol/tasks": {}, "com.example/mine": {"methods": ["com.example/do"]}},
        }))
}

fn params_of(method: &str) -> Value {
    match method {
        "tools/call" => json!({"name": "say", "arguments": {"a": 1}}),
        "prompts/get" => json!({"name": "greet"}),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => json!({"uri": "test://one"}),
        "completion/complete" => json!({"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "a", "value": ""}}),
        "logging/setLevel" => json!({"level": "debug"}),
        "tasks/get" | "tasks/result" | "tasks/cancel" | "tasks/update" => json!({"taskId": "t1", "inputResponses": {}}),
        "subscriptions/listen" => {
            json!({"notifications": {"resourceSubscriptions": ["test://one"], "toolsListChanged": true, "taskIds": ["t1"]}})
        }
        "notifications/cancelled" => json!({"requestId": 12345}),
        "notifications/progress" => json!({"progressToken": 1, "progress": 1}),
        _ => json!({}),
    }
}

/// Returns the messages that servers have received on behalf of clients, without the gateway's own requests for their
/// lists.
fn received(gateway: &Gateway) -> Vec<String> {
    let own = [
        "initialize",
        "notifications/initialized",
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
    ];
    let messages = ["legacy", "modern"].into_iter().flat_map(|id| gateway.server(id).received());
    // A listener that asks for nothing but news of lists is the gateway's own.
    let wishes =
        |params: Value| params["notifications"]["resourceSubscriptions"].is_array() || params["notifications"]["taskIds"].is_array();
    messages
        .filter(|received| !received.is("subscriptions/listen") || wishes(received.params()))
        .filter_map(|received| received.message.method().map(str::to_owned))
        .filter(|method| !own.contains(&method.as_str()))
        .collect()
}

#[tokio::test]
async fn nothing_is_sent_for_any_method_when_everything_is_denied() {
    for (era, wire) in WAYS {
        let gateway = gateway()
            .upstream("legacy", everything(Era::Legacy))
            .upstream("modern", everything(Era::Modern))
            .start();
        let mut capabilities = form();
        capabilities["tasks"] = json!({"list": {}, "cancel": {}});
        capabilities["extensions"] = json!({"io.modelcontextprotocol/tasks": {}});
        let client = gateway.client(era, wire).capabilities(capabilities).connect().await;
        let tools = client.tools().await;
        assert!(tools.contains(&"legacy__say".to_owned()), "{tools:?}");
        let task = client
            .start(
                "tools/call",
                json!({"name": "legacy__long", "arguments": {}, "task": {"ttl": 60000}}),
            )
            .await;
        assert!(!client.reply(&task).await.is_error());
        let settled = |server: &testkit::Scripted| era == Era::Legacy || server.count_of("tools/call") == 1;
        gateway.server("legacy").until("the task", settled).await;
        gateway.kernel.set_policy(policy::Policy::deny_all(policy::Revision(2)));
        // The modern server's listener is the gateway's own, and was opened before.
        let before = received(&gateway).len();
        for method in METHODS.iter().filter(|method| method.from == Side::Client) {
            let mut shapes = vec![params_of(method.name)];
            for server in ["legacy", "modern"] {
                let mut qualified = params_of(method.name);
                if qualified["name"].is_string() {
                    qualified["name"] = json!(format!("{server}__{}", qualified["name"].as_str().unwrap_or_default()));
                }
                shapes.push(qualified);
            }
            for params in shapes {
                if method.kind == MethodKind::Notification {
                    client
                        .send(json!({"jsonrpc": "2.0", "method": method.name, "params": params}).to_string())
                        .await;
                } else if method.name == "subscriptions/listen" {
                    if era == Era::Modern {
                        client.start(method.name, params).await;
                        client.notification("notifications/subscriptions/acknowledged").await;
                    }
                } else {
                    client.request(method.name, params).await;
                }
            }
        }
        let extension = client.request("com.example/do", json!({})).await;
        assert!(extension.is_error());
        let call = client.request("tools/call", json!({"name": "legacy__say", "arguments": {}})).await;
        assert!(
            call.text().contains("the gateway is closed"),
            "a denial says why and what to do: {}",
            call.text()
        );
        assert_eq!(call.result()["isError"], true, "a model reads results, not errors (MGP D18)");
        let sent = received(&gateway);
        assert_eq!(sent[before..], Vec::<String>::new(), "{era:?} {wire:?}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_servers_question_is_not_put_when_it_is_denied() {
    for (era, wire) in WAYS {
        let script = Script::legacy().tool(
            "ask",
            [
                Step::gate("denied"),
                Step::elicit(r#""who?""#),
                Step::ask("sampling/createMessage", r#"{"messages":[],"maxTokens":1}"#),
                Step::ask("roots/list", "{}"),
                Step::answer(r#"{"content":[],"structuredContent":$answers}"#),
            ],
        );
        let gateway = gateway().upstream("asking", script).start();
        let client = gateway.client(era, wire).capabilities(form()).ready().await;
        let call = client.start_call("ask", json!({})).await;
        gateway.server("asking").nth("tools/call", 1).await;
        gateway.kernel.set_policy(policy::Policy::deny_all(policy::Revision(2)));
        gateway.server("asking").open_gate("denied");
        let result = client.reply(&call).await.result();
        let answers = result["structuredContent"]
            .as_array()
            .unwrap_or_else(|| panic!("{era:?} {wire:?}: {result}"))
            .clone();
        assert_eq!(
            answers.iter().filter(|answer| answer["code"].is_number()).count(),
            3,
            "{era:?} {wire:?}: {answers:?}"
        );
        assert!(client.mailbox().take_now(testkit::Arrived::asks).is_none());
        gateway.stop().await;
    }
}

#[tokio::test]
async fn what_was_admitted_under_an_older_policy_is_not_sent_under_a_newer_one() {
    let script = Script::legacy().tool("say", [Step::answer(ECHO)]).on(
        "initialize",
        [
            Step::gate("started"),
            Step::answer(r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#),
        ],
    );
    let gateway = gateway().upstream("slow", script).start();
    gateway.server("slow").open_gate("started");
    let client = gateway.client(Era::Legacy, Wire::Pipe).capabilities(form()).connect().await;
    assert_eq!(client.tools().await, ["say"]);
    gateway.server("slow").shut_gate("started");
    let other = gateway.client(Era::Legacy, Wire::Pipe).principal("other").connect().await;
    let hellos = gateway.server("slow").count_of("initialize");
    let call = other.start_call("say", json!({})).await;
    gateway.server("slow").nth("initialize", hellos + 1).await;
    gateway.kernel.set_policy(policy::Policy::deny_all(policy::Revision(2)));
    gateway.server("slow").open_gate("started");
    assert!(other.reply(&call).await.is_error());
    assert!(gateway.server("slow").received_of("tools/call").is_empty());
    gateway.stop().await;
}

/// A task's result may take long: each time that a server is asked about it, the policy of that moment decides.
#[tokio::test]
async fn a_task_is_not_asked_about_any_more_once_that_is_denied() {
    let task = r#"{"taskId":"t1","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":60000,"pollIntervalMs":50}"#;
    let complete = format!(r#"{{"resultType":"complete",{}"#, &task[1..]);
    let created = format!(r#"{{"resultType":"task",{}"#, &task[1..]);
    let script = Script::modern()
        .capabilities(json!({"tools": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}))
        .tool_defined(
            json!({"name": "long", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}}),
            [Step::answer(created)],
        )
        .on("tasks/get", [Step::answer(complete)]);
    let gateway = gateway().upstream("far", script).start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).ready().await;
    let call = client
        .request("tools/call", json!({"name": "long", "arguments": {}, "task": {}}))
        .await
        .result();
    assert_eq!(call["task"]["taskId"], "t1", "{call}");
    let waiting = client.start("tasks/result", json!({"taskId": "t1"})).await;
    gateway.server("far").nth("tasks/get", 2).await;
    gateway.kernel.set_policy(policy::Policy::deny_all(policy::Revision(2)));
    let (_, told) = client.reply(&waiting).await.error();
    assert!(told.contains("the gateway is closed"), "{told}");
    let asked = gateway.server("far").received().len();
    let cancelled = client.request("tasks/cancel", json!({"taskId": "t1"})).await;
    assert!(cancelled.is_error());
    assert_eq!(gateway.server("far").received().len(), asked, "nothing more is sent");
    gateway.stop().await;
}
