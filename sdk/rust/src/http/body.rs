//! Response bodies: one JSON value, or a stream of server-sent events.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use http_body::Frame;
use http_body_util::{Either, Full};
use jsonrpc::{ErrorObject, Id, Message};
use tokio::sync::mpsc;
use tokio::time::Interval;
use tokio_util::sync::DropGuard;

use crate::machine::Verdict;

pub(crate) type Body = Either<Full<Bytes>, EventBody>;

/// The interval after which an idle stream sends a comment to stay open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// What a machine's exchange sends to the HTTP response that carries it.
#[derive(Debug)]
pub(crate) enum ToHttp {
    /// A message; `event` is its id on a resumable stream.
    Message {
        bytes: Bytes,
        event: Option<String>,
        verdict: Verdict,
        last: bool,
    },
    /// Nothing more follows.
    Finish,
    /// Nothing more follows on this connection; the client is to reconnect.
    Detach,
}

/// A stream of server-sent events.
#[derive(Debug)]
pub(crate) struct EventBody {
    ready: VecDeque<Bytes>,
    source: Option<mpsc::Receiver<ToHttp>>,
    alive: Interval,
    _guard: Option<DropGuard>,
}

impl EventBody {
    /// Returns a stream that sends `ready` first, then what is received from `source`. `guard` fires when the client
    /// has disconnected.
    pub(crate) fn new(ready: VecDeque<Bytes>, source: Option<mpsc::Receiver<ToHttp>>, guard: Option<DropGuard>) -> Self {
        let mut alive = tokio::time::interval(KEEP_ALIVE);
        alive.reset();
        Self {
            ready,
            source,
            alive,
            _guard: guard,
        }
    }
}

impl http_body::Body for EventBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(bytes) = self.ready.pop_front() {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        let Some(source) = &mut self.source else { return Poll::Ready(None) };
        match source.poll_recv(cx) {
            Poll::Ready(Some(ToHttp::Message {
                bytes, event: id, last, ..
            })) => {
                if last {
                    self.source = None;
                }
                Poll::Ready(Some(Ok(Frame::data(event(id.as_deref(), &bytes)))))
            }
            Poll::Ready(Some(ToHttp::Finish | ToHttp::Detach) | None) => {
                self.source = None;
                Poll::Ready(None)
            }
            Poll::Pending if self.alive.poll_tick(cx).is_ready() => Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b":\n\n"))))),
            Poll::Pending => Poll::Pending,
        }
    }
}

/// Formats one event.
pub(crate) fn event(id: Option<&str>, data: &[u8]) -> Bytes {
    let id = id.map_or(String::new(), |id| format!("id: {id}\n"));
    Bytes::from([b"event: message\n", id.as_bytes(), b"data: ", data, b"\n\n"].concat())
}

/// Formats the event with which a resumable stream begins: an id to resume from, and the time to wait (2025-11-25
/// basic/transports).
pub(crate) fn prime(id: &str, retry: Duration) -> Bytes {
    Bytes::from(format!("id: {id}\nretry: {}\ndata: \n\n", retry.as_millis()))
}

pub(crate) fn stream(body: EventBody) -> Response<Body> {
    let mut response = Response::new(Either::Right(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

pub(crate) fn json(status: StatusCode, bytes: Bytes) -> Response<Body> {
    let mut response = Response::new(Either::Left(Full::new(bytes)));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

pub(crate) fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Either::Left(Full::default()));
    *response.status_mut() = status;
    response
}

/// Returns an HTTP error whose body says why, as a JSON-RPC error.
pub(crate) fn refuse(status: StatusCode, id: Option<&Id>, error: &ErrorObject) -> Response<Body> {
    json(status, Message::failure(id, error).into_bytes())
}

pub(crate) fn status(verdict: Verdict) -> StatusCode {
    match verdict {
        Verdict::Fine => StatusCode::OK,
        Verdict::BadRequest => StatusCode::BAD_REQUEST,
        Verdict::NotFound => StatusCode::NOT_FOUND,
    }
}
