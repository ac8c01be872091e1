//! The streams of one HTTP client: one for each answer that became a stream, one for the session, and the events that can be replayed on them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use mcp::client::Target;
use model::{Ticket, TicketMap};
use tokio::sync::mpsc;
use upstream::link::Event;

/// The number of events that are kept for a client that reconnects.
const MAX_KEPT: usize = 256;
/// The number of bytes of kept events.
const MAX_KEPT_BYTES: usize = 1 << 20;
/// The number of messages that may come for a request before its exchange turns the answer into a stream.
const MAX_EARLY: usize = 64;
/// The number of the session's own stream.
const SESSION: u64 = 0;
/// The time after which a client that lost a stream should reconnect.
const RETRY: Duration = Duration::from_secs(1);

/// The streams of one client.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Whether events carry ids and are kept (legacy sessions).
    resumable: bool,
    next_stream: u64,
    /// The requests whose answer may still be one JSON message.
    attended: TicketMap<Attention>,
    by_ticket: TicketMap<u64>,
    open: HashMap<u64, Open>,
    kept: VecDeque<Kept>,
    kept_bytes: usize,
}

/// The messages that came for a request before its answer; the first one turns the answer into a stream.
#[derive(Debug, Default)]
struct Attention {
    early: Vec<Bytes>,
    waker: Option<Waker>,
}

#[derive(Debug)]
struct Open {
    sender: Option<mpsc::Sender<Event>>,
    sequence: u64,
    /// Whether the answer has been sent, so that nothing follows.
    done: bool,
}

#[derive(Debug)]
struct Kept {
    stream: u64,
    sequence: u64,
    data: Bytes,
}

impl Streams {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the streams resumable: from now on events carry ids and can be replayed.
    pub(crate) fn make_resumable(&self) {
        self.state().resumable = true;
    }

    /// Notes that an exchange waits for an answer, and accepts a stream.
    pub(crate) fn attend(&self, ticket: Ticket) {
        self.state().attended.insert(ticket, Attention::default());
    }

    /// Polls for a message before the answer.
    pub(crate) fn poll_early(&self, ticket: Ticket, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.state();
        let Some(attention) = state.attended.get_mut(&ticket) else {
            return Poll::Pending;
        };
        if !attention.early.is_empty() {
            return Poll::Ready(());
        }
        if !attention.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            attention.waker = Some(cx.waker().clone());
        }
        Poll::Pending
    }

    /// Turns the answer to a request into a stream: it begins with a priming event if the client knows those, then the early messages.
    pub(crate) fn upgrade(&self, ticket: Ticket, sender: mpsc::Sender<Event>, primed: bool) {
        let mut state = self.state();
        let early = state.attended.remove(&ticket).unwrap_or_default().early;
        state.next_stream += 1;
        let stream = state.next_stream;
        if primed {
            drop(sender.try_send(priming(stream)));
        }
        state.by_ticket.insert(ticket, stream);
        let open = Open {
            sender: Some(sender),
            sequence: 0,
            done: false,
        };
        state.open.insert(stream, open);
        for data in early {
            state.send(stream, data, false);
        }
    }

    /// Ends the wait for an answer that is there. Returns whether it can be one JSON message, because nothing came before it.
    pub(crate) fn settle(&self, ticket: Ticket) -> bool {
        let mut state = self.state();
        let whole = state.attended.get(&ticket).is_none_or(|attention| attention.early.is_empty());
        if whole {
            state.attended.remove(&ticket);
        }
        whole
    }

    /// Ends every stream; a client that reconnects finds no events.
    pub(crate) fn end(&self) {
        let mut state = self.state();
        (state.open, state.kept, state.kept_bytes) = (HashMap::new(), VecDeque::new(), 0);
    }

    /// Opens the stream of an answer.
    pub(crate) fn open(&self, ticket: Ticket, sender: mpsc::Sender<Event>) {
        self.upgrade(ticket, sender, false);
    }

    /// Closes the stream of an answer that was one JSON message.
    pub(crate) fn close(&self, ticket: Ticket) {
        let mut state = self.state();
        if state.attended.remove(&ticket).is_none()
            && let Some(stream) = state.by_ticket.remove(&ticket)
        {
            state.open.remove(&stream);
        }
    }

    /// Opens the session's own stream, which begins with the messages that came in the meantime. Returns false when there is one already.
    pub(crate) fn open_session(&self, sender: mpsc::Sender<Event>) -> bool {
        let mut state = self.state();
        let taken = state
            .open
            .get(&SESSION)
            .is_some_and(|open| open.sender.as_ref().is_some_and(|s| !s.is_closed()));
        if taken {
            return false;
        }
        let from = state.open.get(&SESSION).map_or(0, |open| open.sequence);
        let missed: Vec<Event> = state.kept.iter().filter(|kept| kept.stream == SESSION).map(Kept::event).collect();
        for event in missed {
            drop(sender.try_send(event));
        }
        state.forget_kept(SESSION);
        state.open.insert(
            SESSION,
            Open {
                sender: Some(sender),
                sequence: from,
                done: false,
            },
        );
        true
    }

    /// Resumes a stream after the event with that id. Returns false when the id is not one of ours.
    pub(crate) fn resume(&self, last_event: &str, sender: mpsc::Sender<Event>) -> bool {
        let parsed = last_event
            .split_once('-')
            .and_then(|(s, q)| Some((s.parse::<u64>().ok()?, q.parse::<u64>().ok()?)));
        let Some((stream, sequence)) = parsed else { return false };
        let mut state = self.state();
        if stream > state.next_stream {
            return false;
        }
        let missed: Vec<Event> = state
            .kept
            .iter()
            .filter(|kept| kept.stream == stream && kept.sequence > sequence)
            .map(Kept::event)
            .collect();
        for event in missed {
            drop(sender.try_send(event));
        }
        if stream == SESSION && !state.open.contains_key(&SESSION) {
            state.open.insert(
                SESSION,
                Open {
                    sender: None,
                    sequence,
                    done: false,
                },
            );
        }
        // A stream whose answer was sent ends after the replay, when its sender is dropped here.
        if let Some(open) = state.open.get_mut(&stream).filter(|open| !open.done) {
            open.sender = Some(sender);
        }
        true
    }

    pub(crate) fn has_session_stream(&self) -> bool {
        self.state()
            .open
            .get(&SESSION)
            .is_some_and(|open| open.sender.as_ref().is_some_and(|sender| !sender.is_closed()))
    }

    /// Returns whether a client reads a stream.
    pub(crate) fn is_read(&self) -> bool {
        self.state()
            .open
            .values()
            .any(|open| open.sender.as_ref().is_some_and(|sender| !sender.is_closed()))
    }

    /// Returns the sender of the stream to which a message belongs, if there is one.
    pub(crate) fn sender(&self, target: Target) -> Option<mpsc::Sender<Event>> {
        let state = self.state();
        let stream = match target {
            Target::Related(ticket) | Target::Answer(ticket) => *state.by_ticket.get(&ticket)?,
            Target::Session => SESSION,
            Target::Reply(_) => return None,
        };
        state.open.get(&stream)?.sender.clone()
    }

    /// Sends a message on the stream to which it belongs. Returns false when it did not reach the client and cannot be replayed.
    pub(crate) fn send(&self, target: Target, data: Bytes) -> bool {
        let mut state = self.state();
        if let Target::Related(ticket) = target
            && let Some(attention) = state.attended.get_mut(&ticket)
        {
            let room = attention.early.len() < MAX_EARLY;
            if room {
                attention.early.push(data);
            }
            if let Some(waker) = attention.waker.take() {
                waker.wake();
            }
            return room;
        }
        let (stream, last) = match target {
            Target::Related(ticket) => (state.by_ticket.get(&ticket).copied(), false),
            Target::Answer(ticket) => (state.by_ticket.remove(&ticket), true),
            Target::Session => (Some(SESSION), false),
            Target::Reply(_) => (None, false),
        };
        stream.is_some_and(|stream| state.send(stream, data, last))
    }
}

