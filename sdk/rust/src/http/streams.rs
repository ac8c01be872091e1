//! The event streams of one legacy session, and the events kept for clients that resume them (2025-11-25
//! basic/transports, "Resumability and Redelivery").
//!
//! Law: every message goes to one stream; a stream holds a bounded number of its last events.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc;

use super::body::{ToHttp, event};
use crate::drive::Sink;
use crate::machine::{ExchangeId, Route, Verdict};

/// How many events a stream keeps.
const MAX_EVENTS: usize = 256;
/// How many finished streams are kept.
const MAX_OVER: usize = 64;
/// How many bytes of events a session keeps.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// How many messages may wait for a connected client.
const OUTBOX: usize = 64;
/// How long a connected client may leave its stream unread.
const PATIENCE: Duration = Duration::from_secs(30);
/// The stream for messages that belong to no request.
const SESSION: u64 = 0;

#[derive(Debug, Default)]
struct Stream {
    to: Option<mpsc::Sender<ToHttp>>,
    events: VecDeque<(u64, Bytes)>,
    /// The number of the last event.
    last: u64,
    /// The number of the last event that was passed to a connection.
    delivered: u64,
    over: bool,
    /// Whether the client knows an event id of this stream, so that it may resume it.
    resumable: bool,
}

#[derive(Debug, Default)]
struct State {
    streams: HashMap<u64, Stream>,
    bytes: usize,
    revision: Option<&'static str>,
}

/// The streams of one session; see the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Streams(Arc<Mutex<State>>);

impl Streams {
    /// Opens the stream of an exchange.
    pub(crate) fn open(&self, exchange: ExchangeId) -> mpsc::Receiver<ToHttp> {
        let (to, receiver) = mpsc::channel(OUTBOX);
        self.locked(|state| {
            state.streams.insert(
                exchange,
                Stream {
                    to: Some(to),
                    ..Stream::default()
                },
            )
        });
        receiver
    }

    /// Marks the stream of `exchange` as resumable, before the client gets an event id of it.
    pub(crate) fn make_resumable(&self, exchange: ExchangeId) {
        self.locked(|state| {
            if let Some(stream) = state.streams.get_mut(&exchange) {
                stream.resumable = true;
            }
        });
    }

    /// Drops a stream that was answered in one piece, or that cannot be resumed.
    pub(crate) fn forget(&self, exchange: ExchangeId) {
        self.locked(|state| {
            if let Some(stream) = state.streams.remove(&exchange) {
                state.bytes -= stream.events.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
            }
        });
    }

    /// Connects a client to a stream, from after the event that `last_event_id` names, or to the session's own stream.
    /// The missed events come first. Returns `None` if there is no such stream any more.
    pub(crate) fn attach(&self, last_event_id: Option<&str>) -> Option<(VecDeque<Bytes>, Option<mpsc::Receiver<ToHttp>>)> {
        let (id, after) = match last_event_id {
            None => (SESSION, None),
            Some(text) => {
                let (stream, event) = text.split_once('-')?;
                (stream.parse().ok()?, Some(event.parse::<u64>().ok()?))
            }
        };
        self.locked(|state| {
            if id == SESSION {
                state.streams.entry(SESSION).or_insert_with(|| Stream {
                    resumable: true,
                    ..Stream::default()
                });
            }
            let stream = state.streams.get_mut(&id)?;
            let after = after.unwrap_or(stream.delivered);
            let missed = stream.events.iter().filter(|(number, _)| *number > after);
            let ready = missed
                .map(|(number, bytes)| event(Some(&format!("{id}-{number}")), bytes))
                .collect();
            stream.delivered = stream.last;
            if stream.over {
                stream.to = None;
                return Some((ready, None));
            }
            let (to, receiver) = mpsc::channel(OUTBOX);
            // A client that connects twice is served on the later connection.
            stream.to = Some(to);
            Some((ready, Some(receiver)))
        })
    }

    /// Returns whether any client is connected.
    pub(crate) fn connected(&self) -> bool {
        self.locked(|state| {
            state
                .streams
                .values()
                .any(|stream| stream.to.as_ref().is_some_and(|to| !to.is_closed()))
        })
    }

