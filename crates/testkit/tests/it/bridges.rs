//! Between the eras: modern clients on legacy servers, and legacy clients on modern ones.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Client, Era, Gateway, Script, Step, Wire, gateway};

use crate::{ECHO, callers::sole_question, form, said};

const ANSWERS: &str = r#"{"content":[],"structuredContent":$answers}"#;
const RESPONSES: &str = r#"{"resultType":"complete","content":[],"structuredContent":$responses}"#;
const WIRES: [Wire; 2] = [Wire::Pipe, Wire::Http];

async fn retry(client: &Client, tool: &str, key: &str, response: Value, state: &str) -> testkit::Reply {
    let params = json!({"name": tool, "arguments": {}, "inputResponses": {key: response}, "requestState": state});
    client.request("tools/call", params).await
}

async fn every_wire(server: impl Fn(Wire) -> Script, era: Era, mut test: impl AsyncFnMut(Gateway, Client)) {
    for server_wire in WIRES {
        for client_wire in WIRES {
            let gateway = gateway().upstream("far", server(server_wire)).start();
            let client = gateway.client(era, client_wire).capabilities(form()).connect().await;
            client.tools().await;
            test(gateway, client).await;
        }
    }
}

// === modern client, legacy server

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
        assert_eq!(gateway.server("far").received_of("tools/call").len(), 3, "each call was made once");
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
    for server_wire in WIRES {
        for client_wire in WIRES {
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
            let client = gateway.client(Era::Modern, client_wire).log_level("warning").connect().await;
            client.tools().await;
            let params = json!({"name": "work", "arguments": {"a": 1}, "_meta": {"progressToken": "mine"}});
            let call = client.start("tools/call", params).await;
            let progress = client
                .notification("notifications/progress")
                .await
                .params()
                .expect("params")
                .to_value();
            assert_eq!(progress, json!({"progressToken": "mine", "progress": 1, "total": 2}));
            for level in ["warning", "error"] {
                let heard = client
                    .notification("notifications/message")
                    .await
                    .params()
                    .expect("params")
                    .to_value();
                assert_eq!(heard["level"], level);
            }
            gateway.server("far").open_gate("heard");
            assert_eq!(said(&client.reply(&call).await.result())["a"], 1);
            assert_eq!(
                gateway.server("far").received_of("logging/setLevel")[0].params()["level"],
                "warning"
            );

            let silent = gateway.client(Era::Modern, client_wire).connect().await;
            silent.tools().await;
            silent.call("work", json!({})).await;
            assert!(
                silent.mailbox().take_now(|a| a.calls("notifications/message")).is_none(),
                "no level, no log"
            );
            gateway.stop().await;
        }
    }
}

#[tokio::test]
async fn cancelling_reaches_the_server_whatever_the_eras() {
    for server_era in [Era::Legacy, Era::Modern] {
        for era in [Era::Legacy, Era::Modern] {
            for server_wire in WIRES {
                for client_wire in WIRES {
                    let way = format!("{era:?} {client_wire:?} to {server_era:?} {server_wire:?}");
                    let script = Script::of(server_era)
                        .over_http(server_wire == Wire::Http)
                        .tool("work", [Step::Hang])
                        .tool("say", [Step::answer(ECHO)]);
                    let gateway = gateway().upstream("far", script).start();
                    let client = gateway.client(era, client_wire).connect().await;
                    client.tools().await;
                    let call = client.start_call("work", json!({})).await;
                    gateway.server("far").nth("tools/call", 1).await;
                    client.cancel(&call).await;
                    gateway
                        .server("far")
                        .until(&format!("the cancellation, {way}"), |server| server.cancelled() == 1)
                        .await;
                    assert_eq!(said(&client.call("say", json!({"on": 1})).await.result())["on"], 1);
                    assert!(
                        client.mailbox().take_now(|arrived| arrived.answers(&call.id)).is_none(),
                        "{way}: a cancelled call is not answered"
                    );
                    client.leave().await;
                    gateway.stop().await;
                    assert_eq!(gateway.kernel.census(), [0; 5], "{way}");
                }
            }
        }
    }
}

// === legacy client, modern server

