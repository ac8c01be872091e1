//! The way of one request: to whom it goes, whether it may, and what comes back.

use std::sync::Arc;

use jsonrpc::{ErrorObject, Raw};
use mcp::client::Filter;
use mcp::exchange::{Advertised, Method, Outcome, Peer, Request};
use mcp::method::{ListKind, Route};
use mcp::revision::Era;
use mgp::error::Code;
use model::{Ticket, ToolId};
use policy::Action;
use tracing::Instrument;

use crate::bridge::{self, Driven};
use crate::client::Client;
use crate::gate::{self, Permit};
use crate::guard::calls;
use crate::kernel_tools;
use crate::retry;
use crate::upstream::{Call, Hears, LanePermit, Line, Server, Session, Unavailable, fetch, session};
use crate::{hop, lists, resources, tasks};

/// How often a modern server may ask again in one request.
const MAX_ROUNDS: usize = 16;

// Law: the way of a plain call is one small future. What is rare (a first connection, a bridge, a list) is boxed, so that its size is not
// moved about with every call.

/// Carries a request out; `None` when its client has cancelled it.
pub(crate) async fn run(client: &Arc<Client>, ticket: Ticket, mut request: Box<Request>) -> Option<Outcome> {
    let cancelled = client.running(ticket)?;
    let method = request.method.clone();
    hop::settle_trace(&client.inner, &mut request);
    let span = tracing::debug_span!(
        "request",
        method = method.name(),
        client = client.number,
        principal = %client.principal.id,
        trace = request.trace.id()
    );
    let started = crate::now();
    let outcome = tokio::select! {
        biased;
        // First: what was cancelled before a person consented to it must not leave after that.
        () = cancelled.notified() => None,
        outcome = route(client, ticket, request).instrument(span) => Some(outcome),
    };
    let label = outcome.as_ref().map_or("cancelled", session::outcome_label);
    let elapsed = started.elapsed();
    client.inner.metrics.request(&method, label, elapsed);
    tracing::debug!(
        method = method.name(),
        client = client.number,
        outcome = label,
        ms = elapsed.as_secs_f64() * 1e3,
        "answered"
    );
    outcome
}

async fn route(client: &Arc<Client>, ticket: Ticket, request: Box<Request>) -> Outcome {
    let Method::Known(info) = request.method else {
        return Box::pin(extension(client, ticket, request)).await;
    };
    match info.route {
        Route::Merge(kind) => Box::pin(lists::page(client, kind, &request)).await,
        Route::Name(kind) => named(client, ticket, kind, request).await,
        Route::Uri => Box::pin(resources::by_uri(client, ticket, request)).await,
        Route::Reference => Box::pin(resources::complete(client, ticket, request)).await,
        Route::Task => Box::pin(tasks::one(client, ticket, request)).await,
        Route::TaskList => Box::pin(tasks::list(client, &request)).await,
        Route::Gateway => Box::pin(own(client, &request)).await,
        Route::Listen | Route::Reverse | Route::Session => Outcome::refused(ErrorObject::method_not_found(info.name)),
    }
}

/// What the gateway answers itself.
async fn own(client: &Arc<Client>, request: &Request) -> Outcome {
    match (request.method.name(), request.log_level) {
        ("logging/setLevel", Some(level)) => {
            if let Err(error) = client.admit(Action::SetLogLevel, &request.trace).await {
                return Outcome::refused(error);
            }
            for line in client.lines() {
                if let Some(session) = line.live() {
                    bridge::set_level(&line, &session, level).await;
                }
            }
            Outcome::own(Raw::object_empty())
        }
        ("ping", _) => Outcome::own(Raw::object_empty()),
        (name, _) => Outcome::refused(ErrorObject::method_not_found(name)),
    }
}

