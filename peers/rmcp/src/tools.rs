//! Answers `tools/call`, for every tool but the tasks.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InputRequest, InputRequests, JsonObject, LoggingLevel,
    LoggingMessageNotificationParam, ProgressNotificationParam,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::fixtures::FIXTURES;
use crate::inquiry::{Answers, Inquiry, Stop, is_modern, lacks};
use crate::server::Upstream;
use crate::shared::Change;
use crate::tasks;

/// The time between the steps of a tool that the suite expects.
const STEP: Duration = Duration::from_millis(50);

const PATIENCE: Duration = Duration::from_secs(10);

pub async fn call(
    upstream: &Upstream,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    if let Some(result) = FIXTURES.result(&request.name) {
        return Ok(result.into());
    }
    let arguments = request.arguments.clone().unwrap_or_default();
    let outcome = match request.name.as_ref() {
        "test_tool_with_logging" => {
            for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                log(upstream, context, line).await;
                tokio::time::sleep(STEP).await;
            }
            text("Logged three lines")
        }
        "test_logging_tool" => {
            log(upstream, context, "One line").await;
            text("Logged if asked to")
        }
        "test_tool_with_progress" => {
            progress(context).await;
            text("Reported progress if asked to")
        }
        "json_schema_2020_12_tool" | "mirrored_parameters" => text(&Value::Object(arguments).to_string()),
        "now_and_then" if upstream.shared.has_extra_tool() => text("Here now"),
        "test_trigger_tool_change" => change(upstream, Change::Tools).await,
        "test_trigger_prompt_change" => change(upstream, Change::Prompts).await,
        "wait_until_cancelled" => {
            wait_until_cancelled(upstream, &arguments, context).await;
            text("Cancelled")
        }
        "was_cancelled" => was_cancelled(upstream, &arguments).await,
        "touch_resource" => change(upstream, Change::Resource(string(&arguments, "uri").to_owned())).await,
        "test_missing_capability" => match context.client_capabilities().and_then(|known| known.sampling) {
            Some(_) => text("The client declared sampling"),
            None => return Err(lacks(is_modern(context), "sampling")),
        },
        name if tasks::is_job(name) => return tasks::call(upstream, request, context).await,
        name if is_inquiring(name) => return inquire(upstream, request, context).await.or_else(Result::from),
        name => return Err(ErrorData::invalid_params(format!("unknown tool `{name}`"), None)),
    };
    Ok(outcome.into())
}

pub fn text(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

pub fn string<'a>(arguments: &'a JsonObject, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Logs at level info: a legacy session sets its threshold once, a modern request has its own or gets nothing.
async fn log(upstream: &Upstream, context: &RequestContext<RoleServer>, line: &str) {
    let threshold = if is_modern(context) {
        context.meta.log_level()
    } else {
        Some(upstream.log_level())
    };
    let wanted = threshold.is_some_and(|level| matches!(level, LoggingLevel::Debug | LoggingLevel::Info));
    if wanted {
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(line)).with_logger("upstream");
        // The client may be gone; then the message is lost.
        let _ = context.peer.notify_logging_message(message).await;
    }
}

async fn progress(context: &RequestContext<RoleServer>) {
    let token = context.meta.get_progress_token();
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = token.clone() {
            let step = ProgressNotificationParam::new(token, done).with_total(100.0);
            let _ = context.peer.notify_progress(step).await;
        }
        tokio::time::sleep(STEP).await;
    }
}

async fn wait_until_cancelled(upstream: &Upstream, arguments: &JsonObject, context: &RequestContext<RoleServer>) {
    if let Some(token) = context.meta.get_progress_token() {
        let started = ProgressNotificationParam::new(token, 1.0).with_message("started");
        let _ = context.peer.notify_progress(started).await;
    }
    context.ct.cancelled().await;
    let key = string(arguments, "key").to_owned();
    upstream.shared.cancelled.send_modify(|keys| keys.extend([key]));
}

async fn was_cancelled(upstream: &Upstream, arguments: &JsonObject) -> CallToolResult {
    let key = string(arguments, "key");
    let mut cancelled = upstream.shared.cancelled.subscribe();
    let seen = tokio::time::timeout(PATIENCE, cancelled.wait_for(|keys| keys.contains(key))).await;
    text(if matches!(seen, Ok(Ok(_))) { "cancelled" } else { "not cancelled" })
}

/// Makes a change in a task of its own: a notification to all clients does not belong to the stream of this request.
async fn change(upstream: &Upstream, change: Change) -> CallToolResult {
    let shared = Arc::clone(&upstream.shared);
    match tokio::spawn(async move { shared.change(&change).await }).await {
        Ok(()) => text("Changed, and everybody was told"),
        Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
    }
}

fn is_inquiring(name: &str) -> bool {
    name.starts_with("test_input_required_result_")
        || matches!(name, "test_sampling" | "test_elicitation" | "test_streaming_elicitation")
        || name.starts_with("test_elicitation_sep")
}

