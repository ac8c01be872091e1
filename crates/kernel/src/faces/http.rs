//! Streamable HTTP towards clients: handles one POST, GET or DELETE.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use jsonrpc::{ErrorObject, Frame, Kind, Message};
use mcp::client::{Arrival, Input, Status, Target};
use mcp::meta;
use mcp::revision::{Era, Revision};
use model::Ticket;

use super::client::{Client, Delivery, Work};
use super::reply::{self, reply, status_of, unreadable};
use super::room::Faces;
use super::streams::Streams;
use super::{batch, listening};
use crate::front::{Answer, Credential, Events, InPost, Listen};

/// The number of one answer's events that may wait for the client.
const QUEUE: usize = 128;
/// The time after which an answer that is not there yet becomes a stream, so that keep-alives can be sent.
const PATIENCE: Duration = Duration::from_secs(10);

/// Handles one POST.
pub(crate) async fn post(room: &Arc<Faces>, post: InPost) -> Answer {
    let frame = match jsonrpc::decode(post.body.clone(), &room.limits()) {
        Ok(frame) => frame,
        Err(error) => return unreadable(&error),
    };
    match frame {
        Frame::One(message) => one(room, post, message).await,
        Frame::Batch(messages) => Box::pin(batch::post(room, &post, messages)).await,
    }
}

async fn one(room: &Arc<Faces>, post: InPost, message: Message) -> Answer {
    let client = match client_of(room, &post, &message) {
        Ok(client) => client,
        Err(answer) => return answer,
    };
    let arrival = Arrival {
        mirrors: Some(post.mirrors),
        trace: post.trace,
    };
    let kind = message.kind();
    let work = client.take(Input::Message(message, arrival));
    for item in work {
        match item {
            Work::Send(message, Target::Reply(Status(status))) => return reply(status, &message),
            Work::Send(..) => {}
            Work::Hello(ticket, peer) => return Box::pin(hello(room, &client, ticket, &peer)).await,
            Work::Request(ticket, request) => {
                let modern = request.peer.era() == Era::Modern;
                let run = run(client.clone(), ticket, request, modern);
                return race(room, client, ticket, run, modern, post.accepts_events).await;
            }
            Work::Listen(ticket, request) => {
                if !post.accepts_events {
                    let error = ErrorObject::invalid_request("`subscriptions/listen` needs `Accept: text/event-stream`");
                    return reply::message(406, &Message::failure(request.message.id(), &error));
                }
                return stream_subscription(room, client, ticket, request);
            }
        }
    }
    let status = if kind == Kind::Request { 500 } else { 202 };
    Answer::Empty { status }
}

/// Returns the client of a POST: that of a session, of a new session, or one for a single modern request.
fn client_of(room: &Arc<Faces>, post: &InPost, message: &Message) -> Result<Arc<Client>, Answer> {
    let fresh = || {
        let number = room.calls.next_number();
        Client::new(&room.calls, number, post.who.clone(), Delivery::Http(Streams::default()))
    };
    let named = post.mirrors.revision.as_deref();
    let modern = named.is_some_and(is_modern) || meta::names_version(message);
    if modern && message.method() != Some("initialize") {
        return Ok(fresh());
    }
    if let Some(token) = &post.session {
        return session_of(room, &post.who, token, named, message);
    }
    match message.method() {
        Some("initialize") if message.kind() == Kind::Request => {
            if room.clients.sessions() >= room.settings.load().max_sessions {
                let error = ErrorObject::new(
                    jsonrpc::code::INTERNAL_ERROR,
                    "too many sessions are open; end some or try again later",
                );
                return Err(reply::message(503, &Message::failure(message.id(), &error)));
            }
            Ok(fresh())
        }
        // A ping needs no session; the probe of a client of unknown era is answered with what a modern request has to contain.
        Some("ping" | "server/discover") => Ok(fresh()),
        _ => {
            let error = ErrorObject::invalid_request(
                "the `Mcp-Session-Id` header is missing: send `initialize` first and repeat the id it is answered with",
            );
            Err(reply::message(400, &Message::failure(message.id(), &error)))
        }
    }
}

