//! Finds the handler for a request, and how to run it.

use std::sync::Arc;
use std::time::Duration;

use jsonrpc::{ErrorObject, code};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::{Facts, Machine, Refusal, Request, WorkKind, args};
use crate::args::Args;
use crate::era::Era;
use crate::error::{missing_capability, not_found};
use crate::handler::{Completer, Completion, Handler};
use crate::keys;
use crate::tool::{TaskSupport, Tool};

/// A handler that was found for a request.
pub(super) struct Found {
    pub(super) handler: Handler,
    pub(super) args: Args,
    pub(super) is_tool: bool,
    /// The methods that may end in questions (2026-07-28 basic/patterns/mrtr, "Supported Requests").
    pub(super) may_ask: bool,
    pub(super) kind: WorkKind,
}

impl Found {
    pub(super) fn plain(handler: Handler, args: Args, may_ask: bool) -> Self {
        Self {
            handler,
            args,
            is_tool: false,
            may_ask,
            kind: WorkKind::Call { may_become_task: false },
        }
    }
}

impl Machine {
    pub(super) fn find_tool(&self, request: &Request, facts: &Facts) -> std::result::Result<Found, Refusal> {
        let name = request.text("name")?;
        let catalog = self.core.catalog();
        let tool = catalog
            .tool(&name)
            .ok_or_else(|| ErrorObject::invalid_params(format_args!("unknown tool `{name}`")))?;
        let kind = self.tool_kind(request, facts, tool)?;
        let args = arguments(request)?;
        Ok(Found {
            handler: tool.handler.clone(),
            args,
            is_tool: true,
            may_ask: true,
            kind,
        })
    }

    /// Returns whether a call runs as a task: a legacy client asks for it, a modern server decides (SEP-2663,
    /// "Capability Negotiation").
    fn tool_kind(&self, request: &Request, facts: &Facts, tool: &Tool) -> std::result::Result<WorkKind, Refusal> {
        let call = |may_become_task| Ok(WorkKind::Call { may_become_task });
        if facts.era == Era::Modern {
            return match tool.task() {
                TaskSupport::Forbidden => call(false),
                _ if facts.tasks() && tool.starts_as_call() => call(true),
                _ if facts.tasks() => self.new_task(None, None),
                TaskSupport::Optional => call(false),
                TaskSupport::Required => Err(missing_capability(&json!({"extensions": {keys::TASKS: {}}})).into()),
            };
        }
        let asked = request.params.get("task").filter(|_| facts.revision == "2025-11-25");
        match (tool.task(), asked) {
            (TaskSupport::Optional | TaskSupport::Required, Some(task)) => {
                let ttl = task
                    .get("ttl")
                    .and_then(|ttl| ttl.as_f64())
                    .filter(|ttl| ttl.is_finite() && *ttl >= 0.0);
                self.new_task(
                    Some(self.me),
                    ttl.map(|ttl| Duration::try_from_secs_f64(ttl / 1000.0).unwrap_or(Duration::MAX)),
                )
            }
            (TaskSupport::Forbidden | TaskSupport::Optional, None) => call(false),
            // 2025-11-25 basic/utilities/tasks, "Tool-Level Negotiation".
            (TaskSupport::Forbidden, Some(_)) => Err(ErrorObject::new(code::METHOD_NOT_FOUND, "this tool does not run as a task").into()),
            (TaskSupport::Required, None) => Err(ErrorObject::new(code::METHOD_NOT_FOUND, "this tool only runs as a task").into()),
        }
    }

    fn new_task(&self, owner: Option<u64>, ttl: Option<Duration>) -> std::result::Result<WorkKind, Refusal> {
        Ok(WorkKind::Task(self.core.tasks.create(owner, ttl, CancellationToken::new())?))
    }

    pub(super) fn find_resource(&self, request: &Request, facts: &Facts) -> std::result::Result<Found, Refusal> {
        let uri = request.text("uri")?;
        let catalog = self.core.catalog();
        let found = match catalog.resource(&uri) {
            Some(resource) => Some((resource.handler.clone(), Args::default())),
            None => catalog.templates.iter().find_map(|template| template.fit(&uri)),
        };
        let (handler, args) = found.ok_or_else(|| not_found(&uri, facts.era))?;
        Ok(Found::plain(handler, args, true))
    }

    pub(super) fn find_prompt(&self, request: &Request) -> std::result::Result<Found, Refusal> {
        let name = request.text("name")?;
        let catalog = self.core.catalog();
        let prompt = catalog
            .prompt(&name)
            .ok_or_else(|| ErrorObject::invalid_params(format_args!("unknown prompt `{name}`")))?;
        let args = arguments(request)?;
        prompt.check(&args)?;
        Ok(Found::plain(prompt.handler.clone(), args, true))
    }

    pub(super) fn find_completer(&self, request: &Request) -> std::result::Result<Found, Refusal> {
        let catalog = self.core.catalog();
        if !catalog.completes() {
            return Err(ErrorObject::method_not_found(&request.method).into());
        }
        let text = |path: &[&str]| {
            let found = request
                .params
                .at(path)
                .and_then(|raw| raw.as_str().map(std::borrow::Cow::into_owned));
            found.ok_or_else(|| ErrorObject::invalid_params(format_args!("`{}` must be a string", path.join("."))))
        };
        let argument = text(&["argument", "name"])?;
        let value = text(&["argument", "value"])?;
        let completer = match &*text(&["ref", "type"])? {
            "ref/prompt" => {
                let name = text(&["ref", "name"])?;
                let prompt = catalog
                    .prompt(&name)
                    .ok_or_else(|| ErrorObject::invalid_params(format_args!("unknown prompt `{name}`")))?;
                prompt.completer(&argument).cloned()
            }
            "ref/resource" => {
                let uri = text(&["ref", "uri"])?;
                let template = catalog.template(&uri);
                let known = template.is_some() || catalog.resource(&uri).is_some();
                if !known {
                    return Err(ErrorObject::invalid_params(format_args!("unknown resource template `{uri}`")).into());
                }
                template.and_then(|template| template.completer(&argument).cloned())
            }
            other => return Err(ErrorObject::invalid_params(format_args!("`{other}` cannot be completed")).into()),
        };
        let settled = request
            .params
            .at(&["context", "arguments"])
            .map(|raw| args(&raw))
            .unwrap_or_default();
        Ok(Found::plain(
            completion_handler(completer, Completion { value, arguments: settled }),
            Args::default(),
            false,
        ))
    }
}

fn arguments(request: &Request) -> std::result::Result<Args, ErrorObject> {
    match request.params.get("arguments").map(|raw| raw.to_value()) {
        None | Some(Value::Null) => Ok(Args::default()),
        Some(Value::Object(fields)) => Ok(Args::new(fields)),
        Some(_) => Err(ErrorObject::invalid_params("`arguments` must be an object")),
    }
}

/// Returns a handler that answers with at most 100 values, and how many there are (2025-11-25
/// server/utilities/completion).
fn completion_handler(completer: Option<Completer>, completion: Completion) -> Handler {
    Arc::new(move |ctx, _| {
        let running = completer.as_ref().map(|complete| complete(ctx, completion.clone()));
        Box::pin(async move {
            let mut values = match running {
                Some(running) => running.await?,
                None => Vec::new(),
            };
            let total = values.len();
            values.truncate(100);
            let completion = json!({"values": values, "total": total, "hasMore": total > 100});
            Ok(Value::Object(Map::from_iter([("completion".to_owned(), completion)])))
        })
    })
}
