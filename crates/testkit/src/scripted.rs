//! A running scripted server: the messages that it has received, the gates that it waits for, and the controls of the
//! test.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use jsonrpc::{ErrorObject, Id, Kind, Limits, Message, Raw};
use mcp::adapt::{self, ResultType};
use mcp::capabilities::ClientCapabilities;
use mcp::mirror::{self, Mirrors, ParamHeaders};
use mcp::revision::Era;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::PATIENCE;
use crate::script::{Script, Step, fill};

/// One message that a server received.
#[derive(Clone, Debug)]
pub struct Received {
    /// The number of its connection: 1 is the first.
    pub connection: u64,
    /// The message.
    pub message: Message,
    /// `Mcp-Session-Id`
    pub session: Option<String>,
    /// The headers that mirror the body.
    pub mirrors: Mirrors,
    /// The time of receipt, while the writer of the message still held its send permit.
    pub at: std::time::Instant,
}

impl Received {
    /// Returns whether it is a request or notification of that method.
    #[must_use]
    pub fn is(&self, method: &str) -> bool {
        self.message.method() == Some(method)
    }

    /// Returns its params as a value.
    #[must_use]
    pub fn params(&self) -> serde_json::Value {
        self.message.params().map_or(serde_json::Value::Null, |params| params.to_value())
    }
}

/// Something that a server sends in the course of a request.
#[derive(Debug)]
pub(crate) enum Emitted {
    /// A frame, and whether it is the answer.
    Frame(Bytes, bool),
    /// A bare HTTP status.
    Status(u16, String),
}

/// A scripted server.
#[derive(Debug)]
pub struct Scripted {
    pub(crate) script: Script,
    state: Mutex<State>,
    news: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    log: Vec<Received>,
    opened: u64,
    live: HashMap<u64, Live>,
    gates: HashSet<String>,
    /// Whether it reads nothing from its pipes.
    deaf: bool,
    down: bool,
    next_ask: u64,
    asks: HashMap<Id, oneshot::Sender<Raw>>,
    sessions: HashSet<String>,
    /// The streams on which the server can send unasked: the GET streams of sessions, and listen streams with their
    /// ids.
    streams: Vec<(Option<Raw>, mpsc::Sender<Emitted>)>,
    cancelled: usize,
    /// The running tasks, and the connection on which each was created.
    tasks: HashSet<(u64, String)>,
    /// Tools whose definitions have changed, by name.
    redefined: HashMap<String, Value>,
}

/// One open connection.
#[derive(Debug)]
struct Live {
    over: CancellationToken,
    /// `None` over HTTP.
    frames: Option<mpsc::Sender<Emitted>>,
}

impl Scripted {
    pub(crate) fn new(script: Script) -> Arc<Self> {
        Arc::new(Self {
            script,
            state: Mutex::default(),
            news: watch::Sender::new(0),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self) {
        self.news.send_modify(|count| *count += 1);
    }

    // === what the test reads

    /// Returns every message that was received so far.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        self.lock().log.clone()
    }

    /// Returns every message of a method that was received.
    #[must_use]
    pub fn received_of(&self, method: &str) -> Vec<Received> {
        self.received().into_iter().filter(|received| received.is(method)).collect()
    }

    /// Returns the number of messages of a method that were received.
    #[must_use]
    pub fn count_of(&self, method: &str) -> usize {
        self.received_of(method).len()
    }

    /// Returns the params of every message of a method that was received.
    #[must_use]
    pub fn params_of(&self, method: &str) -> Vec<Value> {
        self.received_of(method).iter().map(Received::params).collect()
    }

    /// Returns the number of connections that were ever opened.
    #[must_use]
    pub fn opened(&self) -> u64 {
        self.lock().opened
    }

    /// Returns the number of open connections: pipes, and HTTP links that were not dropped.
    #[must_use]
    pub fn live(&self) -> usize {
        self.lock().live.len()
    }

    /// Returns the requests that were cancelled: by a notification, or by closing their stream.
    #[must_use]
    pub fn cancelled(&self) -> usize {
        self.lock().cancelled
    }

    /// Returns the number of streams on which the server can send unasked.
    #[must_use]
    pub fn streams(&self) -> usize {
        let mut state = self.lock();
        state.streams.retain(|(_, sender)| !sender.is_closed());
        state.streams.len()
    }

    /// Waits until a condition holds for the server.
    ///
    /// # Panics
    /// When it does not hold in time.
    pub async fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let mut news = self.news.subscribe();
        let waiting = async {
            loop {
                news.mark_unchanged();
                if holds(self) {
                    return;
                }
                drop(news.changed().await);
            }
        };
        if tokio::time::timeout(PATIENCE, waiting).await.is_err() {
            panic!("waited in vain for {what}; the server has received {:#?}", self.received());
        }
    }

