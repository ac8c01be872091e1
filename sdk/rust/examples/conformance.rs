//! The server that the official conformance suite expects: `cargo run -p chancery-sdk --example conformance -- --http 127.0.0.1:3000`.

use std::time::Duration;

use chancery_sdk::{
    Argument, Contents, Context, Elicit, Error, Level, Prompt, Question, Resource, ResourceTemplate, Result, RunError, Sample, Server,
    TaskSupport, Tool, ToolResult, Value, audio, embed, image, json, text, user,
};

/// A red pixel.
const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 0x90,
    0x77, 0x53, 0xde, 0, 0, 0, 0x0c, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xf8, 0xcf, 0xc0, 0, 0, 3, 1, 1, 0, 0xc9, 0xfe, 0x92, 0xef,
    0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];
/// A WAV file without samples.
const WAV: &[u8] = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0";

#[tokio::main]
async fn main() -> std::result::Result<(), RunError> {
    let server = Server::new("chancery-sdk-conformance", "1.0.0");
    prompts(resources(tasks(input_required(questions(content(server))))))
        .run_from_args()
        .await
}

fn content(server: Server) -> Server {
    let mixed = || {
        vec![
            text("Multiple content types test:"),
            image(PNG, "image/png"),
            embed(Contents::text(
                "test://mixed-content-resource",
                "application/json",
                r#"{"test":"data","value":123}"#,
            )),
        ]
    };
    let embedded = || {
        embed(Contents::text(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        ))
    };
    server
        .tool(plain("test_simple_text").handler(|_, _| async { Ok("This is a simple text response for testing.") }))
        .tool(plain("test_image_content").handler(|_, _| async { Ok(image(PNG, "image/png")) }))
        .tool(plain("test_audio_content").handler(|_, _| async { Ok(audio(WAV, "audio/wav")) }))
        .tool(plain("test_embedded_resource").handler(move |_, _| async move { Ok(embedded()) }))
        .tool(plain("test_multiple_content_types").handler(move |_, _| async move { Ok(mixed()) }))
        .tool(
            plain("test_error_handling")
                .handler(|_, _| async { Err::<ToolResult, _>(Error::tool("This tool intentionally returns an error for testing")) }),
        )
        .tool(plain("test_tool_with_logging").handler(logging))
        .tool(plain("test_logging_tool").handler(logging))
        .tool(plain("test_tool_with_progress").handler(|ctx, _| async move {
            for (at, done) in [0.0, 50.0, 100.0].into_iter().enumerate() {
                if at > 0 {
                    pause(50).await;
                }
                ctx.progress(done, Some(100.0), Some(&format!("Completed step {done} of 100")))
                    .await;
            }
            Ok("done")
        }))
        .tool(plain("test_reconnection").handler(|ctx, _| async move {
            ctx.close_stream().await;
            pause(100).await;
            Ok("Reconnection test completed successfully.")
        }))
        .tool(
            Tool::new("json_schema_2020_12_tool")
                .description("A schema with the whole vocabulary")
                .input(schema_2020_12())
                .handler(|_, args| async move { Ok(text(args.to_string())) }),
        )
        .tool(
            Tool::new("test_x_mcp_header")
                .description("A parameter mirrored into a header")
                .input(json!({
                    "type": "object",
                    "properties": {
                        "region": {"type": "string", "x-mcp-header": "Region"},
                        "limit": {"type": "integer", "x-mcp-header": "Limit"},
                        "query": {"type": "string"}
                    },
                    "required": ["region", "query"]
                }))
                .handler(|_, args| async move { Ok(text(args.to_string())) }),
        )
        .tool(plain("test_trigger_tool_change").handler(|ctx, _| async move {
            ctx.server()
                .add_tool(plain("test_added_tool").handler(|_, _| async { Ok("added") }));
            ctx.server().remove_tool("test_added_tool");
            Ok("changed")
        }))
        .tool(plain("test_trigger_prompt_change").handler(|ctx, _| async move {
            let prompt = Prompt::new("test_added_prompt")
                .description("Added")
                .handler(|_, _| async { Ok(user(text("added"))) });
            ctx.server().add_prompt(prompt);
            ctx.server().remove_prompt("test_added_prompt");
            Ok("changed")
        }))
}

