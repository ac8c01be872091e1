//! HTTP in memory: each exchange waits for the line of the transcript that answers it.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use upstream::link::{BoxFuture, Event, EventSource, EventStream, HttpLink, LinkError, OutPost, Reply, ReplyBody};

use crate::said;
use crate::server_side::{listed, shaken};

type Replied = Result<Reply, LinkError>;

/// Every exchange that was begun, in order; the transcript calls the first one x1.
#[derive(Clone, Default)]
pub(crate) struct Exchanges(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    exchanges: Vec<Exchange>,
    /// What the gateway did since the last time.
    seen: Vec<String>,
}

struct Exchange {
    /// The request that was POSTed; null for a stream of a session.
    request: Value,
    reply: Option<oneshot::Sender<Replied>>,
    stream: Stream,
}

/// The stream of an exchange that is answered with one.
#[derive(Clone, Default)]
struct Stream(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    events: VecDeque<Option<Result<Event, LinkError>>>,
    reader: Option<Waker>,
}

/// A connection over HTTP.
pub(crate) struct Http(pub(crate) Exchanges);

impl Exchanges {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what the gateway did since the last time.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.state().seen)
    }

    /// Begins an exchange; its number and the future of its reply.
    fn begin(&self, request: Value, shown: &str) -> (usize, oneshot::Receiver<Replied>) {
        let (reply, replied) = oneshot::channel();
        let mut state = self.state();
        state.exchanges.push(Exchange {
            request,
            reply: Some(reply),
            stream: Stream::default(),
        });
        let number = state.exchanges.len();
        state.seen.push(format!("x{number} {shown}"));
        (number, replied)
    }

    async fn replied(&self, number: usize, reply: oneshot::Receiver<Replied>) -> Replied {
        let mut end = Dropped {
            exchanges: self.clone(),
            number,
            is_over: false,
        };
        let reply = reply
            .await
            .unwrap_or_else(|_| Err(LinkError::Unreachable("the transcript has ended".to_owned())));
        end.is_over = true;
        reply
    }

    /// Carries out what a server does with an exchange.
    pub(crate) fn act(&self, number: usize, words: &[&str], json: &str) {
        let value = || serde_json::from_str::<Value>(json).expect("good JSON");
        let request = self.state().exchanges[number - 1].request.clone();
        let result = |result: Value| json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
        let plain = |status, text: &str| reply(status, None, ReplyBody::Other(text.to_owned()));
        match words {
            ["greets", "session", session] => {
                let greeting = result(shaken(&request["method"], &[]));
                self.reply(number, reply(200, Some(session), body(&greeting)));
            }
            ["greets"] => self.reply(number, reply(200, None, body(&result(shaken(&request["method"], &[]))))),
            ["lists", tools @ ..] => self.reply(number, reply(200, None, body(&result(listed(tools))))),
            ["answers"] => self.reply(number, reply(200, None, body(&result(value())))),
            ["refuses", text @ ..] => {
                let error = json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": text.join(" ")}});
                self.reply(number, reply(200, None, body(&error)));
            }
            ["streams"] => self.stream(number, None),
            ["says"] => self.event(number, Some(Ok(event(None, json)))),
            ["says", "as", id] => self.event(number, Some(Ok(event(Some(id), json)))),
            ["ends"] => self.event(number, None),
            ["breaks"] => {
                let broken = || LinkError::Broken("the connection was reset".to_owned());
                let waits = self.state().exchanges[number - 1].reply.is_some();
                match waits {
                    true => self.reply(number, Err(broken())),
                    false => self.event(number, Some(Err(broken()))),
                }
            }
            ["is", "not", "reached"] => self.reply(number, Err(LinkError::Unreachable("connection refused".to_owned()))),
            ["fails", status, text @ ..] => self.reply(number, plain(status.parse().expect("a status"), &text.join(" "))),
            _ => panic!("no exchange {words:?}"),
        }
    }

    fn reply(&self, number: usize, replied: Replied) {
        let reply = self.state().exchanges[number - 1].reply.take();
        drop(reply.expect("the exchange waits for its reply").send(replied));
    }

    fn stream(&self, number: usize, session: Option<&str>) {
        let source = Source {
            exchanges: self.clone(),
            number,
            stream: self.state().exchanges[number - 1].stream.clone(),
            is_over: false,
        };
        self.reply(number, reply(200, session, ReplyBody::Events(EventStream::new(Box::new(source)))));
    }

    fn event(&self, number: usize, event: Option<Result<Event, LinkError>>) {
        let stream = self.state().exchanges[number - 1].stream.clone();
        let mut queue = stream.queue();
        queue.events.push_back(event);
        if let Some(reader) = queue.reader.take() {
            reader.wake();
        }
    }
}

