//! Bridges a legacy client and a modern server: the server's `input_required` becomes questions to the client, and the request is sent again with the
//! answers.

use jsonrpc::{ErrorObject, Id, Message, Raw};
use mcp::adapt::{self, InputRequired};
use mcp::exchange::{Answered, Outcome, Request};

use super::room::Asked;

/// Asks a legacy client the questions of a modern server. Returns the params of the request that carries the answers.
///
/// # Errors
/// The outcome for the client if it cannot be asked, or does not answer.
pub(crate) async fn fulfil(asked: Asked<'_>, request: &Request, answered: &Answered) -> Result<Raw, Outcome> {
    let input = InputRequired::read(&answered.result).map_err(|error| {
        Outcome::refused(ErrorObject::new(
            jsonrpc::code::INTERNAL_ERROR,
            format!("the server's question can't be read: {error}"),
        ))
    })?;
    input.check(&request.peer.capabilities).map_err(Outcome::refused)?;
    let mut waiting = Vec::with_capacity(input.requests.len());
    for question in &input.requests {
        let params = question.params.clone().unwrap_or_else(Raw::object_empty);
        let elicitation = runtime::token();
        let params = adapt::reverse_params(&question.method, &params, answered.revision, request.peer.revision, &elicitation);
        let message = Message::request(&Id::number(0), &question.method, Some(&params));
        waiting.push((question, asked.caller.ask(asked.ticket, message)));
    }
    let mut responses = Vec::with_capacity(waiting.len());
    for (question, put) in waiting {
        let wait = asked.calls.settings.load().park_ttl;
        let answer = match put {
            Some(mut put) => tokio::time::timeout(wait, put.answer()).await.ok().flatten(),
            None => None,
        };
        let unanswered = || {
            let text = format!("`{}` was not answered", question.method);
            Err(ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, text))
        };
        let message = answer.unwrap_or_else(unanswered).map_err(Outcome::refused)?;
        let Some(result) = message.result_raw() else {
            let error = message.error_raw();
            let error = error.as_ref().and_then(ErrorObject::parse).unwrap_or_else(ErrorObject::internal);
            return Err(Outcome::refused(error));
        };
        let result = adapt::reverse_result(&question.method, &result, request.peer.revision, answered.revision);
        responses.push((question.key.clone(), result));
    }
    let original = request.params.as_ref().map(adapt::without_retry);
    Ok(adapt::retry_params(original.as_ref(), &responses, input.state.as_deref()))
}
