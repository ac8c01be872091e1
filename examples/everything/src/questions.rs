//! Questions to the client: forms, pages to visit, samplings, roots; one at a time, at once, and one after the other.

use chancery_sdk::{Context, Elicit, Error, Question, Result, Sample, Server, Tool, ToolResult, Value, json, text};

pub(crate) fn add(server: Server) -> Server {
    server
        .tool(
            Tool::new("ask_form")
                .description("Asks the user to fill in a form with a field of every type")
                .handler(|ctx, _args| async move {
                    let answer = ctx
                        .elicit("form", Elicit::form("Please introduce yourself", form(ctx.revision())))
                        .await?;
                    Ok(match answer.accepted() {
                        Some(content) => format!("accepted: {}", **content),
                        None => format!("not accepted: {:?}", answer.action),
                    })
                }),
        )
        .tool(
            Tool::new("ask_url")
                .description("Asks the user to visit a page")
                .handler(|ctx, _args| async move {
                    let answer = ctx
                        .elicit("page", Elicit::url("Please sign in", "https://example.com/sign-in"))
                        .await?;
                    Ok(format!("{:?}", answer.action))
                }),
        )
        .tool(
            Tool::new("ask_url_by_error")
                .description("Asks for the visit to a page by the error -32042, which only 2025-11-25 has")
                .handler(|ctx, _args| async move { url_by_error(&ctx).await }),
        )
        .tool(
            Tool::new("ask_model")
                .description("Asks the client's model")
                .input(json!({"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]}))
                .handler(|ctx, args| async move {
                    let sample = Sample::new(100).system("Answer in one word.").user(text(args.str("prompt")?));
                    Ok(text(ctx.sample("model", sample.field("temperature", json!(0.2))).await?.text()))
                }),
        )
        .tool(
            Tool::new("ask_model_with_tools")
                .description("Asks the client's model and runs the tool that it wants")
                .handler(|ctx, _args| async move { sample_with_tools(&ctx).await }),
        )
        .tool(
            Tool::new("ask_roots")
                .description("Asks for the roots of the client's workspace")
                .handler(|ctx, _args| async move {
                    let roots = ctx.roots("roots").await?;
                    let lines = roots
                        .iter()
                        .map(|root| format!("{} {}", root.uri, root.name.as_deref().unwrap_or("-")));
                    Ok(lines.collect::<Vec<_>>().join("\n"))
                }),
        )
        .tool(
            Tool::new("ask_all")
                .description("Asks the user, the model and for the roots at once")
                .handler(|ctx, _args| async move {
                    let answers = ctx
                        .ask_all([
                            ("name", Elicit::form("What is your name?", one("name", "string")).into()),
                            ("greeting", Sample::new(50).user(text("Say hello")).into()),
                            ("roots", Question::roots()),
                        ])
                        .await?;
                    let name = answers.elicited("name").content;
                    Ok(format!(
                        "{}, {}; {} roots",
                        answers.sampled("greeting").text(),
                        *name,
                        answers.roots("roots").len()
                    ))
                }),
        )
        .tool(
            Tool::new("ask_steps")
                .description("Asks twice, the second question depends on the first; one step is done only once")
                .handler(|ctx, _args| async move { steps(&ctx).await }),
        )
}

/// Asks to visit a URL by an error in 2025-11-25 (client/elicitation, "URL Elicitation Required Error"), by an ordinary
/// question elsewhere.
async fn url_by_error(ctx: &Context) -> Result<ToolResult> {
    let (message, url) = ("Please sign in first", "https://example.com/sign-in");
    if ctx.revision() != "2025-11-25" {
        let answer = ctx.elicit("page", Elicit::url(message, url)).await?;
        return Ok(format!("{:?}", answer.action).into());
    }
    let visit = json!({"mode": "url", "elicitationId": "sign-in-1", "message": message, "url": url});
    Err(Error::rpc_with(
        -32042,
        "a visit to a page is required",
        &json!({"elicitations": [visit]}),
    ))
}

/// Asks two questions with a step between them that must not be repeated when a modern client returns with the second
/// answer.
async fn steps(ctx: &Context) -> Result<ToolResult> {
    let from = ctx
        .elicit("from", Elicit::form("Where do you start?", one("city", "string")))
        .await?;
    let from = from
        .accepted()
        .ok_or_else(|| Error::tool("no start, no journey"))?
        .str("city")?
        .to_owned();
    let ticket = ctx.once("ticket", async { Ok(json!(format!("ticket for {from}"))) }).await?;
    let to = ctx
        .elicit("to", Elicit::form(format!("From {from} to where?"), one("city", "string")))
        .await?;
    let to = to
        .accepted()
        .ok_or_else(|| Error::tool("no goal, no journey"))?
        .str("city")?
        .to_owned();
    Ok(format!("{from} to {to}, with a {}", ticket.as_str().unwrap_or_default()).into())
}

/// Runs one turn of the loop between model and tools.
async fn sample_with_tools(ctx: &Context) -> Result<ToolResult> {
    let tools = json!([{
        "name": "temperature",
        "description": "The temperature in a city",
        "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    }]);
    let question = || Sample::new(200).user(text("How warm is it in Oslo?")).tools(tools.clone());
    let first = ctx.sample("first", question().field("toolChoice", json!({"mode": "auto"}))).await?;
    let results: Vec<Value> = first
        .blocks()
        .filter(|block| block["type"] == "tool_use")
        .map(tool_result)
        .collect();
    if results.is_empty() {
        return Ok(first.text().into());
    }
    // Results of tools stand alone in their message (2025-11-25 client/sampling).
    let second = question()
        .message("assistant", &first.0["content"])
        .message("user", &Value::Array(results));
    Ok(ctx.sample("second", second).await?.text().into())
}

fn tool_result(call: &Value) -> Value {
    json!({"type": "tool_result", "toolUseId": call["id"], "content": [{"type": "text", "text": "12 degrees"}]})
}

fn one(name: &str, kind: &str) -> Value {
    json!({"type": "object", "properties": {name: {"type": kind}}, "required": [name]})
}

fn form(revision: &str) -> Value {
    let mut form = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name", "minLength": 1, "maxLength": 80},
            "email": {"type": "string", "format": "email"},
            "age": {"type": "integer", "minimum": 0, "default": 30},
            "height": {"type": "number", "default": 1.7},
            "member": {"type": "boolean", "default": false},
            "colour": {"type": "string", "enum": ["red", "green", "blue"], "default": "green"},
            "size": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]},
            "days": {"type": "array", "items": {"type": "string", "enum": ["sat", "sun"]}, "maxItems": 2}
        },
        "required": ["name"]
    });
    // Titled choices and choices of several came with 2025-11-25.
    if let (Value::Object(fields), "2025-06-18") = (&mut form["properties"], revision) {
        fields.retain(|name, _| name != "size" && name != "days");
    }
    form
}