async fn logging(ctx: Context, _args: chancery_sdk::Args) -> Result<&'static str> {
    for (at, words) in ["Tool execution started", "Tool processing data", "Tool execution completed"]
        .into_iter()
        .enumerate()
    {
        if at > 0 {
            pause(50).await;
        }
        ctx.log(Level::Info, words).await;
    }
    Ok("logged")
}

fn questions(server: Server) -> Server {
    server
        .tool(with("test_sampling", &["prompt"]).handler(|ctx, args| async move {
            let sampled = ctx.sample("llm", Sample::new(100).user(text(args.str("prompt")?))).await?;
            Ok(text(format!("LLM response: {}", sampled.text())))
        }))
        .tool(plain("test_missing_capability").handler(|ctx, _| async move {
            let sampled = ctx.sample("llm", Sample::new(10).user(text("Say something"))).await?;
            Ok(text(sampled.text()))
        }))
        .tool(with("test_elicitation", &["message"]).handler(|ctx, args| async move {
            elicit(
                &ctx,
                "User response",
                args.str("message")?,
                json!({
                    "type": "object",
                    "properties": {
                        "username": {"type": "string", "description": "User's response"},
                        "email": {"type": "string", "description": "User's email address"}
                    },
                    "required": ["username", "email"]
                }),
            )
            .await
        }))
        .tool(plain("test_streaming_elicitation").handler(|ctx, _| async move {
            ctx.log(Level::Info, "about to ask").await;
            elicit(&ctx, "User response", "Who are you?", name_schema()).await
        }))
        .tool(
            plain("test_elicitation_sep1034_defaults")
                .handler(|ctx, _| async move { elicit(&ctx, "Elicitation completed", "Please review the defaults", defaults()).await }),
        )
        .tool(
            plain("test_elicitation_sep1330_enums")
                .handler(|ctx, _| async move { elicit(&ctx, "Elicitation completed", "Please choose", enums()).await }),
        )
}

async fn elicit(ctx: &Context, prefix: &str, message: &str, schema: Value) -> Result<ToolResult> {
    let answer = ctx.elicit("answer", Elicit::form(message, schema)).await?;
    let action = format!("{:?}", answer.action).to_lowercase();
    Ok(format!("{prefix}: action={action}, content={}", *answer.content).into())
}