fn reply(status: u16, session: Option<&str>, body: ReplyBody) -> Replied {
    Ok(Reply {
        status,
        session: session.map(str::to_owned),
        body,
    })
}

fn body(message: &Value) -> ReplyBody {
    ReplyBody::Json(message.to_string().into_bytes().into())
}

fn event(id: Option<&str>, data: &str) -> Event {
    Event {
        id: id.map(str::to_owned),
        data: Bytes::copy_from_slice(data.as_bytes()),
        retry: None,
    }
}

fn in_session(session: Option<&str>) -> String {
    session.map_or_else(String::new, |session| format!(" in session {session}"))
}

impl HttpLink for Http {
    fn post(&self, post: OutPost) -> BoxFuture<'_, Replied> {
        Box::pin(async move {
            // The last check of the permit.
            let in_flight = post.permit.as_ref().map(guard::SendPermit::begin);
            if matches!(in_flight, Some(None)) {
                self.0
                    .state()
                    .seen
                    .push("a message is not sent, its permit was withdrawn".to_owned());
                return Err(LinkError::Withdrawn);
            }
            drop(in_flight);
            let shown = format!("POST{} {}", in_session(post.session.as_deref()), said::message(&post.body));
            let message: Value = serde_json::from_slice(&post.body).expect("a message is JSON");
            if message.get("id").is_none() || message.get("method").is_none() {
                // Notifications and answers are accepted at once.
                self.0.state().seen.push(shown);
                return reply(202, None, ReplyBody::Other(String::new()));
            }
            let (number, replied) = self.0.begin(message, &shown);
            self.0.replied(number, replied).await
        })
    }

    fn listen(&self, session: Option<&str>, _: &str, last_event: Option<&str>) -> BoxFuture<'_, Replied> {
        let after = last_event.map_or_else(String::new, |last| format!(" after {last}"));
        let shown = format!("GET{}{after}", in_session(session));
        Box::pin(async move {
            let (number, replied) = self.0.begin(Value::Null, &shown);
            self.0.replied(number, replied).await
        })
    }

    fn delete(&self, session: &str, _: &str) -> BoxFuture<'_, ()> {
        self.0.state().seen.push(format!("DELETE{}", in_session(Some(session))));
        Box::pin(std::future::ready(()))
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Http")
    }
}

/// Notes that the gateway drops an exchange before its reply.
struct Dropped {
    exchanges: Exchanges,
    number: usize,
    is_over: bool,
}

impl Drop for Dropped {
    fn drop(&mut self) {
        if !self.is_over {
            self.exchanges.state().seen.push(format!("x{} is dropped", self.number));
        }
    }
}

/// The gateway's end of a stream.
struct Source {
    exchanges: Exchanges,
    number: usize,
    stream: Stream,
    is_over: bool,
}

impl Stream {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSource for Source {
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Event, LinkError>>> {
        let mut queue = self.stream.queue();
        match queue.events.pop_front() {
            Some(event) => {
                self.is_over = !matches!(event, Some(Ok(_)));
                Poll::Ready(event)
            }
            None => {
                queue.reader = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        if !self.is_over {
            self.exchanges.state().seen.push(format!("x{} is closed", self.number));
        }
    }
}