/// `tools/call` and `prompts/get`: by the name on the wire (DESIGN 3).
async fn named(client: &Arc<Client>, ticket: Ticket, kind: ListKind, mut request: Box<Request>) -> Outcome {
    let Some(wire) = request.param("name") else {
        return Outcome::refused(ErrorObject::invalid_params(format!(
            "`{}` needs `name`, a string",
            request.method.name()
        )));
    };
    if kind == ListKind::Tools
        && let Some(tool) = kernel_tools::find(&client.inner, &wire)
    {
        return Box::pin(kernel_tools::call(client, ticket, request, tool)).await;
    }
    let view = client.inner.view_for(client, &request.peer);
    let mut found = resolve(&view, kind, &wire);
    let fresh;
    if found.is_none() {
        // The first call may come before the first list: servers that were never seen get their time to answer.
        fresh = Box::pin(lists::settled(client, &request.peer)).await;
        found = resolve(&fresh, kind, &wire);
    }
    if found.is_none() && kind == ListKind::Tools {
        // What is denied is not listed. Whoever calls it all the same is refused by policy, on record.
        found = resolve(&client.inner.whole_view(&request.peer), kind, &wire);
    }
    let Some(found) = found else {
        let what = if kind == ListKind::Tools { "tool" } else { "prompt" };
        let missing = client.inner.missing_note(&client.inner.view_for(client, &request.peer));
        let unknown = ErrorObject::invalid_params(format!("Unknown {what}: {wire}{missing}"));
        return Outcome::refused(match kind {
            ListKind::Tools => client.failure(&request.peer, Code::ToolNotFound, unknown),
            _ => unknown,
        });
    };
    let Some(server) = client.inner.server(&found.server) else {
        return gone(&found.server);
    };
    if let Err(error) = found.check_mirrors(&request) {
        return Outcome::refused(error);
    }
    request.rename = (*found.own != wire).then(|| found.own.clone());
    request.headers.clone_from(&found.headers);
    if kind == ListKind::Tools {
        return called(client, ticket, request, &server, found).await;
    }
    let action = Action::GetPrompt {
        server: &found.server,
        prompt: &found.own,
    };
    match client.admit(action, &request.trace).await {
        Ok(permit) => dispatch(client, ticket, request, &server, permit).await,
        Err(error) => Outcome::refused(error),
    }
}

/// A tool call, from its leave to its end, both on record.
async fn called(client: &Arc<Client>, ticket: Ticket, mut request: Box<Request>, server: &Arc<Server>, found: Found) -> Outcome {
    let tool = ToolId {
        server: found.server,
        name: found.own,
    };
    let admitted = match calls::admit(client, ticket, &mut request, tool).await {
        Ok(admitted) => admitted,
        Err(outcome) => return outcome,
    };
    retry::see_through(client, ticket, request, server, admitted, found.task_required).await
}

/// Where a name leads.
struct Found {
    server: model::ServerId,
    own: Arc<str>,
    headers: Option<Arc<mcp::mirror::ParamHeaders>>,
    task_required: bool,
}

impl Found {
    /// 2026-07-28 basic/transports/streamable-http: a server must check the parameter headers of a tool that asks for them.
    fn check_mirrors(&self, request: &Request) -> Result<(), ErrorObject> {
        match (&self.headers, &request.mirrors) {
            (Some(headers), Some(mirrors)) if request.peer.era() == Era::Modern => {
                mcp::mirror::validate(mirrors, request.method.name(), request.params.as_ref(), Some(headers))
            }
            _ => Ok(()),
        }
    }
}

fn resolve(view: &catalog::View, kind: ListKind, wire: &str) -> Option<Found> {
    let target = if kind == ListKind::Tools {
        view.tool(wire)
    } else {
        view.prompt(wire)
    }?;
    Some(Found {
        server: target.server.clone(),
        own: target.item.key.as_str().into(),
        headers: target.item.headers.clone(),
        task_required: kind == ListKind::Tools && target.item.task_support == mcp::tasks::TaskSupport::Required,
    })
}

