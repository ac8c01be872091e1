//! Plain tools: annotations, structured output, parameters mirrored into headers, progress and logging.

use std::time::Duration;

use chancery_sdk::{Context, Error, Level, Result, Server, Tool, ToolResult, Value, json, structured, text};

pub(crate) fn add(server: Server) -> Server {
    server
        .tool(
            Tool::new("echo")
                .title("Echo")
                .description("Says back what it is told; all annotations, icons and `_meta`")
                .input(json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}))
                .annotation("title", json!("Echo"))
                .read_only()
                .annotation("destructiveHint", json!(false))
                .annotation("idempotentHint", json!(true))
                .annotation("openWorldHint", json!(false))
                .field("icons", json!([{"src": crate::media::png_uri(), "mimeType": "image/png"}]))
                .meta("com.example/kind", json!("mirror"))
                .handler(|_ctx, args| async move { Ok(text(args.str("text")?)) }),
        )
        .tool(
            Tool::new("add")
                .description("Adds two numbers; structured output")
                .input(json!({
                    "type": "object",
                    "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
                    "required": ["a", "b"],
                    "additionalProperties": false
                }))
                .output(json!({"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]}))
                .read_only()
                .handler(|_ctx, args| async move {
                    let sum = args.number("a")? + args.number("b")?;
                    Ok(structured(json!({"sum": sum})).content(text(format!("The sum is {sum}."))))
                }),
        )
        .tool(
            Tool::new("primes")
                .description("The first primes; structured output that is no object (modern clients only)")
                .input(json!({"type": "object", "properties": {"count": {"type": "integer", "minimum": 0, "maximum": 100}}}))
                .output(json!({"type": "array", "items": {"type": "integer"}}))
                .read_only()
                .handler(|_ctx, args| async move { Ok(structured(primes(args.int("count").unwrap_or(5).clamp(0, 100)))) }),
        )
        .tool(
            Tool::new("query")
                .description("Says what it would ask which database; parameters mirrored into headers, also nested ones")
                .input(json!({
                    "type": "object",
                    "properties": {
                        "region": {"type": "string", "x-mcp-header": "Region"},
                        "limit": {"type": "integer", "x-mcp-header": "Limit"},
                        "options": {"type": "object", "properties": {"dry": {"type": "boolean", "x-mcp-header": "Dry-Run"}}},
                        "sql": {"type": "string"}
                    },
                    "required": ["region", "sql"]
                }))
                .annotation("openWorldHint", json!(true))
                .handler(|_ctx, args| async move { Ok(text(format!("{} @ {}", args.str("sql")?, args.str("region")?))) }),
        )
        .tool(
            Tool::new("count")
                .description("Counts with progress: `to` steps of `pause` milliseconds")
                .input(json!({
                    "type": "object",
                    "properties": {"to": {"type": "integer", "minimum": 1}, "pause": {"type": "integer", "minimum": 0}}
                }))
                .handler(|ctx, args| async move { count(&ctx, args.int("to").unwrap_or(3), args.int("pause").unwrap_or(10)).await }),
        )
        .tool(
            Tool::new("chatter")
                .description("Logs a message of each severity")
                .handler(|ctx, _args| async move { chatter(&ctx).await }),
        )
        .tool(
            Tool::new("who")
                .description("What the server knows of its client: era, revision, capabilities, `_meta`")
                .read_only()
                .handler(|ctx, _args| async move { Ok(who(&ctx)) }),
        )
        .tool(
            Tool::new("come_back")
                .description("Closes the stream of its answer; a client of 2025-11-25 comes back for the rest")
                .handler(|ctx, _args| async move {
                    ctx.close_stream().await;
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    Ok("welcome back")
                }),
        )
}

fn primes(count: i64) -> Value {
    let is_prime = |n: &i64| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0);
    let count = usize::try_from(count).unwrap_or_default();
    (2i64..).filter(is_prime).take(count).collect()
}

async fn count(ctx: &Context, to: i64, pause: i64) -> Result<ToolResult> {
    let pause = Duration::from_millis(pause.clamp(0, 60_000).unsigned_abs());
    for step in 1..=to {
        tokio::time::sleep(pause).await;
        ctx.progress(as_float(step)?, Some(as_float(to)?), Some(&format!("step {step}")))
            .await;
        if ctx.is_cancelled() {
            return Err(Error::cancelled());
        }
    }
    Ok(format!("counted to {to}").into())
}

fn as_float(whole: i64) -> Result<f64> {
    Ok(f64::from(i32::try_from(whole)?))
}

async fn chatter(ctx: &Context) -> Result<&'static str> {
    use Level::{Alert, Critical, Debug, Emergency, Error, Info, Notice, Warning};
    for level in [Debug, Info, Notice, Warning, Error, Critical, Alert, Emergency] {
        ctx.log_as(Some("chatter"), level, json!({"severity": level.name()})).await;
    }
    Ok("said everything")
}

fn who(ctx: &Context) -> ToolResult {
    structured(json!({
        "era": format!("{:?}", ctx.era()).to_lowercase(),
        "revision": ctx.revision(),
        "capabilities": ctx.client_capabilities(),
        "client": ctx.client_info(),
        "meta": ctx.meta(),
    }))
}
