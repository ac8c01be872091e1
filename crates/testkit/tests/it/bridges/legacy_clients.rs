//! Legacy clients on modern servers: `input_required` becomes questions, a session's level goes into each request.

use serde_json::json;
use testkit::{Era, Script, Step, Wire, gateway};

use super::{RESPONSES, every_wire, retry};
use crate::callers::sole_question;
use crate::{ECHO, WIRES, said};

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
        assert_eq!(client.reply(&call).await.said(), json!({"two": {"roots": []}}));

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
            .ready()
            .await;
        let call = client.start_call("browse", json!({})).await;
        let question = client.question().await;
        let params = question.params().expect("params").to_value();
        assert_eq!(
            (params["mode"].as_str(), params["url"].as_str()),
            (Some("url"), Some("https://example.com/login"))
        );
        assert!(params["elicitationId"].as_str().is_some_and(|id| !id.is_empty()), "{params}");
        client.answer(&question, json!({"action": "accept"})).await;
        assert_eq!(client.reply(&call).await.said(), json!({"u": {"action": "accept"}}));

        let formal = gateway
            .client(Era::Legacy, client_wire)
            .capabilities(json!({"elicitation": {}}))
            .ready()
            .await;
        let refused = formal.call("browse", json!({})).await;
        assert!(
            refused.is_error(),
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
        .ready()
        .await;
    let asked = client.call("locked", json!({})).await;
    let (key, question) = sole_question(&asked.result());
    assert_eq!(question["params"]["url"], "https://example.com/login");
    assert!(question["params"].get("elicitationId").is_none(), "{question}");
    retry(&client, "locked", &key, json!({"action": "accept"}), &asked.state()).await;
    assert_eq!(gateway.server("far").count_of("tools/call"), 2, "the retry is sent again");
    let plain = gateway.client(Era::Modern, Wire::Http).ready().await;
    assert!(plain.call("locked", json!({})).await.is_error());
    gateway.stop().await;
}

#[tokio::test]
async fn a_legacy_sessions_log_level_goes_into_each_modern_request() {
    every_wire(new, Era::Legacy, async |gateway, client| {
        client.call("work", json!({})).await;
        assert!(!client.request("logging/setLevel", json!({"level": "error"})).await.is_error());
        client.mailbox().drain();
        let call = client.start_call_with_progress("work", json!({"a": 1}), json!(5)).await;
        let progress = client.told("notifications/progress").await;
        assert_eq!(progress["progressToken"], 5);
        let heard = client.told("notifications/message").await;
        assert_eq!(heard["level"], "error", "nothing below the level");
        assert_eq!(client.reply(&call).await.said()["a"], 1);
        let calls = gateway.server("far").received_of("tools/call");
        assert_eq!(calls[1].params()["_meta"]["io.modelcontextprotocol/logLevel"], "error");
        gateway.stop().await;
    })
    .await;
}
