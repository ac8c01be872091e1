//! JSON-RPC batches, which only the revision 2025-03-26 has.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use jsonrpc::{DecodeError, ErrorObject, Message};
use mcp::client::{Arrival, Input, Target};

use super::client::{Client, Work};
use super::reply;
use super::room::Faces;
use crate::front::{Answer, InPost};

/// The number of messages in one batch at most.
const MAX_BATCH: usize = 100;

/// Handles the batch of one POST. The answer is a JSON array of the answers, in the order of the requests.
pub(super) async fn post(room: &Faces, post: &InPost, messages: Vec<Result<Message, DecodeError>>) -> Answer {
    let session = post
        .session
        .as_deref()
        .and_then(|token| room.clients.session(token, room.runtime.uptime_ms()));
    let client = session.filter(|client| client.belongs_to(&post.who));
    let Some(client) = client.filter(|client| may_batch(client)) else {
        return reply::message(400, &refusal());
    };
    match answers(&client, messages).await {
        Some(body) => Answer::Message {
            status: 200,
            session: None,
            body,
        },
        None => Answer::Empty { status: 202 },
    }
}

/// Returns whether the client negotiated the revision that has batches.
pub(super) fn may_batch(client: &Client) -> bool {
    client.legacy_peer().is_some_and(|peer| peer.revision.has_batches())
}

/// Returns the error for a client that may not send batches.
pub(super) fn refusal() -> Message {
    let error = ErrorObject::invalid_request("batches are part of the protocol version 2025-03-26 only; send each message by itself");
    Message::failure(None, &error)
}

/// Handles the messages concurrently. Returns the answers as one array, or none when no message was a request.
pub(super) async fn answers(client: &Arc<Client>, messages: Vec<Result<Message, DecodeError>>) -> Option<Bytes> {
    if messages.len() > MAX_BATCH {
        let error = ErrorObject::invalid_request(format!("a batch has at most {MAX_BATCH} messages"));
        return Some(Message::failure(None, &error).into_bytes());
    }
    let running: Vec<_> = messages.into_iter().map(|message| answer(client.clone(), message)).collect();
    let answers: Vec<Message> = futures_util::future::join_all(running).await.into_iter().flatten().collect();
    if answers.is_empty() {
        return None;
    }
    let mut array = BytesMut::new();
    array.put_u8(b'[');
    for (index, answer) in answers.iter().enumerate() {
        if index > 0 {
            array.put_u8(b',');
        }
        array.extend_from_slice(answer.bytes());
    }
    array.put_u8(b']');
    Some(array.freeze())
}

async fn answer(client: Arc<Client>, message: Result<Message, DecodeError>) -> Option<Message> {
    let message = match message {
        Ok(message) => message,
        Err(error) => return Some(Message::failure(error.id(), &ErrorObject::new(error.code(), error.to_string()))),
    };
    if message.method() == Some("initialize") {
        let error = ErrorObject::invalid_request("`initialize` must not be part of a batch");
        return Some(Message::failure(message.id(), &error));
    }
    for item in client.take(Input::Message(message, Arrival::default())) {
        match item {
            Work::Send(message, Target::Reply(_)) => return Some(message),
            Work::Request(ticket, request) => {
                return client.carry_out(ticket, request).await.into_iter().find_map(|work| match work {
                    Work::Send(message, _) => Some(message),
                    _ => None,
                });
            }
            Work::Send(..) | Work::Hello(..) | Work::Listen(..) => {}
        }
    }
    None
}
