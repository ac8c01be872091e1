//! Bridges tasks between the eras: the core of 2025-11-25 and the extension of the modern era.

use std::sync::Arc;
use std::time::Duration;

use guard::SendPermit;
use jsonrpc::{ErrorObject, Message, Raw};
use mcp::adapt;
use mcp::exchange::{Answered, Method, Outcome, Request};
use mcp::revision::Revision;
use mcp::tasks::{self as shape, Payload, Status};
use model::Trace;
use policy::Action;
use upstream::{Call, CallEvent, EventSink, LanePermit, Line, Server};

use super::caller::Caller;
use super::room::{Asked, Calls};
use super::route::Route;
use super::task_routes::TaskRoute;
use super::{fulfil, refused, send};

/// The time that one exchange about a task may take.
const WAIT: Duration = Duration::from_secs(30);
/// The interval at which a modern server is asked about a task that a legacy client waits for, unless the server names one.
const POLL: Duration = Duration::from_millis(500);

/// A task that an answer has created.
pub(crate) struct Created {
    pub(crate) task: String,
    pub(crate) route: Arc<TaskRoute>,
    pub(crate) line: Arc<Line>,
}

/// Sends an admitted request to the server and line on which its task runs.
pub(crate) async fn send_on(asked: Asked<'_>, request: Box<Request>, server: &Arc<Server>, line: Arc<Line>, permit: SendPermit) -> Outcome {
    let mut route = Route::on(line);
    send::send_by(asked, request, server, permit, &mut route).await
}

// === modern client, legacy server: the gateway waits for `tasks/result` and lets the client poll

/// Waits for a task's result on the caller's behalf, and keeps the questions that come in the meantime. Clients that listen to the task are told of
/// both.
pub(crate) fn watch(calls: &Arc<Calls>, caller: &Arc<Caller>, created: Created, lane: Option<Arc<LanePermit>>) {
    let (calls, caller) = (calls.clone(), caller.clone());
    let runtime = calls.runtime.clone();
    let over = runtime.shutdown().clone();
    runtime.spawn(async move {
        let result = over.run_until_cancelled(result_of(&calls, &caller, &created)).await.flatten();
        drop(lane);
        let gone = || Outcome::refused(ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, "the task's server is gone"));
        created.route.watched().end(result.unwrap_or_else(gone));
        over.run_until_cancelled(tell(&calls, &caller, &created)).await;
    });
}

/// Returns the outcome of `tasks/result`; none when the task's connection has ended.
async fn result_of(calls: &Arc<Calls>, caller: &Arc<Caller>, created: &Created) -> Option<Outcome> {
    let session = created.line.session().await.ok()?;
    let params = shape::with_task_id(&Raw::object_empty(), &created.task);
    let own = Request::internal("tasks/result", Some(params), calls.identity().peer.clone());
    let permit = may_use(calls, caller, &created.line, &created.task).await.ok()?;
    let mut call = Call::place(&session, &own, EventSink::Call, &permit).ok()?;
    loop {
        match call.next().await {
            CallEvent::Ask(question) => {
                created.route.watched().ask(question);
                tell(calls, caller, created).await;
            }
            CallEvent::Done(outcome) => return Some(*outcome),
            CallEvent::Lost(why) | CallEvent::NotSent(why) => {
                return Some(Outcome::refused(ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, why)));
            }
            CallEvent::SessionGone => return None,
            CallEvent::Interim(_) | CallEvent::Greeted(_) | CallEvent::Aside(_) => {}
        }
    }
}

/// Sends the status of a watched task to the clients that listen to it.
async fn tell(calls: &Arc<Calls>, caller: &Arc<Caller>, created: &Created) {
    if let Ok(task) = get(calls, caller, &created.line, &created.task).await {
        let payload = created.route.watched().payload(shape::status(&task), Revision::LATEST);
        let told = shape::status_to_modern(&task, &payload);
        let message = Message::notification("notifications/tasks", Some(&told));
        calls.news.task(created.line.number, &message);
    }
}

/// Handles a modern client's request about a legacy server's task: the client polls.
pub(crate) async fn polled(
    asked: Asked<'_>,
    request: Box<Request>,
    server: &Arc<Server>,
    line: Arc<Line>,
    permit: SendPermit,
    route: Option<Arc<TaskRoute>>,
) -> Outcome {
    match request.method.name() {
        "tasks/update" => {
            let responses = request.params.as_ref().and_then(|params| params.get("inputResponses"));
            if let (Some(route), Some(responses)) = (route, responses) {
                route.watched().answer(&responses, request.peer.revision, &permit);
            }
            modern(shape::acknowledged())
        }
        "tasks/cancel" => match send_on(asked, request, server, line, permit).await {
            Outcome::Result(_) => modern(shape::acknowledged()),
            outcome => outcome,
        },
        _ => {
            let to = request.peer.revision;
            match send_on(asked, request, server, line, permit).await {
                Outcome::Result(answered) => {
                    let status = shape::status(&answered.result);
                    let payload = route.map_or(Payload::None, |route| route.watched().payload(status, to));
                    modern(shape::got_to_modern(&answered.result, &payload))
                }
                outcome => outcome,
            }
        }
    }
}

fn modern(result: Raw) -> Outcome {
    Outcome::Result(Answered {
        message: None,
        result,
        revision: Revision::LATEST,
    })
}

