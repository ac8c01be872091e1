//! Tasks: calls that may become tasks, and requests about tasks.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use guard::SendPermit;
use jsonrpc::{ErrorObject, Raw};
use mcp::adapt;
use mcp::exchange::{Answered, Outcome, Peer, Request};
use mcp::revision::{Era, Revision};
use mcp::tasks as shape;
use model::ServerId;
use policy::Action;
use upstream::{Line, Server};

use super::room::Asked;
use super::route::Route;
use super::task_bridge::{self, Created};
use super::task_routes::Found;
use super::{place, refused, send};

/// The number of pages of one server's list of tasks at most.
const MAX_PAGES: usize = 100;
/// The time that a task is kept if no client asks about it and its server does not say less.
const KEEP: Duration = Duration::from_secs(60 * 60);
/// The time that one page of a list of tasks may take.
const WAIT: Duration = Duration::from_secs(30);

/// Returns whether a call may become a task by its client's wish.
pub(crate) fn is_wanted(request: &Request) -> bool {
    request.member("task").is_some() || request.peer.capabilities.tasks_extension()
}

/// Returns the time for which a task is to be kept, as its server says: `ttl` of 2025-11-25, `ttlMs` of the extension.
fn ttl_of(task: &Raw) -> Duration {
    let said = task.get("ttlMs").or_else(|| task.get("ttl")).and_then(|ttl| ttl.as_u64());
    said.map_or(KEEP, |ms| Duration::from_millis(ms).min(KEEP))
}

/// Calls a tool that may become a task; `required` where the tool can only be called as one.
pub(crate) async fn call(asked: Asked<'_>, mut request: Box<Request>, server: &Arc<Server>, permit: SendPermit, required: bool) -> Outcome {
    let era = match server.era().await {
        Ok(era) => era,
        Err(error) => return refused::unavailable(&asked.caller.subject.principal, &server.spec().id, &error),
    };
    let wants_task = request.member("task").is_some();
    let mut route = Route::default();
    match (request.peer.era(), era) {
        (Era::Modern, Era::Legacy) if required && request.peer.capabilities.tasks_extension() => {
            request.params = request.params.as_ref().map(|params| shape::with_task(params, None));
            let outcome = send::send_by(asked, request, server, permit, &mut route).await;
            let Some(created) = created(asked, &route, &outcome) else {
                return outcome;
            };
            task_bridge::watch(asked.calls, asked.caller, created, route.lane);
            turned(outcome, shape::created_to_modern, Revision::LATEST)
        }
        (Era::Legacy, Era::Modern) if wants_task => {
            request.params = request.params.as_ref().map(shape::without_task);
            let peer = Peer {
                capabilities: request.peer.capabilities.with_tasks_extension(),
                ..(*request.peer).clone()
            };
            request.peer = Arc::new(peer);
            let outcome = send::send_by(asked, request, server, permit, &mut route).await;
            match created(asked, &route, &outcome) {
                Some(_) => turned(outcome, shape::created_to_legacy, Revision::LATEST_LEGACY),
                None => outcome,
            }
        }
        (client_era, server_era) if client_era == server_era && is_wanted(&request) => {
            let outcome = send::send_by(asked, request, server, permit, &mut route).await;
            drop(created(asked, &route, &outcome));
            outcome
        }
        _ => send::send(asked, request, server, permit).await,
    }
}

/// Returns the task that an answer has created, in either shape.
fn task_in(result: &Raw) -> Option<Raw> {
    match adapt::result_type(result) {
        adapt::ResultType::Task => Some(result.clone()),
        _ => result.get("task"),
    }
}

/// Notes the task that an answer has created, if it has.
fn created(asked: Asked<'_>, route: &Route, outcome: &Outcome) -> Option<Created> {
    let Outcome::Result(answered) = outcome else { return None };
    let created = task_in(&answered.result)?;
    let (task, ttl) = (shape::task_id(&created)?, ttl_of(&created));
    let line = route.line.clone()?;
    let route = asked.calls.tasks.created(asked.caller.principal(), &task, &line, ttl);
    Some(Created { task, route, line })
}

/// Translates an answer that has created a task for the other era.
fn turned(outcome: Outcome, turn: impl Fn(&Raw) -> Raw, revision: Revision) -> Outcome {
    match outcome {
        Outcome::Result(answered) => Outcome::Result(Answered {
            result: turn(&answered.result),
            revision,
            ..answered
        }),
        outcome => outcome,
    }
}

