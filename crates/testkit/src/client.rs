//! A scripted client of either era: on a pipe, or a POST for each message.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::Poll;

use bytes::Bytes;
use jsonrpc::{Id, Limits, Message, Raw};
use kernel::Kernel;
use kernel::front::{Answer, ClientPipe, Credential, Events, Front as _, InPost, Listen};
use mcp::meta::key;
use mcp::mirror::Mirrors;
use mcp::revision::{Era, Revision};
use model::{Principal, Trace};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::mailbox::{Arrived, Mailbox};

/// The transport between a client and the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// One stream for everything.
    Pipe,
    /// Streamable HTTP.
    Http,
}

/// A client that is not connected yet.
#[derive(Clone, Debug)]
pub struct ClientBuilder {
    pub(crate) kernel: Kernel,
    pub(crate) era: Era,
    pub(crate) wire: Wire,
    who: Credential,
    capabilities: Value,
    revision: Revision,
    log_level: Option<&'static str>,
}

impl ClientBuilder {
    pub(crate) fn new(kernel: Kernel, era: Era, wire: Wire) -> Self {
        Self {
            kernel,
            era,
            wire,
            who: Principal::local().into(),
            capabilities: json!({}),
            revision: if era == Era::Modern {
                Revision::LATEST
            } else {
                Revision::LATEST_LEGACY
            },
            log_level: None,
        }
    }

    /// Sets the capabilities that it declares.
    #[must_use]
    pub fn capabilities(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Sets its principal; the local user by default.
    #[must_use]
    pub fn operator(mut self, name: &str) -> Self {
        self.who.principal = Principal {
            role: model::Role::Operator,
            ..Principal::named(name)
        };
        self
    }

    /// Sets the id of the remembered token that it used.
    #[must_use]
    pub fn token(mut self, id: &str) -> Self {
        self.who.token = Some(id.into());
        self
    }

    /// Sets its name and version.
    #[must_use]
    pub fn principal(mut self, name: &str) -> Self {
        self.who.principal = Principal::named(name);
        self
    }

    /// Sets another revision of its era.
    #[must_use]
    pub fn revision(mut self, revision: Revision) -> Self {
        self.revision = revision;
        self
    }

    /// Sets a log level that each modern request carries.
    #[must_use]
    pub fn log_level(mut self, level: &'static str) -> Self {
        self.log_level = Some(level);
        self
    }

    /// Opens the connection, without sending anything.
    #[must_use]
    pub fn open(self) -> Client {
        let mailbox = Arc::new(Mailbox::default());
        let pipe = (self.wire == Wire::Pipe).then(|| {
            let (outgoing, mut incoming) = mpsc::channel::<Bytes>(64);
            let pipe = self.kernel.open(self.who.clone(), outgoing);
            let mailbox = mailbox.clone();
            tokio::spawn(async move {
                while let Some(frame) = incoming.recv().await {
                    // A batch's answer is no message of its own.
                    let message = jsonrpc::decode_message(frame, &Limits::default()).ok();
                    mailbox.put(Arrived {
                        exchange: 0,
                        status: 0,
                        session: None,
                        event: None,
                        message,
                        end: false,
                    });
                }
            });
            pipe
        });
        Client {
            said: self,
            mailbox,
            pipe: Mutex::new(pipe),
            session: OnceLock::new(),
            next: AtomicU64::new(0),
            running: Mutex::default(),
        }
    }

    /// Opens the connection and, in the legacy era, completes the handshake.
    pub async fn connect(self) -> Client {
        let client = self.open();
        if client.said.era == Era::Legacy {
            client.hello().await;
        }
        client
    }

    /// Opens the connection, and lists the tools, which waits for the servers to start.
    pub async fn ready(self) -> Client {
        let client = self.connect().await;
        client.tools().await;
        client
    }
}

/// A connected client.
pub struct Client {
    said: ClientBuilder,
    mailbox: Arc<Mailbox>,
    pipe: Mutex<Option<Arc<dyn ClientPipe>>>,
    session: OnceLock<String>,
    next: AtomicU64,
    running: Mutex<Vec<AbortHandle>>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("said", &self.said).finish_non_exhaustive()
    }
}

