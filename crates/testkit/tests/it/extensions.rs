//! Methods that the core does not define go to the one server that declared them, to the clients that they concern, and
//! to no others.

use jsonrpc::Raw;
use serde_json::{Value, json};
use testkit::{Client, Era, Gateway, Script, Step, Wire, gateway};

use crate::{ECHO, WAYS, WIRES, echo, pairs, said};

const FIND: &str = "search/find";
const INDEXED: &str = "notifications/search/indexed";
const HIT: &str = "notifications/search/hit";
/// A method that no server declares.
const FOREIGN: [&str; 2] = ["billing/pay", "notifications/billing/paid"];

/// Returns the places where real servers declare an extension.
fn declarations() -> [Value; 3] {
    [
        json!({"tools": {}, "extensions": {"com.acme/search": {"depth": 1.0}}}),
        json!({"tools": {}, "experimental": {"search": {}}}),
        json!({"tools": {}, "search": {}}),
    ]
}

/// Returns a server with an extension: a method that says what it was given, and a tool that tells of hits meanwhile.
fn searching(era: Era, wire: Wire, capabilities: Value) -> Script {
    echo(era, wire)
        .capabilities(capabilities)
        .on(FIND, [Step::answer(r#"{"resultType":"complete","given":$params}"#)])
        .tool("crawl", [Step::notify(HIT, r#"{"page":1.0,"of":$name}"#), Step::answer(ECHO)])
}

/// Returns a legacy server with the extension, and a tool that asks the client what the core does not know.
fn asking(wire: Wire) -> Script {
    let [capabilities, ..] = declarations();
    let steps = [
        Step::ask("search/choose", r#"{"among":[1.0,2]}"#),
        Step::answer(r#"{"content":[],"structuredContent":$answers}"#),
    ];
    searching(Era::Legacy, wire, capabilities).tool("ask", steps)
}

/// Returns a server that declares it, and one that does not.
async fn meet(server: (Era, Wire), capabilities: Value, client: (Era, Wire)) -> (Gateway, Client) {
    let gateway = gateway()
        .upstream("searching", searching(server.0, server.1, capabilities))
        .upstream(
            "other",
            Script::of(server.0)
                .over_http(server.1 == Wire::Http)
                .tool("well", [Step::answer(ECHO)]),
        )
        .start();
    let client = gateway.client(client.0, client.1).connect().await;
    assert_eq!(client.tools().await, ["say", "crawl", "well"]);
    (gateway, client)
}

/// Sends a notification as the client's era and wire have it.
async fn notify(client: &Client, method: &str, params: Value) {
    let params = client.dressed(Some(params.to_string())).expect("params");
    let frame = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{}}}"#, params.text());
    client.send(frame).await;
}

#[tokio::test]
async fn a_request_goes_to_the_server_that_declared_it_and_comes_back_whole() {
    for (server, client_way) in pairs(WAYS, WAYS) {
        for capabilities in declarations() {
            let way = format!("{client_way:?} to {server:?}, {capabilities}");
            let (gateway, client) = meet(server, capabilities, client_way).await;
            let found = client.request(FIND, json!({"q": "lost", "limit": 1.0})).await.result();
            assert_eq!(
                (&found["given"]["q"], found["given"]["limit"].to_string()),
                (&json!("lost"), "1.0".to_owned()),
                "{way}"
            );
            assert_eq!(gateway.server("searching").count_of(FIND), 1, "{way}");
            assert_eq!(gateway.server("other").params_of(FIND), [Value::Null; 0], "{way}");
            gateway.stop().await;
        }
    }
}

#[tokio::test]
async fn a_clients_notification_goes_to_the_server_that_declared_it() {
    for (server, client_way) in pairs(WAYS, WAYS) {
        let [capabilities, ..] = declarations();
        let (gateway, client) = meet(server, capabilities, client_way).await;
        // A legacy client's notifications are routed like its calls.
        for tool in ["say", "well"] {
            assert!(!client.call(tool, json!({})).await.is_error());
        }
        notify(&client, INDEXED, json!({"pages": 7.0})).await;
        let told = gateway.server("searching").nth(INDEXED, 1).await;
        assert_eq!(told.params()["pages"].to_string(), "7.0", "{client_way:?} to {server:?}");
        // The answers come in the order of the requests, so no other client has been notified meanwhile.
        client.call("well", json!({})).await;
        assert_eq!(
            gateway.server("other").params_of(INDEXED),
            [Value::Null; 0],
            "{client_way:?} to {server:?}"
        );
        gateway.stop().await;
    }
}

#[tokio::test]
async fn what_nobody_declared_and_what_two_declared_goes_nowhere() {
    for (server, client_way) in pairs(WAYS, WAYS) {
        let way = format!("{client_way:?} to {server:?}");
        let [capabilities, ..] = declarations();
        let twin = searching(server.0, server.1, json!({"tools": {}, "experimental": {"twice": {}}}));
        let gateway = gateway()
            .upstream("searching", searching(server.0, server.1, capabilities))
            .upstream("one", twin.clone())
            .upstream("two", twin)
            .start();
        let client = gateway.client(client_way.0, client_way.1).ready().await;
        for method in [FOREIGN[0], "twice/do"] {
            let refused = client.request(method, json!({})).await;
            assert_eq!(refused.error().0, jsonrpc::code::METHOD_NOT_FOUND, "{way} {method}");
            if client_way == (Era::Modern, Wire::Http) {
                assert_eq!(refused.status, 404, "{way} {method}");
            }
        }
        notify(&client, FOREIGN[1], json!({})).await;
        notify(&client, "notifications/twice/done", json!({})).await;
        for name in ["searching__say", "one__say", "two__say"] {
            assert!(!client.call(name, json!({})).await.is_error(), "{way} {name}");
        }
        for server in ["searching", "one", "two"].map(|id| gateway.server(id)) {
            for method in [FOREIGN[0], FOREIGN[1], "twice/do", "notifications/twice/done"] {
                assert_eq!(server.params_of(method), [Value::Null; 0], "{way} {method}");
            }
        }
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_servers_notification_reaches_the_client_of_the_call() {
    for (server, client_way) in pairs(WAYS, WAYS) {
        let [capabilities, ..] = declarations();
        let (gateway, client) = meet(server, capabilities, client_way).await;
        if client_way == (Era::Legacy, Wire::Http) {
            assert_eq!(client.listen(None).await.1, 200);
        }
        let call = client.start_call("crawl", json!({"a": 1})).await;
        let hit = client.told(HIT).await;
        assert_eq!(hit["page"].to_string(), "1.0", "{client_way:?} to {server:?}");
        assert_eq!(client.reply(&call).await.said()["a"], 1, "{client_way:?} to {server:?}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_legacy_servers_request_is_put_to_the_legacy_client_of_the_call() {
    for (server_wire, client_wire) in pairs(WIRES, WIRES) {
        let gateway = gateway().upstream("searching", asking(server_wire)).start();
        let declared = json!({"roots": {}, "extensions": {"com.acme/search": {}}});
        let client = gateway.client(Era::Legacy, client_wire).capabilities(declared).ready().await;
        let call = client.start_call("ask", json!({})).await;
        let question = client.question().await;
        assert_eq!(question.method(), Some("search/choose"), "{client_wire:?} to {server_wire:?}");
        assert_eq!(question.params().as_ref().map(Raw::text), Some(r#"{"among":[1.0,2]}"#));
        client.answer(&question, json!({"chosen": 2})).await;
        assert_eq!(client.reply(&call).await.said(), json!([{"chosen": 2}]));
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_client_that_declared_nothing_is_not_asked_what_the_core_does_not_know() {
    for (server_wire, client_wire) in pairs(WIRES, WIRES) {
        let gateway = gateway().upstream("searching", asking(server_wire)).start();
        let other = json!({"roots": {}, "extensions": {"com.other/billing": {}, "com.acme/search": false}});
        let client = gateway.client(Era::Legacy, client_wire).capabilities(other).ready().await;
        let answers = client.call("ask", json!({})).await.result();
        assert_eq!(
            said(&answers)[0]["code"],
            jsonrpc::code::METHOD_NOT_FOUND,
            "{client_wire:?} to {server_wire:?}: {answers}"
        );
        gateway.stop().await;
    }
}

/// 2026-07-28 has questions in results only; what kind they are is between the two ends.
#[tokio::test]
async fn a_modern_servers_question_of_an_extension_reaches_the_modern_client() {
    for (server_wire, client_wire) in pairs(WIRES, WIRES) {
        let [capabilities, ..] = declarations();
        let asks = Step::require(r#"{"which":{"method":"search/choose","params":{"among":[1.0,2]}}}"#, 1);
        let tells = Step::answer(r#"{"resultType":"complete","content":[],"structuredContent":$responses}"#);
        let script = searching(Era::Modern, server_wire, capabilities).tool_rounds("ask", vec![vec![asks], vec![tells]]);
        let gateway = gateway().upstream("searching", script).start();
        let declared = json!({"extensions": {"com.acme/search": {}}});
        let client = gateway.client(Era::Modern, client_wire).capabilities(declared).ready().await;
        let asked = client.call("ask", json!({})).await;
        let question = &asked.result()["inputRequests"]["which"];
        assert_eq!(
            *question,
            json!({"method": "search/choose", "params": {"among": [1.0, 2]}}),
            "{client_wire:?} to {server_wire:?}"
        );
        let again = json!({
            "name": "ask", "arguments": {}, "inputResponses": {"which": {"chosen": 2}}, "requestState": asked.state(),
        });
        let told = client.request("tools/call", again).await.result();
        assert_eq!(*said(&told), json!({"which": {"chosen": 2}}), "{client_wire:?} to {server_wire:?}");
        gateway.stop().await;
    }
}
