//! One call to a server, from the moment it is sent until it is answered, lost or given up.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::time::Duration;

use jsonrpc::{ErrorObject, Message};
use mcp::exchange::{Outcome, Request};
use mcp::server::{CallError, HandshakeError, Outgoing, Placed};
use model::{Ticket, Trace};
use tokio::sync::mpsc;

use super::lanes::LanePermit;
use super::session::Session;
use crate::client::Client;
use crate::gate::Permit;
use crate::link::{BoxFuture, EventStream, Leave, Link, LinkError, OutPost, Parcel, Reply, ReplyBody};

/// Messages of one call that wait for its client.
const QUEUE: usize = 64;
/// Places of the queue that progress and logs leave free.
const KEEP_FOR_ASKS: usize = 16;
/// Reconnections of one answer's stream.
const MAX_RESUMES: u32 = 5;

/// What happens in the course of a call.
#[derive(Debug)]
pub(crate) enum CallEvent {
    /// A notification.
    Interim(Message),
    /// A question of the server.
    Ask(Ticket, Message),
    /// The handshake is over.
    Greeted(Result<(), HandshakeError>),
    /// A message beside the call that must be delivered before anything else is sent.
    Aside(Outgoing),
    /// The call is over.
    Done(Box<Outcome>),
    /// The connection is over, and with it the call.
    Lost(String),
    /// The server does not know our session any more: nothing was done.
    SessionGone,
    /// Nothing was sent.
    NotSent(String),
}

/// Who takes what comes for a call elsewhere than on its own exchange.
#[derive(Clone, Copy)]
pub(crate) enum Hears<'a> {
    /// Nobody: what comes is dropped.
    Nobody,
    /// Its legacy client, at once.
    Client(&'a Arc<Client>, Ticket),
    /// Whoever drives the call.
    Call,
}

/// Where a reader puts the events of one call.
#[derive(Clone)]
pub(crate) enum Waiter {
    /// With whoever drives the call.
    Queue(mpsc::Sender<CallEvent>),
    /// With the client, under its ticket.
    Client(Weak<Client>, Ticket),
}

impl Waiter {
    pub(crate) fn queue() -> (Self, Option<mpsc::Receiver<CallEvent>>) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        (Self::Queue(sender), Some(receiver))
    }

    pub(crate) fn client(client: &Arc<Client>, ticket: Ticket) -> Self {
        Self::Client(Arc::downgrade(client), ticket)
    }

    /// Takes an event; gives it back when its kind has no room left. The end of a call always has.
    pub(crate) fn deliver(&self, event: CallEvent, session: &Arc<Session>) -> Option<CallEvent> {
        match self {
            Self::Queue(sender) => enqueue(sender, event),
            Self::Client(client, ticket) => match (client.upgrade(), session.line.upgrade(), event) {
                (Some(client), _, CallEvent::Interim(message)) => {
                    client.interim_now(*ticket, message);
                    None
                }
                (Some(client), Some(line), CallEvent::Ask(ask, message)) => {
                    client.ask_for_server(&line, session, Some(*ticket), ask, &message);
                    None
                }
                (_, _, event) => Some(event),
            },
        }
    }

    /// Tells that the connection is over.
    pub(crate) fn lost(self, why: &str) {
        if let Self::Queue(sender) = self {
            drop(enqueue(&sender, CallEvent::Lost(why.to_owned())));
        }
    }
}

fn enqueue(sender: &mpsc::Sender<CallEvent>, event: CallEvent) -> Option<CallEvent> {
    let keep = match &event {
        CallEvent::Interim(_) => KEEP_FOR_ASKS,
        CallEvent::Ask(..) => 1,
        _ => 0,
    };
    if sender.capacity() <= keep {
        return Some(event);
    }
    sender.try_send(event).err().map(|error| match error {
        mpsc::error::TrySendError::Full(event) | mpsc::error::TrySendError::Closed(event) => event,
    })
}

/// A call that was placed. Dropping it gives it up.
pub(crate) struct Call {
    pub(crate) session: Arc<Session>,
    pub(crate) ticket: Ticket,
    pub(crate) lane: Option<Arc<LanePermit>>,
    source: Source,
    over: bool,
}

#[expect(clippy::large_enum_variant, reason = "lives as long as its call, which is on the heap")]
enum Source {
    Pipe {
        receiver: mpsc::Receiver<CallEvent>,
        unsent: Option<Parcel>,
    },
    Http(Exchange),
}

/// A call over HTTP is driven by whoever waits for it.
struct Exchange {
    queue: VecDeque<CallEvent>,
    phase: Phase,
    trace: Trace,
    leave: Option<Leave>,
    last_event: Option<String>,
    retry: Duration,
    resumes: u32,
    /// What comes for the call on other streams, where its driver must hear of it.
    crossing: Option<mpsc::Receiver<CallEvent>>,
}

