//! Tools that run as tasks if the client supports the tasks extension (SEP-2663), and as plain calls otherwise.

use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CreateTaskResult, InputRequest, JsonObject,
};
use rmcp::service::RequestContext;
use rmcp::task_manager::{TaskContext, TaskExit, TaskOptions};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::inquiry::{Inquiry, Stop, is_modern};
use crate::server::Upstream;
use crate::tools::{form, name_form, one, string, text};

pub fn is_job(name: &str) -> bool {
    is_sync(name) || matches!(name, "slow_compute" | "protocol_error_job") || needs_task(name)
}

fn is_sync(name: &str) -> bool {
    name == "greet"
}

/// Returns whether a tool can only run as a task with modern clients.
fn needs_task(name: &str) -> bool {
    matches!(name, "failing_job" | "confirm_delete" | "multi_input" | "test_tool_with_task")
}

pub async fn call(
    upstream: &Upstream,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let knows_tasks = context.client_capabilities().is_some_and(|known| known.supports_tasks());
    let modern = is_modern(context);
    if modern && !knows_tasks && needs_task(&request.name) {
        let required = ClientCapabilities::builder().enable_tasks().build();
        return Err(ErrorData::missing_required_client_capability(required));
    }
    if modern && knows_tasks && !is_sync(&request.name) {
        return begin(upstream, request, context).await.or_else(Result::from);
    }
    run_here(upstream, request, context).await.or_else(Result::from)
}

async fn begin(
    upstream: &Upstream,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, Stop> {
    let mut job = Job::new(&request);
    if job.name == "test_tool_with_task" {
        let mut inquiry = Inquiry::new(&upstream.shared, context, &job.name, true);
        inquiry.resume(request.input_responses, request.request_state.as_deref())?;
        job.user = user_name(inquiry.ask(one("user_name", name_form("Who starts this task?"))).await?);
    }
    let options = TaskOptions::new().with_poll_interval_ms(200);
    let task = upstream.shared.tasks.spawn(options, |task| Box::pin(job.run(task)));
    Ok(CreateTaskResult::new(task).into())
}

/// Does the work without a task: for a legacy client, and for a modern one with the tools that allow it.
async fn run_here(
    upstream: &Upstream,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, Stop> {
    let mut job = Job::new(&request);
    let mut inquiry = Inquiry::new(&upstream.shared, context, &job.name, false);
    let result = match job.name.as_str() {
        "greet" => text(&format!("Hello, {}!", string(&job.arguments, "name"))),
        "confirm_delete" => job.confirmed(&inquiry.ask(one("confirm", job.confirmation())).await?["confirm"]),
        "multi_input" => {
            let answers = inquiry.ask([part("a"), part("b")].into()).await?;
            both(&answers["input-a"], &answers["input-b"])
        }
        _ => {
            if job.name == "test_tool_with_task" {
                job.user = user_name(inquiry.ask(one("user_name", name_form("Who starts this?"))).await?);
            }
            job.work().await?
        }
    };
    Ok(result.into())
}

struct Job {
    name: String,
    arguments: JsonObject,
    user: String,
}

impl Job {
    fn new(request: &CallToolRequestParams) -> Self {
        Self {
            name: request.name.to_string(),
            arguments: request.arguments.clone().unwrap_or_default(),
            user: String::new(),
        }
    }

    async fn run(self, task: TaskContext) -> Result<CallToolResult, TaskExit> {
        match self.name.as_str() {
            "confirm_delete" => Ok(self.confirmed(&task.request_input("confirm", self.confirmation()).await?)),
            "multi_input" => {
                let ((a, first), (b, second)) = (part("a"), part("b"));
                let (a, b) = tokio::join!(task.request_input(a, first), task.request_input(b, second));
                Ok(both(&a?, &b?))
            }
            _ => tokio::select! {
                () = task.cancelled() => Err(TaskExit::Cancelled),
                result = self.work() => result.map_err(TaskExit::Error),
            },
        }
    }

    async fn work(&self) -> Result<CallToolResult, ErrorData> {
        match self.name.as_str() {
            "slow_compute" => {
                let seconds = self
                    .arguments
                    .get("seconds")
                    .and_then(Value::as_f64)
                    .unwrap_or(1.0)
                    .clamp(0.0, 60.0);
                tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
                Ok(text(&format!("Computed {} for {seconds} s", string(&self.arguments, "label"))))
            }
            "failing_job" => Ok(CallToolResult::error(vec![ContentBlock::text("The job failed, as it always does")])),
            "protocol_error_job" => Err(ErrorData::internal_error("the job broke, as it always does", None)),
            _ => Ok(text(&format!("Task of {} done", self.user))),
        }
    }

    fn confirmation(&self) -> InputRequest {
        let message = format!("Delete {}?", string(&self.arguments, "filename"));
        form(&message, json!({ "confirm": { "type": "boolean" } }))
    }

    fn confirmed(&self, answer: &Value) -> CallToolResult {
        let done = if answer["content"]["confirm"] == true { "Deleted" } else { "Kept" };
        text(&format!("{done} {}", string(&self.arguments, "filename")))
    }
}

fn part(letter: &str) -> (String, InputRequest) {
    (
        format!("input-{letter}"),
        form(&format!("Value {letter}?"), json!({ "value": { "type": "string" } })),
    )
}

fn both(a: &Value, b: &Value) -> CallToolResult {
    text(&format!("a = {}, b = {}", a["content"]["value"], b["content"]["value"]))
}

fn user_name(answers: &JsonObject) -> String {
    let answer = answers.get("user_name").unwrap_or(&Value::Null);
    answer["content"]["name"].as_str().unwrap_or("nobody").to_owned()
}
