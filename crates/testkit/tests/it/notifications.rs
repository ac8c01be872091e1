//! Notifications that belong to no request and to no list reach the clients that they concern, in revisions that have
//! them.

use serde_json::json;
use testkit::{Era, Revision, Script, Step, Wire, gateway};

use crate::{ECHO, WIRES, form, pairs};

fn echo(wire: Wire) -> Script {
    Script::legacy().over_http(wire == Wire::Http).tool("say", [Step::answer(ECHO)])
}

#[tokio::test]
async fn changed_roots_are_told_on_the_clients_own_connection_only() {
    const CHANGED: &str = "notifications/roots/list_changed";
    for (server_wire, client_wire) in [
        (WIRES[0], WIRES[0]),
        (WIRES[0], WIRES[1]),
        (WIRES[1], WIRES[0]),
        (WIRES[1], WIRES[1]),
    ] {
        let gateway = gateway().upstream("far", echo(server_wire)).start();
        let server = gateway.server("far");
        let mut clients = Vec::new();
        for _ in 0..2 {
            let client = gateway.client(Era::Legacy, client_wire).capabilities(form()).connect().await;
            assert!(!client.call("say", json!({})).await.is_error());
            let called = server.received_of("tools/call").pop().expect("a call");
            clients.push((client, called.connection));
        }
        assert_ne!(clients[0].1, clients[1].1, "each has roots of its own");
        for (number, (client, connection)) in clients.iter().enumerate() {
            client.send(format!(r#"{{"jsonrpc":"2.0","method":"{CHANGED}"}}"#)).await;
            let told = server.nth(CHANGED, number + 1).await;
            assert_eq!(told.connection, *connection, "{client_wire:?} to {server_wire:?}");
            // The answers come in the order of the requests, so no other client has been notified meanwhile.
            client.call("say", json!({})).await;
            assert_eq!(server.count_of(CHANGED), number + 1);
        }
        gateway.stop().await;
    }
}

#[tokio::test]
async fn the_end_of_an_elicitation_is_told_to_clients_that_know_of_it() {
    const COMPLETE: &str = "notifications/elicitation/complete";
    for (server_wire, client_wire) in pairs(WIRES, WIRES) {
        let gateway = gateway().upstream("far", echo(server_wire)).start();
        let open = async |era, revision| {
            let client = gateway.client(era, client_wire).revision(revision).connect().await;
            assert!(!client.call("say", json!({})).await.is_error());
            client
        };
        let knows = open(Era::Legacy, Revision::V2025_11_25).await;
        let older = open(Era::Legacy, Revision::V2025_06_18).await;
        let newer = open(Era::Modern, Revision::LATEST).await;
        for client in [&knows, &older] {
            if client_wire == Wire::Http {
                assert_eq!(client.listen(None).await.1, 200);
            }
        }
        let server = gateway.server("far");
        if server_wire == Wire::Http {
            server.until("a stream to speak on", |server| server.streams() > 0).await;
        }
        server.say(COMPLETE, r#"{"elicitationId":"e-1","extra":1.0}"#);
        let heard = knows.told(COMPLETE).await;
        assert_eq!(
            heard,
            json!({"elicitationId": "e-1", "extra": 1.0}),
            "{client_wire:?} to {server_wire:?}"
        );
        for client in [&older, &newer] {
            client.call("say", json!({})).await;
            assert!(client.mailbox().take_now(|arrived| arrived.calls(COMPLETE)).is_none());
        }
        gateway.stop().await;
    }
}