/// A method that the core does not know: to the server that declared it, else denied.
async fn extension(client: &Arc<Client>, ticket: Ticket, request: Box<Request>) -> Outcome {
    let name = request.method.name().to_owned();
    let mut owner = client.inner.extension_owner(client, &name);
    if owner.is_none() {
        // The first request may come before the first list.
        drop(Box::pin(lists::settled(client, &request.peer)).await);
        owner = client.inner.extension_owner(client, &name);
    }
    let Some(owner) = owner else {
        return Outcome::refused(ErrorObject::method_not_found(&name));
    };
    let Some(server) = client.inner.server(&owner) else {
        return gone(&owner);
    };
    let action = Action::Extension {
        server: &owner,
        method: &name,
    };
    match client.admit(action, &request.trace).await {
        Ok(permit) => dispatch(client, ticket, request, &server, permit).await,
        Err(error) => Outcome::refused(error),
    }
}

pub(crate) fn gone(server: &model::ServerId) -> Outcome {
    Outcome::refused(ErrorObject::invalid_params(format!(
        "the server `{server}` is not configured any more"
    )))
}

/// On which line a request goes.
#[derive(Default)]
pub(crate) struct Way {
    /// The line; where none is given, the client's own or one that is free becomes it.
    pub(crate) line: Option<Arc<Line>>,
    /// Keeps other calls off the line that could be asked back.
    pub(crate) lane: Option<Arc<LanePermit>>,
}

/// Sends an admitted request to its server and sees it through: retries that are safe, questions of either era, the answer.
pub(crate) async fn dispatch(client: &Arc<Client>, ticket: Ticket, request: Box<Request>, server: &Arc<Server>, permit: Permit) -> Outcome {
    let mut way = Way::default();
    dispatch_by(client, ticket, request, server, permit, &mut way).await
}

/// The same by that way; afterwards it is the one that was taken.
pub(crate) async fn dispatch_by(
    client: &Arc<Client>,
    ticket: Ticket,
    mut request: Box<Request>,
    server: &Arc<Server>,
    permit: Permit,
    way: &mut Way,
) -> Outcome {
    if request.retry.is_some() && request.peer.era() == Era::Modern && server.known_era() == Some(Era::Legacy) {
        match Box::pin(bridge::resume(client, ticket, &request, server, &permit, way)).await {
            Ok(bridge::Resumed::Again) => request.retry = None,
            Ok(bridge::Resumed::Driven(driven)) => return settle(client, server, driven),
            Err(error) => return Outcome::refused(error),
        }
    }
    let (mut retried, mut mirrored_anew) = (false, false);
    for _ in 0..MAX_ROUNDS {
        let line = match &way.line {
            Some(line) => line.clone(),
            None => match server.line_for(client, &request.peer).await {
                Ok((line, lane)) => {
                    way.lane = lane.map(Arc::new);
                    way.line.insert(line).clone()
                }
                Err(error) => return unavailable(client, server, &error),
            },
        };
        let session = match line.session().await {
            Ok(session) => session,
            Err(error) => return unavailable(client, server, &error),
        };
        if let Some(level) = request.log_level {
            Box::pin(bridge::set_level(&line, &session, level)).await;
        }
        // The policy has changed since it was asked (DESIGN 9).
        if !permit.stands(&client.inner) {
            return Outcome::refused(gate::changed());
        }
        let hears = hears(client, ticket, &request, &session);
        let told = hop::told(&client.inner, &session, &request);
        let mut call = match Call::place(&session, &told, hears, &permit) {
            Ok(call) => call,
            Err(error) => return unavailable(client, server, &Unavailable::new(error.to_string())),
        };
        call.lane.clone_from(&way.lane);
        let placed = crate::now();
        let driven = bridge::drive(client, ticket, &request, &line, call).await;
        let (id, label, elapsed) = (server.spec.id.as_str(), driven.label(), placed.elapsed());
        client.inner.metrics.call(&server.calls, id, &request.method, label, elapsed);
        tracing::debug!(
            server = id,
            name = request.param("name").as_deref(),
            outcome = label,
            ms = elapsed.as_secs_f64() * 1e3,
            "called"
        );
        match driven {
            Driven::NotDone(why) if !retried => {
                retried = true;
                line.renew(&session, &why);
            }
            Driven::Lost(why) if !retried && is_safe(&request) => {
                retried = true;
                line.renew(&session, &why);
            }
            Driven::Over(Outcome::InputRequired(answered)) if request.peer.era() == Era::Legacy => {
                match Box::pin(bridge::fulfil(client, ticket, &request, &answered)).await {
                    Ok(params) => request.params = Some(params),
                    Err(outcome) => return outcome,
                }
            }
            Driven::Over(Outcome::Error(failed)) if !mirrored_anew && failed.error.code == mcp::error::HEADER_MISMATCH => {
                mirrored_anew = true;
                if !Box::pin(mirror_anew(&mut request, &line, &session)).await {
                    return Outcome::Error(failed);
                }
            }
            driven => return settle(client, server, driven),
        }
    }
    Outcome::refused(ErrorObject::new(
        jsonrpc::code::INTERNAL_ERROR,
        format!("`{}` asked for more input {MAX_ROUNDS} times; given up", server.spec.id),
    ))
}