    /// Returns the revision of the session, once agreed on.
    pub(crate) fn revision(&self) -> Option<&'static str> {
        self.locked(|state| state.revision)
    }

    fn record(&self, id: u64, bytes: &Bytes, last: bool) -> Option<(mpsc::Sender<ToHttp>, u64)> {
        self.locked(|state| {
            if id == SESSION {
                state.streams.entry(SESSION).or_insert_with(|| Stream {
                    resumable: true,
                    ..Stream::default()
                });
            }
            let stream = state.streams.get_mut(&id)?;
            stream.last += 1;
            stream.over |= last;
            stream.events.push_back((stream.last, bytes.clone()));
            state.bytes += bytes.len();
            let found = stream.to.clone().map(|to| (to, stream.last));
            state.trim(id);
            found
        })
    }

    fn delivered(&self, id: u64, number: u64) {
        self.locked(|state| {
            if let Some(stream) = state.streams.get_mut(&id) {
                stream.delivered = stream.delivered.max(number);
            }
        });
    }

    fn disconnect(&self, id: u64) {
        self.locked(|state| {
            if let Some(stream) = state.streams.get_mut(&id) {
                stream.to = None;
            }
        });
    }

    fn sender(&self, id: u64) -> Option<mpsc::Sender<ToHttp>> {
        self.locked(|state| state.streams.get(&id).and_then(|stream| stream.to.clone()))
    }

    fn locked<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl State {
    /// Enforces the limits: first the stream's own oldest events are dropped, then whole streams that are finished,
    /// then the oldest events of the others.
    fn trim(&mut self, id: u64) {
        if let Some(stream) = self.streams.get_mut(&id) {
            while stream.events.len() > MAX_EVENTS {
                self.bytes -= stream.events.pop_front().map_or(0, |(_, bytes)| bytes.len());
            }
        }
        let over = self.streams.iter().filter(|(_, stream)| stream.over);
        if over.clone().count() > MAX_OVER {
            let oldest = over.map(|(known, _)| *known).min();
            let gone = oldest.and_then(|oldest| self.streams.remove(&oldest)).unwrap_or_default();
            self.bytes -= gone.events.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        }
        while self.bytes > MAX_BYTES {
            let over = self
                .streams
                .iter()
                .filter(|(known, stream)| stream.over && **known != id)
                .map(|(known, _)| *known)
                .min();
            if let Some(over) = over {
                let gone = self.streams.remove(&over).unwrap_or_default();
                self.bytes -= gone.events.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
                continue;
            }
            let fullest = self.streams.values_mut().max_by_key(|stream| stream.events.len());
            let Some(dropped) = fullest.and_then(|stream| stream.events.pop_front()) else {
                break;
            };
            self.bytes -= dropped.1.len();
        }
    }
}

/// The sink that writes a legacy machine's messages to its streams.
pub(crate) struct StreamSink(pub(crate) Streams);

impl Sink for StreamSink {
    async fn send(&mut self, route: Route, bytes: Bytes, verdict: Verdict, last: bool) -> bool {
        let id = match route {
            Route::Exchange(exchange) => exchange,
            Route::Session => SESSION,
        };
        if let Some((to, number)) = self.0.record(id, &bytes, last) {
            let message = ToHttp::Message {
                bytes,
                event: Some(format!("{id}-{number}")),
                verdict,
                last,
            };
            match tokio::time::timeout(PATIENCE, to.send(message)).await {
                Ok(Ok(())) => self.0.delivered(id, number),
                Ok(Err(_)) | Err(_) => self.0.disconnect(id),
            }
        }
        true
    }

    async fn finish(&mut self, exchange: ExchangeId) {
        if let Some(to) = self.0.sender(exchange) {
            let _gone = to.send(ToHttp::Finish).await;
        }
        self.0.forget(exchange);
    }

    async fn detach(&mut self, exchange: ExchangeId) {
        if let Some(to) = self.0.sender(exchange) {
            self.0.make_resumable(exchange);
            self.0.disconnect(exchange);
            let _gone = to.send(ToHttp::Detach).await;
        }
    }

    fn revision(&mut self, revision: &'static str) {
        self.0.locked(|state| state.revision = Some(revision));
    }
}
