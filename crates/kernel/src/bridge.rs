//! Between the eras: a server's question becomes `input_required` and back, and a call waits parked meanwhile.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use jsonrpc::{Change, ErrorObject, Id, Message, Raw};
use mcp::adapt::{self, InputRequest, InputRequired};
use mcp::exchange::{Answered, Outcome, Request};
use mcp::meta::LogLevel;
use mcp::revision::{Era, Revision};
use mcp::seal::Continuation;
use memchr::memmem::Finder;
use mgp::error::Code;
use model::Ticket;

use crate::client::Client;
use crate::exchange::Way;
use crate::gate::Permit;
use crate::parked::Parked;
use crate::upstream::{Call, CallEvent, Line, Server, Session, fetch, session};

/// Finds the member that says what a modern result is.
static NAMES_TYPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"resultType\""));
/// The key of a question that a legacy server asks in a parked call.
const QUESTION: &str = "question";
/// How long setting a log level may hold a request up.
const LEVEL_WAIT: Duration = Duration::from_secs(5);

/// How driving a call ended.
pub(crate) enum Driven {
    /// With an outcome.
    Over(Outcome),
    /// The server has not acted on it: it may be sent again.
    NotDone(String),
    /// The server may have acted on it.
    Lost(String),
}

impl Driven {
    /// How it counts in the metrics.
    pub(crate) fn label(&self) -> &'static str {
        match self {
            Self::Over(outcome) => session::outcome_label(outcome),
            Self::NotDone(_) => "not_sent",
            Self::Lost(_) => "lost",
        }
    }
}

/// What a retried request turned out to be.
pub(crate) enum Resumed {
    /// It continues a parked call.
    Driven(Driven),
    /// It is to be sent anew.
    Again,
}

/// Sees a call through until it is over, or until a modern client must be asked.
pub(crate) async fn drive(client: &Arc<Client>, ticket: Ticket, request: &Request, line: &Arc<Line>, mut call: Call) -> Driven {
    let patience = line.server.spec.request_timeout;
    let mut wait = patience;
    loop {
        let Ok(event) = tokio::time::timeout(wait, call.next()).await else {
            let text = format!(
                "server `{}` did not answer `{}` within {} s; its `request_timeout` can be raised in the configuration",
                line.server.spec.id,
                request.method.name(),
                wait.as_secs_f32()
            );
            let late = ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, text);
            return Driven::Over(Outcome::refused(client.failure(&request.peer, Code::Timeout, late)));
        };
        match event {
            CallEvent::Interim(message) => client.interim(ticket, message).await,
            CallEvent::Ask(ask, message) if request.peer.era() == Era::Legacy => {
                // A person may take longer than a server.
                wait = patience.max(client.inner.settings().park_ttl);
                client.ask_for_server(line, &call.session, Some(ticket), ask, &message);
            }
            CallEvent::Ask(ask, message) => match park(client, request, line, call, ask, message) {
                Ok(outcome) => return Driven::Over(outcome),
                Err(refused) => call = *refused,
            },
            CallEvent::Done(outcome) => return Driven::Over(done(client, request, line, *outcome)),
            CallEvent::NotSent(why) => return Driven::NotDone(why),
            CallEvent::SessionGone => return Driven::NotDone("it does not know the session any more".to_owned()),
            CallEvent::Lost(why) => return Driven::Lost(why),
            CallEvent::Greeted(_) | CallEvent::Aside(_) => {}
        }
    }
}

/// What an outcome means beside being passed on: URIs are remembered, and a demand for URL elicitation becomes a question.
fn done(client: &Arc<Client>, request: &Request, line: &Arc<Line>, outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Result(answered) => {
            let answered = completed(request, answered);
            client
                .inner
                .returned
                .learn(&client.principal.id, &line.server.spec.id, request.method.name(), &answered.result);
            Outcome::Result(answered)
        }
        Outcome::Error(failed) if request.peer.era() == Era::Modern && failed.error.code == mcp::error::URL_ELICITATION_REQUIRED => {
            let asked = InputRequired::of_url_elicitations(&failed.error).filter(|asked| asked.check(&request.peer.capabilities).is_ok());
            let state = client
                .inner
                .seal_call(&client.principal, &line.server.spec.id, request, Continuation::Again);
            match (asked, state) {
                (Some(mut asked), Some(state)) => {
                    asked.state = Some(state);
                    input_required(asked.to_result())
                }
                _ => Outcome::Error(failed),
            }
        }
        outcome => outcome,
    }
}

