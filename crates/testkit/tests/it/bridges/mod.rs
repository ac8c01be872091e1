//! Between the eras: modern clients on legacy servers, and legacy clients on modern ones.

mod legacy_clients;
mod modern_clients;
mod subscriptions;
mod tasks;

use serde_json::{Value, json};
use testkit::{Client, Era, Gateway, Script, Wire, gateway};

use crate::{WIRES, form, pairs};

const ANSWERS: &str = r#"{"content":[],"structuredContent":$answers}"#;
const RESPONSES: &str = r#"{"resultType":"complete","content":[],"structuredContent":$responses}"#;
async fn retry(client: &Client, tool: &str, key: &str, response: Value, state: &str) -> testkit::Reply {
    let params = json!({"name": tool, "arguments": {}, "inputResponses": {key: response}, "requestState": state});
    client.request("tools/call", params).await
}

async fn every_wire(server: impl Fn(Wire) -> Script, era: Era, mut test: impl AsyncFnMut(Gateway, Client)) {
    for (server_wire, client_wire) in pairs(WIRES, WIRES) {
        let gateway = gateway().upstream("far", server(server_wire)).start();
        let client = gateway.client(era, client_wire).capabilities(form()).ready().await;
        test(gateway, client).await;
    }
}