fn session_of(room: &Arc<Faces>, who: &Credential, token: &str, revision: Option<&str>, message: &Message) -> Result<Arc<Client>, Answer> {
    let client = room
        .clients
        .session(token, room.runtime.uptime_ms())
        .filter(|client| client.belongs_to(who));
    let Some(client) = client else {
        let error = ErrorObject::invalid_request("this session is unknown or has ended: send `initialize` for a new one");
        return Err(reply::message(404, &Message::failure(message.id(), &error)));
    };
    if let Some(text) = revision
        && Revision::parse(text).is_none()
    {
        let known: Vec<&str> = Revision::ALL.iter().map(|revision| revision.as_str()).collect();
        let error = ErrorObject::invalid_request(format!(
            "the protocol version `{text}` is not supported; use one of {}",
            known.join(", ")
        ));
        return Err(reply::message(400, &Message::failure(message.id(), &error)));
    }
    Ok(client)
}

async fn hello(room: &Arc<Faces>, client: &Arc<Client>, ticket: Ticket, peer: &Arc<mcp::exchange::Peer>) -> Answer {
    let offer = client.calls.advertised(&client.caller, peer).await;
    let work = client.take(Input::Advertise(ticket, offer));
    let Some(answer) = work.into_iter().find_map(answer_of) else {
        return Answer::Empty { status: 202 };
    };
    if peer.era() == Era::Modern {
        return reply::message(200, &answer);
    }
    let token: Arc<str> = runtime::token().into();
    if let Delivery::Http(streams) = &client.delivery {
        streams.make_resumable();
    }
    drop(client.token.set(token.clone()));
    room.clients.add(client);
    room.clients.open_session(token.clone(), client.clone(), room.runtime.uptime_ms());
    Answer::Message {
        status: 200,
        session: Some(token),
        body: answer.into_bytes(),
    }
}

fn answer_of(work: Work) -> Option<Message> {
    match work {
        Work::Send(message, Target::Answer(_)) => Some(message),
        _ => None,
    }
}

type Running = Pin<Box<dyn Future<Output = Option<Message>> + Send>>;

fn run(client: Arc<Client>, ticket: Ticket, request: Box<mcp::exchange::Request>, modern: bool) -> Running {
    Box::pin(async move {
        let work = match modern {
            true => client.carry_out_alone(ticket, request).await,
            false => client.carry_out(ticket, request).await,
        };
        work.into_iter().find_map(answer_of)
    })
}

/// Waits for the first event of a request: returns one JSON message if that is the answer, else a stream.
async fn race(room: &Arc<Faces>, client: Arc<Client>, ticket: Ticket, run: Running, modern: bool, may_stream: bool) -> Answer {
    let Delivery::Http(streams) = &client.delivery else {
        return Answer::Empty { status: 500 };
    };
    if may_stream {
        streams.attend(ticket);
    }
    let mut run = Attended {
        room: room.clone(),
        client: client.clone(),
        ticket,
        run: Some(run),
        modern,
    };
    tokio::select! {
        biased;
        answer = &mut run => {
            return match answer {
                // Messages that came before the answer and were not read yet must not be lost, so the answer ends a stream.
                Some(answer) if !streams.settle(ticket) => whole_stream(&client, ticket, answer),
                Some(answer) => reply(status_of(&answer, modern), &answer),
                // The client has cancelled the request on another exchange, and expects no answer.
                None => {
                    streams.close(ticket);
                    Answer::Empty { status: 202 }
                }
            };
        }
        () = std::future::poll_fn(|cx| streams.poll_early(ticket, cx)), if may_stream => {}
        () = tokio::time::sleep(PATIENCE), if may_stream => {}
    }
    upgrade(room, &client, ticket, run, modern)
}

/// Returns a stream that is complete already: the early messages, and the answer.
fn whole_stream(client: &Arc<Client>, ticket: Ticket, answer: Message) -> Answer {
    let Delivery::Http(streams) = &client.delivery else {
        return Answer::Empty { status: 500 };
    };
    let (sender, events) = Events::channel(QUEUE);
    streams.upgrade(ticket, sender, is_primed(client));
    streams.send(Target::Answer(ticket), answer.into_bytes());
    Answer::Events { session: None, events }
}

/// Returns whether a client's streams begin with an event that has an id and no data (2025-11-25 basic/transports).
fn is_primed(client: &Client) -> bool {
    client.legacy_peer().is_some_and(|peer| peer.revision >= Revision::V2025_11_25)
}

