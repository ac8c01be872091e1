//! MGP §4.4: dangerous tools need a person's consent, to this very call, once.

use policy::Answer;
use serde_json::{Value, json};
use testkit::{Client, Era, Exchange, Gateway, Wire};

use super::{guarded, operations, rejection, without_hold};
use crate::{ERAS, WAYS, assert_has, form, pairs};

/// Answers the question about a call as a person, whatever the client's era, and returns the call's answer.
async fn consent(client: &Client, era: Era, call: Exchange, tool: &str, arguments: &Value, answer: Value) -> testkit::Reply {
    if era == Era::Legacy {
        let question = client.question().await;
        assert_eq!(question.method(), Some("elicitation/create"));
        let shown = question.params().expect("params").to_value();
        assert!(shown["message"].as_str().is_some_and(|text| text.contains("fs/destroy")), "{shown}");
        client.answer(&question, answer).await;
        return client.reply(&call).await;
    }
    let asked = client.reply(&call).await;
    let question = &asked.result()["inputRequests"]["consent"];
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let params = json!({
        "name": tool, "arguments": arguments, "requestState": asked.state(),
        "inputResponses": {"consent": answer},
    });
    client.request("tools/call", params).await
}

fn says(decision: &str) -> Value {
    json!({"action": "accept", "content": {"decision": decision}})
}

fn calls(gateway: &Gateway) -> usize {
    gateway.server("fs").count_of("tools/call")
}

#[tokio::test]
async fn row_4_4_safe_and_moderate_tools_run_without_a_question() {
    for (era, wire) in WAYS {
        let gateway = guarded(era).start();
        let client = gateway.client(era, wire).principal("local").connect().await;
        for tool in ["look", "change"] {
            let reply = client.call(tool, json!({"a": 1})).await;
            assert_eq!(reply.said(), json!({"a": 1}), "{era:?} {wire:?} {tool}");
        }
        gateway.stop().await;
    }
}

