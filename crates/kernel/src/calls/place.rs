//! Places a request: chooses its line, connects that line, and places the call on it.

use std::sync::Arc;
use std::time::Duration;

use guard::SendPermit;
use jsonrpc::Raw;
use mcp::exchange::{Outcome, Peer, Request};
use mcp::meta::LogLevel;
use mcp::revision::Era;
use upstream::{Call, CallEvents, EventSink, LanePermit, Line, NoLine, Server, Session, Unavailable};

use super::refused;
use super::room::Asked;
use super::route::Route;

/// The time that a call waits for a lane before a parked call is cancelled for it.
const LANE_PATIENCE: Duration = Duration::from_secs(2);
/// The time that setting a log level may delay a request.
const LEVEL_WAIT: Duration = Duration::from_secs(5);

/// A request that was placed.
pub(crate) struct Placed {
    pub(crate) line: Arc<Line>,
    pub(crate) session: Arc<Session>,
    pub(crate) call: Call,
}

/// Places a request on its route, under a permit.
///
/// # Errors
/// The outcome for the caller if its server cannot be used, or the permit was withdrawn.
pub(crate) async fn place(
    asked: Asked<'_>,
    request: &Request,
    server: &Arc<Server>,
    permit: &SendPermit,
    route: &mut Route,
) -> Result<Placed, Outcome> {
    let unavailable = |error: &Unavailable| refused::unavailable(&asked.caller.subject.principal, &server.spec().id, error);
    let line = match &route.line {
        Some(line) => line.clone(),
        None => {
            let (line, lane) = line_for(asked, server, &request.peer).await.map_err(|error| unavailable(&error))?;
            route.lane = lane.map(Arc::new);
            route.line.insert(line).clone()
        }
    };
    let session = line.session().await.map_err(|error| unavailable(&error))?;
    if let Some(level) = request.log_level {
        Box::pin(set_level(&line, &session, level)).await;
    }
    // The policy has changed since it was asked (DESIGN 9).
    if !permit.stands() {
        return Err(Outcome::refused(SendPermit::withdrawn()));
    }
    let told = session.prepare(request);
    let events: Arc<dyn CallEvents> = asked.caller.clone();
    let sink = match (request.peer.era(), session.era()) {
        (_, Era::Modern) => EventSink::Dropped,
        // A legacy caller takes at once what comes for its call on other streams of an HTTP server. For a modern one the call must be parked where it
        // asks: the task that drives it has to know.
        (Era::Legacy, Era::Legacy) => EventSink::Caller(&events, asked.ticket),
        (Era::Modern, Era::Legacy) => EventSink::Call,
    };
    let placed = Call::place(&session, &told, sink, permit);
    let mut call = placed.map_err(|error| unavailable(&Unavailable::new(error.to_string())))?;
    call.lane.clone_from(&route.lane);
    Ok(Placed { line, session, call })
}

/// Returns the line for a caller's requests to a server. If parked calls, whose clients may never return, hold all lanes, the oldest such call is
/// cancelled.
///
/// # Errors
/// When the server cannot be used, or no lane is free in time.
pub(crate) async fn line_for(
    asked: Asked<'_>,
    server: &Arc<Server>,
    peer: &Arc<Peer>,
) -> Result<(Arc<Line>, Option<LanePermit>), Unavailable> {
    let held = asked.caller.line(&server.spec().id);
    if let Some(line) = held.filter(|line| Arc::ptr_eq(&line.server, &server.state)) {
        return Ok((line, None));
    }
    if peer.era() == Era::Modern && server.state.known_era() == Some(Era::Modern) {
        return Ok((server.stateless_line(asked.caller.principal()), None));
    }
    Box::pin(find_line(asked, server, peer)).await
}

async fn find_line(asked: Asked<'_>, server: &Arc<Server>, peer: &Arc<Peer>) -> Result<(Arc<Line>, Option<LanePermit>), Unavailable> {
    let sharer = asked.caller.sharer(peer);
    let timeout = server.spec().request_timeout;
    let found = match server.line_for(&sharer, LANE_PATIENCE.min(timeout)).await {
        Err(NoLine::Busy) => {
            asked.calls.parked.give_up_oldest(&server.spec().id, &sharer.principal);
            server.line_for(&sharer, timeout).await
        }
        found => found,
    };
    let (line, lane) = found.map_err(NoLine::unavailable)?;
    if peer.era() == Era::Legacy && server.spec().share != upstream::spec::Share::All {
        asked.caller.hold(&line);
    }
    Ok((line, lane))
}

/// Sets a legacy server's log level, if it is more verbose than the level that was set before.
pub(crate) async fn set_level(line: &Arc<Line>, session: &Arc<Session>, level: LogLevel) {
    let logs = session
        .ready()
        .is_some_and(|ready| ready.offer.capabilities.get("logging").is_some());
    if session.era() == Era::Modern || !logs || !line.want_level(level) {
        return;
    }
    let params = Raw::object_empty().edit().set(&["level"], &Raw::string(level.as_str())).finish();
    if let Err(error) = upstream::ask(session, "logging/setLevel", Some(params), LEVEL_WAIT).await {
        tracing::debug!(server = %session.server(), %error, "the log level was not set");
    }
}
