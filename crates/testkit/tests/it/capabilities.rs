//! The capabilities that are relayed of a client: its own where they can be carried, never more, and never another
//! client's.

use serde_json::{Value, json};
use testkit::{Era, Script, Step, Wire, gateway};

use crate::{ECHO, ERAS, WAYS};

const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Returns what a server was told of the capabilities of the client behind a call.
fn told(server: &testkit::Scripted, era: Era) -> Value {
    let call = server.received_of("tools/call").pop().expect("a call");
    match era {
        Era::Modern => call.params()["_meta"][CAPABILITIES].clone(),
        Era::Legacy => {
            let hellos = server.received_of("initialize");
            let hello = hellos.iter().find(|hello| hello.connection == call.connection).expect("a hello");
            hello.params()["capabilities"].clone()
        }
    }
}

#[tokio::test]
async fn capabilities_are_relayed_and_never_invented() {
    let reverse = ["sampling", "elicitation", "roots"];
    let declared = [
        json!({}),
        json!({"elicitation": {"form": {}}}),
        json!({"sampling": {}}),
        json!({"roots": {}, "elicitation": {"form": {}, "url": {}}}),
        json!({"experimental": {"com.example/x": {"a": 1}}, "extensions": {"com.example/y": {"b": 1.0}}}),
    ];
    for server_way in WAYS {
        let (server_era, wire) = server_way;
        let script = Script::of(server_era)
            .over_http(wire == Wire::Http)
            .tool("say", [Step::answer(ECHO)]);
        let gateway = gateway().upstream("far", script).start();
        for (era, wire) in WAYS {
            for capabilities in &declared {
                let way = format!("{era:?} {wire:?} with {capabilities} to {server_way:?}");
                let client = gateway.client(era, wire).capabilities(capabilities.clone()).ready().await;
                assert!(!client.call("say", json!({})).await.is_error(), "{way}");
                let told = told(gateway.server("far"), server_era);
                for name in reverse {
                    assert_eq!(
                        told.get(name).is_some(),
                        capabilities.get(name).is_some(),
                        "{way}: {name} in {told}"
                    );
                }
                for carrier in ["experimental", "extensions"] {
                    if let Some(theirs) = capabilities.get(carrier) {
                        assert_eq!(told.get(carrier), Some(theirs), "{way}: {told}");
                    }
                }
                client.leave().await;
            }
        }
        gateway.stop().await;
    }
}

#[tokio::test]
async fn clients_with_different_capabilities_never_share_a_legacy_connection() {
    let gateway = gateway()
        .upstream("far", Script::legacy().tool("say", [Step::answer(ECHO)]))
        .start();
    let mut connections = Vec::new();
    for capabilities in [
        json!({}),
        json!({"sampling": {}}),
        json!({"roots": {}}),
        json!({"experimental": {"x": {}}}),
    ] {
        for era in ERAS {
            let client = gateway.client(era, Wire::Http).capabilities(capabilities.clone()).ready().await;
            assert!(!client.call("say", json!({})).await.is_error());
            let call = gateway.server("far").received_of("tools/call").pop().expect("a call");
            connections.push((capabilities.clone(), call.connection));
        }
    }
    for (capabilities, connection) in &connections {
        assert!(
            connections
                .iter()
                .all(|(others, other)| other != connection || others == capabilities),
            "{connections:?}"
        );
    }
    gateway.stop().await;
}

#[tokio::test]
async fn a_traces_context_goes_on_to_the_server() {
    let trace = json!({"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "tracestate": "a=b", "baggage": "k=v"});
    for server_way in WAYS {
        let script = Script::of(server_way.0)
            .over_http(server_way.1 == Wire::Http)
            .tool("say", [Step::answer(ECHO)]);
        let gateway = gateway().upstream("far", script).start();
        for (era, wire) in WAYS {
            let client = gateway.client(era, wire).ready().await;
            let answer = client
                .request("tools/call", json!({"name": "say", "arguments": {}, "_meta": trace}))
                .await;
            assert!(!answer.is_error());
            let meta = gateway.server("far").received_of("tools/call").pop().expect("a call").params()["_meta"].clone();
            for key in ["traceparent", "tracestate", "baggage"] {
                assert_eq!(meta[key], trace[key], "{era:?} {wire:?} to {server_way:?}: {meta}");
            }
            client.leave().await;
        }
        gateway.stop().await;
    }
}