    /// Waits for the n-th message of a method (counted from 1).
    ///
    /// # Panics
    /// When it does not arrive in time.
    pub async fn nth(&self, method: &str, n: usize) -> Received {
        self.until(&format!("`{method}` number {n}"), |server| server.received_of(method).len() >= n)
            .await;
        self.received_of(method).swap_remove(n - 1)
    }

    // === what the test controls

    /// Opens a gate for good.
    pub fn open_gate(&self, name: &str) {
        self.lock().gates.insert(name.to_owned());
        self.tell();
    }

    /// Closes a gate again.
    pub fn shut_gate(&self, name: &str) {
        self.lock().gates.remove(name);
    }

    /// Stops reading from its pipes: messages to it wait to be written.
    pub fn stop_reading(&self) {
        self.lock().deaf = true;
    }

    /// Resumes reading.
    pub fn read_on(&self) {
        self.lock().deaf = false;
        self.tell();
    }

    /// Waits until the server reads.
    pub(crate) async fn until_it_reads(&self) {
        let mut news = self.news.subscribe();
        while self.lock().deaf {
            drop(news.changed().await);
        }
    }

    /// Sends a notification unasked on every pipe, session stream and listen stream (there under its subscription id).
    pub fn say(&self, method: &str, params: &str) {
        let params = Raw::parse(params.to_owned(), &Limits::default()).expect("params of a script are JSON");
        let state = self.lock();
        for (id, stream) in &state.streams {
            let params = match id {
                Some(id) => params.edit().set(&["_meta", mcp::meta::key::SUBSCRIPTION_ID], id).finish(),
                None => params.clone(),
            };
            let message = Message::notification(method, Some(&params));
            drop(stream.try_send(Emitted::Frame(message.line(), false)));
        }
        if self.script.era == Era::Legacy {
            let message = Message::notification(method, Some(&params));
            for frames in state.live.values().filter_map(|live| live.frames.as_ref()) {
                drop(frames.try_send(Emitted::Frame(message.line(), false)));
            }
        }
    }

    /// Ends its listen streams in an orderly way: each request is answered.
    pub fn end_listening(&self) {
        let result = Raw::of(&serde_json::json!({ "resultType": "complete" }));
        let mut state = self.lock();
        state.streams.retain(|(id, stream)| {
            let Some(id) = id.as_ref().and_then(Id::parse) else { return true };
            drop(stream.try_send(Emitted::Frame(Message::result(&id, &result).line(), true)));
            false
        });
    }

    /// Prints a frame on every pipe, whatever it is.
    pub fn print(&self, frame: &str) {
        for frames in self.lock().live.values().filter_map(|live| live.frames.as_ref()) {
            drop(frames.try_send(Emitted::Frame(Bytes::copy_from_slice(frame.as_bytes()), false)));
        }
    }

    /// Changes the listed definition of a tool. No client is notified.
    ///
    /// # Panics
    /// Without a name.
    pub fn redefine(&self, definition: Value) {
        let name = definition["name"].as_str().expect("a tool has a name").to_owned();
        self.lock().redefined.insert(name, definition);
    }

