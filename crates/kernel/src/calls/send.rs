//! Sends an admitted request: it is placed, driven and settled, and placed again where that is safe.

use std::sync::Arc;

use guard::SendPermit;
use jsonrpc::ErrorObject;
use mcp::exchange::{Outcome, Request};
use mcp::method::ListKind;
use mcp::revision::Era;
use upstream::{Line, Server, Session};

use super::call_result::CallResult;
use super::drive::drive;
use super::place::{Placed, place};
use super::room::Asked;
use super::route::Route;
use super::settle::settle;
use super::{fulfil, labels, parking};

/// The number of times that a modern server may ask for input in one request.
const MAX_ROUNDS: usize = 16;

/// Sends an admitted request to its server and returns its outcome, with safe retries and with the questions of either era.
pub(crate) async fn send(asked: Asked<'_>, request: Box<Request>, server: &Arc<Server>, permit: SendPermit) -> Outcome {
    let mut route = Route::default();
    send_by(asked, request, server, permit, &mut route).await
}

/// Sends an admitted request by a route. Afterwards `route` is the one that was taken.
pub(crate) async fn send_by(
    asked: Asked<'_>,
    mut request: Box<Request>,
    server: &Arc<Server>,
    permit: SendPermit,
    route: &mut Route,
) -> Outcome {
    if request.retry.is_some() && request.peer.era() == Era::Modern && server.state.known_era() == Some(Era::Legacy) {
        match parking::resume(asked, &request, server, &permit) {
            Ok(parking::Resumed::Again) => request.retry = None,
            Ok(parking::Resumed::Answered(outcome)) => return outcome,
            Ok(parking::Resumed::Call(call, line)) => {
                *route = Route {
                    line: Some(line.clone()),
                    lane: call.lane.clone(),
                };
                let result = Box::pin(drive(asked, &request, &line, *call)).await;
                return settle(asked, &request, server, result);
            }
            Err(error) => return Outcome::refused(error),
        }
    }
    let mut again = Again::default();
    for _ in 0..MAX_ROUNDS {
        let placed = place(asked, &request, server, &permit, route).await;
        let Placed { line, session, call } = match placed {
            Ok(placed) => placed,
            Err(refused) => return refused,
        };
        let started = runtime::now();
        let result = drive(asked, &request, &line, call).await;
        count(asked, &request, server, &result, started);
        let result = match again.after(asked, &mut request, (&line, &session), result).await {
            Next::Again => continue,
            Next::Settle(result) => result,
            Next::Answer(outcome) => return outcome,
        };
        return settle(asked, &request, server, result);
    }
    Outcome::refused(ErrorObject::new(
        jsonrpc::code::INTERNAL_ERROR,
        format!("`{}` asked for more input {MAX_ROUNDS} times; given up", server.spec().id),
    ))
}

/// The step that follows a call that was driven.
enum Next {
    /// The call is placed again.
    Again,
    /// The call's result is settled.
    Settle(CallResult),
    /// The caller gets another outcome.
    Answer(Outcome),
}

/// The repetitions that have been made already.
#[derive(Default)]
struct Again {
    placed: bool,
    mirrored: bool,
}

impl Again {
    /// Returns the step that follows a call. A call that failed before the server can have acted on it is placed again on a fresh session; one that
    /// the server may have acted on only if its method is safe to repeat.
    async fn after(
        &mut self,
        asked: Asked<'_>,
        request: &mut Request,
        (line, session): (&Arc<Line>, &Arc<Session>),
        result: CallResult,
    ) -> Next {
        match result {
            CallResult::NotDone(why) if !self.placed => {
                self.placed = true;
                session.renew(&why);
                Next::Again
            }
            CallResult::Lost(why) if !self.placed && is_safe(request) => {
                self.placed = true;
                session.renew(&why);
                Next::Again
            }
            CallResult::Over(Outcome::InputRequired(answered)) if request.peer.era() == Era::Legacy => {
                match Box::pin(fulfil::fulfil(asked, request, &answered)).await {
                    Ok(params) => {
                        request.params = Some(params);
                        Next::Again
                    }
                    Err(outcome) => Next::Answer(outcome),
                }
            }
            CallResult::Over(Outcome::Error(failed)) if !self.mirrored && failed.error.code == mcp::error::HEADER_MISMATCH => {
                self.mirrored = true;
                match Box::pin(mirror_anew(request, line, session)).await {
                    true => Next::Again,
                    false => Next::Answer(Outcome::Error(failed)),
                }
            }
            result => Next::Settle(result),
        }
    }
}

fn count(asked: Asked<'_>, request: &Request, server: &Server, result: &CallResult, started: std::time::Instant) {
    let (id, label, elapsed) = (server.spec().id.as_str(), result.label(), started.elapsed());
    let method = labels::of_method(&request.method);
    let metrics = asked.calls.runtime.metrics();
    metrics.call(&server.state.calls, id, method, label, elapsed);
    tracing::debug!(
        server = id,
        name = request.param("name").as_deref(),
        outcome = label,
        ms = elapsed.as_secs_f64() * 1e3,
        "called"
    );
}

/// Reads the tools again, because a tool's definition may have changed since it was read (2026-07-28 basic/transports/streamable-http, custom
/// headers). Returns whether the called tool now wants other headers than the request has; the request then has the new ones.
async fn mirror_anew(request: &mut Request, line: &Arc<Line>, session: &Arc<Session>) -> bool {
    if request.method.name() != "tools/call" || !session.is_http() {
        return false;
    }
    upstream::refreshed(line, session, &[ListKind::Tools]).await;
    let own = request.rename.clone().or_else(|| request.param("name").map(Arc::from));
    let offer = line.server.offer(&line.key.capabilities);
    let tools = offer.as_ref().map(|offer| &offer.list(ListKind::Tools).items);
    let tool = tools.and_then(|tools| tools.iter().find(|tool| Some(tool.key.as_str()) == own.as_deref()));
    match tool {
        Some(tool) if tool.headers != request.headers => {
            request.headers.clone_from(&tool.headers);
            true
        }
        _ => false,
    }
}

/// Returns whether a request may be sent twice.
fn is_safe(request: &Request) -> bool {
    matches!(
        request.method.name(),
        "resources/read" | "prompts/get" | "completion/complete" | "tasks/get" | "tasks/result"
    )
}
