//! Settles the outcome of a call: its side effects in the gateway, and the error for the caller if there is no outcome.

use std::sync::{Arc, LazyLock};

use jsonrpc::Raw;
use mcp::adapt::{self, InputRequired, ResultType};
use mcp::exchange::{Answered, Outcome, Request};
use mcp::revision::{Era, Revision};
use mcp::seal::Continuation;
use memchr::memmem::Finder;
use upstream::{Server, Unavailable};

use super::call_result::CallResult;
use super::refused;
use super::room::Asked;

/// Finds the member that says the type of a modern result.
static NAMES_TYPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"resultType\""));

/// Finds the type of a result that asks for input.
static ASKS_FOR_INPUT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"input_required\""));

/// Returns the outcome for the caller. URIs in a result are remembered, and a demand for URL elicitation becomes a question.
pub(crate) fn settle(asked: Asked<'_>, request: &Request, server: &Arc<Server>, result: CallResult) -> Outcome {
    let id = &server.spec().id;
    match result {
        CallResult::Over(Outcome::Result(answered)) if asks_for_input(request, &answered) => Outcome::InputRequired(answered),
        CallResult::Over(Outcome::Result(answered)) => {
            let answered = completed(request, answered);
            let returned = &asked.calls.returned;
            returned.learn(asked.caller.principal(), id, request.method.name(), &answered.result);
            Outcome::Result(answered)
        }
        CallResult::Over(Outcome::Error(failed)) if wants_url(request, &failed.error) => {
            let question = InputRequired::of_url_elicitations(&failed.error).filter(|asks| asks.check(&request.peer.capabilities).is_ok());
            let (principal, ttl) = (&asked.caller.subject.principal, asked.calls.settings.load().park_ttl);
            let state = asked.calls.seal.close(principal, id, request, Continuation::Again, ttl);
            match (question, state) {
                (Some(mut question), Some(state)) => {
                    question.state = Some(state);
                    input_required(&question)
                }
                _ => Outcome::Error(failed),
            }
        }
        CallResult::Over(outcome) => outcome,
        CallResult::NotDone(why) | CallResult::Lost(why) => {
            refused::unavailable(&asked.caller.subject.principal, id, &Unavailable::new(why))
        }
    }
}

fn wants_url(request: &Request, error: &jsonrpc::ErrorObject) -> bool {
    request.peer.era() == Era::Modern && error.code == mcp::error::URL_ELICITATION_REQUIRED
}

/// Returns whether a modern server asks its modern client for input. The machine of the server does not look into what passes between them unchanged, but
/// the call is not over (2026-07-28 basic/patterns/mrtr): its consent holds for the next round, and its end is not recorded yet.
fn asks_for_input(request: &Request, answered: &Answered) -> bool {
    is_modern(request, answered)
        && ASKS_FOR_INPUT.find(answered.result.bytes()).is_some()
        && matches!(adapt::result_type(&answered.result), ResultType::InputRequired)
}

fn is_modern(request: &Request, answered: &Answered) -> bool {
    request.peer.era() == Era::Modern && answered.revision.is_modern()
}

/// Adds `resultType` to a modern server's result that has none: such a result is complete (2026-07-28 basic), and some clients insist on the member.
fn completed(request: &Request, answered: Answered) -> Answered {
    if !is_modern(request, &answered) || NAMES_TYPE.find(answered.result.bytes()).is_some() {
        return answered;
    }
    Answered {
        result: answered.result.edit().set(&["resultType"], &Raw::string("complete")).finish(),
        ..answered
    }
}

/// Makes the outcome that asks a modern client for input.
pub(crate) fn input_required(asked: &InputRequired) -> Outcome {
    Outcome::InputRequired(Answered {
        message: None,
        result: asked.to_result(),
        revision: Revision::LATEST,
    })
}