/// Returns the first event of a stream, without data: it gives the client an id with which to reconnect (2025-11-25 basic/transports).
fn priming(stream: u64) -> Event {
    Event {
        id: Some(format!("{stream}-0")),
        data: Bytes::new(),
        retry: Some(RETRY),
    }
}

impl State {
    /// Puts a message on a stream. Returns false when it did not reach the client and cannot be replayed.
    fn send(&mut self, stream: u64, data: Bytes, last: bool) -> bool {
        let resumable = self.resumable;
        let open = self.open.entry(stream).or_insert(Open {
            sender: None,
            sequence: 0,
            done: false,
        });
        open.sequence += 1;
        open.done = last;
        let kept = Kept {
            stream,
            sequence: open.sequence,
            data,
        };
        let event = if resumable {
            kept.event()
        } else {
            Event {
                id: None,
                data: kept.data.clone(),
                retry: None,
            }
        };
        let sent = open.sender.as_ref().is_some_and(|sender| sender.try_send(event).is_ok());
        if !sent {
            open.sender = None;
        }
        if last {
            self.open.remove(&stream);
        }
        if resumable {
            self.keep(kept);
        }
        sent || resumable
    }

    fn keep(&mut self, kept: Kept) {
        self.kept_bytes += kept.data.len();
        self.kept.push_back(kept);
        while self.kept.len() > MAX_KEPT || (self.kept_bytes > MAX_KEPT_BYTES && self.kept.len() > 1) {
            if let Some(oldest) = self.kept.pop_front() {
                self.kept_bytes -= oldest.data.len();
            }
        }
    }

    fn forget_kept(&mut self, stream: u64) {
        self.kept.retain(|kept| kept.stream != stream);
        self.kept_bytes = self.kept.iter().map(|kept| kept.data.len()).sum();
    }
}

impl Kept {
    fn event(&self) -> Event {
        Event {
            id: Some(format!("{}-{}", self.stream, self.sequence)),
            data: self.data.clone(),
            retry: None,
        }
    }
}