enum Phase {
    Unsent(Outgoing),
    Sending(BoxFuture<'static, Result<Reply, LinkError>>),
    Streaming(EventStream),
    Broken(String),
    Ended,
}

impl Call {
    /// Places a request on a connection. The permit is policy's leave.
    pub(crate) fn place(session: &Arc<Session>, request: &Request, hears: Hears<'_>, permit: &Permit) -> Result<Self, CallError> {
        let placed = session.place(request, hears)?;
        let leave = permit.leave(session, placed.0.ticket);
        Ok(Self::new(session, placed, &request.trace, leave))
    }

    /// Places the handshake.
    pub(crate) fn hello(session: &Arc<Session>, hello: &mcp::server::ClientHello, _permit: &Permit) -> Result<Self, CallError> {
        let placed = session.place_hello(hello)?;
        Ok(Self::new(session, placed, &Trace::default(), None))
    }

    fn new(
        session: &Arc<Session>,
        (placed, receiver): (Placed, Option<mpsc::Receiver<CallEvent>>),
        trace: &Trace,
        leave: Option<Leave>,
    ) -> Self {
        let Placed { ticket, outgoing } = placed;
        let source = match receiver {
            Some(receiver) if !session.is_http() => Source::Pipe {
                receiver,
                unsent: Some(Parcel::new(outgoing.message.line(), leave)),
            },
            crossing => Source::Http(Exchange {
                crossing,
                leave,
                queue: VecDeque::new(),
                phase: Phase::Unsent(outgoing),
                trace: trace.clone(),
                last_event: None,
                retry: Duration::from_secs(1),
                resumes: 0,
            }),
        };
        Self {
            session: session.clone(),
            ticket,
            lane: None,
            source,
            over: false,
        }
    }

