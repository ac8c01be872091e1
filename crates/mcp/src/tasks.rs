//! Translates tasks between 2025-11-25, which has them in its core, and the extension of SEP-2663.
//!
//! The core's client asks for a task (`params.task`), polls `tasks/get` and fetches its result by `tasks/result`, which
//! blocks; questions reach it as requests. The extension's server decides by itself, and `tasks/get` holds the outcome
//! and the questions. The two differ in who waits, which the kernel handles; this module translates the shapes.

use jsonrpc::{ErrorObject, ObjectBuilder, Raw, RawKind};

use crate::adapt::{self, InputRequired};
use crate::meta::{self, key};
use crate::revision::Revision;

/// The status of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Under way.
    Working,
    /// Waiting for an answer of the client.
    InputRequired,
    /// Done.
    Completed,
    /// Ended in an error; in the core, also with a tool's result that says `isError`.
    Failed,
    /// Cancelled by the client.
    Cancelled,
}

impl Status {
    /// Returns the status's name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns whether the status is final.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// Whether a tool of 2025-11-25 runs as a task (`execution.taskSupport`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskSupport {
    /// Never; also where the tool says nothing.
    Forbidden,
    /// With or without a task.
    Optional,
    /// Always.
    Required,
}

/// The outcome of a task so far, beyond its status.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// Nothing, or nothing known.
    None,
    /// The result of the request that it stands for, in the form of the server's revision.
    Result(Raw),
    /// The error of the request that it stands for.
    Error(ErrorObject),
    /// The questions that it waits for.
    Input(InputRequired),
}

/// Returns the `taskId` of params, of a flat task, or of the task in a core `CreateTaskResult`.
#[must_use]
pub fn task_id(of: &Raw) -> Option<String> {
    let id = of.get("taskId").or_else(|| of.at(&["task", "taskId"]))?;
    id.as_str().map(std::borrow::Cow::into_owned)
}

/// Replaces the task's id, at the place where [`task_id`] finds it.
#[must_use]
pub fn with_task_id(of: &Raw, id: &str) -> Raw {
    let nested = of.get("taskId").is_none() && of.at(&["task", "taskId"]).is_some();
    let path: &[&str] = if nested { &["task", "taskId"] } else { &["taskId"] };
    of.edit().set(path, &Raw::string(id)).finish()
}

/// Marks params or a result as part of that task (2025-11-25 basic/utilities/tasks, associating task-related messages).
#[must_use]
pub fn with_related_task(of: &Raw, id: &str) -> Raw {
    meta::set(of, key::RELATED_TASK, &ObjectBuilder::new().text("taskId", id).finish())
}

/// Returns the status of a flat task, or of the one in a core `CreateTaskResult`.
#[must_use]
pub fn status(of: &Raw) -> Option<Status> {
    let status = of.get("status").or_else(|| of.at(&["task", "status"]))?;
    let all = [
        Status::Working,
        Status::InputRequired,
        Status::Completed,
        Status::Failed,
        Status::Cancelled,
    ];
    let text = status.as_str()?;
    all.into_iter().find(|known| known.as_str() == text)
}

/// Returns whether a tool of a legacy server can run as a task.
#[must_use]
pub fn task_support(tool: &Raw) -> TaskSupport {
    match tool.at(&["execution", "taskSupport"]).as_ref().and_then(Raw::as_str).as_deref() {
        Some("optional") => TaskSupport::Optional,
        Some("required") => TaskSupport::Required,
        _ => TaskSupport::Forbidden,
    }
}

/// Marks a tool of a modern server with the extension as one that can run as a task: a client of 2025-11-25 asks for
/// tasks only then, and such a server may answer any call with one.
#[must_use]
pub fn with_task_support(tool: &Raw) -> Raw {
    match tool.at(&["execution", "taskSupport"]) {
        Some(_) => tool.clone(),
        None => tool.edit().set(&["execution", "taskSupport"], &Raw::string("optional")).finish(),
    }
}

