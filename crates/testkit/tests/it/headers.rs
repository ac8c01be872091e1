//! Arguments that a modern server wants mirrored in headers, when it changes which ones and does not announce it.

use mcp::error::HEADER_MISMATCH;
use serde_json::{Value, json};
use testkit::{Era, Script, Step, Wire, gateway};

use crate::{ECHO, WAYS, said};

/// Returns a tool whose argument is mirrored in the header of that name.
fn tool(header: Option<&str>) -> Value {
    let mut tool = json!({"name": "deploy", "inputSchema": {"type": "object", "properties": {"region": {"type": "string"}}}});
    if let Some(header) = header {
        tool["inputSchema"]["properties"]["region"]["x-mcp-header"] = json!(header);
    }
    tool
}

#[tokio::test]
async fn a_call_that_shows_outdated_headers_is_sent_again_with_those_that_the_tool_wants_now() {
    for (era, wire) in WAYS {
        let script = Script::modern().over_http(true).tool_defined(tool(None), [Step::answer(ECHO)]);
        let gateway = gateway().upstream("far", script).start();
        let client = gateway.client(era, wire).ready().await;
        let server = gateway.server("far");
        // A modern client over HTTP must show a header once it is in the list, which this one does not read again.
        let last = (era, wire) == (Era::Modern, Wire::Http);
        let headers = if last {
            &[None, Some("Region")][..]
        } else {
            &[None, Some("Region"), Some("Zone")]
        };
        for header in headers {
            server.redefine(tool(*header));
            let wanted: Vec<(String, String)> = header.map(|name| (name.to_owned(), "eu".to_owned())).into_iter().collect();
            let result = client.call("deploy", json!({"region": "eu"})).await.result();
            assert_eq!(said(&result)["region"], "eu", "{era:?} {wire:?} {header:?}");
            let calls = server.received_of("tools/call");
            assert_eq!(calls.last().map(|call| &call.mirrors.params), Some(&wanted), "{era:?} {wire:?}");
        }
        gateway.stop().await;
    }
}

#[tokio::test]
async fn a_call_whose_headers_would_be_the_same_is_not_sent_again() {
    for (era, wire) in WAYS {
        let refusal = Step::Fail(HEADER_MISMATCH, "never right".to_owned());
        let script = Script::modern().over_http(true).tool("never", [refusal]);
        let gateway = gateway().upstream("far", script).start();
        let client = gateway.client(era, wire).ready().await;
        let (code, text) = client.call("never", json!({})).await.error();
        let expected = if era == Era::Modern { HEADER_MISMATCH } else { -32603 };
        assert_eq!((code, text.as_str()), (expected, "never right"), "{era:?} {wire:?}");
        assert_eq!(gateway.server("far").count_of("tools/call"), 1);
        gateway.stop().await;
    }
}