    /// What happens next. After `Done`, `Lost`, `SessionGone` or `NotSent` there is nothing more.
    pub(crate) async fn next(&mut self) -> CallEvent {
        let event = match &mut self.source {
            Source::Pipe { receiver, unsent } => next_of_pipe(&self.session, receiver, unsent).await,
            Source::Http(exchange) => exchange.next(&self.session, self.ticket).await,
        };
        self.over = !matches!(event, CallEvent::Interim(_) | CallEvent::Ask(..) | CallEvent::Aside(_));
        event
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if !self.over {
            self.session.give_up(self.ticket, Some("the client gave the request up"));
        } else {
            self.session.forget(self.ticket);
        }
    }
}

async fn next_of_pipe(session: &Session, receiver: &mut mpsc::Receiver<CallEvent>, unsent: &mut Option<Parcel>) -> CallEvent {
    if let Some(parcel) = unsent.take() {
        if session.is_over() {
            return CallEvent::NotSent(session.why_over());
        }
        let Some(Link::Pipe(pipe)) = session.link.get() else {
            return CallEvent::NotSent("there is no connection".to_owned());
        };
        if pipe.outgoing.send(parcel).await.is_err() {
            return CallEvent::NotSent(session.why_over());
        }
    }
    receiver.recv().await.unwrap_or_else(|| CallEvent::Lost(session.why_over()))
}

impl Exchange {
    async fn next(&mut self, session: &Arc<Session>, ticket: Ticket) -> CallEvent {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return event;
            }
            match std::mem::replace(&mut self.phase, Phase::Ended) {
                Phase::Unsent(outgoing) => self.send(session, ticket, outgoing).await,
                Phase::Sending(sending) => self.wait(session, ticket, sending).await,
                Phase::Streaming(stream) => self.follow(session, ticket, stream).await,
                Phase::Broken(why) => Box::pin(self.resume(session, ticket, why)).await,
                Phase::Ended => return CallEvent::Lost("the server ended its answer without a result".to_owned()),
            }
        }
    }

    async fn send(&mut self, session: &Arc<Session>, ticket: Ticket, outgoing: Outgoing) {
        let Some(Link::Http(link)) = session.link.get() else { return };
        let post = OutPost {
            leave: self.leave.take(),
            ..session.post_of(outgoing, &self.trace)
        };
        if self.crossing.is_some() {
            let link = link.clone();
            self.phase = Phase::Sending(Box::pin(async move { link.post(post).await }));
            return;
        }
        let replied = link.post(post).await;
        self.replied(session, ticket, replied);
    }

    /// Waits for the reply, and hears meanwhile what comes on other streams.
    async fn wait(&mut self, session: &Arc<Session>, ticket: Ticket, mut sending: BoxFuture<'static, Result<Reply, LinkError>>) {
        tokio::select! {
            biased;
            replied = &mut sending => self.replied(session, ticket, replied),
            event = crossed(&mut self.crossing) => {
                self.queue.push_back(event);
                self.phase = Phase::Sending(sending);
            }
        }
    }

    fn replied(&mut self, session: &Arc<Session>, ticket: Ticket, replied: Result<Reply, LinkError>) {
        match replied {
            Ok(reply) => self.take(session, ticket, reply),
            Err(LinkError::Unreachable(why)) => self.queue.push_back(CallEvent::NotSent(why)),
            Err(LinkError::TakenBack) => self.queue.push_back(taken_back()),
            Err(error) => self.queue.push_back(CallEvent::Lost(error.to_string())),
        }
    }

    fn take(&mut self, session: &Arc<Session>, ticket: Ticket, reply: Reply) {
        if let Some(token) = reply.session.filter(|_| session.ready.get().is_none()) {
            drop(session.token.set(token.into()));
        }
        match reply.body {
            _ if reply.status == 404 && session.token.get().is_some() => self.queue.push_back(CallEvent::SessionGone),
            ReplyBody::Json(bytes) => self.receive(session, ticket, bytes, reply.status),
            ReplyBody::Events(stream) => self.phase = Phase::Streaming(stream),
            ReplyBody::Other(text) => self.queue.push_back(http_failure(reply.status, &text)),
        }
    }

    fn receive(&mut self, session: &Arc<Session>, ticket: Ticket, bytes: bytes::Bytes, status: u16) {
        let mut own = Vec::new();
        match session.receive(bytes.clone(), Some(ticket), &mut own) {
            Ok(()) if own.is_empty() && status >= 400 => self.queue.push_back(http_failure(status, "")),
            Ok(()) => self.queue.extend(own),
            Err(_) if status >= 400 => self.queue.push_back(http_failure(status, &String::from_utf8_lossy(&bytes))),
            Err(error) => self
                .queue
                .push_back(CallEvent::Lost(format!("the server's answer is not a message: {error}"))),
        }
    }

    async fn follow(&mut self, session: &Arc<Session>, ticket: Ticket, mut stream: EventStream) {
        let next = tokio::select! {
            biased;
            next = stream.next() => next,
            event = crossed(&mut self.crossing) => {
                self.queue.push_back(event);
                self.phase = Phase::Streaming(stream);
                return;
            }
        };
        match next {
            Some(Ok(event)) => {
                self.last_event = event.id.or(self.last_event.take());
                self.retry = event.retry.unwrap_or(self.retry);
                if !event.data.is_empty() {
                    self.receive(session, ticket, event.data, 200);
                }
                let done = self
                    .queue
                    .iter()
                    .any(|e| matches!(e, CallEvent::Done(_) | CallEvent::Greeted(_) | CallEvent::Lost(_)));
                if !done {
                    self.phase = Phase::Streaming(stream);
                }
            }
            Some(Err(LinkError::TooLarge(limit))) => self.queue.push_back(CallEvent::Lost(LinkError::TooLarge(limit).to_string())),
            Some(Err(error)) => self.phase = Phase::Broken(error.to_string()),
            None => self.phase = Phase::Broken("the server ended its answer without a result".to_owned()),
        }
    }

    /// 2025-11-25 basic/transports, Resumability: a stream with event ids goes on where it broke, after the time the server asked for.
    async fn resume(&mut self, session: &Arc<Session>, _ticket: Ticket, why: String) {
        let (Some(Link::Http(link)), Some(last_event)) = (session.link.get(), self.last_event.clone()) else {
            return self.queue.push_back(CallEvent::Lost(why));
        };
        if self.resumes >= MAX_RESUMES || session.era() == mcp::revision::Era::Modern {
            return self.queue.push_back(CallEvent::Lost(why));
        }
        self.resumes += 1;
        tokio::time::sleep(self.retry.min(Duration::from_secs(30))).await;
        let token = session.token.get().cloned();
        match link.listen(token.as_deref(), session.revision().as_str(), Some(&last_event)).await {
            Ok(Reply {
                body: ReplyBody::Events(stream),
                ..
            }) => self.phase = Phase::Streaming(stream),
            Ok(Reply { status: 404, .. }) => self.queue.push_back(CallEvent::Lost(
                "the server forgot the session in the middle of its answer".to_owned(),
            )),
            Ok(Reply { status: 405 | 501, .. }) => self.queue.push_back(CallEvent::Lost(why)),
            Ok(_) | Err(_) => self.phase = Phase::Broken(why),
        }
    }
}

/// What comes for a call on other streams; never, where nothing can.
async fn crossed(crossing: &mut Option<mpsc::Receiver<CallEvent>>) -> CallEvent {
    match crossing {
        Some(receiver) => match receiver.recv().await {
            Some(event) => event,
            None => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}

/// The policy changed between its leave and its first byte.
pub(crate) fn taken_back() -> CallEvent {
    CallEvent::Done(Box::new(Outcome::refused(crate::gate::changed())))
}

/// An HTTP failure that is no JSON-RPC message, as the answer to the call.
fn http_failure(status: u16, text: &str) -> CallEvent {
    let hint = match status {
        401 | 403 => "; check the credentials in `headers` of this server",
        404 | 405 => "; check its `url`",
        _ => "",
    };
    let start: String = text.trim().chars().take(200).collect();
    let text = if start.is_empty() {
        format!("the server answered HTTP {status}{hint}")
    } else {
        format!("the server answered HTTP {status}: {start}{hint}")
    };
    let outcome = Outcome::refused(
        ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, text).with_data(jsonrpc::Raw::of(&serde_json::json!({"httpStatus": status}))),
    );
    CallEvent::Done(Box::new(outcome))
}
