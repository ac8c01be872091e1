//! Tools that fail in every possible way.

use chancery_sdk::{Error, Result, Server, Tool, ToolResult, json};

pub(crate) fn add(server: Server) -> Server {
    server
        .tool(fail("fail_tool", "The tool ran and failed: a result with `isError`", || {
            Err(Error::tool("that did not work"))
        }))
        .tool(fail("fail_structured", "A failure report of the tool's own making", || {
            Ok(ToolResult::from("three of five files could not be read")
                .meta("com.example/failed", json!(3))
                .failed())
        }))
        .tool(fail("fail_params", "A JSON-RPC error: invalid params", || {
            Err(Error::invalid_params("`date` must be in the future"))
        }))
        .tool(fail("fail_rpc", "A JSON-RPC error of the server's own, with data", || {
            Err(Error::rpc_with(7001, "the quota is used up", &json!({"retryAfterMs": 1000})))
        }))
        .tool(fail("fail_capability", "Needs a capability that no client has", || {
            Err(Error::missing_capability(json!({"extensions": {"com.example/telepathy": {}}})))
        }))
        .tool(fail("fail_panic", "Panics; the server lives on", || panic!("as asked")))
}

fn fail(name: &str, what: &str, how: fn() -> Result<ToolResult>) -> Tool {
    Tool::new(name).description(what).handler(move |_ctx, _args| async move { how() })
}