fn input_required(server: Server) -> Server {
    server
        .tool(
            plain("test_input_required_result_elicitation")
                .handler(|ctx, _| async move { Ok(text(format!("Hello, {}!", ask_name(&ctx, "user_name").await?))) }),
        )
        .tool(plain("test_input_required_result_sampling").handler(|ctx, _| async move {
            let answer = ctx
                .sample("capital_question", Sample::new(100).user(text("What is the capital of France?")))
                .await?;
            Ok(text(answer.text()))
        }))
        .tool(plain("test_input_required_result_list_roots").handler(|ctx, _| async move {
            let roots = ctx.roots("client_roots").await?;
            Ok(text(roots.iter().map(|root| root.uri.clone()).collect::<Vec<_>>().join("\n")))
        }))
        .tool(plain("test_input_required_result_request_state").handler(|ctx, _| async move {
            confirm(&ctx).await?;
            Ok("state-ok")
        }))
        .tool(plain("test_input_required_result_tampered_state").handler(|ctx, _| async move {
            confirm(&ctx).await?;
            Ok("state-ok")
        }))
        .tool(plain("test_input_required_result_multiple_inputs").handler(|ctx, _| async move {
            let answers = ctx.ask_all([
                ("user_name", Elicit::form("What is your name?", name_schema()).into()),
                ("greeting", Sample::new(50).user(text("Generate a greeting")).into()),
                ("client_roots", Question::roots()),
            ]);
            let answers = answers.await?;
            Ok(text(format!(
                "{} {} {:?}",
                answers.sampled("greeting").text(),
                *answers.elicited("user_name").content,
                answers.roots("client_roots")
            )))
        }))
        .tool(plain("test_input_required_result_multi_round").handler(|ctx, _| async move {
            let name = ask_name(&ctx, "step1").await?;
            let colour = json!({"type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"]});
            let colour = ctx.elicit("step2", Elicit::form("What is your favorite color?", colour)).await?;
            Ok(text(format!("{name} likes {}", *colour.content)))
        }))
        .tool(plain("test_input_required_result_capabilities").handler(|ctx, _| async move {
            let mut questions: Vec<(&str, Question)> = Vec::new();
            let elicit: Question = Elicit::form("What is your name?", name_schema()).into();
            let sample: Question = Sample::new(50).user(text("Generate a greeting")).into();
            for (key, question) in [("user_name", elicit), ("greeting", sample), ("client_roots", Question::roots())] {
                if ctx.can_ask(question.clone()) {
                    questions.push((key, question));
                }
            }
            ctx.ask_all(questions).await?;
            Ok("asked what could be asked")
        }))
        .prompt(
            Prompt::new("test_input_required_result_prompt")
                .description("Asks before it answers")
                .handler(|ctx, _| async move {
                    let context = json!({"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]});
                    let answer = ctx
                        .elicit("user_context", Elicit::form("What context should the prompt use?", context))
                        .await?;
                    Ok(user(text(format!("Use this context: {}", *answer.content))))
                }),
        )
}

fn tasks(server: Server) -> Server {
    server
        .tool(with("greet", &["name"]).handler(|_, args| async move { Ok(text(format!("Hello, {}!", args.str("name")?))) }))
        .tool(
            Tool::new("slow_compute")
                .description("Sleeps, then answers")
                .input(json!({"type": "object", "properties": {"seconds": {"type": "number"}, "label": {"type": "string"}}}))
                .task(TaskSupport::Optional)
                .handler(|_, args| async move {
                    let seconds = args.get("seconds").and_then(Value::as_f64).unwrap_or(1.0);
                    tokio::time::sleep(Duration::from_secs_f64(seconds.clamp(0.0, 3600.0))).await;
                    Ok(text(format!("computed for {seconds} s")))
                }),
        )
        .tool(plain("failing_job").task(TaskSupport::Required).handler(|_, _| async {
            pause(200).await;
            Err::<ToolResult, _>(Error::tool("the job failed"))
        }))
        .tool(plain("protocol_error_job").task(TaskSupport::Optional).handler(|_, _| async {
            pause(100).await;
            Err::<ToolResult, _>(Error::internal("the job broke"))
        }))
        .tool(
            with("confirm_delete", &["filename"])
                .task(TaskSupport::Optional)
                .handler(|ctx, args| async move {
                    let answer = confirm(&ctx).await?;
                    Ok(text(format!("{}: {answer}", args.str("filename")?)))
                }),
        )
        .tool(plain("multi_input").task(TaskSupport::Optional).handler(|ctx, _| async move {
            let first = Elicit::form("First?", name_schema());
            let second = Elicit::form("Second?", name_schema());
            let answers = ctx.ask_all([("first", first.into()), ("second", second.into())]).await?;
            Ok(text(format!(
                "{} {}",
                *answers.elicited("first").content,
                *answers.elicited("second").content
            )))
        }))
        .tool(
            plain("test_tool_with_task")
                .task_when_ready(TaskSupport::Required)
                .handler(|ctx, _| async move {
                    let name = ask_name(&ctx, "user_name").await?;
                    ctx.become_task().await?;
                    pause(100).await;
                    Ok(text(format!("Hello, {name}!")))
                }),
        )
}

async fn ask_name(ctx: &Context, key: &str) -> Result<String> {
    let answer = ctx.elicit(key, Elicit::form("What is your name?", name_schema())).await?;
    Ok(answer
        .accepted()
        .and_then(|content| content.str("name").ok().map(str::to_owned))
        .unwrap_or_else(|| "stranger".to_owned()))
}

async fn confirm(ctx: &Context) -> Result<Value> {
    let schema = json!({"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]});
    let answer = ctx.elicit("confirm", Elicit::form("Please confirm", schema)).await?;
    Ok((*answer.content).clone())
}

fn resources(server: Server) -> Server {
    server
        .resource(
            Resource::new("test://static-text", "static-text")
                .description("A text")
                .mime("text/plain")
                .text("This is the content of the static text resource."),
        )
        .resource(
            Resource::new("test://static-binary", "static-binary")
                .description("An image")
                .mime("image/png")
                .blob(PNG),
        )
        .resource(
            Resource::new("test://watched-resource", "watched")
                .description("Can be watched")
                .mime("text/plain")
                .text("Watched resource content"),
        )
        .template(
            ResourceTemplate::new("test://template/{id}/data", "template")
                .description("Data by id")
                .mime("application/json")
                .handler(|_, read| async move {
                    let id = read.variables.str("id")?;
                    let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
                    Ok(Contents::text(&read.uri, "application/json", data.to_string()))
                }),
        )
}

fn prompts(server: Server) -> Server {
    let suggest = |_: Context, completion: chancery_sdk::Completion| async move {
        Ok(["paris", "park", "party"]
            .iter()
            .filter(|word| word.starts_with(&completion.value))
            .map(|word| (*word).to_owned())
            .collect())
    };
    server
        .prompt(
            Prompt::new("test_simple_prompt")
                .description("Simple")
                .handler(|_, _| async { Ok(user(text("This is a simple prompt for testing."))) }),
        )
        .prompt(
            Prompt::new("test_prompt_with_arguments")
                .description("With arguments")
                .argument(
                    Argument::new("arg1")
                        .description("First test argument")
                        .required()
                        .complete(suggest),
                )
                .argument(Argument::new("arg2").description("Second test argument").required())
                .handler(|_, args| async move {
                    Ok(user(text(format!(
                        "Prompt with arguments: arg1='{}', arg2='{}'",
                        args.str("arg1")?,
                        args.str("arg2")?
                    ))))
                }),
        )
        .prompt(
            Prompt::new("test_prompt_with_embedded_resource")
                .description("With a resource")
                .argument(Argument::new("resourceUri").description("URI of the resource to embed").required())
                .handler(|_, args| async move {
                    let resource = Contents::text(args.str("resourceUri")?, "text/plain", "Embedded resource content for testing.");
                    Ok(user(embed(resource)).user(text("Please process the embedded resource above.")))
                }),
        )
        .prompt(
            Prompt::new("test_prompt_with_image")
                .description("With an image")
                .handler(|_, _| async { Ok(user(image(PNG, "image/png")).user(text("Please analyze the image above."))) }),
        )
}

fn plain(name: &str) -> chancery_sdk::ToolSpec {
    Tool::new(name).description("A tool of the conformance suite")
}

fn with(name: &str, strings: &[&str]) -> chancery_sdk::ToolSpec {
    let properties: serde_json::Map<String, Value> = strings.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    plain(name).input(json!({"type": "object", "properties": properties, "required": strings}))
}

async fn pause(milliseconds: u64) {
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
}

fn name_schema() -> Value {
    json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]})
}

fn defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": true}
        },
        "required": []
    })
}

fn enums() -> Value {
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
            "titledSingle": {"type": "string", "oneOf": [
                {"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}, {"const": "value3", "title": "Third Option"}
            ]},
            "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
            "untitledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
            "titledMulti": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"anyOf": [
                {"const": "value1", "title": "First Choice"}, {"const": "value2", "title": "Second Choice"}, {"const": "value3", "title": "Third Choice"}
            ]}}
        },
        "required": []
    })
}

fn schema_2020_12() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
        }},
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"}
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false
    })
}