    /// Ends every connection, as a crash does, and forgets every session.
    pub fn crash(&self) {
        let mut state = self.lock();
        state.sessions.clear();
        state.streams.clear();
        for live in state.live.values() {
            live.over.cancel();
        }
    }

    /// Forgets its sessions but keeps its connections.
    pub fn forget_sessions(&self) {
        let mut state = self.lock();
        state.sessions.clear();
        state.streams.clear();
    }

    /// Makes the server unreachable, or reachable again.
    pub fn set_down(&self, down: bool) {
        self.lock().down = down;
    }

    pub(crate) fn is_down(&self) -> bool {
        self.lock().down
    }

    // === connections

    pub(crate) fn open(&self, frames: Option<mpsc::Sender<Emitted>>) -> (u64, CancellationToken) {
        let over = CancellationToken::new();
        let mut state = self.lock();
        state.opened += 1;
        let number = state.opened;
        state.live.insert(
            number,
            Live {
                over: over.clone(),
                frames,
            },
        );
        drop(state);
        self.tell();
        (number, over)
    }

    pub(crate) fn close(&self, connection: u64) {
        self.lock().live.remove(&connection);
        self.tell();
    }

    pub(crate) fn note(&self, received: Received) {
        if self.script.keeps_log {
            self.lock().log.push(received);
        }
        self.tell();
    }

    pub(crate) fn note_cancelled(&self) {
        self.lock().cancelled += 1;
        self.tell();
    }

    pub(crate) fn open_session(&self, connection: u64) -> String {
        let mut state = self.lock();
        let token = format!("session-{connection}-{}", state.sessions.len());
        state.sessions.insert(token.clone());
        token
    }

    pub(crate) fn knows_session(&self, token: Option<&str>) -> bool {
        token.is_some_and(|token| self.lock().sessions.contains(token))
    }

    pub(crate) fn end_session(&self, token: &str) {
        self.lock().sessions.remove(token);
        self.tell();
    }

    pub(crate) fn add_stream(&self, id: Option<Raw>, sender: mpsc::Sender<Emitted>) {
        let mut state = self.lock();
        state.streams.retain(|(_, sender)| !sender.is_closed());
        state.streams.push((id, sender));
        drop(state);
        self.tell();
    }

    /// Handles an answer to a question.
    pub(crate) fn answered(&self, message: &Message) {
        let asked = message.id().and_then(|id| self.lock().asks.remove(id));
        let answer = message.result_raw().or_else(|| message.error_raw());
        if let (Some(asked), Some(answer)) = (asked, answer) {
            drop(asked.send(answer));
        }
    }

    fn ask(&self) -> (Id, oneshot::Receiver<Raw>) {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.lock();
        state.next_ask += 1;
        let id = Id::string(&format!("ask-{}", state.next_ask));
        state.asks.insert(id.clone(), sender);
        (id, receiver)
    }

    // === requests

