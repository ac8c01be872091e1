//! Streams of events: a task for each, which ends with its reader.

use bytes::Bytes;
use kernel::desk::Answer;
use kernel::front::Events;
use kernel::link::Event;
use serde_json::Value;
use tokio::sync::mpsc;

/// Events that wait for a slow reader.
const QUEUE: usize = 64;

/// The writing end of a stream.
pub(super) type Sender = mpsc::Sender<Event>;

/// A stream that a task writes to.
pub(super) fn of<F: Future<Output = ()> + Send + 'static>(write: impl FnOnce(Sender) -> F) -> Answer {
    let (sender, events) = Events::channel(QUEUE);
    let over = sender.clone();
    let write = write(sender);
    tokio::spawn(async move {
        tokio::select! {
            () = over.closed() => {}
            () = write => {}
        }
    });
    Answer::Events(events)
}

/// One event.
pub(super) fn event(id: Option<u64>, value: &Value) -> Event {
    Event {
        id: id.map(|id| id.to_string()),
        data: Bytes::from(value.to_string()),
        ..Event::default()
    }
}