/// An open request.
#[derive(Debug)]
pub struct Exchange {
    /// The request's id.
    pub id: Id,
    /// The number of its exchange; 0 on a pipe.
    pub number: u64,
    task: Option<AbortHandle>,
}

impl Exchange {
    /// Closes the HTTP response, as a client does that does not wait any more.
    pub fn close(&self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// The answer to a request.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The HTTP status; 0 on a pipe.
    pub status: u16,
    /// The JSON-RPC message.
    pub message: Message,
}

impl Reply {
    /// Returns the result.
    ///
    /// # Panics
    /// When it is an error.
    #[must_use]
    pub fn result(&self) -> Value {
        match self.message.result_raw() {
            Some(result) => result.to_value(),
            None => panic!("not a result: {:?}", self.message),
        }
    }

    /// Returns whether it is an error of the protocol.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.message.is_error()
    }

    /// Returns the structured content of the result, or null.
    ///
    /// # Panics
    /// When it is an error.
    #[must_use]
    pub fn said(&self) -> Value {
        self.result()["structuredContent"].take()
    }

    /// Returns the code and the message of the error.
    ///
    /// # Panics
    /// When it is not an error.
    #[must_use]
    pub fn error(&self) -> (i64, String) {
        match self.message.error_raw().as_ref().and_then(jsonrpc::ErrorObject::parse) {
            Some(error) => (error.code, error.message),
            None => panic!("not an error: {:?}", self.message),
        }
    }

    /// Returns the text of the first block of content.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn text(&self) -> String {
        let result = self.result();
        match result["content"][0]["text"].as_str() {
            Some(text) => text.to_owned(),
            None => panic!("no text: {result}"),
        }
    }

    /// Returns the `requestState` of an `input_required`.
    ///
    /// # Panics
    /// When the answer is none.
    #[must_use]
    pub fn state(&self) -> String {
        let result = self.result();
        match result["requestState"].as_str() {
            Some(state) if result["resultType"] == "input_required" => state.to_owned(),
            _ => panic!("not a question with a state: {result}"),
        }
    }
}