    /// Carries a request out. The server's messages go to `out`; returns true when the connection must end.
    pub(crate) async fn perform(self: &Arc<Self>, connection: u64, message: &Message, out: &mpsc::Sender<Emitted>) -> bool {
        let method = message.method().unwrap_or_default();
        if method == "subscriptions/listen" && self.script.era == Era::Modern && !self.script.steps.contains_key(method) {
            return self.listen(message, out).await;
        }
        let params = message.params();
        let param = |key: &str| params.as_ref().and_then(|params| params.get(key));
        let what = ["name", "uri", "taskId", "cursor"].into_iter().find_map(param);
        let what = what.as_ref().and_then(|raw| raw.as_str().map(std::borrow::Cow::into_owned));
        let mut context = Context {
            connection,
            message,
            params: params.clone(),
            what: what.clone(),
            answers: Vec::new(),
        };
        let steps = match self.refuses_task(connection, method, params.as_ref()) {
            Some(refusal) => vec![refusal],
            None => self.steps_for(method, what.as_deref(), round(params.as_ref())),
        };
        for step in steps {
            let emitted = match step {
                Step::Send(frame) => vec![Emitted::Frame(context.fill(&frame), false)],
                Step::Flood(count, frame) => {
                    let frame = context.fill(&frame);
                    for _ in 0..count {
                        drop(out.send(Emitted::Frame(frame.clone(), false)).await);
                    }
                    continue;
                }
                Step::Answer(result) => {
                    let frame = context.fill(&format!(r#"{{"jsonrpc":"2.0","id":$id,"result":{result}}}"#));
                    self.keep_task(connection, &frame);
                    vec![Emitted::Frame(frame, true)]
                }
                Step::Fail(code, text) => {
                    let text = serde_json::Value::from(text);
                    let frame = context.fill(&format!(
                        r#"{{"jsonrpc":"2.0","id":$id,"error":{{"code":{code},"message":{text}}}}}"#
                    ));
                    vec![Emitted::Frame(frame, true)]
                }
                Step::Ask(method, params) => {
                    let (id, answer) = self.ask();
                    let params = Raw::parse(context.fill(&params), &Limits::default()).expect("params of a script are JSON");
                    let question = Message::request(&id, &method, Some(&params));
                    drop(out.send(Emitted::Frame(question.line(), false)).await);
                    let Ok(answer) = answer.await else { return false };
                    context.answers.push(answer);
                    continue;
                }
                Step::Gate(name) => {
                    self.until_open(&name).await;
                    continue;
                }
                Step::Hang => std::future::pending().await,
                Step::Exit => return true,
                Step::Status(status, text) => vec![Emitted::Status(status, text)],
            };
            for emitted in emitted {
                drop(out.send(emitted).await);
            }
        }
        false
    }

    fn steps_for(&self, method: &str, what: Option<&str>, round: usize) -> Vec<Step> {
        let state = self.lock();
        if method != "tools/list" || state.redefined.is_empty() {
            return self.script.steps_for(method, what, round);
        }
        let mut script = self.script.clone();
        for tool in &mut script.tools {
            if let Some(redefined) = tool["name"].as_str().and_then(|name| state.redefined.get(name)) {
                tool.clone_from(redefined);
            }
        }
        script.steps_for(method, what, round)
    }

    /// Returns what is wrong with the headers of a modern request over HTTP, by the tools as they are defined now.
    pub(crate) fn mismatch(&self, message: &Message, mirrors: &Mirrors) -> Option<ErrorObject> {
        if self.script.era == Era::Legacy {
            return None;
        }
        let (method, params) = (message.method()?, message.params());
        let name = params.as_ref().and_then(|params| params.get("name"));
        let name = name.as_ref().and_then(Raw::as_str).unwrap_or_default();
        let schema = {
            let state = self.lock();
            let defined = || self.script.tools.iter().find(|tool| tool["name"] == *name);
            let tool = state.redefined.get(&*name).or_else(defined);
            tool.map(|tool| Raw::of(&tool["inputSchema"]))
        };
        let headers = schema.and_then(|schema| ParamHeaders::read(&schema).ok());
        mirror::validate(mirrors, method, params.as_ref(), headers.as_ref()).err()
    }

    // === tasks

    /// Returns where a task is kept that was created on a connection: in the process of a pipe and the session of the
    /// legacy era, else with all others.
    fn keeper(&self, connection: u64) -> u64 {
        if self.script.http && self.script.era == Era::Modern {
            0
        } else {
            connection
        }
    }

    /// Remembers the task that an answer creates.
    fn keep_task(&self, connection: u64, frame: &Bytes) {
        let Some(result) = read(frame.clone()).and_then(|(_, message)| message.result_raw()) else {
            return;
        };
        if adapt::result_type(&result) == ResultType::Task || mcp::tasks::is_created(&result) {
            let created = mcp::tasks::task_id(&result).map(|task| (self.keeper(connection), task));
            self.lock().tasks.extend(created);
        }
    }

    /// Refuses a request about a task that was not created there, and in the modern era one of a client that does not
    /// declare the extension.
    fn refuses_task(&self, connection: u64, method: &str, params: Option<&Raw>) -> Option<Step> {
        if !matches!(method, "tasks/get" | "tasks/result" | "tasks/update" | "tasks/cancel") {
            return None;
        }
        let declared = params.and_then(|params| mcp::meta::get(params, mcp::meta::key::CLIENT_CAPABILITIES));
        let declares = declared.is_some_and(|declared| ClientCapabilities::new(declared).tasks_extension());
        if self.script.era == Era::Modern && !declares {
            let text = "Missing required client capability".to_owned();
            return Some(Step::Fail(mcp::error::MISSING_CLIENT_CAPABILITY, text));
        }
        let task = params.and_then(mcp::tasks::task_id).unwrap_or_default();
        let known = self.lock().tasks.contains(&(self.keeper(connection), task));
        (!known).then(|| Step::Fail(jsonrpc::code::INVALID_PARAMS, "there is no such task".to_owned()))
    }

    async fn until_open(&self, gate: &str) {
        let mut news = self.news.subscribe();
        loop {
            news.mark_unchanged();
            if self.lock().gates.contains(gate) {
                return;
            }
            drop(news.changed().await);
        }
    }

    async fn listen(self: &Arc<Self>, message: &Message, out: &mpsc::Sender<Emitted>) -> bool {
        let Some(id) = message.id().map(|id| id.raw().clone()) else {
            return false;
        };
        let filter = message
            .params()
            .and_then(|params| params.get("notifications"))
            .unwrap_or_else(Raw::object_empty);
        let params = Raw::object_empty()
            .edit()
            .set(&["_meta", mcp::meta::key::SUBSCRIPTION_ID], &id)
            .set(&["notifications"], &filter)
            .finish();
        let acknowledged = Message::notification("notifications/subscriptions/acknowledged", Some(&params));
        drop(out.send(Emitted::Frame(acknowledged.line(), false)).await);
        self.add_stream(Some(id), out.clone());
        std::future::pending().await
    }
}

fn round(params: Option<&Raw>) -> usize {
    let state = params.and_then(|params| params.get("requestState"));
    let state = state.as_ref().and_then(|raw| raw.as_str().map(std::borrow::Cow::into_owned));
    match state
        .as_deref()
        .and_then(|state| state.strip_prefix("round-"))
        .and_then(|n| n.parse().ok())
    {
        Some(round) => round,
        None => usize::from(params.is_some_and(|params| params.get("inputResponses").is_some())),
    }
}

/// The values of the names in a script.
struct Context<'a> {
    connection: u64,
    message: &'a Message,
    params: Option<Raw>,
    what: Option<String>,
    answers: Vec<Raw>,
}

impl Context<'_> {
    fn fill(&self, template: &str) -> Bytes {
        let param = |path: &[&str]| {
            let found = self.params.as_ref().and_then(|params| params.at(path));
            Some(found.map_or_else(|| "null".to_owned(), |raw| raw.text().to_owned()))
        };
        let text = fill(template, |name| match name {
            "id" => self.message.id().map(|id| id.raw().text().to_owned()),
            "method" => self.message.method().map(|method| serde_json::Value::from(method).to_string()),
            "name" | "uri" => Some(serde_json::Value::from(self.what.clone()).to_string()),
            "params" => param(&[]),
            "arguments" => param(&["arguments"]),
            "token" => param(&["_meta", "progressToken"]),
            "responses" => param(&["inputResponses"]),
            "connection" => Some(self.connection.to_string()),
            "answers" => {
                let answers: Vec<&str> = self.answers.iter().map(Raw::text).collect();
                Some(format!("[{}]", answers.join(",")))
            }
            "" => None,
            argument => param(&["arguments", argument]),
        });
        Bytes::from(text)
    }
}

/// Returns whether a frame is a request, a notification or a response; `None` when it is no message.
pub(crate) fn read(frame: Bytes) -> Option<(Kind, Message)> {
    let message = jsonrpc::decode_message(frame, &Limits::default()).ok()?;
    Some((message.kind(), message))
}
