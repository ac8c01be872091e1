//! Answers HTTP exchanges with one JSON message.

use jsonrpc::{DecodeError, ErrorObject, Message};
use mcp::error::{self, Stage};

use crate::front::Answer;

/// Refuses a body that is not a message.
pub(super) fn unreadable(error: &DecodeError) -> Answer {
    let object = ErrorObject::new(error.code(), error.to_string());
    message(400, &Message::failure(error.id(), &object))
}

/// Returns the HTTP status of an answer: the legacy era has one status, the modern era has others for some errors.
pub(super) fn status_of(answer: &Message, modern: bool) -> u16 {
    let error = if modern { answer.error_raw() } else { None };
    error
        .as_ref()
        .and_then(ErrorObject::parse)
        .map_or(200, |error| error::http_status(&error, Stage::Answer))
}

/// Answers with a message.
pub(super) fn reply(status: u16, message: &Message) -> Answer {
    Answer::Message {
        status,
        session: None,
        body: message.bytes().clone(),
    }
}

/// Answers with a message that the gateway made itself.
pub(super) fn message(status: u16, message: &Message) -> Answer {
    reply(status, message)
}