/// A modern server's result that does not say what it is, is complete (2026-07-28 basic: `resultType`); some clients insist on reading that.
fn completed(request: &Request, answered: Answered) -> Answered {
    let modern = request.peer.era() == Era::Modern && answered.revision.is_modern();
    if !modern || NAMES_TYPE.find(answered.result.bytes()).is_some() {
        return answered;
    }
    Answered {
        result: answered.result.edit().set(&["resultType"], &Raw::string("complete")).finish(),
        ..answered
    }
}

fn input_required(result: Raw) -> Outcome {
    Outcome::InputRequired(Answered {
        message: None,
        result,
        revision: Revision::LATEST,
    })
}

// === modern client, legacy server

/// Parks a call behind a question to its modern client. A question that the client can't be asked is answered for it; the call goes on.
fn park(
    client: &Arc<Client>,
    request: &Request,
    line: &Arc<Line>,
    call: Call,
    ask: Ticket,
    message: Message,
) -> Result<Outcome, Box<Call>> {
    let inner = &client.inner;
    let session = call.session.clone();
    let method = message.method().unwrap_or_default().to_owned();
    let from = session.revision();
    let params = message
        .params()
        .map(|params| adapt::reverse_params(&method, &params, from, request.peer.revision, ""));
    let asked = InputRequired {
        requests: vec![InputRequest {
            key: QUESTION.to_owned(),
            method: method.clone(),
            params,
        }],
        state: None,
    };
    let action = policy::Action::Ask {
        server: &line.server.spec.id,
        method: &method,
    };
    // 2026-07-28 basic/patterns/mrtr: these can be asked in a result, and nothing else.
    let askable = matches!(method.as_str(), "elicitation/create" | "sampling/createMessage" | "roots/list");
    let refusal = match asked.check(&request.peer.capabilities) {
        Err(_) => Some(ErrorObject::method_not_found(&method)),
        Ok(()) if !askable => Some(ErrorObject::method_not_found(&method)),
        Ok(()) => client.admit_now(action, &request.trace).err(),
    };
    if let Some(error) = refusal {
        session.answer(ask, Err(error));
        return Err(Box::new(call));
    }
    let until = inner.park_until();
    let parked = Parked {
        call,
        line: line.clone(),
        ask,
        asked,
        until,
    };
    let (number, asked) = match inner.parked.put(inner, parked) {
        Ok(parked) => parked,
        Err(full) => {
            session.answer(
                ask,
                Err(ErrorObject::new(
                    jsonrpc::code::INTERNAL_ERROR,
                    "too many calls wait for their clients",
                )),
            );
            return Err(Box::new(full.call));
        }
    };
    match inner.seal_call(
        &client.principal,
        &line.server.spec.id,
        request,
        Continuation::Parked { call: number },
    ) {
        Some(state) => Ok(input_required(
            InputRequired {
                state: Some(state),
                ..asked
            }
            .to_result(),
        )),
        None => {
            drop(inner.parked.take(number));
            Ok(Outcome::refused(ErrorObject::internal()))
        }
    }
}

/// Goes on with what a sealed state names: once, for the same principal, in time, and for the same request (DESIGN 10).
///
/// `way` becomes that of the parked call.
pub(crate) async fn resume(
    client: &Arc<Client>,
    ticket: Ticket,
    request: &Request,
    server: &Arc<Server>,
    permit: &Permit,
    way: &mut Way,
) -> Result<Resumed, ErrorObject> {
    let retry = request.retry.clone().unwrap_or_default();
    let Some(state) = retry.state else { return Ok(Resumed::Again) };
    let invalid = || {
        ErrorObject::invalid_params("`requestState` is not valid here, was used before, or has expired; send the request again without it")
    };
    let state = state.as_str().ok_or_else(invalid)?;
    let continuation = client
        .inner
        .open_call(&client.principal, &server.spec.id, request, &state)
        .ok_or_else(invalid)?;
    let Continuation::Parked { call: number } = continuation else {
        return Ok(Resumed::Again);
    };
    let parked = client.inner.parked.take(number).ok_or_else(invalid)?;
    let Some(answer) = retry.responses.as_ref().and_then(|responses| responses.get(QUESTION)) else {
        return Ok(Resumed::Driven(Driven::Over(ask_again(client, request, server, parked))));
    };
    let Parked {
        call, line, ask, asked, ..
    } = parked;
    let method = asked.requests.first().map(|question| question.method.clone()).unwrap_or_default();
    let answer = adapt::reverse_result(&method, &answer, request.peer.revision, call.session.revision());
    call.session.answer_under(ask, Message::result(&Id::number(0), &answer), permit);
    *way = Way {
        line: Some(line.clone()),
        lane: call.lane.clone(),
    };
    Ok(Resumed::Driven(drive(client, ticket, request, &line, call).await))
}

