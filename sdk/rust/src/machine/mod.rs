//! One connection as a machine: messages in, messages and work out. It has no socket, no clock and no task of its own.
//!
//! Law: after every `handle`, drain `poll` until it returns `None`. Every request is answered once, on the exchange it came with.

mod calls;
mod changes;
mod facts;
mod find;
mod interface;
mod legacy;
mod lists;
mod modern;
mod task_methods;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use jsonrpc::{DecodeError, ErrorObject, Frame, Id, InFlight, Kind, Message, Pending, Raw, code};
use serde_json::Value;

use crate::args::Args;
use crate::core::Core;
use crate::era::{BATCHING, Era};
use crate::error::Error;
use crate::keys;
use crate::known::Known;
use crate::level::Level;
pub(crate) use facts::Facts;
pub(crate) use interface::{CallEvent, CallId, ExchangeId, Input, Lane, Output, Reply, Route, Verdict, Work, WorkKind};

/// How many requests of one connection may be in progress at once.
const MAX_CALLS: usize = 256;
/// How many questions to one client may be open at once.
const MAX_QUESTIONS: usize = 256;
/// How many resources one client may subscribe to.
const MAX_SUBSCRIPTIONS: usize = 1024;

#[derive(Debug)]
struct Exchange {
    /// How many of its requests are not answered yet.
    open: usize,
    /// The answers so far, if they were asked in a batch.
    batch: Option<Vec<Message>>,
}

/// A request that is being worked on.
#[derive(Debug)]
struct Call {
    id: Id,
    exchange: ExchangeId,
    facts: Arc<Facts>,
    is_tool: bool,
    /// The data that binds a `requestState` to this request; `None` where questions are not allowed.
    identity: Option<Vec<u8>>,
}

/// An open question to a legacy client.
#[derive(Debug)]
enum Waiter {
    Call(CallId, Reply),
    Task { id: String, key: String },
}

/// An open `subscriptions/listen`.
#[derive(Debug)]
struct Listen {
    id: Id,
    exchange: ExchangeId,
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: HashSet<String>,
    tasks: HashSet<String>,
    extensions: HashSet<String>,
}

/// A legacy session after `initialize`.
#[derive(Debug)]
struct Session {
    revision: &'static str,
    capabilities: Value,
    client: Value,
    initialized: bool,
    level: Level,
    subscriptions: HashSet<String>,
}

/// The machine of one connection; see the module.
#[derive(Debug)]
pub(crate) struct Machine {
    core: Arc<Core>,
    lane: Lane,
    /// The number of this machine among the server's; it owns legacy tasks.
    me: u64,
    session: Option<Session>,
    exchanges: HashMap<ExchangeId, Exchange>,
    calls: HashMap<CallId, Call>,
    by_id: InFlight<CallId>,
    questions: Pending<Waiter>,
    listens: Vec<Listen>,
    /// Legacy `tasks/result` requests that wait for their task.
    parked: Vec<(CallId, String)>,
    outbox: VecDeque<Output>,
    next_call: CallId,
    /// Whether the client no longer accepts questions.
    closing: bool,
}

impl Machine {
    pub(crate) fn new(core: Arc<Core>, lane: Lane) -> Self {
        Self {
            me: core.next_machine(),
            core,
            lane,
            session: None,
            exchanges: HashMap::new(),
            calls: HashMap::new(),
            by_id: InFlight::new(MAX_CALLS),
            questions: Pending::new(MAX_QUESTIONS),
            listens: Vec::new(),
            parked: Vec::new(),
            outbox: VecDeque::new(),
            next_call: 1,
            closing: false,
        }
    }

    pub(crate) fn handle(&mut self, input: Input) {
        match input {
            Input::Frame(exchange, frame) => self.frame(exchange, frame),
            Input::Hangup(exchange) => self.hang_up(exchange),
            Input::Call(call, event) => self.call_event(call, event),
            Input::Change(change) => self.change(&change),
            Input::Close => self.close(),
        }
    }

    pub(crate) fn poll(&mut self) -> Option<Output> {
        self.outbox.pop_front()
    }

    /// Returns whether no request and no subscription is open.
    pub(crate) fn is_idle(&self) -> bool {
        self.exchanges.is_empty()
    }

    /// Returns the owner of the legacy tasks that this machine's client created.
    pub(crate) fn me(&self) -> u64 {
        self.me
    }