/// Turns an answer into a stream, which is fed by a task of its own.
fn upgrade(room: &Faces, client: &Arc<Client>, ticket: Ticket, mut run: Attended, modern: bool) -> Answer {
    let Delivery::Http(streams) = &client.delivery else {
        return Answer::Empty { status: 500 };
    };
    let (sender, events) = Events::channel(QUEUE);
    streams.upgrade(ticket, sender, is_primed(client));
    let client = client.clone();
    let gone = events.gone();
    room.runtime.spawn(async move {
        let answer = if modern {
            // 2026-07-28 basic/patterns/cancellation: closing the stream is the cancellation.
            tokio::select! {
                answer = &mut run => answer,
                () = gone => return,
            }
        } else {
            (&mut run).await
        };
        let Delivery::Http(streams) = &client.delivery else { return };
        match answer {
            Some(answer) => drop(streams.send(Target::Answer(ticket), answer.into_bytes())),
            None => streams.close(ticket),
        }
    });
    Answer::Events { session: None, events }
}

/// A request whose exchange waits for it. When the waiting ends early, a modern request is cancelled and a legacy one runs on
/// (2025-11-25 basic/transports: a disconnection is no cancellation).
struct Attended {
    room: Arc<Faces>,
    client: Arc<Client>,
    ticket: Ticket,
    run: Option<Running>,
    modern: bool,
}

impl Future for Attended {
    type Output = Option<Message>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.run {
            Some(run) => {
                let answer = std::task::ready!(run.as_mut().poll(cx));
                self.run = None;
                Poll::Ready(answer)
            }
            None => Poll::Ready(None),
        }
    }
}

impl Drop for Attended {
    fn drop(&mut self) {
        let Some(run) = self.run.take() else { return };
        if self.modern {
            drop(run);
            return self.client.abandon(self.ticket);
        }
        if let Delivery::Http(streams) = &self.client.delivery {
            streams.close(self.ticket);
        }
        // The request had no stream yet, so its client cannot return for the answer; the call itself continues.
        self.room.runtime.spawn(async move { drop(run.await) });
    }
}

/// Opens a subscription stream. One task runs it from its first step to its end, so that a client that disconnects in the meantime leaves nothing
/// behind.
fn stream_subscription(room: &Arc<Faces>, client: Arc<Client>, ticket: Ticket, request: Box<mcp::exchange::Request>) -> Answer {
    let Delivery::Http(streams) = &client.delivery else {
        return Answer::Empty { status: 500 };
    };
    let (sender, events) = Events::channel(QUEUE * 8);
    streams.open(ticket, sender);
    room.clients.add(&client);
    let (gone, present) = (events.gone(), Present(room.clone(), client));
    room.runtime.spawn(async move {
        let Present(_, client) = &present;
        tokio::select! {
            () = gone => {}
            () = listening::serve(client, ticket, &request, client.ending()) => {}
        }
    });
    Answer::Events { session: None, events }
}

/// A client that exists for one stream: it is ended when the stream ends for any reason.
struct Present(Arc<Faces>, Arc<Client>);

impl Drop for Present {
    fn drop(&mut self) {
        let Self(room, client) = self;
        room.clients.hang_up(client);
    }
}

/// Opens the stream of a session, or resumes one.
pub(crate) fn listen(room: &Faces, listen: &Listen) -> Answer {
    if listen.revision.as_deref().is_some_and(is_modern) {
        return Answer::Empty { status: 405 };
    }
    let Some(token) = &listen.session else {
        return Answer::Empty { status: 405 };
    };
    let client = room
        .clients
        .session(token, room.runtime.uptime_ms())
        .filter(|client| client.belongs_to(&listen.who));
    let Some(client) = client else {
        return Answer::Empty { status: 404 };
    };
    let Delivery::Http(streams) = &client.delivery else {
        return Answer::Empty { status: 405 };
    };
    let (sender, events) = Events::channel(QUEUE * 8);
    let opened = match &listen.last_event {
        Some(last_event) => streams.resume(last_event, sender.clone()) || streams.open_session(sender),
        None => streams.open_session(sender),
    };
    if opened {
        Answer::Events { session: None, events }
    } else {
        Answer::Empty { status: 409 }
    }
}

/// Ends a session.
pub(crate) fn delete(room: &Faces, who: &Credential, token: &str) -> Answer {
    let known = room
        .clients
        .session(token, room.runtime.uptime_ms())
        .is_some_and(|client| client.belongs_to(who));
    if !known {
        return Answer::Empty { status: 404 };
    }
    if let Some(client) = room.clients.close_session(token) {
        room.clients.hang_up(&client);
    }
    Answer::Empty { status: 204 }
}

fn is_modern(text: &str) -> bool {
    Revision::parse(text).map_or_else(
        || text > Revision::LATEST_LEGACY.as_str() && text.starts_with("20"),
        Revision::is_modern,
    )
}
