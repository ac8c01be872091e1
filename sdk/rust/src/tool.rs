//! Tools.

use std::fmt;

use serde_json::{Map, Value, json};

use crate::args::Args;
use crate::content::ToolResult;
use crate::context::Context;
use crate::era::Era;
use crate::error::Result;
use crate::handler::{Handler, erase};
use crate::param_headers::{self, ParamHeader};

/// Whether calls of a tool may run as tasks (2025-11-25 basic/utilities/tasks; SEP-2663).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaskSupport {
    /// Every call is answered with its result.
    #[default]
    Forbidden,
    /// A call runs as a task for clients that support it (modern) or ask for it (legacy), else it is answered at once.
    Optional,
    /// Every call runs as a task.
    Required,
}

/// A tool without a handler yet; [`handler`](ToolSpec::handler) completes it.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    fields: Map<String, Value>,
    task: TaskSupport,
    starts_as_call: bool,
}

/// A tool with its handler.
#[derive(Clone)]
pub struct Tool {
    spec: ToolSpec,
    name: String,
    headers: Vec<ParamHeader>,
    pub(crate) handler: Handler,
}

impl Tool {
    /// Starts a tool called `name`: up to 128 of `A-Z a-z 0-9 _ - .` (2025-11-25 server/tools, "Tool Names").
    #[expect(
        clippy::new_ret_no_self,
        reason = "a tool exists only with its handler, which the returned spec takes"
    )]
    pub fn new(name: impl Into<String>) -> ToolSpec {
        let fields = Map::from_iter([
            ("name".to_owned(), json!(name.into())),
            ("inputSchema".to_owned(), json!({"type": "object"})),
        ]);
        ToolSpec {
            fields,
            task: TaskSupport::Forbidden,
            starts_as_call: false,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn task(&self) -> TaskSupport {
        self.spec.task
    }

    /// Returns whether the handler itself decides when its call becomes a task.
    pub(crate) fn starts_as_call(&self) -> bool {
        self.spec.starts_as_call
    }

    pub(crate) fn param_headers(&self) -> &[ParamHeader] {
        &self.headers
    }

    /// Returns the entry of `tools/list`, in the era's shape.
    pub(crate) fn describe(&self, era: Era) -> Value {
        let mut fields = self.spec.fields.clone();
        if era == Era::Legacy {
            match self.spec.task {
                TaskSupport::Forbidden => None,
                TaskSupport::Optional => fields.insert("execution".to_owned(), json!({"taskSupport": "optional"})),
                TaskSupport::Required => fields.insert("execution".to_owned(), json!({"taskSupport": "required"})),
            };
            // Up to 2025-11-25 an output schema describes an object.
            if fields.get("outputSchema").is_some_and(|schema| schema["type"] != "object") {
                fields.remove("outputSchema");
            }
        }
        Value::Object(fields)
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("spec", &self.spec).finish_non_exhaustive()
    }
}

impl ToolSpec {
    /// Sets the display name.
    #[must_use]
    pub fn title(self, title: &str) -> Self {
        self.field("title", json!(title))
    }

    /// Sets the description of what the tool does, for the model.
    #[must_use]
    pub fn description(self, words: &str) -> Self {
        self.field("description", json!(words))
    }

    /// Sets the JSON Schema (2020-12) of the arguments. `x-mcp-header` on a property mirrors it into a header.
    #[must_use]
    pub fn input(self, schema: Value) -> Self {
        self.field("inputSchema", schema)
    }

    /// Sets the JSON Schema of the structured result.
    #[must_use]
    pub fn output(self, schema: Value) -> Self {
        self.field("outputSchema", schema)
    }

    /// Marks the tool as one that changes nothing.
    #[must_use]
    pub fn read_only(self) -> Self {
        self.annotation("readOnlyHint", json!(true))
    }

    /// Sets a hint about the tool's behaviour: `destructiveHint`, `idempotentHint`, `openWorldHint`, `title`, …
    #[must_use]
    pub fn annotation(mut self, name: &str, value: Value) -> Self {
        insert_into(&mut self.fields, "annotations", name, value);
        self
    }

    /// Adds an entry to the tool's `_meta`.
    #[must_use]
    pub fn meta(mut self, key: &str, value: Value) -> Self {
        insert_into(&mut self.fields, "_meta", key, value);
        self
    }

    /// Sets any other field, for instance `icons` or one of an extension.
    #[must_use]
    pub fn field(mut self, name: &str, value: Value) -> Self {
        self.fields.insert(name.to_owned(), value);
        self
    }

    /// Allows, or requires, calls to run as tasks, from their first step on.
    #[must_use]
    pub fn task(mut self, support: TaskSupport) -> Self {
        self.task = support;
        self
    }

    /// Allows, or requires, calls to run as tasks, but only from where the handler calls [`Context::become_task`]:
    /// questions before that belong to the call.
    #[must_use]
    pub fn task_when_ready(mut self, support: TaskSupport) -> Self {
        self.starts_as_call = true;
        self.task(support)
    }

    /// Completes the tool. `handler` may run more than once for one call: see [`Context`], "The law of questions".
    pub fn handler<F, Fut, R>(self, handler: F) -> Tool
    where
        F: Fn(Context, Args) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R>> + Send + 'static,
        R: Into<ToolResult> + 'static,
    {
        let name = self.fields["name"].as_str().unwrap_or_default().to_owned();
        let headers = param_headers::of_schema(&self.fields["inputSchema"]);
        Tool {
            spec: self,
            name,
            headers,
            handler: erase(handler, |ctx, result| result.into().wire(ctx.era())),
        }
    }
}

pub(crate) fn insert_into(fields: &mut Map<String, Value>, object: &str, key: &str, value: Value) {
    let entry = fields.entry(object).or_insert_with(|| json!({}));
    if let Value::Object(inner) = entry {
        inner.insert(key.to_owned(), value);
    }
}