// === legacy client, modern server: the client knows nothing of the extension, so the gateway asks on its behalf

/// Handles a legacy client's request about a modern server's task.
pub(crate) async fn waited(asked: Asked<'_>, request: Box<Request>, line: &Arc<Line>, task: &str) -> Outcome {
    if request.method.name() == "tasks/result" {
        return await_result(asked, &request, line, task).await;
    }
    let cancels = request.method.name() == "tasks/cancel";
    let params = shape::with_task_id(&Raw::object_empty(), task);
    if cancels && let Err(outcome) = ask(asked.calls, asked.caller, line, task, "tasks/cancel", params).await {
        return outcome;
    }
    match get(asked.calls, asked.caller, line, task).await {
        Ok(task) if cancels => Outcome::own(shape::cancelled_to_legacy(&task)),
        Ok(task) => Outcome::own(shape::got_to_legacy(&task).0),
        Err(outcome) => outcome,
    }
}

async fn get(calls: &Arc<Calls>, caller: &Arc<Caller>, line: &Arc<Line>, task: &str) -> Result<Raw, Outcome> {
    ask(
        calls,
        caller,
        line,
        task,
        "tasks/get",
        shape::with_task_id(&Raw::object_empty(), task),
    )
    .await
}

/// Asks the guard for a permit for the next step of a task: each step is a call of its own, and the policy may have changed since the last one.
async fn may_use(calls: &Calls, caller: &Caller, line: &Line, task: &str) -> Result<SendPermit, ErrorObject> {
    let server = &line.server.spec.id;
    let action = Action::UseTask { server, task };
    calls.guard.admit(&caller.subject, action, &Trace::default()).await
}

async fn ask(calls: &Calls, caller: &Caller, line: &Arc<Line>, task: &str, method: &str, params: Raw) -> Result<Raw, Outcome> {
    let unavailable = |error| refused::unavailable(&caller.subject.principal, &line.server.spec.id, &error);
    let session = line.session().await.map_err(unavailable)?;
    let mut request = Request::internal(method, Some(params), calls.identity().listening_peer.clone());
    request.method = Method::of(method, session.revision()).unwrap_or(request.method);
    let permit = may_use(calls, caller, line, task).await.map_err(Outcome::refused)?;
    match upstream::ask_under(&session, request, &permit, WAIT).await.map_err(unavailable)? {
        Outcome::Result(answered) | Outcome::InputRequired(answered) => Ok(answered.result),
        outcome @ Outcome::Error(_) => Err(outcome),
    }
}

/// Waits until a task is over, and returns its result; in the meantime its questions are put to the client (2025-11-25 basic/utilities/tasks).
async fn await_result(asked: Asked<'_>, request: &Request, line: &Arc<Line>, task: &str) -> Outcome {
    loop {
        let result = match get(asked.calls, asked.caller, line, task).await {
            Ok(result) => result,
            Err(outcome) => return outcome,
        };
        match shape::got_to_legacy(&result).1 {
            Payload::Result(result) => {
                let result = adapt::result("tools/call", &result, Revision::LATEST, request.peer.revision);
                return Outcome::own(shape::payload_to_legacy(task, &result));
            }
            Payload::Error(error) => return Outcome::refused(error),
            Payload::Input(input) => {
                if let Err(outcome) = answer_input(asked, request, line, task, &input).await {
                    return outcome;
                }
            }
            Payload::None if shape::status(&result).is_some_and(Status::is_terminal) => {
                return Outcome::refused(ErrorObject::invalid_params(format!(
                    "the task `{task}` was cancelled: it has no result"
                )));
            }
            Payload::None => {}
        }
        let interval = result.get("pollIntervalMs").and_then(|ms| ms.as_u64());
        tokio::time::sleep(interval.map_or(POLL, |ms| Duration::from_millis(ms.clamp(50, 10_000)))).await;
    }
}

/// Puts the questions of a task to the client, and its answers to the server.
async fn answer_input(
    asked: Asked<'_>,
    request: &Request,
    line: &Arc<Line>,
    task: &str,
    input: &adapt::InputRequired,
) -> Result<(), Outcome> {
    let answered = Answered {
        message: None,
        result: input.to_result(),
        revision: Revision::LATEST,
    };
    let params = fulfil::fulfil(asked, request, &answered).await?;
    let responses = params.get("inputResponses").unwrap_or_else(Raw::object_empty);
    let update = shape::with_task_id(&Raw::object_empty(), task)
        .edit()
        .set(&["inputResponses"], &responses)
        .finish();
    ask(asked.calls, asked.caller, line, task, "tasks/update", update).await.map(drop)
}

/// Turns a server's notification of a task, which runs on the line of that number, into the notification for modern clients; none if the task is not
/// known.
pub(crate) fn news_of(calls: &Calls, line: u64, message: &Message) -> Option<Message> {
    let core = match message.method()? {
        "notifications/tasks/status" => true,
        "notifications/tasks" => false,
        _ => return None,
    };
    let params = message.params()?;
    let route = calls.tasks.at(line, &shape::task_id(&params)?)?;
    let told = if core {
        let payload = route.watched().payload(shape::status(&params), Revision::LATEST);
        shape::status_to_modern(&params, &payload)
    } else {
        params
    };
    Some(Message::notification("notifications/tasks", Some(&told)))
}
