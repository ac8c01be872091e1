//! `requestState` is the gateway's own: a client that forges, replays, ages, borrows or alters it gets an error, and
//! the parked call is not affected.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Client, Era, Gateway, Reply, Script, Step, Wire, gateway};

use crate::{WIRES, form, said};

/// Returns a legacy server whose tools ask one question.
fn asking() -> Script {
    let steps = || {
        [
            Step::elicit(r#""who?""#),
            Step::answer(r#"{"content":[],"structuredContent":$answers}"#),
        ]
    };
    Script::legacy()
        .tool("ask", steps())
        .tool("other", steps())
        .prompt("greet", [Step::elicit(r#""who?""#), Step::answer(r#"{"messages":[]}"#)])
}

async fn modern(gateway: &Gateway, principal: &str, wire: Wire) -> Client {
    gateway
        .client(Era::Modern, wire)
        .principal(principal)
        .capabilities(form())
        .ready()
        .await
}

async fn retry(client: &Client, tool: &str, arguments: Value, state: Value) -> Reply {
    let answers = json!({"question": {"action": "accept", "content": {"value": "me"}}});
    client
        .request(
            "tools/call",
            json!({"name": tool, "arguments": arguments, "inputResponses": answers, "requestState": state}),
        )
        .await
}

#[tokio::test]
async fn a_state_is_good_for_one_retry_of_the_same_request_by_the_same_principal() {
    for wire in WIRES {
        let gateway = gateway().upstream("asking", asking()).start();
        let ann = modern(&gateway, "ann", wire).await;
        let bob = modern(&gateway, "bob", wire).await;
        assert_eq!(ann.tools().await, ["ask", "other"]);
        let state = ann.call("ask", json!({"a": 1})).await.state();
        assert_eq!(gateway.kernel.census()[3], 1, "the call is parked");

        let bent = {
            let mut bytes = state.clone().into_bytes();
            let middle = bytes.len() / 2;
            bytes[middle] = if bytes[middle] == b'A' { b'B' } else { b'A' };
            String::from_utf8(bytes).expect("ASCII")
        };
        let cases: [(&str, &Client, &str, Value, Value); 9] = [
            ("forged", &ann, "ask", json!({"a": 1}), json!("forged")),
            ("bent", &ann, "ask", json!({"a": 1}), json!(bent)),
            ("cut", &ann, "ask", json!({"a": 1}), json!(state[..state.len() - 4])),
            ("empty", &ann, "ask", json!({"a": 1}), json!("")),
            ("no text", &ann, "ask", json!({"a": 1}), json!({"state": 1})),
            ("huge", &ann, "ask", json!({"a": 1}), json!("A".repeat(100_000))),
            ("another principal's", &bob, "ask", json!({"a": 1}), json!(state)),
            ("another tool's", &ann, "other", json!({"a": 1}), json!(state)),
            ("other arguments'", &ann, "ask", json!({"a": 2}), json!(state)),
        ];
        for (what, client, tool, arguments, state) in cases {
            let refused = retry(client, tool, arguments, state).await;
            assert!(refused.is_error(), "{what}: {refused:?}");
            assert_eq!(refused.error().0, -32602, "{what}: {refused:?}");
            assert!(
                wire == Wire::Pipe || refused.status == 400 || refused.status == 200,
                "{what}: {}",
                refused.status
            );
        }
        let answers = json!({"question": {"action": "accept", "content": {"value": "me"}}});
        let prompt = ann
            .request(
                "prompts/get",
                json!({"name": "greet", "inputResponses": answers, "requestState": state}),
            )
            .await;
        assert_eq!(prompt.error().0, -32602, "another method's");
        assert_eq!(gateway.server("asking").count_of("tools/call"), 1, "none of it reached the server");

        let done = retry(&ann, "ask", json!({"a": 1.0, "b": null}), json!(state)).await;
        assert!(done.is_error(), "arguments are compared as they are");
        let done = retry(&ann, "ask", json!({"a": 1}), json!(state)).await.result();
        assert_eq!(said(&done)[0]["content"]["value"], "me");
        let replayed = retry(&ann, "ask", json!({"a": 1}), json!(state)).await;
        assert_eq!(replayed.error().0, -32602, "a state is consumed once");
        gateway.stop().await;
        assert_eq!(gateway.kernel.census()[2..], [0; 3]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_nobody_comes_back_for_is_given_up_and_its_state_expires() {
    let gateway = gateway()
        .upstream("asking", asking())
        .settings(|settings| settings.park_ttl = Duration::from_secs(30))
        .start();
    let ann = modern(&gateway, "ann", Wire::Http).await;
    let state = ann.call("ask", json!({})).await.state();
    tokio::time::advance(Duration::from_secs(36)).await;
    gateway
        .server("asking")
        .until("the end of the call", |server| server.cancelled() == 1)
        .await;
    assert_eq!(gateway.kernel.census()[3], 0);
    assert_eq!(retry(&ann, "ask", json!({}), json!(state)).await.error().0, -32602);
    gateway.stop().await;
}

#[tokio::test]
async fn a_state_of_another_gateway_is_not_valid_here() {
    let (one, other) = (
        gateway().upstream("asking", asking()).start(),
        gateway().upstream("asking", asking()).start(),
    );
    let (ann, again) = (modern(&one, "ann", Wire::Http).await, modern(&other, "ann", Wire::Http).await);
    let state = ann.call("ask", json!({})).await.state();
    assert_eq!(retry(&again, "ask", json!({}), json!(state)).await.error().0, -32602);
    one.stop().await;
    other.stop().await;
}

#[tokio::test]
async fn parked_calls_are_bounded_and_the_oldest_give_way() {
    let gateway = gateway().upstream("asking", asking()).start();
    let ann = modern(&gateway, "ann", Wire::Http).await;
    let mut states = Vec::new();
    for n in 0..6 {
        states.push(ann.call("ask", json!({"n": n})).await.state());
    }
    assert!(
        gateway.server("asking").live() <= 6,
        "children of one server are bounded: {}",
        gateway.server("asking").live()
    );
    assert_eq!(
        retry(&ann, "ask", json!({"n": 0}), json!(states[0])).await.error().0,
        -32602,
        "the oldest has given way"
    );
    let newest = retry(&ann, "ask", json!({"n": 5}), json!(states[5])).await.result();
    assert_eq!(said(&newest)[0]["action"], "accept");
    gateway.stop().await;
    assert_eq!(gateway.kernel.census()[2..], [0; 3]);
}