    /// Returns the revision of the legacy session, once there is one.
    pub(crate) fn revision(&self) -> Option<&'static str> {
        self.session.as_ref().map(|session| session.revision)
    }

    fn frame(&mut self, exchange: ExchangeId, frame: std::result::Result<Frame, DecodeError>) {
        match frame {
            Ok(Frame::One(message)) => {
                let open = usize::from(message.kind() == Kind::Request);
                self.exchanges.insert(exchange, Exchange { open, batch: None });
                self.message(exchange, &message);
                self.settle(exchange, open);
            }
            Ok(Frame::Batch(messages)) if self.batches() => self.batch(exchange, messages),
            Ok(Frame::Batch(_)) => {
                self.refuse(
                    exchange,
                    None,
                    &ErrorObject::invalid_request("batches belong to revision 2025-03-26 alone; send one message at a time"),
                );
            }
            Err(error) => self.refuse(exchange, error.id(), &ErrorObject::from(&error)),
        }
    }

    fn batches(&self) -> bool {
        self.revision() == Some(BATCHING)
    }

    fn batch(&mut self, exchange: ExchangeId, messages: Vec<std::result::Result<Message, DecodeError>>) {
        let asks = |message: &std::result::Result<Message, DecodeError>| message.as_ref().map_or(true, |one| one.kind() == Kind::Request);
        let open = messages.iter().filter(|message| asks(message)).count();
        self.exchanges.insert(
            exchange,
            Exchange {
                open,
                batch: Some(Vec::new()),
            },
        );
        for message in messages {
            match message {
                Ok(message) => self.message(exchange, &message),
                Err(error) => self.reply(
                    exchange,
                    Message::failure(error.id(), &ErrorObject::from(&error)),
                    Verdict::BadRequest,
                ),
            }
        }
        self.settle(exchange, open);
    }

    /// Ends a frame in which there was no request.
    fn settle(&mut self, exchange: ExchangeId, asked: usize) {
        if asked == 0 && self.exchanges.remove(&exchange).is_some() {
            self.outbox.push_back(Output::Finish(exchange));
        }
    }

    fn refuse(&mut self, exchange: ExchangeId, id: Option<&Id>, error: &ErrorObject) {
        let bytes = Message::failure(id, error).into_bytes();
        let verdict = Verdict::BadRequest;
        self.outbox.push_back(Output::Send {
            route: Route::Exchange(exchange),
            bytes,
            verdict,
            last: true,
        });
    }

    fn message(&mut self, exchange: ExchangeId, message: &Message) {
        match message.kind() {
            Kind::Request => self.request(exchange, message),
            Kind::Notification => self.notification(message),
            Kind::Response => self.response(message),
        }
    }

    fn request(&mut self, exchange: ExchangeId, message: &Message) {
        let (Some(id), Some(method)) = (message.id().cloned(), message.method().map(str::to_owned)) else {
            return;
        };
        if self.by_id.get(&id).is_some() {
            let error = ErrorObject::invalid_request("a request with this id is still being worked on");
            return self.reply(exchange, Message::failure(Some(&id), &error), Verdict::BadRequest);
        }
        let request = Request {
            exchange,
            id,
            method,
            params: message.params().unwrap_or_else(Raw::object_empty),
        };
        let modern = match self.lane {
            Lane::ModernHttp => true,
            Lane::LegacyHttp => false,
            Lane::Stdio => self.speaks_modern(&request),
        };
        if modern { self.modern(request) } else { self.legacy(request) }
    }

    /// Returns whether a request is modern: its `_meta` shows it, or its method exists only there (2026-07-28
    /// basic/versioning).
    fn speaks_modern(&self, request: &Request) -> bool {
        let shows = || matches!(&*request.method, "server/discover" | "subscriptions/listen") || request.meta(keys::REVISION).is_some();
        match self.core.eras {
            crate::Eras::Modern => true,
            crate::Eras::Legacy => false,
            crate::Eras::Both => shows(),
        }
    }

    fn notification(&mut self, message: &Message) {
        let params = message.params().unwrap_or_else(Raw::object_empty);
        match message.method().unwrap_or_default() {
            "notifications/cancelled" => self.cancelled_by_client(&params),
            "notifications/initialized" => {
                if let Some(session) = &mut self.session {
                    session.initialized = true;
                }
            }
            method => self.custom_notification(method, &params),
        }
    }

    fn custom_notification(&mut self, method: &str, params: &Raw) {
        let Some(handler) = self.core.notifications.get(method).cloned() else {
            return;
        };
        let facts = Arc::new(
            self.session
                .as_ref()
                .map_or_else(|| Facts::modern_notification(params), |session| session.facts(params)),
        );
        let call = self.next_call();
        let args = args(params);
        self.outbox.push_back(Output::Start(
            call,
            Work {
                handler,
                args,
                facts,
                known: Known::default(),
                kind: WorkKind::Notification,
            },
        ));
    }

    fn next_call(&mut self) -> CallId {
        self.next_call += 1;
        self.next_call
    }

    /// Answers one request of an exchange.
    fn reply(&mut self, exchange: ExchangeId, message: Message, verdict: Verdict) {
        let Some(state) = self.exchanges.get_mut(&exchange) else { return };
        state.open = state.open.saturating_sub(1);
        let last = state.open == 0;
        let bytes = match &mut state.batch {
            None => message.into_bytes(),
            Some(answers) => {
                answers.push(message);
                if !last {
                    return;
                }
                join(answers)
            }
        };
        let verdict = if state.batch.is_some() { Verdict::Fine } else { verdict };
        if last {
            self.exchanges.remove(&exchange);
        }
        self.outbox.push_back(Output::Send {
            route: Route::Exchange(exchange),
            bytes,
            verdict,
            last,
        });
    }

    /// Drops a request that will not be answered (it was cancelled).
    fn forget(&mut self, exchange: ExchangeId) {
        let Some(state) = self.exchanges.get_mut(&exchange) else { return };
        state.open = state.open.saturating_sub(1);
        if state.open > 0 {
            return;
        }
        let answers = self.exchanges.remove(&exchange).and_then(|state| state.batch).unwrap_or_default();
        if answers.is_empty() {
            self.outbox.push_back(Output::Finish(exchange));
        } else {
            let bytes = join(&answers);
            self.outbox.push_back(Output::Send {
                route: Route::Exchange(exchange),
                bytes,
                verdict: Verdict::Fine,
                last: true,
            });
        }
    }

    fn send(&mut self, route: Route, message: Message) {
        self.outbox.push_back(Output::Send {
            route,
            bytes: message.into_bytes(),
            verdict: Verdict::Fine,
            last: false,
        });
    }

    fn answer(&mut self, request: &Request, outcome: std::result::Result<Value, Refusal>) {
        let (message, verdict) = match outcome {
            Ok(result) => (Message::result(&request.id, &Raw::of(&result)), Verdict::Fine),
            Err(Refusal(error, verdict)) => (Message::failure(Some(&request.id), &error), verdict),
        };
        self.reply(request.exchange, message, verdict);
    }
}