/// Handles `tasks/get`, `tasks/result`, `tasks/update` and `tasks/cancel`.
pub(crate) async fn one(asked: Asked<'_>, request: Box<Request>) -> Outcome {
    let Some(task) = request.params.as_ref().and_then(shape::task_id) else {
        return Outcome::refused(ErrorObject::invalid_params(format!(
            "`{}` needs `taskId`, a string",
            request.method.name()
        )));
    };
    let tasks = &asked.calls.tasks;
    let route = match tasks.of(asked.caller, &task) {
        Found::One(route) => Some(route),
        Found::None => None,
        Found::Many => return Outcome::refused(ambiguous(asked, &task)),
    };
    let server = match &route {
        Some(route) => asked.calls.server(&route.server),
        None if tasks.is_of_another(asked.caller.principal(), &task) => None,
        None => sole_task_server(asked, &request.peer),
    };
    let Some(server) = server else {
        return Outcome::refused(ErrorObject::invalid_params(format!("unknown task `{task}`")));
    };
    let action = Action::UseTask {
        server: &server.spec().id,
        task: &task,
    };
    let permit = match asked.admit(action, &request).await {
        Ok(permit) => permit,
        Err(refused) => return refused,
    };
    let line = match route.as_ref().and_then(|route| route.line()) {
        Some(line) => line,
        None => match place::line_for(asked, &server, &request.peer).await {
            Ok((line, _lane)) => line,
            Err(error) => return refused::unavailable(&asked.caller.subject.principal, &server.spec().id, &error),
        },
    };
    if let Some(route) = &route {
        route.touch();
        tasks.moved(route, &line);
    }
    match (request.peer.era(), server.state.known_era()) {
        (Era::Modern, Some(Era::Legacy)) => task_bridge::polled(asked, request, &server, line, permit, route).await,
        (Era::Legacy, Some(Era::Modern)) => task_bridge::waited(asked, request, &line, &task).await,
        _ => task_bridge::send_on(asked, request, &server, line, permit).await,
    }
}

/// Returns the error for an id that several tasks have, so that a request about one is not answered with another.
fn ambiguous(asked: Asked<'_>, task: &str) -> ErrorObject {
    let routes = asked.calls.tasks.all(asked.caller.principal(), task);
    let servers: BTreeSet<&str> = routes.iter().map(|route| route.server.as_str()).collect();
    let servers: Vec<&str> = servers.into_iter().collect();
    ErrorObject::invalid_params(format!(
        "several tasks of yours are called `{task}` ({}), so that it can't be told which one is meant; \
         use clients of different principals for them, or servers whose task ids are unique",
        servers.join(", ")
    ))
}

/// Returns the server that has tasks, if only one has: a task that this process does not know can only be there.
fn sole_task_server(asked: Asked<'_>, peer: &Peer) -> Option<Arc<Server>> {
    let view = asked.view(peer);
    let mut able = view.offers().iter().filter(|offer| {
        let capabilities = mcp::capabilities::ServerCapabilities::new(offer.advertised.capabilities.clone());
        capabilities.tasks_extension() || capabilities.raw().get("tasks").is_some()
    });
    let only = able.next()?;
    if able.next().is_some() {
        None
    } else {
        asked.calls.server(&only.server)
    }
}

/// Handles `tasks/list`: asks all legacy servers that list tasks at the same time; one that does not answer in time is left out.
pub(crate) async fn list(asked: Asked<'_>, request: &Request) -> Outcome {
    let view = asked.view(&request.peer);
    let able = view
        .offers()
        .iter()
        .filter(|offer| offer.advertised.capabilities.at(&["tasks", "list"]).is_some());
    let asking = able.map(|offer| tasks_of(asked, request, &offer.server));
    let tasks: Vec<Raw> = futures_util::future::join_all(asking)
        .await
        .into_iter()
        .flatten()
        .flatten()
        .collect();
    let list: Vec<&str> = tasks.iter().map(Raw::text).collect();
    let text = format!("{{\"tasks\":[{}]}}", list.join(","));
    match Raw::parse(text, &asked.calls.settings.load().limits) {
        Ok(result) => Outcome::own(result),
        Err(_) => Outcome::refused(ErrorObject::internal()),
    }
}

/// Returns the tasks of one server, over all pages.
async fn tasks_of(asked: Asked<'_>, request: &Request, id: &ServerId) -> Option<Vec<Raw>> {
    let action = Action::UseTask { server: id, task: "*" };
    let permit = asked.admit(action, request).await.ok()?;
    let server = asked.calls.server(id)?;
    let (line, _lane) = place::line_for(asked, &server, &request.peer).await.ok()?;
    let tasks = pages(asked, &line, &permit).await?;
    for task in &tasks {
        if let Some(id) = shape::task_id(task) {
            asked.calls.tasks.listed(asked.caller.principal(), &id, &line, ttl_of(task));
        }
    }
    Some(tasks)
}

async fn pages(asked: Asked<'_>, line: &Arc<Line>, permit: &SendPermit) -> Option<Vec<Raw>> {
    let session = line.session().await.ok()?;
    let mut tasks = Vec::new();
    let mut params = None;
    for _ in 0..MAX_PAGES {
        let list = Request::internal("tasks/list", params, asked.calls.identity().peer.clone());
        let Ok(Outcome::Result(page)) = upstream::ask_under(&session, list, permit, WAIT).await else {
            break;
        };
        tasks.extend(page.result.get("tasks").map(|list| list.items()).unwrap_or_default());
        let Some(cursor) = page.result.get("nextCursor") else { break };
        params = Some(Raw::object_empty().edit().set(&["cursor"], &cursor).finish());
    }
    Some(tasks)
}