impl Client {
    /// Returns the client's mailbox.
    #[must_use]
    pub fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// Returns the id of the client's session, over HTTP.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        self.session.get().map(String::as_str)
    }

    /// Sends `initialize`, and `notifications/initialized` after its answer.
    ///
    /// # Panics
    /// When the gateway refuses.
    pub async fn hello(&self) -> Value {
        let params = json!({
            "protocolVersion": self.said.revision.as_str(), "capabilities": self.said.capabilities, "clientInfo": {"name": "test", "version": "1"},
        });
        let exchange = self.send_request("initialize", Some(params.to_string())).await;
        let arrived = self.mailbox.take("the answer to `initialize`", |a| a.answers(&exchange.id)).await;
        if let Some(session) = arrived.session {
            self.session.set(session).expect("one hello");
        }
        let result = arrived
            .message
            .and_then(|message| message.result_raw())
            .expect("a welcome")
            .to_value();
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        result
    }

    // === sending

    /// Sends a frame unchanged; over HTTP with the headers that belong to this client. Returns the number of the
    /// exchange.
    pub async fn send(&self, frame: impl Into<Bytes>) -> u64 {
        let frame = frame.into();
        let mirrors = self.mirrors_of(&frame);
        self.send_with(frame, mirrors).await.0
    }

    /// Sends a frame with these headers.
    ///
    /// # Panics
    /// On a pipe that was closed.
    pub async fn send_with(&self, frame: impl Into<Bytes>, mirrors: Mirrors) -> (u64, Option<AbortHandle>) {
        if self.said.wire == Wire::Pipe {
            let pipe = self
                .pipe
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone()
                .expect("an open pipe");
            pipe.receive(frame.into()).await;
            return (0, None);
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let post = InPost {
            who: self.said.who.clone(),
            session: self.session.get().cloned(),
            mirrors,
            trace: Trace::default(),
            accepts_events: true,
            body: frame.into(),
        };
        let (kernel, mailbox) = (self.said.kernel.clone(), self.mailbox.clone());
        let mut posting: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(async move {
            let answer = kernel.post(post).await;
            read_answer(answer, number, &mailbox).await;
        });
        // Frames that are sent first arrive first, as on one connection.
        let done = std::future::poll_fn(|cx| Poll::Ready(posting.as_mut().poll(cx).is_ready())).await;
        if done {
            return (number, None);
        }
        let task = tokio::spawn(posting).abort_handle();
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|task| !task.is_finished());
        running.push(task.clone());
        (number, Some(task))
    }

    fn mirrors_of(&self, frame: &Bytes) -> Mirrors {
        let message = jsonrpc::decode_message(frame.clone(), &Limits::default()).ok();
        let revision = (self.session.get().is_some() || self.said.era == Era::Modern).then(|| self.said.revision.as_str().to_owned());
        if self.said.era == Era::Legacy {
            return Mirrors {
                revision,
                ..Mirrors::default()
            };
        }
        let method = message.as_ref().and_then(|message| message.method().map(str::to_owned));
        let params = message.and_then(|message| message.params());
        let name = params.and_then(|params| params.get("name").or_else(|| params.get("uri")).or_else(|| params.get("taskId")));
        Mirrors {
            revision,
            method,
            name: name.and_then(|raw| raw.as_str().map(|name| mcp::mirror::encode(&name).into_owned())),
            params: Vec::new(),
        }
    }

    /// Returns the id of the client's next request.
    fn next_id(&self) -> Id {
        static IDS: AtomicU64 = AtomicU64::new(1);
        Id::string(&format!("id-{}", IDS.fetch_add(1, Ordering::Relaxed)))
    }

    /// Returns the params as this client sends them: a modern client identifies itself in each request.
    #[must_use]
    pub fn dressed(&self, params: Option<String>) -> Option<Raw> {
        let params = params.map(|text| Raw::parse(text, &Limits::default()).expect("params of a test are JSON"));
        if self.said.era == Era::Legacy {
            return params;
        }
        let mut edit = params.unwrap_or_else(Raw::object_empty).edit();
        edit = edit
            .set(&["_meta", key::PROTOCOL_VERSION], &Raw::string(self.said.revision.as_str()))
            .set(&["_meta", key::CLIENT_CAPABILITIES], &Raw::of(&self.said.capabilities))
            .set(&["_meta", key::CLIENT_INFO], &Raw::of(&json!({"name": "test", "version": "1"})));
        if let Some(level) = self.said.log_level {
            edit = edit.set(&["_meta", key::LOG_LEVEL], &Raw::string(level));
        }
        Some(edit.finish())
    }

    /// Sends a request whose params are JSON text; does not wait for the answer.
    pub async fn send_request(&self, method: &str, params: Option<String>) -> Exchange {
        let id = self.next_id();
        let params = self.dressed(params);
        let message = Message::request(&id, method, params.as_ref());
        let frame = if self.said.wire == Wire::Pipe {
            message.line()
        } else {
            message.into_bytes()
        };
        let mirrors = self.mirrors_of(&frame);
        let (number, task) = self.send_with(frame, mirrors).await;
        Exchange { id, number, task }
    }

    /// Starts a request.
    pub async fn start(&self, method: &str, params: Value) -> Exchange {
        self.send_request(method, Some(params.to_string())).await
    }

    /// Starts a call of a tool.
    pub async fn start_call(&self, tool: &str, arguments: Value) -> Exchange {
        self.start("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Starts a call of a tool whose progress is told under a token.
    pub async fn start_call_with_progress(&self, tool: &str, arguments: Value, token: Value) -> Exchange {
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": token}});
        self.start("tools/call", params).await
    }

    /// Returns the answer to a request that was started.
    pub async fn reply(&self, exchange: &Exchange) -> Reply {
        let what = format!("the answer to {}", exchange.id.raw().text());
        let arrived = self.mailbox.take(&what, |a| a.answers(&exchange.id)).await;
        let message = arrived.message.expect("an answer has a message");
        Reply {
            status: arrived.status,
            message,
        }
    }

    /// Sends a request and waits for its answer.
    pub async fn request(&self, method: &str, params: Value) -> Reply {
        let exchange = self.start(method, params).await;
        self.reply(&exchange).await
    }

    /// Calls a tool and waits for its answer.
    pub async fn call(&self, tool: &str, arguments: Value) -> Reply {
        let exchange = self.start_call(tool, arguments).await;
        self.reply(&exchange).await
    }

    /// Returns the names of a list.
    pub async fn tools(&self) -> Vec<String> {
        let listed = self.request("tools/list", json!({})).await.result();
        let names = listed["tools"].as_array().into_iter().flatten();
        names.filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect()
    }

    /// Returns the next question of a server.
    pub async fn question(&self) -> Message {
        let arrived = self.mailbox.take("a question", Arrived::asks).await;
        arrived.message.expect("a question has a message")
    }

    /// Answers a question.
    pub async fn answer(&self, question: &Message, result: Value) {
        let id = question.id().expect("a question has an id");
        self.send(Message::result(id, &Raw::of(&result)).line()).await;
    }

    /// Returns the next notification of a method.
    pub async fn notification(&self, method: &str) -> Message {
        let arrived = self.mailbox.take(&format!("`{method}`"), |a| a.calls(method)).await;
        arrived.message.expect("a notification has a message")
    }

    /// Returns the params of the next notification of a method.
    ///
    /// # Panics
    /// When it has none.
    pub async fn told(&self, method: &str) -> Value {
        let params = self.notification(method).await.params();
        params.expect("a notification with params").to_value()
    }

    /// Cancels a request as its era and transport do.
    pub async fn cancel(&self, exchange: &Exchange) {
        if self.said.era == Era::Modern && self.said.wire == Wire::Http {
            return exchange.close();
        }
        let id = exchange.id.raw().text();
        let frame = format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":"test"}}}}"#);
        self.send(frame).await;
    }

    /// Opens the stream of its session (or resumes one), and returns the number of the exchange and its status; 200 when it is open.
    pub async fn listen(&self, last_event: Option<&str>) -> (Exchange, u16) {
        let number = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let listen = Listen {
            who: self.said.who.clone(),
            session: self.session.get().cloned(),
            revision: Some(self.said.revision.as_str().to_owned()),
            last_event: last_event.map(str::to_owned),
        };
        let answer = self.said.kernel.listen(listen).await;
        let status = match &answer {
            Answer::Message { status, .. } | Answer::Empty { status } => *status,
            Answer::Events { .. } => 200,
        };
        let mailbox = self.mailbox.clone();
        let task = tokio::spawn(async move { read_answer(answer, number, &mailbox).await });
        let exchange = Exchange {
            id: Id::number(0),
            number,
            task: Some(task.abort_handle()),
        };
        (exchange, status)
    }

    /// Closes the client's end of the pipe, and waits until all requests have been answered.
    pub async fn finish(&self) {
        let pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(pipe) = pipe {
            pipe.drained().await;
            pipe.closed();
        }
    }

    /// Ends its session, or closes its pipe, and abandons all open requests.
    pub async fn leave(&self) {
        for task in self.running.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            task.abort();
        }
        if let Some(pipe) = self.pipe.lock().unwrap_or_else(PoisonError::into_inner).take() {
            pipe.closed();
        }
        if let Some(session) = self.session.get() {
            drop(self.said.kernel.delete(&self.said.who.clone(), session).await);
        }
    }
}

