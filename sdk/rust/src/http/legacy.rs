//! Legacy requests: POST into a session, GET its stream, DELETE it (2025-11-25 basic/transports).

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderValue, Response, StatusCode};
use jsonrpc::{ErrorObject, Frame, Kind, Message};
use tokio::sync::mpsc;

use super::body::{Body, EventBody, ToHttp, empty, event, json, prime, refuse, status, stream};
use super::endpoint::{Decoded, Endpoint, SESSION, Stop, accepts, plain};
use super::mirrors;
use super::sessions::Session;
use super::streams::Streams;
use crate::era::LEGACY;
use crate::machine::{ExchangeId, Input};

/// The time without an answer after which the response becomes a stream, which the client can resume if its connection
/// breaks.
const STREAM_AFTER: Duration = Duration::from_secs(2);
/// The time after which a client whose stream was closed is to reconnect.
const RETRY: Duration = Duration::from_millis(500);

impl Endpoint {
    pub(super) async fn post_legacy(&self, headers: &HeaderMap, frame: Decoded) -> Response<Body> {
        if !headers.contains_key(SESSION) && is_initialize(&frame) {
            return self.open_session(frame).await;
        }
        match self.session(headers) {
            Ok(session) => exchange(&session, frame).await,
            Err(response) => {
                // A body that is not a message is answered with that error, whatever the session.
                if let Err(error) = frame {
                    return refuse(StatusCode::BAD_REQUEST, error.id(), &ErrorObject::from(&error));
                }
                *response
            }
        }
    }

    async fn open_session(&self, frame: Decoded) -> Response<Body> {
        let Some(session) = self.sessions.create() else {
            return plain(StatusCode::SERVICE_UNAVAILABLE, "too many sessions are in use; try again later");
        };
        let mut response = exchange(&session, frame).await;
        if session.streams.revision().is_none() {
            // `initialize` was refused.
            self.sessions.end(&session.id);
        } else if let Ok(id) = HeaderValue::from_str(&session.id) {
            response.headers_mut().insert(SESSION, id);
        }
        response
    }

    pub(super) fn get(&self, headers: &HeaderMap) -> Response<Body> {
        if !accepts(headers, "text/event-stream") {
            return plain(StatusCode::NOT_ACCEPTABLE, "`Accept` must list text/event-stream");
        }
        let session = match self.session(headers) {
            Ok(session) => session,
            Err(response) => return *response,
        };
        let last = headers.get("last-event-id").map(|id| id.to_str().unwrap_or_default());
        match session.streams.attach(last) {
            Some((ready, source)) => stream(EventBody::new(ready, source, None)),
            None => plain(
                StatusCode::BAD_REQUEST,
                "the stream of that `Last-Event-ID` does not exist any more",
            ),
        }
    }

    pub(super) fn delete(&self, headers: &HeaderMap) -> Response<Body> {
        match self.session(headers) {
            Ok(session) => {
                self.sessions.end(&session.id);
                empty(StatusCode::NO_CONTENT)
            }
            Err(response) => *response,
        }
    }

    fn session(&self, headers: &HeaderMap) -> Result<Arc<Session>, Stop> {
        let shown = headers.get(mirrors::REVISION).map(|value| value.to_str().unwrap_or_default());
        let stop = |status, why: &str| Err(Box::new(plain(status, why)));
        if shown.is_some_and(|revision| !LEGACY.contains(&revision)) {
            return stop(
                StatusCode::BAD_REQUEST,
                &format!("`MCP-Protocol-Version` must be one of {}", LEGACY.join(", ")),
            );
        }
        let Some(id) = headers.get(SESSION) else {
            return stop(
                StatusCode::BAD_REQUEST,
                "the `Mcp-Session-Id` header is missing; send `initialize` first",
            );
        };
        match id.to_str().ok().and_then(|id| self.sessions.get(id)) {
            Some(session) => Ok(session),
            None => stop(StatusCode::NOT_FOUND, "there is no such session; send `initialize` again"),
        }
    }
}

/// A guard that forgets the stream of an exchange that cannot be resumed.
struct Forget<'a>(Option<(&'a Streams, ExchangeId)>);

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        if let Some((streams, exchange)) = self.0 {
            streams.forget(exchange);
        }
    }
}

/// Passes a body to the session's machine. The response is JSON if there is a single answer and it is ready soon, else
/// a stream.
async fn exchange(session: &Session, frame: Decoded) -> Response<Body> {
    let id = session.next_exchange();
    let mut answers = session.streams.open(id);
    let mut forget = Forget(Some((&session.streams, id)));
    if session.inbox.send(Input::Frame(id, frame)).await.is_err() {
        return plain(StatusCode::NOT_FOUND, "the session has ended; send `initialize` again");
    }
    let first = tokio::time::timeout(STREAM_AFTER, answers.recv()).await;
    let ready = match first {
        Ok(None | Some(ToHttp::Finish)) => return empty(StatusCode::ACCEPTED),
        Ok(Some(ToHttp::Message {
            bytes,
            verdict,
            last: true,
            ..
        })) => return json(status(verdict), bytes),
        Ok(Some(ToHttp::Message { bytes, event: number, .. })) => Some(event(number.as_deref(), &bytes)),
        Ok(Some(ToHttp::Detach)) => {
            forget.0 = None;
            return stream(resumable(session, id, None, None));
        }
        Err(_silence) => None,
    };
    session.streams.make_resumable(id);
    forget.0 = None;
    stream(resumable(session, id, ready, Some(answers)))
}

fn resumable(session: &Session, id: ExchangeId, first: Option<bytes::Bytes>, answers: Option<mpsc::Receiver<ToHttp>>) -> EventBody {
    let mut ready = VecDeque::new();
    // Older clients would take the empty event for an invalid message.
    if session.streams.revision() == Some(LEGACY[0]) {
        ready.push_back(prime(&format!("{id}-0"), RETRY));
    }
    ready.extend(first);
    EventBody::new(ready, answers, None)
}

fn is_initialize(frame: &Decoded) -> bool {
    let is = |message: &Message| message.kind() == Kind::Request && message.method() == Some("initialize");
    matches!(frame, Ok(Frame::One(message)) if is(message))
}
