//! The exchange of a call over HTTP: the task that waits for the call's events drives it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use guard::SendPermit;
use jsonrpc::ErrorObject;
use mcp::exchange::Outcome;
use mcp::revision::Era;
use mcp::server::Outgoing;
use model::{Ticket, Trace};
use tokio::sync::mpsc;

use crate::link::{BoxFuture, EventStream, Link, LinkError, OutPost, Reply, ReplyBody};
use crate::session::{Session, withdrawn};
use crate::waiter::CallEvent;

/// The number of reconnections of one answer's stream at most.
const MAX_RESUMES: u32 = 5;

/// The exchange of one call over HTTP.
pub(crate) struct Exchange {
    queue: VecDeque<CallEvent>,
    phase: Phase,
    trace: Trace,
    permit: Option<SendPermit>,
    last_event: Option<String>,
    retry: Duration,
    resumes: u32,
    /// The call's messages on other streams, where the task that drives the call must take them.
    crossing: Option<mpsc::Receiver<CallEvent>>,
}

enum Phase {
    Unsent(Outgoing),
    Sending(BoxFuture<'static, Result<Reply, LinkError>>),
    Streaming(EventStream),
    Broken(String),
    Ended,
}

impl Exchange {
    pub(crate) fn new(outgoing: Outgoing, trace: &Trace, permit: &SendPermit, crossing: Option<mpsc::Receiver<CallEvent>>) -> Self {
        Self {
            crossing,
            permit: Some(permit.clone()),
            queue: VecDeque::new(),
            phase: Phase::Unsent(outgoing),
            trace: trace.clone(),
            last_event: None,
            retry: Duration::from_secs(1),
            resumes: 0,
        }
    }

    pub(crate) async fn next(&mut self, session: &Arc<Session>, ticket: Ticket) -> CallEvent {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return event;
            }
            match std::mem::replace(&mut self.phase, Phase::Ended) {
                Phase::Unsent(outgoing) => self.send(session, ticket, outgoing).await,
                Phase::Sending(sending) => self.wait(session, ticket, sending).await,
                Phase::Streaming(stream) => self.follow(session, ticket, stream).await,
                Phase::Broken(why) => Box::pin(self.resume(session, why)).await,
                Phase::Ended => return CallEvent::Lost("the server ended its answer without a result".to_owned()),
            }
        }
    }

    async fn send(&mut self, session: &Arc<Session>, ticket: Ticket, outgoing: Outgoing) {
        let Some(Link::Http(link)) = session.link.get() else { return };
        let post = OutPost {
            permit: self.permit.take(),
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

    /// Waits for the reply, and in the meantime takes messages on other streams.
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
            Err(LinkError::Withdrawn) => self.queue.push_back(withdrawn()),
            Err(error) => self.queue.push_back(CallEvent::Lost(error.to_string())),
        }
    }

    fn take(&mut self, session: &Arc<Session>, ticket: Ticket, reply: Reply) {
        if let Some(token) = reply.session.filter(|_| session.ready().is_none()) {
            drop(session.token.set(token.into()));
        }
        match reply.body {
            _ if reply.status == 404 && session.token.get().is_some() => self.queue.push_back(CallEvent::SessionGone),
            ReplyBody::Json(bytes) => self.receive(session, ticket, bytes, reply.status),
            ReplyBody::Events(stream) => self.phase = Phase::Streaming(stream),
            ReplyBody::Other(text) => self.queue.push_back(http_failure(reply.status, &text)),
        }
    }

    fn receive(&mut self, session: &Arc<Session>, ticket: Ticket, bytes: Bytes, status: u16) {
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
                    .any(|event| matches!(event, CallEvent::Done(_) | CallEvent::Greeted(_) | CallEvent::Lost(_)));
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
    async fn resume(&mut self, session: &Arc<Session>, why: String) {
        let (Some(Link::Http(link)), Some(last_event)) = (session.link.get(), self.last_event.clone()) else {
            return self.queue.push_back(CallEvent::Lost(why));
        };
        if self.resumes >= MAX_RESUMES || session.era() == Era::Modern {
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

/// Waits for a call's message on another stream; for ever, where none can come.
async fn crossed(crossing: &mut Option<mpsc::Receiver<CallEvent>>) -> CallEvent {
    match crossing {
        Some(receiver) => match receiver.recv().await {
            Some(event) => event,
            None => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}

/// Turns an HTTP failure that is no JSON-RPC message into the answer to the call.
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