fn new(wire: Wire) -> Script {
    let form =
        r#"{"method":"elicitation/create","params":{"mode":"form","message":"who?","requestedSchema":{"type":"object","properties":{}}}}"#;
    let roots = r#"{"method":"roots/list","params":{}}"#;
    let sample = r#"{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":7}}"#;
    let url = r#"{"method":"elicitation/create","params":{"mode":"url","message":"log in","url":"https://example.com/login"}}"#;
    Script::modern()
        .over_http(wire == Wire::Http)
        .capabilities(json!({"tools": {"listChanged": true}, "logging": {}, "resources": {"subscribe": true, "listChanged": true}}))
        .tool_rounds(
            "many",
            vec![
                vec![Step::require(&format!(r#"{{"a":{form},"b":{roots},"c":{sample}}}"#), 1)],
                vec![Step::answer(RESPONSES)],
            ],
        )
        .tool_rounds(
            "rounds",
            vec![
                vec![Step::require(&format!(r#"{{"one":{form}}}"#), 1)],
                vec![Step::require(&format!(r#"{{"two":{roots}}}"#), 2)],
                vec![Step::answer(RESPONSES)],
            ],
        )
        .tool_rounds(
            "browse",
            vec![vec![Step::require(&format!(r#"{{"u":{url}}}"#), 1)], vec![Step::answer(RESPONSES)]],
        )
        .tool_rounds("endless", vec![vec![Step::require(&format!(r#"{{"one":{roots}}}"#), 0)]])
        .tool(
            "work",
            [
                Step::notify("notifications/progress", r#"{"progressToken":$token,"progress":1}"#),
                Step::notify("notifications/message", r#"{"level":"info","data":"info"}"#),
                Step::notify("notifications/message", r#"{"level":"error","data":"error"}"#),
                Step::answer(ECHO),
            ],
        )
}

#[tokio::test]
async fn several_questions_of_a_modern_server_are_put_to_a_legacy_client() {
    every_wire(new, Era::Legacy, async |gateway, client| {
        let call = client.start_call("many", json!({"kept": 1.5})).await;
        let mut expected = json!({});
        for _ in 0..3 {
            let question = client.question().await;
            let (key, response) = match question.method() {
                Some("elicitation/create") => ("a", json!({"action": "accept", "content": {"value": "x"}})),
                Some("roots/list") => ("b", json!({"roots": []})),
                Some("sampling/createMessage") => (
                    "c",
                    json!({"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"}),
                ),
                other => panic!("asked {other:?}"),
            };
            client.answer(&question, response.clone()).await;
            expected[key] = response;
        }
        let result = client.reply(&call).await.result();
        assert_eq!(said(&result), &expected);
        assert!(result.get("resultType").is_none(), "a legacy client knows no resultType: {result}");
        let calls = gateway.server("far").received_of("tools/call");
        assert_eq!(calls.len(), 2);
        assert_eq!(calls[1].params()["requestState"], "round-1");
        assert_eq!(calls[1].params()["arguments"], json!({"kept": 1.5}));
        assert_ne!(calls[0].message.id(), calls[1].message.id(), "a retry has a new id");
        let capabilities = &calls[0].params()["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        assert!(
            capabilities["sampling"].is_object() && capabilities["roots"].is_object(),
            "{capabilities}"
        );
        gateway.stop().await;
    })
    .await;
}

#[tokio::test]
async fn rounds_go_on_until_the_server_is_content_and_not_for_ever() {
    every_wire(new, Era::Legacy, async |gateway, client| {
        let call = client.start_call("rounds", json!({})).await;
        let first = client.question().await;
        client.answer(&first, json!({"action": "decline"})).await;
        let second = client.question().await;
        client.answer(&second, json!({"roots": []})).await;
        assert_eq!(said(&client.reply(&call).await.result()), &json!({"two": {"roots": []}}));

        let call = client.start_call("endless", json!({})).await;
        let mut rounds = 0;
        let answer = loop {
            let arrived = client
                .mailbox()
                .take("a question or the answer", |a| a.asks() || a.answers(&call.id))
                .await;
            if arrived.answers(&call.id) {
                break arrived;
            }
            rounds += 1;
            assert!(rounds < 100, "there is an end to it");
            client.answer(&arrived.message.expect("a question"), json!({"roots": []})).await;
        };
        assert!(answer.message.is_some_and(|message| message.is_error()));
        gateway.stop().await;
    })
    .await;
}

#[tokio::test]
async fn an_error_for_an_answer_ends_the_call_with_that_error() {
    every_wire(new, Era::Legacy, async |gateway, client| {
        let call = client.start_call("rounds", json!({})).await;
        let question = client.question().await;
        let refusal = jsonrpc::ErrorObject::new(-1, "the user is out");
        client.send(jsonrpc::Message::failure(question.id(), &refusal).line()).await;
        let (_, text) = client.reply(&call).await.error();
        assert!(text.contains("the user is out"), "{text}");
        gateway.stop().await;
        assert_eq!(gateway.kernel.census()[2..], [0; 3]);
    })
    .await;
}

#[tokio::test]
async fn url_elicitation_of_a_modern_server_gets_an_id_for_a_legacy_client() {
    for client_wire in WIRES {
        let gateway = gateway().upstream("far", new(Wire::Http)).start();
        let client = gateway
            .client(Era::Legacy, client_wire)
            .capabilities(json!({"elicitation": {"form": {}, "url": {}}}))
            .connect()
            .await;
        client.tools().await;
        let call = client.start_call("browse", json!({})).await;
        let question = client.question().await;
        let params = question.params().expect("params").to_value();
        assert_eq!(
            (params["mode"].as_str(), params["url"].as_str()),
            (Some("url"), Some("https://example.com/login"))
        );
        assert!(params["elicitationId"].as_str().is_some_and(|id| !id.is_empty()), "{params}");
        client.answer(&question, json!({"action": "accept"})).await;
        assert_eq!(said(&client.reply(&call).await.result()), &json!({"u": {"action": "accept"}}));

        let formal = gateway
            .client(Era::Legacy, client_wire)
            .capabilities(json!({"elicitation": {}}))
            .connect()
            .await;
        formal.tools().await;
        let refused = formal.call("browse", json!({})).await;
        assert!(
            refused.message.is_error(),
            "a client without URL mode is not asked to open one: {refused:?}"
        );
        assert!(formal.mailbox().take_now(testkit::Arrived::asks).is_none());
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_demand_for_url_elicitation_becomes_a_question_to_a_modern_client() {
    let error = r#"{"jsonrpc":"2.0","id":$id,"error":{"code":-32042,"message":"log in first","data":{"elicitations":[{"mode":"url","elicitationId":"e1","url":"https://example.com/login","message":"log in"}]}}}"#;
    let script = Script::legacy().tool("locked", [Step::send(error)]);
    let gateway = gateway().upstream("far", script).start();
    let client = gateway
        .client(Era::Modern, Wire::Http)
        .capabilities(json!({"elicitation": {"url": {}}}))
        .connect()
        .await;
    client.tools().await;
    let asked = client.call("locked", json!({})).await;
    let (key, question) = sole_question(&asked.result());
    assert_eq!(question["params"]["url"], "https://example.com/login");
    assert!(question["params"].get("elicitationId").is_none(), "{question}");
    retry(&client, "locked", &key, json!({"action": "accept"}), &asked.state()).await;
    assert_eq!(gateway.server("far").received_of("tools/call").len(), 2, "the retry is sent again");
    let plain = gateway.client(Era::Modern, Wire::Http).connect().await;
    plain.tools().await;
    assert!(plain.call("locked", json!({})).await.message.is_error());
    gateway.stop().await;
}

#[tokio::test]
async fn a_legacy_sessions_log_level_goes_into_each_modern_request() {
    every_wire(new, Era::Legacy, async |gateway, client| {
        client.call("work", json!({})).await;
        assert!(
            !client
                .request("logging/setLevel", json!({"level": "error"}))
                .await
                .message
                .is_error()
        );
        client.mailbox().drain();
        let call = client
            .start(
                "tools/call",
                json!({"name": "work", "arguments": {"a": 1}, "_meta": {"progressToken": 5}}),
            )
            .await;
        let progress = client
            .notification("notifications/progress")
            .await
            .params()
            .expect("params")
            .to_value();
        assert_eq!(progress["progressToken"], 5);
        let heard = client
            .notification("notifications/message")
            .await
            .params()
            .expect("params")
            .to_value();
        assert_eq!(heard["level"], "error", "nothing below the level");
        assert_eq!(said(&client.reply(&call).await.result())["a"], 1);
        let calls = gateway.server("far").received_of("tools/call");
        assert_eq!(calls[1].params()["_meta"]["io.modelcontextprotocol/logLevel"], "error");
        gateway.stop().await;
    })
    .await;
}

// === subscriptions

fn library(era: Era, wire: Wire) -> Script {
    Script::of(era)
        .over_http(wire == Wire::Http)
        .resource(
            "test://one",
            [Step::answer(
                r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","contents":[]}"#,
            )],
        )
        .tool("say", [Step::answer(ECHO)])
}

const UPDATED: (&str, &str) = ("notifications/resources/updated", r#"{"uri":"test://one","extra":1.0}"#);

#[tokio::test]
async fn subscriptions_cross_the_eras_both_ways_and_end() {
    for server_era in [Era::Legacy, Era::Modern] {
        for server_wire in WIRES {
            for client_wire in WIRES {
                let way = format!("Legacy {client_wire:?} to {server_era:?} {server_wire:?}");
                let gateway = gateway().upstream("library", library(server_era, server_wire)).start();
                let client = gateway.client(Era::Legacy, client_wire).connect().await;
                client.tools().await;
                if client_wire == Wire::Http {
                    assert_eq!(client.listen(None).await.1, 200);
                }
                assert!(
                    !client
                        .request("resources/subscribe", json!({"uri": "test://one"}))
                        .await
                        .message
                        .is_error()
                );
                let server = gateway.server("library").clone();
                let subscribed = |server: &testkit::Scripted| match server_era {
                    Era::Legacy => !server.received_of("resources/subscribe").is_empty(),
                    Era::Modern => listens(server) && server.streams() > 0,
                };
                server.until(&format!("the subscription, {way}"), subscribed).await;
                server.say(UPDATED.0, UPDATED.1);
                let heard = client.notification(UPDATED.0).await.params().expect("params").to_value();
                assert_eq!((&heard["uri"], &heard["extra"]), (&json!("test://one"), &json!(1.0)), "{way}");
                assert!(heard["_meta"]["io.modelcontextprotocol/subscriptionId"].is_null(), "{way}: {heard}");

                assert!(
                    !client
                        .request("resources/unsubscribe", json!({"uri": "test://one"}))
                        .await
                        .message
                        .is_error()
                );
                let ended = |server: &testkit::Scripted| match server_era {
                    Era::Legacy => !server.received_of("resources/unsubscribe").is_empty(),
                    Era::Modern => !listens(server),
                };
                server.until(&format!("the end of the subscription, {way}"), ended).await;
                client.leave().await;
                gateway.stop().await;
                assert_eq!(gateway.kernel.census(), [0; 5], "{way}");
            }
        }
    }
}

/// Whether the last filter that a modern server was given names the resource.
fn listens(server: &testkit::Scripted) -> bool {
    let last = server.received_of("subscriptions/listen").pop();
    let uris = last.map(|listen| listen.params()["notifications"]["resourceSubscriptions"].clone());
    uris.is_some_and(|uris| uris.as_array().is_some_and(|uris| uris.contains(&json!("test://one"))))
}

#[tokio::test]
async fn a_modern_clients_subscription_stream_follows_servers_of_both_eras() {
    for server_era in [Era::Legacy, Era::Modern] {
        for server_wire in WIRES {
            for client_wire in WIRES {
                let way = format!("Modern {client_wire:?} to {server_era:?} {server_wire:?}");
                let gateway = gateway().upstream("library", library(server_era, server_wire)).start();
                let client = gateway.client(Era::Modern, client_wire).connect().await;
                client.tools().await;
                let wanted = json!({"notifications": {"resourceSubscriptions": ["test://one", "test://none"], "toolsListChanged": true, "promptsListChanged": true}});
                let stream = client.start("subscriptions/listen", wanted).await;
                let acknowledged = client
                    .notification("notifications/subscriptions/acknowledged")
                    .await
                    .params()
                    .expect("params")
                    .to_value();
                let honoured = &acknowledged["notifications"];
                assert_eq!(honoured["toolsListChanged"], true, "{way}: {acknowledged}");
                assert!(
                    honoured.get("promptsListChanged").is_none_or(|changed| changed == false),
                    "{way}: no server has prompts"
                );
                assert!(
                    honoured["resourceSubscriptions"]
                        .as_array()
                        .is_some_and(|uris| uris.contains(&json!("test://one"))),
                    "{way}"
                );
                let id: Value = stream.id.raw().to_value();
                assert_eq!(acknowledged["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
                let server = gateway.server("library").clone();
                let subscribed = |server: &testkit::Scripted| server_era == Era::Legacy || (listens(server) && server.streams() > 0);
                server.until("the subscription", subscribed).await;
                server.say(UPDATED.0, UPDATED.1);
                let heard = client.notification(UPDATED.0).await.params().expect("params").to_value();
                assert_eq!(
                    (&heard["uri"], &heard["_meta"]["io.modelcontextprotocol/subscriptionId"]),
                    (&json!("test://one"), &id),
                    "{way}"
                );
                server.say("notifications/tools/list_changed", "{}");
                let heard = client
                    .notification("notifications/tools/list_changed")
                    .await
                    .params()
                    .expect("params")
                    .to_value();
                assert_eq!(heard["_meta"]["io.modelcontextprotocol/subscriptionId"], id, "{way}");
                client.cancel(&stream).await;
                let ended = |server: &testkit::Scripted| match server_era {
                    Era::Legacy => !server.received_of("resources/unsubscribe").is_empty(),
                    Era::Modern => !listens(server),
                };
                server.until(&format!("the end of the subscription, {way}"), ended).await;
                client.leave().await;
                gateway.stop().await;
                assert_eq!(gateway.kernel.census(), [0; 5], "{way}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn list_changes_are_gathered_and_told_only_where_they_were_advertised() {
    let quiet = Script::legacy()
        .capabilities(json!({"tools": {}}))
        .tool("say", [Step::answer(ECHO)]);
    let loud = Script::legacy().tool("shout", [Step::answer(ECHO)]);
    let gateway = gateway()
        .upstream("loud", loud)
        .upstream("quiet", quiet)
        .settings(|settings| settings.debounce = Duration::from_millis(100))
        .start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).connect().await;
    client.tools().await;
    // What was learnt while the servers started may still be told.
    tokio::time::advance(Duration::from_secs(5)).await;
    tokio::task::yield_now().await;
    client.request("ping", json!({})).await;
    client.mailbox().drain();
    for _ in 0..50 {
        gateway.server("loud").say("notifications/tools/list_changed", "{}");
    }
    client.notification("notifications/tools/list_changed").await;
    tokio::time::advance(Duration::from_secs(5)).await;
    client.request("ping", json!({})).await;
    let more = client
        .mailbox()
        .drain()
        .iter()
        .filter(|a| a.calls("notifications/tools/list_changed"))
        .count();
    assert!(more <= 1, "fifty changes at once are told once or twice, not {} times", more + 1);
    let fetched = gateway.server("loud").received_of("tools/list").len();
    assert!(fetched <= 5, "and fetched as seldom: {fetched}");
    gateway.stop().await;
}

#[tokio::test]
async fn changes_of_lists_that_nobody_offers_are_not_told() {
    let quiet = Script::legacy().tool("say", [Step::answer(ECHO)]);
    let gateway = gateway()
        .upstream("quiet", quiet)
        .settings(|settings| settings.debounce = Duration::from_millis(1))
        .start();
    let client = gateway.client(Era::Legacy, Wire::Pipe).open();
    let hello = client.hello().await;
    assert!(hello["capabilities"].get("prompts").is_none(), "{hello}");
    client.tools().await;
    client.mailbox().drain();
    gateway.server("quiet").say("notifications/prompts/list_changed", "{}");
    gateway.server("quiet").say("notifications/resources/list_changed", "{}");
    gateway.server("quiet").say("notifications/tools/list_changed", "{}");
    client.notification("notifications/tools/list_changed").await;
    gateway.server("quiet").say("notifications/tools/list_changed", "{}");
    client.notification("notifications/tools/list_changed").await;
    for unheard in ["notifications/prompts/list_changed", "notifications/resources/list_changed"] {
        assert!(
            client.mailbox().take_now(|a| a.calls(unheard)).is_none(),
            "{unheard}: nobody said that there are such lists"
        );
    }
    gateway.stop().await;
}

// === tasks

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
