//! Bridges a modern client and a legacy server: the server's question becomes `input_required`, and the call is parked until the client sends the
//! answer.

use std::sync::Arc;

use guard::SendPermit;
use jsonrpc::{ErrorObject, Id, Message};
use mcp::adapt::{self, InputRequest, InputRequired};
use mcp::exchange::{Outcome, Request};
use mcp::seal::Continuation;
use policy::Action;
use upstream::{Call, Line, Question, Server};

use super::parked::Parked;
use super::room::Asked;
use super::settle::input_required;

/// The key of a question that a legacy server asks in a parked call.
const QUESTION: &str = "question";

/// The meaning of a request that continues an earlier one.
pub(crate) enum Resumed {
    /// It continues a parked call, which has to be driven further.
    Call(Box<Call>, Arc<Line>),
    /// It is answered at once.
    Answered(Outcome),
    /// It has to be sent again.
    Again,
}

/// Parks a call until its modern client has answered a question. A question that the client can't be asked is refused instead.
///
/// # Errors
/// The call, which goes on, where the question was refused.
pub(crate) fn park(asked: Asked<'_>, request: &Request, line: &Arc<Line>, call: Call, question: Question) -> Result<Outcome, Box<Call>> {
    let input = input_of(request, &question);
    if let Err(error) = may_ask(asked, request, &question, &input) {
        question.refuse(error);
        return Err(Box::new(call));
    }
    let parked = Parked {
        subject: asked.caller.subject.clone(),
        call,
        line: line.clone(),
        question: question.clone(),
        asked: input,
        until: asked.calls.park_until(),
    };
    match asked.calls.parked.put(parked) {
        Ok((number, input)) => match seal(asked, request, &question.server, number) {
            Some(state) => Ok(input_required(&InputRequired {
                state: Some(state),
                ..input
            })),
            None => {
                drop(asked.calls.parked.take(number));
                Ok(Outcome::refused(ErrorObject::internal()))
            }
        },
        Err(full) => {
            question.refuse(ErrorObject::new(
                jsonrpc::code::INTERNAL_ERROR,
                "too many calls wait for their clients",
            ));
            Err(Box::new(full.call))
        }
    }
}

/// Translates the question for a modern client.
fn input_of(request: &Request, question: &Question) -> InputRequired {
    let method = question.method();
    let params = question
        .message
        .params()
        .map(|params| adapt::reverse_params(method, &params, question.revision, request.peer.revision, ""));
    InputRequired {
        requests: vec![InputRequest {
            key: QUESTION.to_owned(),
            method: method.to_owned(),
            params,
        }],
        state: None,
    }
}

fn may_ask(asked: Asked<'_>, request: &Request, question: &Question, input: &InputRequired) -> Result<(), ErrorObject> {
    let method = question.method();
    // 2026-07-28 basic/patterns/mrtr: these can be asked in a result, and nothing else.
    let askable = matches!(method, "elicitation/create" | "sampling/createMessage" | "roots/list");
    if !askable || input.check(&request.peer.capabilities).is_err() {
        return Err(ErrorObject::method_not_found(method));
    }
    let action = Action::Ask {
        server: &question.server,
        method,
    };
    let admitted = asked.calls.guard.admit_now(&asked.caller.subject, action, &request.trace);
    admitted.map(drop)
}

fn seal(asked: Asked<'_>, request: &Request, server: &model::ServerId, number: u64) -> Option<String> {
    let (principal, ttl) = (&asked.caller.subject.principal, asked.calls.settings.load().park_ttl);
    let then = Continuation::Parked { call: number };
    asked.calls.seal.close(principal, server, request, then, ttl)
}

/// Continues the call that a sealed state names: once, for the same principal, in time, and for the same request (DESIGN 10).
///
/// # Errors
/// When the state is not a valid sealed state.
pub(crate) fn resume(asked: Asked<'_>, request: &Request, server: &Arc<Server>, permit: &SendPermit) -> Result<Resumed, ErrorObject> {
    let retry = request.retry.clone().unwrap_or_default();
    let Some(state) = retry.state else { return Ok(Resumed::Again) };
    let invalid = || {
        ErrorObject::invalid_params("`requestState` is not valid here, was used before, or has expired; send the request again without it")
    };
    let state = state.as_str().ok_or_else(invalid)?;
    let principal = &asked.caller.subject.principal;
    let opened = asked.calls.seal.open(principal, &server.spec().id, request, &state);
    let Continuation::Parked { call: number } = opened.ok_or_else(invalid)? else {
        return Ok(Resumed::Again);
    };
    let parked = asked.calls.parked.take(number).ok_or_else(invalid)?;
    let Some(answer) = retry.responses.as_ref().and_then(|responses| responses.get(QUESTION)) else {
        return Ok(Resumed::Answered(ask_again(asked, request, server, parked)));
    };
    let Parked { call, line, question, .. } = parked;
    let answer = adapt::reverse_result(question.method(), &answer, request.peer.revision, question.revision);
    question.answer(Message::result(&Id::number(0), &answer), permit);
    Ok(Resumed::Call(Box::new(call), line))
}

/// Asks again for the missing answers (2026-07-28 basic/patterns/mrtr).
fn ask_again(asked: Asked<'_>, request: &Request, server: &Arc<Server>, mut parked: Parked) -> Outcome {
    parked.until = asked.calls.park_until();
    let Ok((number, input)) = asked.calls.parked.put(parked) else {
        return Outcome::refused(ErrorObject::internal());
    };
    let state = seal(asked, request, &server.spec().id, number);
    input_required(&InputRequired { state, ..input })
}
