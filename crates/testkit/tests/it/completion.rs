//! `completion/complete` goes to the server whose prompt or template it is, with that server's own names.

use serde_json::{Value, json};
use testkit::{Client, Gateway, Script, Step, gateway};

use crate::{WAYS, pairs};

/// Returns a server whose completions begin with its own name; two of them offer a prompt of the same name.
fn offering(era: testkit::Era, http: bool, who: &str) -> Script {
    let templates = format!(
        r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"private","resourceTemplates":[{{"name":"t","uriTemplate":"{who}://row/{{id}}"}}]}}"#
    );
    Script::of(era)
        .over_http(http)
        .capabilities(json!({"completions": {}}))
        .prompt("greet", [Step::answer(r#"{"resultType":"complete","messages":[]}"#)])
        .resource(&format!("{who}://one"), [Step::answer(r#"{"contents":[]}"#)])
        .on("resources/templates/list", [Step::answer(templates)])
        .on(
            "completion/complete",
            [Step::answer(format!(
                r#"{{"resultType":"complete","completion":{{"values":["{who}"],"total":1.0}},"given":$params}}"#
            ))],
        )
}

fn reference(params: &Value) -> &Value {
    &params["ref"]
}

async fn complete(client: &Client, reference: Value) -> testkit::Reply {
    let argument = json!({"name": "id", "value": "1"});
    let context = json!({"arguments": {"shelf": "left"}});
    client
        .request(
            "completion/complete",
            json!({"ref": reference, "argument": argument, "context": context}),
        )
        .await
}

/// Returns what the server of that name was asked last.
fn asked(gateway: &Gateway, server: &str) -> Value {
    gateway
        .server(server)
        .received_of("completion/complete")
        .pop()
        .expect("a request")
        .params()
}

#[tokio::test]
async fn a_reference_leads_to_its_server_under_the_servers_own_name() {
    for (server_way, (era, wire)) in pairs(WAYS, WAYS) {
        let way = format!("{era:?} {wire:?} to {server_way:?}");
        let http = server_way.1 == testkit::Wire::Http;
        let gateway = gateway()
            .upstream("first", offering(server_way.0, http, "first"))
            .upstream("second", offering(server_way.0, http, "second"))
            .start();
        let client = gateway.client(era, wire).connect().await;
        let listed = client.request("prompts/list", json!({})).await.result();
        assert_eq!(
            (&listed["prompts"][0]["name"], &listed["prompts"][1]["name"]),
            (&json!("first__greet"), &json!("second__greet"))
        );
        let cases = [
            // A prompt that had to be renamed has its own name again towards its server.
            (
                json!({"type": "ref/prompt", "name": "first__greet", "title": "t"}),
                "first",
                json!({"type": "ref/prompt", "name": "greet", "title": "t"}),
            ),
            (
                json!({"type": "ref/prompt", "name": "second__greet"}),
                "second",
                json!({"type": "ref/prompt", "name": "greet"}),
            ),
            // URIs are never rewritten.
            (
                json!({"type": "ref/resource", "uri": "first://row/{id}"}),
                "first",
                json!({"type": "ref/resource", "uri": "first://row/{id}"}),
            ),
            (
                json!({"type": "ref/resource", "uri": "second://row/{id}"}),
                "second",
                json!({"type": "ref/resource", "uri": "second://row/{id}"}),
            ),
            (
                json!({"type": "ref/resource", "uri": "second://one"}),
                "second",
                json!({"type": "ref/resource", "uri": "second://one"}),
            ),
        ];
        for (number, (given, server, theirs)) in cases.into_iter().enumerate() {
            let completed = complete(&client, given.clone()).await.result();
            assert_eq!(completed["completion"]["values"], json!([server]), "{way}: {given}");
            assert_eq!(completed["completion"]["total"].to_string(), "1.0", "{way}: {given}");
            let params = asked(&gateway, server);
            assert_eq!(*reference(&params), theirs, "{way}: {given}");
            assert_eq!(params["argument"], json!({"name": "id", "value": "1"}), "{way}: {given}");
            assert_eq!(params["context"], json!({"arguments": {"shelf": "left"}}), "{way}: {given}");
            let total: usize = ["first", "second"]
                .map(|id| gateway.server(id).count_of("completion/complete"))
                .iter()
                .sum();
            assert_eq!(total, number + 1, "{way}: {given} went to one server only");
        }
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_reference_to_nothing_is_refused_and_asks_nobody() {
    for (era, wire) in WAYS {
        let gateway = gateway()
            .upstream("first", offering(era, false, "first"))
            .upstream("second", offering(era, false, "second"))
            .start();
        let client = gateway.client(era, wire).connect().await;
        let wrong = [
            json!({"type": "ref/prompt", "name": "greet"}),
            json!({"type": "ref/prompt", "name": "third__greet"}),
            json!({"type": "ref/prompt"}),
            json!({"type": "ref/resource", "uri": "third://row/{id}"}),
            json!({"type": "ref/resource", "name": "first__greet"}),
            json!({"type": "ref/other", "name": "first__greet"}),
            json!("first__greet"),
        ];
        for reference in wrong {
            let (code, text) = complete(&client, reference.clone()).await.error();
            assert_eq!(code, jsonrpc::code::INVALID_PARAMS, "{era:?} {wire:?} {reference}: {text}");
        }
        for server in ["first", "second"] {
            assert!(
                gateway.server(server).received_of("completion/complete").is_empty(),
                "{era:?} {wire:?}"
            );
        }
        gateway.stop().await;
    }
}