async fn read_answer(answer: Answer, exchange: u64, mailbox: &Mailbox) {
    let one = |status, session: Option<Arc<str>>, body: Option<Bytes>| Arrived {
        exchange,
        status,
        session: session.as_deref().map(str::to_owned),
        event: None,
        message: body.and_then(|body| jsonrpc::decode_message(body, &Limits::default()).ok()),
        end: true,
    };
    match answer {
        Answer::Message { status, session, body } => mailbox.put(one(status, session, Some(body))),
        Answer::Empty { status } => mailbox.put(one(status, None, None)),
        Answer::Events { events, .. } => read_events(events, exchange, mailbox).await,
    }
}

async fn read_events(mut events: Events, exchange: u64, mailbox: &Mailbox) {
    loop {
        let event = std::future::poll_fn(|cx| match events.poll_next(cx) {
            Poll::Ready(event) => Poll::Ready(event),
            Poll::Pending => Poll::Pending,
        });
        let event = event.await;
        let end = event.is_none();
        let (id, data) = event.map_or((None, Bytes::new()), |event| (event.id, event.data));
        mailbox.put(Arrived {
            exchange,
            status: 200,
            session: None,
            event: id,
            message: jsonrpc::decode_message(data, &Limits::default()).ok(),
            end,
        });
        if end {
            return;
        }
    }
}