/// A request as received.
#[derive(Debug)]
struct Request {
    exchange: ExchangeId,
    id: Id,
    method: String,
    params: Raw,
}

impl Request {
    fn meta(&self, key: &str) -> Option<Raw> {
        self.params.at(&["_meta", key])
    }

    fn text(&self, field: &str) -> std::result::Result<String, ErrorObject> {
        let text = self
            .params
            .get(field)
            .and_then(|raw| raw.as_str().map(std::borrow::Cow::into_owned));
        text.ok_or_else(|| ErrorObject::invalid_params(format_args!("`{field}` must be a string")))
    }
}

/// The reason why a request is not carried out, and what that means for HTTP.
#[derive(Debug)]
struct Refusal(ErrorObject, Verdict);

impl From<ErrorObject> for Refusal {
    fn from(error: ErrorObject) -> Self {
        use crate::error::{HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_REVISION};
        let verdict = match error.code {
            code::METHOD_NOT_FOUND => Verdict::NotFound,
            HEADER_MISMATCH | MISSING_CAPABILITY | UNSUPPORTED_REVISION => Verdict::BadRequest,
            _ => Verdict::Fine,
        };
        Self(error, verdict)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        match crate::error::rescue(error.into_why(), Era::Modern, false) {
            Err(object) => object.into(),
            Ok(_) => ErrorObject::internal().into(),
        }
    }
}

/// Returns the fields of an object as arguments; any other value gives none.
fn args(raw: &Raw) -> Args {
    match raw.to_value() {
        Value::Object(fields) => Args::new(fields),
        _ => Args::default(),
    }
}

fn join(messages: &[Message]) -> Bytes {
    let parts: Vec<&[u8]> = messages.iter().map(|message| message.bytes().as_ref()).collect();
    Bytes::from([&b"["[..], &parts.join(&b","[..]), b"]"].concat())
}
