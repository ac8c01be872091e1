//! Streamable HTTP towards clients: what one POST, GET or DELETE comes to.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use jsonrpc::{DecodeError, ErrorObject, Frame, Kind, Message};
use mcp::client::{Arrival, Input, Status, Target};
use mcp::error::{self, Stage};
use mcp::meta;
use mcp::revision::{Era, Revision};
use model::Ticket;

use super::streams::Streams;
use super::{Client, Delivery, Work};
use crate::front::{Answer, Credential, Events, InPost, Listen};
use crate::inner::Inner;
use crate::{exchange, listening};

/// Events of one answer that wait for the client.
const QUEUE: usize = 128;
/// After which an answer that is not there yet becomes a stream, so that keep-alives can flow.
const PATIENCE: Duration = Duration::from_secs(10);

/// Carries one POST out.
pub(crate) async fn post(inner: &Arc<Inner>, post: InPost) -> Answer {
    let frame = match jsonrpc::decode(post.body.clone(), &inner.limits()) {
        Ok(frame) => frame,
        Err(error) => return unreadable(&error),
    };
    match frame {
        Frame::One(message) => one(inner, post, message).await,
        Frame::Batch(messages) => Box::pin(super::batch::post(inner, &post, messages)).await,
    }
}

pub(super) fn unreadable(error: &DecodeError) -> Answer {
    let object = ErrorObject::new(error.code(), error.to_string());
    message(400, &Message::failure(error.id(), &object))
}

async fn one(inner: &Arc<Inner>, post: InPost, message: Message) -> Answer {
    let client = match client_of(inner, &post, &message) {
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
            Work::Hello(ticket, peer) => return Box::pin(hello(inner, &client, ticket, &peer)).await,
            Work::Request(ticket, request) => {
                let modern = request.peer.era() == Era::Modern;
                let run = run(client.clone(), ticket, request, modern);
                return race(client, ticket, run, modern, post.accepts_events).await;
            }
            Work::Listen(ticket, request) => {
                if !post.accepts_events {
                    let error = ErrorObject::invalid_request("`subscriptions/listen` needs `Accept: text/event-stream`");
                    return self::message(406, &Message::failure(request.message.id(), &error));
                }
                return stream_subscription(client, ticket, request);
            }
        }
    }
    let status = if kind == Kind::Request { 500 } else { 202 };
    Answer::Empty { status }
}

/// Whose POST it is: a session's, a new session's, or a modern request's own.
fn client_of(inner: &Arc<Inner>, post: &InPost, message: &Message) -> Result<Arc<Client>, Answer> {
    let fresh = || Client::new(inner, post.who.clone(), Delivery::Http(Streams::default()));
    let named = post.mirrors.revision.as_deref();
    let modern = named.is_some_and(is_modern) || meta::names_version(message);
    if modern && message.method() != Some("initialize") {
        return Ok(fresh());
    }
    if let Some(token) = &post.session {
        return session_of(inner, &post.who, token, named, message);
    }
    match message.method() {
        Some("initialize") if message.kind() == Kind::Request => {
            if inner.clients.sessions() >= inner.settings().max_sessions {
                let error = ErrorObject::new(
                    jsonrpc::code::INTERNAL_ERROR,
                    "too many sessions are open; end some or try again later",
                );
                return Err(self::message(503, &Message::failure(message.id(), &error)));
            }
            Ok(fresh())
        }
        // A ping needs nobody's session; the probe of a client of unknown era is told what a modern request carries.
        Some("ping" | "server/discover") => Ok(fresh()),
        _ => {
            let error = ErrorObject::invalid_request(
                "the `Mcp-Session-Id` header is missing: send `initialize` first and repeat the id it is answered with",
            );
            Err(self::message(400, &Message::failure(message.id(), &error)))
        }
    }
}

fn session_of(inner: &Arc<Inner>, who: &Credential, token: &str, revision: Option<&str>, message: &Message) -> Result<Arc<Client>, Answer> {
    let client = inner
        .clients
        .session(token, inner.uptime_ms())
        .filter(|client| client.belongs_to(who));
    let Some(client) = client else {
        let error = ErrorObject::invalid_request("this session is unknown or has ended: send `initialize` for a new one");
        return Err(self::message(404, &Message::failure(message.id(), &error)));
    };
    if let Some(text) = revision
        && Revision::parse(text).is_none()
    {
        let known: Vec<&str> = Revision::ALL.iter().map(|revision| revision.as_str()).collect();
        let error = ErrorObject::invalid_request(format!(
            "the protocol version `{text}` is not supported; use one of {}",
            known.join(", ")
        ));
        return Err(self::message(400, &Message::failure(message.id(), &error)));
    }
    Ok(client)
}

