//! A modern POST: a machine of its own for one request (2026-07-28 basic/transports/streamable-http).

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode};
use jsonrpc::{ErrorObject, Frame, Kind, Message};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::body::{Body, EventBody, ToHttp, empty, event, json, refuse, status, stream};
use super::endpoint::{Decoded, Endpoint};
use super::mirrors;
use crate::drive::{Driver, INBOX, Sink};
use crate::keys;
use crate::machine::{ExchangeId, Input, Lane, Route, Verdict};

/// How many messages may wait for the client.
const OUTBOX: usize = 16;
/// The only exchange of such a machine.
const EXCHANGE: ExchangeId = 1;

impl Endpoint {
    pub(super) async fn post_modern(&self, headers: &HeaderMap, frame: Decoded) -> Response<Body> {
        let message = match frame {
            Ok(Frame::One(message)) => message,
            Ok(Frame::Batch(_)) => {
                return bad_request(None, &ErrorObject::invalid_request("a body is one message; batches are not served"));
            }
            Err(error) => return bad_request(error.id(), &ErrorObject::from(&error)),
        };
        if message.kind() == Kind::Response {
            return bad_request(
                None,
                &ErrorObject::invalid_request("clients do not send responses; retry the request with `inputResponses`"),
            );
        }
        let checked = message.kind() == Kind::Request && !is_lost_initialize(&message);
        if checked && let Err(error) = mirrors::check(headers, &message, &self.core.catalog()) {
            return bad_request(message.id(), &error);
        }
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            let error = ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, "too many requests at once; try again");
            return refuse(StatusCode::SERVICE_UNAVAILABLE, message.id(), &error);
        };
        let hung_up = CancellationToken::new();
        let guard = hung_up.clone().drop_guard();
        let mut answers = self.run(message, hung_up, place);
        match answers.recv().await {
            None | Some(ToHttp::Finish | ToHttp::Detach) => empty(StatusCode::ACCEPTED),
            Some(ToHttp::Message {
                bytes,
                verdict,
                last: true,
                ..
            }) => json(status(verdict), bytes),
            Some(ToHttp::Message { bytes, .. }) => {
                let ready = VecDeque::from([event(None, &bytes)]);
                stream(EventBody::new(ready, Some(answers), Some(guard)))
            }
        }
    }

    fn run(&self, message: Message, hung_up: CancellationToken, place: tokio::sync::OwnedSemaphorePermit) -> mpsc::Receiver<ToHttp> {
        let (to_http, answers) = mpsc::channel(OUTBOX);
        let (inbox, inputs) = mpsc::channel(INBOX);
        let first = inbox.try_send(Input::Frame(EXCHANGE, Ok(Frame::One(message))));
        debug_assert!(first.is_ok(), "a new channel has room");
        let driver = Driver::new(Arc::clone(&self.core), Lane::ModernHttp, ExchangeSink(to_http), inbox);
        let stop = self.stop.clone();
        tokio::spawn(async move {
            driver.run_exchange(EXCHANGE, inputs, hung_up, stop).await;
            drop(place);
        });
        answers
    }
}

struct ExchangeSink(mpsc::Sender<ToHttp>);

impl Sink for ExchangeSink {
    async fn send(&mut self, _route: Route, bytes: Bytes, verdict: Verdict, last: bool) -> bool {
        self.0
            .send(ToHttp::Message {
                bytes,
                event: None,
                verdict,
                last,
            })
            .await
            .is_ok()
    }

    async fn finish(&mut self, _exchange: ExchangeId) {
        let _gone = self.0.send(ToHttp::Finish).await;
    }

    /// Does nothing, because modern streams are not resumable.
    async fn detach(&mut self, _exchange: ExchangeId) {}
}

/// Returns whether a message is from a legacy client at a modern server: it sends none of the headers, and is answered
/// with the supported revisions (2026-07-28 basic/versioning).
fn is_lost_initialize(message: &Message) -> bool {
    let modern = message
        .params()
        .is_some_and(|params| params.at(&["_meta", keys::REVISION]).is_some());
    message.method() == Some("initialize") && !modern
}

fn bad_request(id: Option<&jsonrpc::Id>, error: &ErrorObject) -> Response<Body> {
    refuse(StatusCode::BAD_REQUEST, id, error)
}