/// Returns `params.task`, with which a client of the core asks for a task.
#[must_use]
pub fn requested(params: &Raw) -> Option<Raw> {
    params.get("task").filter(|task| task.kind() == RawKind::Object)
}

/// Adds to params the request for a task of a server of the core, kept for `ttl` milliseconds where that is given.
#[must_use]
pub fn with_task(params: &Raw, ttl: Option<u64>) -> Raw {
    let task = ObjectBuilder::new().maybe("ttl", ttl.map(Raw::uint).as_ref());
    params.edit().set(&["task"], &task.finish()).finish()
}

/// Removes the request for a task from params.
#[must_use]
pub fn without_task(params: &Raw) -> Raw {
    params.edit().remove(&["task"]).finish()
}

/// Returns whether a result of a legacy server is a task in place of the result. Use it only where a task was asked
/// for.
#[must_use]
pub fn is_created(result: &Raw) -> bool {
    result.at(&["task", "taskId"]).is_some_and(|id| id.kind() == RawKind::String)
}

/// The member names that differ: core, extension.
const NAMES: [(&str, &str); 2] = [("ttl", "ttlMs"), ("pollInterval", "pollIntervalMs")];

/// Translates a flat task of the core into the extension's form. `ttlMs` is required there; `null` means for ever.
fn flat_to_modern(task: &Raw) -> Raw {
    let mut edit = task.edit();
    for (core, extension) in NAMES {
        if let Some(value) = task.get(core) {
            edit = edit.remove(&[core]).set(&[extension], &value);
        }
    }
    if task.get("ttl").is_none() && task.get("ttlMs").is_none() {
        edit = edit.set(&["ttlMs"], &Raw::null());
    }
    edit.finish()
}

/// Translates a flat task of the extension into the core's form, without what only the extension has in it.
fn flat_to_legacy(task: &Raw) -> Raw {
    let task = meta::remove(&meta::remove(task, key::SERVER_INFO), key::SUBSCRIPTION_ID);
    let mut edit = task.edit();
    for name in ["resultType", "result", "error", "inputRequests"] {
        edit = edit.remove(&[name]);
    }
    for (core, extension) in NAMES {
        if let Some(value) = task.get(extension) {
            edit = edit.remove(&[extension]).set(&[core], &value);
        }
    }
    // The core: a task whose tool said `isError` has failed.
    if status(&task) == Some(Status::Completed) && task.at(&["result", "isError"]).is_some_and(|flag| flag.as_bool() == Some(true)) {
        edit = edit.set(&["status"], &Raw::string(Status::Failed.as_str()));
    }
    edit.finish()
}

/// Translates the core's `CreateTaskResult` into the extension's: flat, with `resultType`. A result without a task
/// becomes a complete result.
#[must_use]
pub fn created_to_modern(result: &Raw) -> Raw {
    let (Some(task), Ok(members)) = (result.get("task"), result.object()) else {
        return adapt::complete("tools/call", result, None);
    };
    let flat = flat_to_modern(&task).edit().set(&["resultType"], &Raw::string("task")).finish();
    let Ok(own) = flat.object() else {
        return adapt::complete("tools/call", result, None);
    };
    let beside = members.iter().filter(|(name, _)| *name != "task" && own.get(name).is_none());
    ObjectBuilder::new().members(own.iter().chain(beside)).finish()
}

/// Translates the extension's `CreateTaskResult` into the core's: the task in a member of its own, `_meta` beside it.
#[must_use]
pub fn created_to_legacy(result: &Raw) -> Raw {
    let flat = flat_to_legacy(result);
    let task = flat.edit().remove(&[key::META]).finish();
    ObjectBuilder::new()
        .raw("task", &task)
        .maybe(key::META, flat.get(key::META).as_ref())
        .finish()
}

