//! The errors for callers whose requests fail in the gateway.

use jsonrpc::{ErrorObject, Raw};
use mcp::exchange::{Outcome, Peer};
use mgp::error::{Code, Refusal};
use mgp::negotiation::{Extension, Offer};
use model::{Principal, ServerId};
use upstream::Unavailable;

/// Returns the error of a server that is not configured any more.
pub(crate) fn gone(server: &ServerId) -> Outcome {
    Outcome::refused(ErrorObject::invalid_params(format!(
        "the server `{server}` is not configured any more"
    )))
}

/// Returns the error of a request whose caller was let in by a token that was revoked or has expired since.
pub(crate) fn dismissed() -> Outcome {
    Outcome::refused(ErrorObject::new(
        jsonrpc::code::INTERNAL_ERROR,
        "the token that this request came with was revoked or has expired; ask the operator for another",
    ))
}

/// Returns the error of a server that is not available, and says what to do. The reason may name commands, addresses and what a process wrote to
/// stderr, so it is shown only to the principal that owns the machine.
pub(crate) fn unavailable(principal: &Principal, server: &ServerId, error: &Unavailable) -> Outcome {
    let text = if principal.owns_the_machine() {
        format!("server `{server}` is not available: {error}")
    } else {
        let hint = if error.transient { "try again later, or " } else { "" };
        format!("server `{server}` is not available; {hint}ask the operator: `chancery doctor` says why")
    };
    let data = Raw::of(&serde_json::json!({ "server": server.as_str(), "retryable": error.transient }));
    Outcome::refused(ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, text).with_data(data))
}

/// Returns the error of a failure in the gateway itself, with its code of MGP if the client negotiated `error_handling` (MGP §14.3).
pub(crate) fn failure(offer: &Offer, peer: &Peer, code: Code, plain: ErrorObject) -> ErrorObject {
    match handles_errors(offer, peer) {
        true => Refusal::new(code, plain.message).to_error(),
        false => plain,
    }
}

/// Returns the outcome of a refused tool call: an error if the client negotiated errors, else a result that a model reads (MGP D18).
pub(crate) fn tool_call(offer: &Offer, peer: &Peer, refusal: &Refusal) -> Outcome {
    match refusal.answer(true, handles_errors(offer, peer)) {
        Ok(result) => Outcome::own(result),
        Err(error) => Outcome::refused(error),
    }
}

/// Returns whether a client's tool calls may be refused with errors (MGP D18).
fn handles_errors(offer: &Offer, peer: &Peer) -> bool {
    offer.with_client(peer.capabilities.raw()).has(Extension::ErrorHandling)
}