async fn hello(inner: &Arc<Inner>, client: &Arc<Client>, ticket: Ticket, peer: &Arc<mcp::exchange::Peer>) -> Answer {
    let offer = exchange::advertised(client, peer).await;
    let work = client.take(Input::Advertise(ticket, offer));
    let Some(answer) = work.into_iter().find_map(answer_of) else {
        return Answer::Empty { status: 202 };
    };
    if peer.era() == Era::Modern {
        return message(200, &answer);
    }
    let token: Arc<str> = inner.new_token().into();
    if let Delivery::Http(streams) = &client.delivery {
        streams.make_resumable();
    }
    drop(client.token.set(token.clone()));
    inner.clients.add(client);
    inner.clients.open_session(token.clone(), client.clone(), inner.uptime_ms());
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

/// One JSON message if the answer comes first, a stream if anything else does.
async fn race(client: Arc<Client>, ticket: Ticket, run: Running, modern: bool, may_stream: bool) -> Answer {
    let Delivery::Http(streams) = &client.delivery else {
        return Answer::Empty { status: 500 };
    };
    if may_stream {
        streams.attend(ticket);
    }
    let mut run = Attended {
        client: client.clone(),
        ticket,
        run: Some(run),
        modern,
    };
    tokio::select! {
        biased;
        answer = &mut run => {
            return match answer {
                // What came before the answer, and was not read yet, must not be lost: the answer ends a stream.
                Some(answer) if !streams.settle(ticket) => whole_stream(&client, ticket, answer),
                Some(answer) => reply(status_of(&answer, modern), &answer),
                // Cancelled by the client on another exchange: nobody expects an answer.
                None => {
                    streams.close(ticket);
                    Answer::Empty { status: 202 }
                }
            };
        }
        () = std::future::poll_fn(|cx| streams.poll_early(ticket, cx)), if may_stream => {}
        () = tokio::time::sleep(PATIENCE), if may_stream => {}
    }
    upgrade(&client, ticket, run, modern)
}

/// A stream that is complete already: what came early, and the answer.
fn whole_stream(client: &Arc<Client>, ticket: Ticket, answer: Message) -> Answer {
    let Delivery::Http(streams) = &client.delivery else {
        return Answer::Empty { status: 500 };
    };
    let (sender, events) = Events::channel(QUEUE);
    streams.upgrade(ticket, sender, is_primed(client));
    streams.send(Target::Answer(ticket), answer.into_bytes());
    Answer::Events { session: None, events }
}

/// 2025-11-25 basic/transports: a stream begins with an event that has an id and no data.
fn is_primed(client: &Client) -> bool {
    client.legacy_peer().is_some_and(|peer| peer.revision >= Revision::V2025_11_25)
}

/// Turns an answer into a stream, which is fed by a task of its own.
fn upgrade(client: &Arc<Client>, ticket: Ticket, mut run: Attended, modern: bool) -> Answer {
    let Delivery::Http(streams) = &client.delivery else {
        return Answer::Empty { status: 500 };
    };
    let (sender, events) = Events::channel(QUEUE);
    streams.upgrade(ticket, sender, is_primed(client));
    let client = client.clone();
    let inner = client.inner.clone();
    let gone = events.gone();
    inner.spawn(async move {
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

/// A request that somebody waits for. When the waiting ends early, a modern request is cancelled and a legacy one runs on
/// (2025-11-25 basic/transports: a disconnection is no cancellation).
struct Attended {
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
        // It had no stream yet, so nobody can come back for the answer; the call itself is not disturbed.
        self.client.inner.spawn(async move { drop(run.await) });
    }
}

/// Opens a subscription stream. From its first step to its end it is one task, so that a client that goes meanwhile leaves nothing behind.
fn stream_subscription(client: Arc<Client>, ticket: Ticket, request: Box<mcp::exchange::Request>) -> Answer {
    let Delivery::Http(streams) = &client.delivery else {
        return Answer::Empty { status: 500 };
    };
    let (sender, events) = Events::channel(QUEUE * 8);
    streams.open(ticket, sender);
    client.inner.clients.add(&client);
    let (gone, inner) = (events.gone(), client.inner.clone());
    inner.spawn(async move {
        let present = Present(client);
        tokio::select! {
            () = gone => {}
            () = listening::serve(&present.0, ticket, &request, present.0.ending()) => {}
        }
    });
    Answer::Events { session: None, events }
}

/// A client that is there for one stream: whatever ends that, it hangs up.
struct Present(Arc<Client>);

impl Drop for Present {
    fn drop(&mut self) {
        self.0.hang_up();
    }
}

/// Opens the stream of a session, or goes on with one.
pub(crate) fn listen(inner: &Arc<Inner>, listen: &Listen) -> Answer {
    if listen.revision.as_deref().is_some_and(is_modern) {
        return Answer::Empty { status: 405 };
    }
    let Some(token) = &listen.session else {
        return Answer::Empty { status: 405 };
    };
    let client = inner
        .clients
        .session(token, inner.uptime_ms())
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
pub(crate) fn delete(inner: &Arc<Inner>, who: &Credential, token: &str) -> Answer {
    let known = inner
        .clients
        .session(token, inner.uptime_ms())
        .is_some_and(|client| client.belongs_to(who));
    if !known {
        return Answer::Empty { status: 404 };
    }
    if let Some(client) = inner.clients.close_session(token) {
        client.hang_up();
    }
    Answer::Empty { status: 204 }
}

fn is_modern(text: &str) -> bool {
    Revision::parse(text).map_or_else(
        || text > Revision::LATEST_LEGACY.as_str() && text.starts_with("20"),
        Revision::is_modern,
    )
}

/// The HTTP status of an answer: the legacy era has one, the modern era shows some errors.
fn status_of(answer: &Message, modern: bool) -> u16 {
    let error = if modern { answer.error_raw() } else { None };
    error
        .as_ref()
        .and_then(ErrorObject::parse)
        .map_or(200, |error| error::http_status(&error, Stage::Answer))
}

fn reply(status: u16, message: &Message) -> Answer {
    Answer::Message {
        status,
        session: None,
        body: message.bytes().clone(),
    }
}

pub(super) fn message(status: u16, message: &Message) -> Answer {
    reply(status, message)
}
