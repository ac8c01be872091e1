//! Several clients at once on one server, each with a question in flight: each client gets the questions that concern
//! it, and no others.

use serde_json::{Value, json};
use testkit::{Client, Era, Exchange, Gateway, Script, Step, Wire, gateway};

use crate::{ECHO, WAYS, WIRES, form, said};

/// Returns a server whose tool asks the caller a question that names its argument, and answers with argument and answer.
fn curious(wire: Wire) -> Script {
    Script::legacy().over_http(wire == Wire::Http).tool(
        "ask",
        [
            Step::notify("notifications/progress", r#"{"progressToken":$token,"progress":1}"#),
            Step::elicit("$arguments"),
            Step::answer(r#"{"content":[],"structuredContent":{"for":$arguments,"answers":$answers}}"#),
        ],
    )
}

/// Returns such a server whose questions all wait for a gate, so that every call is in flight before the first question
/// is put.
fn curious_together(wire: Wire) -> Script {
    let question = r#"{"message":"who?","requestedSchema":{"type":"object","properties":{}},"note":$arguments}"#;
    Script::legacy().over_http(wire == Wire::Http).tool(
        "ask",
        [
            Step::gate("all are here"),
            Step::ask("elicitation/create", question),
            Step::answer(r#"{"content":[],"structuredContent":{"for":$arguments,"answers":$answers}}"#),
        ],
    )
}

/// An open call of `ask` by one client.
struct Asked<'a> {
    client: &'a Client,
    era: Era,
    who: String,
    exchange: Exchange,
}

impl<'a> Asked<'a> {
    async fn start(client: &'a Client, era: Era, who: String) -> Self {
        let exchange = client.start_call("ask", json!({"who": who})).await;
        Self {
            client,
            era,
            who,
            exchange,
        }
    }

    /// Answers the question that must have come, and checks that everything is this caller's.
    async fn answer(self) {
        let Self {
            client,
            era,
            who,
            exchange,
        } = self;
        let content = json!({"action": "accept", "content": {"value": format!("from {who}")}});
        let result = if era == Era::Legacy {
            let concerns = |question: &jsonrpc::Message| {
                question
                    .params()
                    .is_some_and(|params| params.to_value()["note"]["who"] == who.as_str())
            };
            let theirs = |arrived: &testkit::Arrived| arrived.asks() && arrived.message.as_ref().is_some_and(concerns);
            let arrived = client.mailbox().take(&format!("the question for {who}"), theirs).await;
            assert_eq!(arrived.exchange, exchange.number, "a question comes on the exchange of its call");
            let question = arrived.message.expect("a message");
            client.answer(&question, content).await;
            client.reply(&exchange).await.result()
        } else {
            let asked = client.reply(&exchange).await;
            let (key, question) = sole_question(&asked.result());
            assert_eq!(question["params"]["note"]["who"], who.as_str(), "another caller's question");
            let params = json!({"name": "ask", "arguments": {"who": who}, "inputResponses": {key: content}, "requestState": asked.state()});
            client.request("tools/call", params).await.result()
        };
        assert_eq!(said(&result)["for"]["who"], who.as_str());
        assert_eq!(said(&result)["answers"][0]["content"]["value"], format!("from {who}"));
    }
}

pub(crate) fn sole_question(result: &Value) -> (String, Value) {
    let questions = result["inputRequests"]
        .as_object()
        .unwrap_or_else(|| panic!("no questions: {result}"));
    assert_eq!(questions.len(), 1, "{result}");
    let (key, question) = questions.iter().next().expect("one");
    (key.clone(), question.clone())
}

async fn meet(gateway: &Gateway, ways: &[(Era, Wire)], calls_each: usize) {
    let mut clients = Vec::new();
    for (era, wire) in ways {
        clients.push((*era, gateway.client(*era, *wire).capabilities(form()).connect().await));
    }
    for (_, client) in &clients {
        assert_eq!(client.tools().await, ["ask"]);
    }
    let mut asked = Vec::new();
    for round in 0..calls_each {
        for (number, (era, client)) in clients.iter().enumerate() {
            asked.push(Asked::start(client, *era, format!("caller {number} call {round}")).await);
        }
    }
    let all = asked.len();
    gateway
        .server("curious")
        .until("every call", |server| server.count_of("tools/call") == all)
        .await;
    gateway.server("curious").open_gate("all are here");
    // The last is answered first, so that order alone can't make it right.
    for asked in asked.into_iter().rev() {
        asked.answer().await;
    }
    for (_, client) in &clients {
        assert!(client.mailbox().take_now(|arrived| arrived.asks()).is_none(), "a question too many");
        client.leave().await;
    }
}

#[tokio::test]
async fn each_question_reaches_its_own_caller_on_one_stdio_server() {
    for ways in [
        &WAYS[..2],
        &WAYS[2..],
        &[WAYS[0], WAYS[0]],
        &[WAYS[1], WAYS[1]],
        &[WAYS[3], WAYS[3], WAYS[3]],
        &WAYS[..],
    ] {
        let gateway = gateway().upstream("curious", curious_together(Wire::Pipe)).start();
        meet(&gateway, ways, 1).await;
        gateway.stop_after(&[], format_args!("{ways:?}")).await;
    }
}

#[tokio::test]
async fn each_question_reaches_its_own_caller_on_one_http_server() {
    for ways in [&WAYS[..2], &WAYS[2..], &WAYS[..]] {
        let gateway = gateway().upstream("curious", curious_together(Wire::Http)).start();
        meet(&gateway, ways, 1).await;
        gateway.stop_after(&[], format_args!("{ways:?}")).await;
    }
}

#[tokio::test]
async fn one_client_with_two_questions_at_once_over_http_gets_each_with_its_call() {
    let gateway = gateway().upstream("curious", curious_together(Wire::Http)).start();
    meet(&gateway, &[WAYS[1]], 2).await;
    gateway.stop().await;
}

#[tokio::test]
async fn two_principals_never_share_a_connection() {
    let gateway = gateway().upstream("curious", curious(Wire::Pipe)).start();
    let ann = gateway
        .client(Era::Legacy, Wire::Http)
        .principal("ann")
        .capabilities(form())
        .connect()
        .await;
    let bob = gateway
        .client(Era::Legacy, Wire::Http)
        .principal("bob")
        .capabilities(form())
        .connect()
        .await;
    for client in [&ann, &bob] {
        assert_eq!(client.tools().await, ["ask"]);
        let call = client
            .start(
                "tools/call",
                json!({"name": "ask", "arguments": "\"x\"", "_meta": {"progressToken": "t"}}),
            )
            .await;
        let progress = client.notification("notifications/progress").await;
        assert_eq!(progress.params().expect("params").to_value()["progressToken"], "t");
        let question = client.question().await;
        client.answer(&question, json!({"action": "decline"})).await;
        assert_eq!(client.reply(&call).await.said()["answers"], json!([{"action": "decline"}]));
    }
    let calls = gateway.server("curious").received_of("tools/call");
    assert_ne!(calls[0].connection, calls[1].connection);
    gateway.stop().await;
}

#[tokio::test]
async fn a_caller_that_leaves_takes_its_question_along_and_the_others_go_on() {
    for wire in WIRES {
        let gateway = gateway().upstream("curious", curious_together(Wire::Pipe)).start();
        let stays = gateway.client(Era::Legacy, wire).capabilities(form()).connect().await;
        let leaves = gateway.client(Era::Legacy, wire).capabilities(form()).connect().await;
        for client in [&stays, &leaves] {
            assert_eq!(client.tools().await, ["ask"]);
        }
        let asked = Asked::start(&stays, Era::Legacy, "stays".to_owned()).await;
        drop(leaves.start_call("ask", json!({"who": "leaves"})).await);
        gateway.server("curious").nth("tools/call", 2).await;
        gateway.server("curious").open_gate("all are here");
        leaves.question().await;
        leaves.leave().await;
        asked.answer().await;
        gateway.stop_after(&[&stays], format_args!("{wire:?}")).await;
    }
}

#[tokio::test]
async fn a_legacy_callers_log_level_is_set_once_and_again_when_it_changes_or_the_server_has_restarted() {
    for wire in WIRES {
        let script = Script::legacy()
            .capabilities(json!({"tools": {}, "logging": {}}))
            .tool("say", [Step::answer(ECHO)]);
        let gateway = gateway().upstream("far", script).start();
        let client = gateway.client(Era::Legacy, wire).capabilities(form()).ready().await;
        let server = gateway.server("far");
        for (level, sets) in [("warning", 1), ("warning", 1), ("debug", 2), ("error", 3)] {
            assert!(!client.request("logging/setLevel", json!({"level": level})).await.is_error());
            for _ in 0..3 {
                assert!(!client.call("say", json!({})).await.is_error());
            }
            let levels = server.received_of("logging/setLevel");
            assert_eq!(levels.len(), sets, "{wire:?} {level}");
            assert_eq!(levels[sets - 1].params()["level"], level);
        }
        let old = server.opened();
        server.crash();
        // Within the backoff a call may be refused once or twice.
        while server.received_of("tools/call").last().is_some_and(|call| call.connection <= old) {
            client.call("say", json!({})).await;
        }
        assert_eq!(server.nth("logging/setLevel", 4).await.params()["level"], "error");
        gateway.stop().await;
    }
}