/// Joins a flat task of the core with its payload to the extension's `DetailedTask`.
///
/// Where the status promises a payload that is not there, the client sees the task as still `working`: it polls again,
/// and by then the payload is known.
fn detailed(task: &Raw, payload: &Payload) -> Raw {
    let flat = flat_to_modern(task);
    let with = |status: Status, member: Option<(&str, Raw)>| {
        let edit = flat.edit().set(&["status"], &Raw::string(status.as_str()));
        match member {
            Some((name, value)) => edit.set(&[name], &value).finish(),
            None => edit.finish(),
        }
    };
    match payload {
        // The extension: `failed` is for JSON-RPC errors only.
        Payload::Result(result) => {
            let result = meta::remove(result, key::RELATED_TASK);
            with(Status::Completed, Some(("result", adapt::complete("tools/call", &result, None))))
        }
        Payload::Error(error) => with(Status::Failed, Some(("error", error.to_raw()))),
        Payload::Input(input) => with(Status::InputRequired, Some(("inputRequests", input.to_requests()))),
        Payload::None => match status(task) {
            Some(Status::Cancelled) => flat.clone(),
            _ => with(Status::Working, None),
        },
    }
}

/// Translates the core's answer to `tasks/get` into the extension's. An error in the payload is one that a modern
/// client may see ([`crate::error::to_modern`]).
#[must_use]
pub fn got_to_modern(task: &Raw, payload: &Payload) -> Raw {
    adapt::complete("tasks/get", &detailed(task, payload), None)
}

/// Translates the extension's answer to `tasks/get` into the core's, and what the core returns from `tasks/result` or
/// asks by requests of its own.
#[must_use]
pub fn got_to_legacy(task: &Raw) -> (Raw, Payload) {
    let payload = match status(task) {
        Some(Status::Completed) => task.get("result").map(Payload::Result),
        Some(Status::Failed) => task.get("error").and_then(|error| ErrorObject::parse(&error)).map(Payload::Error),
        Some(Status::InputRequired) => InputRequired::read(task).ok().map(Payload::Input),
        _ => None,
    };
    (flat_to_legacy(task), payload.unwrap_or(Payload::None))
}

/// Translates a result that the extension's `tasks/get` held into the core's answer to `tasks/result`.
#[must_use]
pub fn payload_to_legacy(task_id: &str, result: &Raw) -> Raw {
    with_related_task(
        &adapt::result("tools/call", result, Revision::LATEST, Revision::LATEST_LEGACY),
        task_id,
    )
}

/// Returns the extension's empty answer to `tasks/cancel` and `tasks/update`.
#[must_use]
pub fn acknowledged() -> Raw {
    ObjectBuilder::new().text("resultType", "complete").finish()
}

/// Translates the state of a task after `tasks/cancel` from the extension into the core's answer: in the core, the task
/// is cancelled once the answer is given, whatever becomes of the work; in the extension it may still run.
#[must_use]
pub fn cancelled_to_legacy(task: &Raw) -> Raw {
    let flat = flat_to_legacy(task);
    match status(task) {
        Some(status) if status.is_terminal() => flat,
        _ => flat.edit().set(&["status"], &Raw::string(Status::Cancelled.as_str())).finish(),
    }
}

/// Translates the params of `notifications/tasks/status` into those of `notifications/tasks`.
#[must_use]
pub fn status_to_modern(params: &Raw, payload: &Payload) -> Raw {
    detailed(params, payload)
}

/// Translates the params of `notifications/tasks` into those of `notifications/tasks/status`.
#[must_use]
pub fn status_to_legacy(params: &Raw) -> Raw {
    flat_to_legacy(params)
}

/// Makes a core task that the gateway keeps itself, for a client that asked for one and a modern server that answered
/// at once. `at` is an ISO 8601 instant, `ttl` is in milliseconds.
#[must_use]
pub fn legacy_task(id: &str, status: Status, at: &str, ttl: Option<u64>) -> Raw {
    ObjectBuilder::new()
        .text("taskId", id)
        .text("status", status.as_str())
        .text("createdAt", at)
        .text("lastUpdatedAt", at)
        .raw("ttl", &ttl.map_or_else(Raw::null, Raw::uint))
        .finish()
}

#[cfg(test)]
mod tests;
