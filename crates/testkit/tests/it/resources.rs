//! Whom a URI belongs to: besides what is listed, the server that returned it last (DESIGN 4).

use serde_json::json;
use testkit::{Script, Step, gateway};

use crate::WAYS;

const READ: &str = r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","contents":[{"uri":$uri,"text":"of the second"}]}"#;

/// Returns a server that returns a URI of its own in every kind of result.
fn second(era: testkit::Era) -> Script {
    let link = |uri: &str| format!(r#"{{"type":"resource_link","uri":"{uri}","name":"n"}}"#);
    let embedded = r#"{"type":"resource","resource":{"uri":"made://embedded","text":"t"}}"#;
    let tool = format!(r#"{{"resultType":"complete","content":[{}]}}"#, link("made://linked"));
    let prompt = format!(
        r#"{{"resultType":"complete","messages":[{{"role":"user","content":{}}},{{"role":"user","content":{embedded}}}]}}"#,
        link("made://prompted")
    );
    let index = r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","contents":[{"uri":"made://inside","text":"t"}]}"#;
    Script::of(era)
        .tool("link", [Step::answer(tool)])
        .prompt("cite", [Step::answer(prompt)])
        .resource("test://index", [Step::answer(index)])
        .on("resources/read", [Step::answer(READ)])
}

#[tokio::test]
async fn a_uri_is_read_where_it_was_returned() {
    for (era, wire) in WAYS {
        let first = Script::of(era).resource("test://first", [Step::answer(READ)]);
        let gateway = gateway().upstream("first", first).upstream("second", second(era)).start();
        let client = gateway.client(era, wire).connect().await;
        assert_eq!(client.tools().await, ["link"]);
        let uris = ["made://linked", "made://prompted", "made://embedded", "made://inside"];
        for uri in uris {
            let read = client.request("resources/read", json!({"uri": uri})).await.message;
            assert!(read.is_error(), "{era:?} {wire:?}: nobody knows whose `{uri}` is yet: {read:?}");
        }
        for (method, params) in [
            ("tools/call", json!({"name": "link", "arguments": {}})),
            ("prompts/get", json!({"name": "cite"})),
            ("resources/read", json!({"uri": "test://index"})),
        ] {
            assert!(!client.request(method, params).await.is_error(), "{era:?} {wire:?} {method}");
        }
        for uri in uris {
            let read = client.request("resources/read", json!({"uri": uri})).await;
            assert!(!read.is_error(), "{era:?} {wire:?} `{uri}`: {:?}", read.message);
            assert_eq!(read.result()["contents"][0]["text"], "of the second");
        }
        gateway.stop().await;
    }
}