#[tokio::test]
async fn row_4_4_row_1_7_a_dangerous_tool_runs_once_its_client_s_person_consents() {
    for (upstream, (era, wire)) in pairs(ERAS, WAYS) {
        let gateway = guarded(upstream).start();
        let client = gateway.client(era, wire).principal("local").capabilities(form()).ready().await;
        let arguments = json!({"path": "notes/x"});
        let call = client.start_call("destroy", arguments.clone()).await;
        let reply = consent(&client, era, call, "destroy", &arguments, says("once")).await;
        assert_eq!(reply.said(), arguments, "{era:?} {wire:?} on {upstream:?}");
        assert_eq!(calls(&gateway), 1);
        let sent = gateway.server("fs").received_of("tools/call")[0].params();
        assert!(
            sent.get("requestState").is_none() && sent.get("inputResponses").is_none(),
            "what was between us and the client: {sent}"
        );
        // The next one is asked about again: this consent is used.
        let call = client.start_call("destroy", arguments.clone()).await;
        let refused = consent(&client, era, call, "destroy", &arguments, says("deny")).await;
        assert_eq!(rejection(&refused)["code"], 1000);
        assert_eq!(calls(&gateway), 1, "{era:?} {wire:?}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn row_4_4_always_is_a_grant_that_asks_no_client_again() {
    for (era, wire) in WAYS {
        let gateway = guarded(era).start();
        let client = gateway.client(era, wire).principal("local").capabilities(form()).ready().await;
        let call = client.start_call("destroy", json!({"n": 1})).await;
        let reply = consent(&client, era, call, "destroy", &json!({"n": 1}), says("always")).await;
        assert_eq!(reply.said(), json!({"n": 1}));
        let second = client.call("destroy", json!({"n": 2})).await;
        assert_eq!(second.said(), json!({"n": 2}), "{era:?} {wire:?}");
        gateway.stop().await;
    }
}

/// A consent is for these arguments: the state of one question does not open the door to another call.
#[tokio::test]
async fn row_4_4_a_consent_lets_no_other_call_through() {
    let gateway = guarded(Era::Modern).start();
    let client = gateway.client(Era::Modern, Wire::Http).capabilities(form()).ready().await;
    let asked = client.call("destroy", json!({"path": "notes/a"})).await;
    for (path, flag) in [("notes/b", None), ("notes/b", Some(true)), ("notes/a ", None)] {
        let mut arguments = json!({"path": path});
        if flag.is_some() {
            // What a model sets is no consent.
            arguments["confirmed"] = json!(true);
        }
        let params = json!({
            "name": "destroy", "arguments": arguments, "requestState": asked.state(), "inputResponses": {"consent": says("once")},
        });
        let reply = client.request("tools/call", params).await;
        assert_eq!(reply.result()["resultType"], "input_required", "asked anew: {:?}", reply.message);
    }
    assert_eq!(calls(&gateway), 0);
    gateway.stop().await;
}

#[tokio::test]
async fn whoever_closes_the_question_has_not_consented() {
    for answer in [
        json!({"action": "decline"}),
        json!({"action": "cancel"}),
        json!({"action": "accept", "content": {}}),
    ] {
        let gateway = guarded(Era::Legacy).start();
        let client = gateway.client(Era::Legacy, Wire::Pipe).capabilities(form()).ready().await;
        let call = client.start_call("destroy", json!({})).await;
        let refused = consent(&client, Era::Legacy, call, "destroy", &json!({}), answer.clone()).await;
        assert_eq!(rejection(&refused)["code"], 1000, "{answer}");
        assert_eq!(calls(&gateway), 0);
        gateway.stop().await;
    }
}

/// A client that can't ask a person: an operator decides, and the call waits meanwhile.
#[tokio::test]
async fn row_4_4_an_operator_decides_where_the_client_has_no_person_to_ask() {
    for ((era, wire), (answer, passes)) in pairs(WAYS, [(Answer::Approve, true), (Answer::Deny, false)]) {
        let gateway = guarded(era).start();
        let operations = operations(&gateway);
        let mut changes = operations.changes();
        let client = gateway.client(era, wire).principal("local").ready().await;
        let call = client.start_call("destroy", json!({"password": "hunter22", "path": "/x"})).await;
        let waiting = loop {
            if let Some(waiting) = operations.approvals().into_iter().next() {
                break waiting;
            }
            changes.changed().await.expect("the operations is open");
        };
        assert_eq!(waiting.approval.principal.as_str(), "local");
        assert!(
            waiting.arguments.contains("/x") && !waiting.arguments.contains("hunter22"),
            "{}",
            waiting.arguments
        );
        operations.decide(&waiting.approval.request, answer).await.expect("it waits");
        let again = operations.decide(&waiting.approval.request, answer).await;
        assert!(again.is_err(), "of two, the first counts");
        let reply = client.reply(&call).await;
        match passes {
            true => assert_eq!(reply.said()["path"], "/x", "{era:?} {wire:?}"),
            false => assert_eq!(rejection(&reply)["code"], 1000),
        }
        gateway.stop().await;
    }
}

/// No operator decides: the client is told to retry, finds the decision once there is one, and uses it once.
#[tokio::test]
async fn a_call_that_nobody_decided_about_comes_back() {
    for (era, wire) in WAYS {
        let gateway = guarded(era).guarded(without_hold).start();
        let operations = operations(&gateway);
        let client = gateway.client(era, wire).principal("local").ready().await;
        let told = rejection(&client.call("destroy", json!({"n": 1})).await);
        assert_has(&told, &json!({"code": 1000, "retryable": true}));
        let request = told["details"]["request_id"].as_str().expect("a request id").to_owned();
        let waiting = operations.approvals();
        assert_eq!(
            (waiting.len(), waiting[0].approval.request.as_str()),
            (1, request.as_str()),
            "asked once"
        );
        rejection(&client.call("destroy", json!({"n": 1})).await);
        assert_eq!(operations.approvals().len(), 1, "the same call is not asked about twice");
        operations
            .decide(&waiting[0].approval.request, Answer::Approve)
            .await
            .expect("it waits");
        assert_eq!(client.call("destroy", json!({"n": 1})).await.said(), json!({"n": 1}));
        rejection(&client.call("destroy", json!({"n": 1})).await);
        assert_eq!(calls(&gateway), 1, "{era:?} {wire:?}");
        gateway.stop().await;
    }
}

/// Two clients with questions in flight: each person decides about their own call.
#[tokio::test]
async fn each_question_reaches_its_own_caller() {
    let gateway = guarded(Era::Legacy).start();
    let client = async || gateway.client(Era::Legacy, Wire::Pipe).capabilities(form()).connect().await;
    let (one, two) = (client().await, client().await);
    one.tools().await;
    two.tools().await;
    let first = one.start_call("destroy", json!({"of": 1})).await;
    let second = two.start_call("destroy", json!({"of": 2})).await;
    let (asked_one, asked_two) = (one.question().await, two.question().await);
    let shows = |question: &jsonrpc::Message, text: &str| question.params().expect("params").text().contains(text);
    assert!(shows(&asked_one, r#"\"of\":1"#) && shows(&asked_two, r#"\"of\":2"#));
    two.answer(&asked_two, says("deny")).await;
    one.answer(&asked_one, says("once")).await;
    assert_eq!(one.reply(&first).await.said(), json!({"of": 1}));
    assert_eq!(rejection(&two.reply(&second).await)["code"], 1000);
    gateway.stop().await;
}