/// 2026-07-28 basic/transports/streamable-http, custom headers: a tool's definition may have changed since it was read. Reads the tools anew; whether
/// the called one wants other headers now than the request shows, which then shows those.
async fn mirror_anew(request: &mut Request, line: &Arc<Line>, session: &Arc<Session>) -> bool {
    if request.method.name() != "tools/call" || !session.is_http() {
        return false;
    }
    fetch::refreshed(line, session, &[ListKind::Tools]).await;
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

fn settle(client: &Client, server: &Server, driven: Driven) -> Outcome {
    match driven {
        Driven::Over(outcome) => outcome,
        Driven::NotDone(why) | Driven::Lost(why) => unavailable(client, server, &Unavailable::new(why)),
    }
}

/// An error that names the server and what to do. Why it is not available may name commands, addresses and what a process wrote to stderr: that is
/// for whoever owns the machine.
pub(crate) fn unavailable(client: &Client, server: &Server, error: &Unavailable) -> Outcome {
    let id = &server.spec.id;
    let text = if client.principal.owns_the_machine() {
        format!("server `{id}` is not available: {error}")
    } else {
        let hint = if error.transient { "try again later, or " } else { "" };
        format!("server `{id}` is not available; {hint}ask the operator: `chancery doctor` says why")
    };
    let data = Raw::of(&serde_json::json!({ "server": server.spec.id.as_str(), "retryable": error.transient }));
    Outcome::refused(ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, text).with_data(data))
}

/// Who takes what comes for a call on other streams of an HTTP server: a legacy client at once; for a modern client the call must be parked
/// where it asks, so that whoever drives it must know.
fn hears<'a>(client: &'a Arc<Client>, ticket: Ticket, request: &Request, session: &Session) -> Hears<'a> {
    match (request.peer.era(), session.era()) {
        (_, Era::Modern) => Hears::Nobody,
        (Era::Legacy, Era::Legacy) => Hears::Client(client, ticket),
        (Era::Modern, Era::Legacy) => Hears::Call,
    }
}

/// Whether a request may be sent twice.
fn is_safe(request: &Request) -> bool {
    matches!(
        request.method.name(),
        "resources/read" | "prompts/get" | "completion/complete" | "tasks/get" | "tasks/result"
    )
}

/// What the gateway offers to a client: the union of what its servers offer (`initialize`, `server/discover`).
pub(crate) async fn advertised(client: &Arc<Client>, peer: &Arc<Peer>) -> Advertised {
    let view = lists::settled(client, peer).await;
    let offer = view.advertised();
    let agreement = client.negotiated(peer).agreement;
    Advertised {
        capabilities: client.inner.mgp().towards_client(offer.capabilities.raw(), agreement.as_ref()),
        info: client.inner.own_info.clone(),
        instructions: offer.instructions.clone(),
    }
}

/// The part of a filter that the gateway honours for a client.
pub(crate) fn honoured(view: &catalog::View, asked: &Filter) -> Filter {
    let capabilities = &view.advertised().capabilities;
    Filter {
        tools: asked.tools && capabilities.list_changed(ListKind::Tools),
        prompts: asked.prompts && capabilities.list_changed(ListKind::Prompts),
        resources: asked.resources && capabilities.list_changed(ListKind::Resources),
        uris: Vec::new(),
        tasks: asked.tasks.clone(),
    }
}