/// 2026-07-28 basic/patterns/mrtr: what is missing from the answers is asked for again.
fn ask_again(client: &Arc<Client>, request: &Request, server: &Arc<Server>, mut parked: Parked) -> Outcome {
    let inner = &client.inner;
    parked.until = inner.park_until();
    let Ok((number, asked)) = inner.parked.put(inner, parked) else {
        return Outcome::refused(ErrorObject::internal());
    };
    let state = inner.seal_call(&client.principal, &server.spec.id, request, Continuation::Parked { call: number });
    input_required(InputRequired { state, ..asked }.to_result())
}

// === legacy client, modern server

/// Asks a legacy client what a modern server wants to know; the params of the request that carries the answers.
pub(crate) async fn fulfil(client: &Arc<Client>, ticket: Ticket, request: &Request, answered: &Answered) -> Result<Raw, Outcome> {
    let asked = InputRequired::read(&answered.result).map_err(|error| {
        Outcome::refused(ErrorObject::new(
            jsonrpc::code::INTERNAL_ERROR,
            format!("the server's question can't be read: {error}"),
        ))
    })?;
    asked.check(&request.peer.capabilities).map_err(Outcome::refused)?;
    let mut waiting = Vec::with_capacity(asked.requests.len());
    for question in &asked.requests {
        let params = question.params.clone().unwrap_or_else(Raw::object_empty);
        let elicitation = client.inner.new_token();
        let params = adapt::reverse_params(&question.method, &params, answered.revision, request.peer.revision, &elicitation);
        let message = Message::request(&Id::number(0), &question.method, Some(&params));
        waiting.push((question, client.ask_for_bridge(ticket, message)));
    }
    let mut responses = Vec::with_capacity(waiting.len());
    for (question, mut asked) in waiting {
        let wait = client.inner.settings().park_ttl;
        let answer = tokio::time::timeout(wait, asked.answer()).await.ok().flatten();
        let answer = answer.unwrap_or_else(|| {
            Err(ErrorObject::new(
                jsonrpc::code::INTERNAL_ERROR,
                format!("`{}` was not answered", question.method),
            ))
        });
        let message = answer.map_err(Outcome::refused)?;
        match message.result_raw() {
            Some(result) => {
                let result = adapt::reverse_result(&question.method, &result, request.peer.revision, answered.revision);
                responses.push((question.key.clone(), result));
            }
            None => {
                let error = message
                    .error_raw()
                    .as_ref()
                    .and_then(ErrorObject::parse)
                    .unwrap_or_else(ErrorObject::internal);
                return Err(Outcome::refused(error));
            }
        }
    }
    let original = request.params.as_ref().map(adapt::without_retry);
    Ok(adapt::retry_params(original.as_ref(), &responses, asked.state.as_deref()))
}

// === the same era, other revisions

/// A server's question as a legacy client of another revision reads it.
pub(crate) fn question_for(client: &Client, message: &Message, from: Revision) -> Message {
    let (Some(peer), Some(params)) = (client.legacy_peer(), message.params()) else {
        return message.clone();
    };
    if peer.revision == from {
        return message.clone();
    }
    let method = message.method().unwrap_or_default();
    let params = adapt::reverse_params(method, &params, from, peer.revision, "");
    message.with(Change {
        params: Some(&params),
        ..Change::default()
    })
}

/// A client's answer as a server of another revision reads it.
pub(crate) fn answer_for(client: &Client, method: &str, message: Message, to: Revision) -> Message {
    let (Some(peer), Some(result)) = (client.legacy_peer(), message.result_raw()) else {
        return message;
    };
    if peer.revision == to {
        return message;
    }
    let result = adapt::reverse_result(method, &result, peer.revision, to);
    message.with(Change {
        result: Some(&result),
        ..Change::default()
    })
}

/// Tells a legacy server how talkative to be, where that is more than it was told before.
pub(crate) async fn set_level(line: &Arc<Line>, session: &Arc<Session>, level: LogLevel) {
    let logs = session
        .ready
        .get()
        .is_some_and(|ready| ready.offer.capabilities.get("logging").is_some());
    if session.era() == Era::Modern || !logs || !line.want_level(level) {
        return;
    }
    let params = Raw::object_empty().edit().set(&["level"], &Raw::string(level.as_str())).finish();
    if let Err(error) = fetch::ask(session, "logging/setLevel", Some(params), LEVEL_WAIT).await {
        tracing::debug!(server = %session.server_name(), %error, "the log level was not set");
    }
}