async fn inquire(
    upstream: &Upstream,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, Stop> {
    let name = request.name.as_ref();
    let short = name.strip_prefix("test_input_required_result_").unwrap_or(name);
    let stateful = matches!(short, "request_state" | "tampered_state" | "multiple_inputs" | "multi_round");
    let mut inquiry = Inquiry::new(&upstream.shared, context, name, stateful);
    inquiry.resume(request.input_responses, request.request_state.as_deref())?;
    let arguments = request.arguments.unwrap_or_default();

    let said = match short {
        "multi_round" => {
            inquiry.ask(one("step1", name_form("Step 1: What is your name?"))).await?;
            let color = form("Step 2: What is your favorite color?", json!({ "color": { "type": "string" } }));
            let answers = inquiry.ask(one("step2", color)).await?;
            let (name, color) = (content(answers, "step1", "name"), content(answers, "step2", "color"));
            format!("{name} likes {color}")
        }
        "request_state" | "tampered_state" => {
            let ok = form("Please confirm", json!({ "ok": { "type": "boolean" } }));
            inquiry.ask(one("confirm", ok)).await?;
            // A legacy client never received a state, so its call is valid without.
            let whole = inquiry.came_with_state() || !inquiry.is_modern();
            if whole { "state-ok".to_owned() } else { "state-missing".to_owned() }
        }
        _ => {
            let mut questions = questions(short, &arguments);
            if short == "capabilities" {
                questions.retain(|_, question| inquiry.can(question));
            }
            summary(short, inquiry.ask(questions).await?)
        }
    };
    Ok(text(&said).into())
}

fn questions(tool: &str, arguments: &JsonObject) -> InputRequests {
    match tool {
        "test_sampling" => one("answer", sample(string(arguments, "prompt"), 100)),
        "test_elicitation" => one(
            "answer",
            form(
                string(arguments, "message"),
                json!({
                    "username": { "type": "string", "description": "User's response" },
                    "email": { "type": "string", "description": "User's email address" }
                }),
            ),
        ),
        "test_streaming_elicitation" => one("answer", form("Which value?", json!({ "value": { "type": "string" } }))),
        "test_elicitation_sep1034_defaults" => one("answer", optional_form("Check these values", defaults())),
        "test_elicitation_sep1330_enums" => one("answer", optional_form("Choose", enumerations())),
        "elicitation" => one("user_name", name_form("What is your name?")),
        "sampling" => one("capital_question", sample("What is the capital of France?", 100)),
        "list_roots" => one("client_roots", roots()),
        "multiple_inputs" => InputRequests::from([
            ("user_name".to_owned(), name_form("What is your name?")),
            ("greeting".to_owned(), sample("Generate a greeting", 50)),
            ("client_roots".to_owned(), roots()),
        ]),
        _ => InputRequests::from([
            ("user_name".to_owned(), name_form("What is your name?")),
            ("greeting".to_owned(), sample("Generate a greeting", 50)),
        ]),
    }
}

fn summary(tool: &str, answers: &Answers) -> String {
    let answer = answers.get("answer").unwrap_or(&Value::Null);
    match tool {
        "test_sampling" => format!("LLM response: {}", answer["content"]["text"].as_str().unwrap_or_default()),
        "test_elicitation" => format!("User response: action: {}, content: {}", answer["action"], answer["content"]),
        "test_elicitation_sep1034_defaults" | "test_elicitation_sep1330_enums" => format!(
            "Elicitation completed: action={}, content={}",
            answer["action"].as_str().unwrap_or_default(),
            answer["content"]
        ),
        _ => format!("Answered: {}", Value::Object(answers.clone())),
    }
}

fn content<'a>(answers: &'a Answers, key: &str, field: &str) -> &'a str {
    answers
        .get(key)
        .and_then(|answer| answer["content"][field].as_str())
        .unwrap_or("nobody")
}

pub fn one(key: &str, question: InputRequest) -> InputRequests {
    InputRequests::from([(key.to_owned(), question)])
}

pub fn name_form(message: &str) -> InputRequest {
    form(message, json!({ "name": { "type": "string" } }))
}

/// Returns a form whose every field must be filled in.
pub fn form(message: &str, properties: Value) -> InputRequest {
    let required: Vec<&String> = properties.as_object().into_iter().flat_map(|fields| fields.keys()).collect();
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    question(json!({ "method": "elicitation/create", "params": { "message": message, "requestedSchema": schema } }))
}

fn optional_form(message: &str, properties: Value) -> InputRequest {
    let schema = json!({ "type": "object", "properties": properties, "required": [] });
    question(json!({ "method": "elicitation/create", "params": { "message": message, "requestedSchema": schema } }))
}

fn sample(prompt: &str, max_tokens: u32) -> InputRequest {
    let message = json!({ "role": "user", "content": { "type": "text", "text": prompt } });
    question(json!({
        "method": "sampling/createMessage",
        "params": { "messages": [message], "maxTokens": max_tokens }
    }))
}

fn roots() -> InputRequest {
    question(json!({ "method": "roots/list", "params": {} }))
}

fn question(request: Value) -> InputRequest {
    serde_json::from_value(request).expect("the questions of this file fit the types of rmcp")
}

// The form of SEP-1034.
fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true }
    })
}

// The forms of SEP-1330.
fn enumerations() -> Value {
    let plain = ["option1", "option2", "option3"];
    let titled = |names: [&str; 3]| -> Vec<Value> {
        names
            .iter()
            .zip(1..)
            .map(|(title, n)| json!({ "const": format!("value{n}"), "title": title }))
            .collect()
    };
    json!({
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": titled(["First Option", "Second Option", "Third Option"]) },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"]
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled(["First Choice", "Second Choice", "Third Choice"]) } }
    })
}
