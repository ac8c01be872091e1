//! Modern clients on legacy servers: questions are parked, progress and log levels carried, cancellations passed on.

use serde_json::json;
use testkit::{Era, Script, Step, Wire, gateway};

use super::{ANSWERS, every_wire, retry};
use crate::callers::sole_question;
use crate::{ECHO, WAYS, WIRES, pairs, said};

fn old(wire: Wire) -> Script {
    Script::legacy()
        .over_http(wire == Wire::Http)
        .capabilities(json!({"tools": {"listChanged": true}, "logging": {}}))
        .tool("elicit", [Step::elicit(r#""who?""#), Step::answer(ANSWERS)])
        .tool(
            "sample",
            [
                Step::ask("sampling/createMessage", r#"{"messages":[],"maxTokens":7}"#),
                Step::answer(ANSWERS),
            ],
        )
        .tool("roots", [Step::ask("roots/list", "{}"), Step::answer(ANSWERS)])
        .tool(
            "twice",
            [
                Step::notify("notifications/progress", r#"{"progressToken":$token,"progress":1}"#),
                Step::elicit(r#""first?""#),
                Step::elicit(r#""second?""#),
                Step::answer(ANSWERS),
            ],
        )
}

/// 2026-07-28 basic, `_meta`: what the gateway puts into the modern era's shape is its own answer, and says so.
#[tokio::test]
async fn lists_and_results_of_legacy_servers_say_who_answers() {
    let script = |wire| old(wire).tool("say", [Step::answer(r#"{"content":[],"_meta":{"theirs":1.0}}"#)]);
    every_wire(script, Era::Modern, async |gateway, client| {
        let listed = client.request("tools/list", json!({})).await.result();
        let called = client.call("say", json!({})).await.result();
        for result in [&listed, &called] {
            assert_eq!(
                result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "chancery",
                "{result}"
            );
        }
        assert_eq!(called["_meta"]["theirs"], json!(1.0));
        gateway.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_legacy_servers_questions_are_parked_and_answered_by_a_retry() {
    every_wire(old, Era::Modern, async |gateway, client| {
        let cases = [
            (
                "elicit",
                "elicitation/create",
                json!({"action": "accept", "content": {"value": "x"}}),
            ),
            (
                "sample",
                "sampling/createMessage",
                json!({"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"}),
            ),
            ("roots", "roots/list", json!({"roots": [{"uri": "file:///x"}]})),
        ];
        for (tool, method, response) in cases {
            let asked = client.call(tool, json!({})).await;
            let (key, question) = sole_question(&asked.result());
            assert_eq!(question["method"], method);
            let done = retry(&client, tool, &key, response.clone(), &asked.state()).await.result();
            assert_eq!(said(&done)[0], response, "{tool}");
            assert_eq!(done["resultType"], "complete");
        }
        assert_eq!(gateway.server("far").count_of("tools/call"), 3, "each call was made once");
        gateway.stop().await;
        assert_eq!(gateway.kernel.census()[2..], [0; 3]);
    })
    .await;
}

#[tokio::test]
async fn two_rounds_of_questions_have_two_states() {
    every_wire(old, Era::Modern, async |gateway, client| {
        let first = client.call("twice", json!({})).await;
        let (key, question) = sole_question(&first.result());
        assert_eq!(question["params"]["message"], "first?");
        let second = retry(
            &client,
            "twice",
            &key,
            json!({"action": "accept", "content": {"value": "1"}}),
            &first.state(),
        )
        .await;
        let (key, question) = sole_question(&second.result());
        assert_eq!(question["params"]["message"], "second?");
        assert_ne!(first.state(), second.state());
        let done = retry(&client, "twice", &key, json!({"action": "cancel"}), &second.state())
            .await
            .result();
        assert_eq!(
            said(&done),
            &json!([{"action": "accept", "content": {"value": "1"}}, {"action": "cancel"}])
        );
        gateway.stop().await;
    })
    .await;
}

#[tokio::test]
async fn missing_and_wrong_answers_are_asked_for_again() {
    every_wire(old, Era::Modern, async |gateway, client| {
        let asked = client.call("elicit", json!({})).await;
        let (key, _) = sole_question(&asked.result());
        let none = retry(&client, "elicit", "something else", json!({"action": "accept"}), &asked.state()).await;
        let (again, question) = sole_question(&none.result());
        assert_eq!(
            (again.as_str(), question["method"].as_str()),
            (key.as_str(), Some("elicitation/create"))
        );
        let empty = client
            .request(
                "tools/call",
                json!({"name": "elicit", "arguments": {}, "requestState": none.state()}),
            )
            .await;
        let done = retry(&client, "elicit", &key, json!({"action": "decline"}), &empty.state())
            .await
            .result();
        assert_eq!(said(&done), &json!([{"action": "decline"}]));
        gateway.stop().await;
    })
    .await;
}

#[tokio::test]
async fn progress_and_log_messages_of_a_legacy_server_reach_the_modern_call_that_asked_for_them() {
    for (server_wire, client_wire) in pairs(WIRES, WIRES) {
        let log = |level: &str| Step::notify("notifications/message", &format!(r#"{{"level":"{level}","data":"{level}"}}"#));
        let script = old(server_wire).tool(
            "work",
            [
                Step::notify("notifications/progress", r#"{"progressToken":$token,"progress":1,"total":2}"#),
                log("debug"),
                log("warning"),
                log("error"),
                Step::gate("heard"),
                Step::answer(ECHO),
            ],
        );
        let gateway = gateway().upstream("far", script).start();
        let client = gateway.client(Era::Modern, client_wire).log_level("warning").ready().await;
        let params = json!({"name": "work", "arguments": {"a": 1}, "_meta": {"progressToken": "mine"}});
        let call = client.start("tools/call", params).await;
        let progress = client.told("notifications/progress").await;
        assert_eq!(progress, json!({"progressToken": "mine", "progress": 1, "total": 2}));
        for level in ["warning", "error"] {
            let heard = client.told("notifications/message").await;
            assert_eq!(heard["level"], level);
        }
        gateway.server("far").open_gate("heard");
        assert_eq!(client.reply(&call).await.said()["a"], 1);
        assert_eq!(
            gateway.server("far").received_of("logging/setLevel")[0].params()["level"],
            "warning"
        );

        let silent = gateway.client(Era::Modern, client_wire).ready().await;
        silent.call("work", json!({})).await;
        assert!(
            silent.mailbox().take_now(|a| a.calls("notifications/message")).is_none(),
            "no level, no log"
        );
        gateway.stop().await;
    }
}

#[tokio::test]
async fn cancelling_reaches_the_server_whatever_the_eras() {
    for ((server_era, server_wire), (era, client_wire)) in pairs(WAYS, WAYS) {
        let way = format!("{era:?} {client_wire:?} to {server_era:?} {server_wire:?}");
        let script = Script::of(server_era)
            .over_http(server_wire == Wire::Http)
            .tool("work", [Step::Hang])
            .tool("say", [Step::answer(ECHO)]);
        let gateway = gateway().upstream("far", script).start();
        let client = gateway.client(era, client_wire).ready().await;
        let call = client.start_call("work", json!({})).await;
        gateway.server("far").nth("tools/call", 1).await;
        client.cancel(&call).await;
        gateway
            .server("far")
            .until(&format!("the cancellation, {way}"), |server| server.cancelled() == 1)
            .await;
        assert_eq!(client.call("say", json!({"on": 1})).await.said()["on"], 1);
        assert!(
            client.mailbox().take_now(|arrived| arrived.answers(&call.id)).is_none(),
            "{way}: a cancelled call is not answered"
        );
        gateway.stop_after(&[&client], way).await;
    }
}
