//! Streams of events: a task for each, which ends with its reader.

use std::marker::PhantomData;

use bytes::Bytes;
use kernel::front::Events;
use kernel::http_api::Answer;
use kernel::link::Event;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use tokio::sync::mpsc;

use crate::reply::Reply;

/// The number of events that may wait for a slow reader.
const QUEUE: usize = 64;

/// A stream of events, the data of each of which is one shape.
#[derive(Debug)]
pub(crate) struct Stream<T> {
    events: Events,
    shape: PhantomData<fn() -> T>,
}

/// The writing end of a stream.
#[derive(Debug)]
pub(crate) struct Sender<T> {
    events: mpsc::Sender<Event>,
    shape: PhantomData<fn(T)>,
}

/// The error for a reader that has gone.
#[derive(Debug)]
pub(crate) struct Gone;

impl<T> Stream<T> {
    /// Returns a stream to which a task writes.
    pub(crate) fn of<F: Future<Output = ()> + Send + 'static>(write: impl FnOnce(Sender<T>) -> F) -> Self {
        let (sender, events) = Events::channel(QUEUE);
        let over = sender.clone();
        let write = write(Sender {
            events: sender,
            shape: PhantomData,
        });
        tokio::spawn(async move {
            tokio::select! {
                () = over.closed() => {}
                () = write => {}
            }
        });
        Self {
            events,
            shape: PhantomData,
        }
    }
}

impl<T: Serialize> Sender<T> {
    /// Sends one event. A reader that reconnects names its id in `Last-Event-ID`.
    pub(crate) async fn send(&self, id: Option<u64>, shape: T) -> Result<(), Gone> {
        let data = serde_json::to_vec(&shape).expect("a shape has texts for keys, and nothing in it fails");
        let event = Event {
            id: id.map(|id| id.to_string()),
            data: Bytes::from(data),
            ..Event::default()
        };
        self.events.send(event).await.map_err(|_| Gone)
    }
}

impl<T: JsonSchema> Reply for Stream<T> {
    const MEDIA: &'static str = "text/event-stream";

    fn into_answer(self) -> Answer {
        Answer::Events(self.events)
    }

    fn schema(schemas: &mut SchemaGenerator) -> Schema {
        schemas.subschema_for::<T>()
    }
}
