//! An MCP client: its machine, its delivery, and its requests in progress. It is the port of its calls.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use guard::Subject;
use jsonrpc::{ErrorObject, Message};
use mcp::client::{self as face, Filter, Input, Output, Target};
use mcp::exchange::{Outcome, Peer, Request};
use model::{ServerId, Ticket, TicketMap};
use runtime::BoxFuture;
use smallvec::{SmallVec, smallvec};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::streams::Streams;
use crate::calls::{Asker, Caller, Calls, Port, Subscribed};
use crate::front::Credential;

/// The time that ending servers have to report the reason before requests that wait for them are aborted.
pub(super) const SERVERS_FIRST: Duration = Duration::from_millis(5);

/// One client: a pipe, a legacy HTTP session, or a single modern POST.
pub(crate) struct Client {
    pub(crate) number: u64,
    pub(crate) caller: Arc<Caller>,
    pub(crate) calls: Arc<Calls>,
    pub(crate) delivery: Delivery,
    machine: Mutex<face::Session>,
    requests: Mutex<Requests>,
    /// Notified when no request is in progress any more.
    idle: Notify,
    /// `Mcp-Session-Id`
    pub(crate) token: OnceLock<Arc<str>>,
    /// Ends its streams; made when there is one.
    ending: OnceLock<CancellationToken>,
}

/// The delivery of messages to a client.
pub(crate) enum Delivery {
    /// One stream for everything.
    Pipe(mpsc::Sender<Bytes>),
    /// One stream for each answer, and one for the rest.
    Http(Streams),
}

/// The requests in progress, in both directions.
#[derive(Default)]
struct Requests {
    next_ask: u64,
    /// The questions to the client, each with the receiver of the answer.
    asks: TicketMap<Box<dyn Asker>>,
    running: TicketMap<Arc<Notify>>,
}

/// Work that the machine requests and only the caller of [`Client::take`] can do.
pub(crate) enum Work {
    Send(Message, Target),
    Hello(Ticket, Arc<Peer>),
    Request(Ticket, Box<Request>),
    Listen(Ticket, Box<Request>),
}

/// The work after one input: mostly one item, which then needs no allocation.
pub(crate) type Works = SmallVec<[Work; 1]>;

impl Client {
    pub(crate) fn new(calls: &Arc<Calls>, number: u64, who: Credential, delivery: Delivery) -> Arc<Self> {
        let subject = Subject {
            principal: who.principal,
            token: who.token,
            session: Some(number),
        };
        let machine = face::Session::new()
            .allowing(calls.settings.load().max_in_flight)
            .signing(calls.identity().info.clone());
        Arc::new_cyclic(|client: &Weak<Self>| Self {
            number,
            caller: calls.caller(subject, client.clone()),
            calls: calls.clone(),
            delivery,
            machine: Mutex::new(machine),
            requests: Mutex::default(),
            idle: Notify::new(),
            token: OnceLock::new(),
            ending: OnceLock::new(),
        })
    }

    /// Returns whether a credential may use what the client opened: the same principal, let in by the same token. Another token of the same principal
    /// may have another purpose, and a session must not outlive the token that opened it.
    pub(crate) fn belongs_to(&self, who: &Credential) -> bool {
        let subject = &self.caller.subject;
        subject.principal == who.principal && subject.token == who.token
    }

    /// Returns how many messages wait to be written to the client; none over HTTP, where each stream has its own.
    pub(crate) fn queued(&self) -> usize {
        match &self.delivery {
            Delivery::Pipe(outgoing) => outgoing.max_capacity() - outgoing.capacity(),
            Delivery::Http(_) => 0,
        }
    }

    fn machine(&self) -> MutexGuard<'_, face::Session> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what a legacy client declared in its handshake.
    pub(crate) fn legacy_peer(&self) -> Option<Arc<Peer>> {
        self.machine().legacy_peer().cloned()
    }

    /// Returns the token that is cancelled when the client's streams are to end.
    pub(crate) fn ending(&self) -> &CancellationToken {
        self.ending.get_or_init(|| self.calls.runtime.shutdown().child_token())
    }

    // === what it sends

    /// Gives the machine an input. Outputs that can be handled at once are handled; the rest is returned.
    pub(crate) fn take(&self, input: Input) -> Works {
        self.with_machine(|machine| machine.handle(input))
    }

    pub(crate) fn with_machine(&self, act: impl FnOnce(&mut face::Session)) -> Works {
        let outputs: SmallVec<[Output; 1]> = {
            let mut machine = self.machine();
            act(&mut machine);
            // The request is noted before any other task knows of it, so that a cancellation that comes at once finds it.
            std::iter::from_fn(|| machine.poll().inspect(|output| self.note_start(output))).collect()
        };
        let mut work = Works::new();
        for output in outputs {
            match output {
                Output::Send(message, target) => work.push(Work::Send(message, target)),
                Output::Hello(ticket, peer) => work.push(Work::Hello(ticket, peer)),
                Output::Request(ticket, request) => work.push(Work::Request(ticket, request)),
                Output::Listen(ticket, request) => work.push(Work::Listen(ticket, request)),
                Output::Cancelled(ticket, _) => self.cancel(ticket),
                Output::Notify(message) => self.calls.notify(&self.caller, &message),
                Output::Answered(ask, answer) => self.answered(ask, answer),
                Output::AskProgress(ask, message) => self.ask_progressed(ask, &message),
                Output::Initialized => self.initialized(),
            }
        }
        work
    }

    fn note_start(&self, output: &Output) {
        if let Output::Request(ticket, _) | Output::Listen(ticket, _) = output {
            self.requests().running.insert(*ticket, Arc::new(Notify::new()));
        }
    }

    fn initialized(&self) {
        if let Some(peer) = self.legacy_peer() {
            self.calls.look_up_all(&self.caller, &peer);
        }
    }

    // === what it is sent

    /// Sends without waiting, for a server's reader task, which must not block. A client that reads too slowly loses the message.
    pub(crate) fn send_now(&self, work: Works) {
        for item in work {
            let Work::Send(message, target) = item else { continue };
            let sent = match &self.delivery {
                Delivery::Pipe(outgoing) => outgoing.try_send(message.line()).is_ok(),
                Delivery::Http(streams) => streams.send(target, message.into_bytes()),
            };
            if !sent {
                self.calls.runtime.metrics().undelivered();
            }
        }
    }

    /// Sends with back pressure: the sender waits if the client reads slowly.
    pub(crate) async fn send(&self, work: Works) {
        for item in work {
            let Work::Send(message, target) = item else { continue };
            match &self.delivery {
                Delivery::Pipe(outgoing) => drop(outgoing.send(message.line()).await),
                Delivery::Http(streams) => {
                    if let Some(sender) = streams.sender(target) {
                        drop(sender.reserve().await);
                    }
                    streams.send(target, message.into_bytes());
                    // The first message before an answer makes the answer a stream, so the task that waits for the answer must run.
                    tokio::task::yield_now().await;
                }
            }
        }
    }

    /// Sends a frame that no machine made: a batch's answers, or the refusal of an unreadable message.
    pub(crate) async fn send_raw(&self, frame: Bytes) {
        if let Delivery::Pipe(outgoing) = &self.delivery {
            drop(outgoing.send(frame).await);
        }
    }

    /// Sends a notification that belongs to no request.
    pub(crate) fn event(&self, message: &Message) {
        let work = self.take(Input::Event(message.clone()));
        self.send_now(work);
    }

    /// Tells the client that lists have changed: on its session, and on each stream that asked for it.
    pub(crate) fn tell(&self, message: &Message, wants: impl Fn(&Filter) -> bool) {
        self.event(message);
        self.tell_listeners(message, wants);
    }

    /// Tells each stream that asked for it.
    pub(crate) fn tell_listeners(&self, message: &Message, wants: impl Fn(&Filter) -> bool) {
        let listening = self.caller.subscriptions().wanting(wants);
        self.notify_listeners(&listening, message);
    }

    /// Tells the client that a resource was updated, if it is subscribed to it.
    pub(crate) fn resource_updated(&self, server: &ServerId, uri: &str, message: &Message) {
        let (subscribed, listening) = self.caller.subscriptions().hearing(server, uri);
        if subscribed {
            self.event(message);
        }
        self.notify_listeners(&listening, message);
    }

    fn notify_listeners(&self, listening: &[Ticket], message: &Message) {
        for ticket in listening {
            let work = self.with_machine(|machine| machine.notify_listener(*ticket, message));
            self.send_now(work);
        }
    }

    // === requests in progress

    fn cancel(&self, ticket: Ticket) {
        let running = self.requests().running.remove(&ticket);
        if let Some(cancelled) = running {
            cancelled.notify_one();
        }
        self.end_listening(ticket);
    }

    /// Completes a request. Returns the answer, ready to be sent; none when the client has cancelled the request.
    pub(crate) fn finish(&self, ticket: Ticket, outcome: Outcome) -> Works {
        let work = self.take(Input::Outcome(ticket, outcome));
        self.forget_running(ticket);
        work
    }

    fn forget_running(&self, ticket: Ticket) {
        let is_idle = {
            let running = &mut self.requests().running;
            running.remove(&ticket);
            running.is_empty()
        };
        if is_idle {
            self.idle.notify_waiters();
        }
    }

    /// Handles a request. Returns the answer, ready to be sent; none when the client has cancelled the request.
    pub(crate) async fn carry_out(&self, ticket: Ticket, request: Box<Request>) -> Works {
        let outcome = self.calls.run(&self.caller, ticket, request).await;
        // A request that the client has cancelled is not answered, whatever the outcome says.
        self.finish(ticket, outcome.unwrap_or_else(Self::cut_off))
    }

    /// Handles the request of a client that exists for this request only and is in no registry: it is aborted here when the gateway shuts down.
    pub(crate) async fn carry_out_alone(&self, ticket: Ticket, request: Box<Request>) -> Works {
        let ending = async {
            self.calls.runtime.shutdown().cancelled().await;
            // The answer of its server takes precedence.
            tokio::time::sleep(SERVERS_FIRST).await;
        };
        let outcome = tokio::select! {
            biased;
            outcome = self.calls.run(&self.caller, ticket, request) => outcome,
            () = ending => None,
        };
        self.finish(ticket, outcome.unwrap_or_else(Self::cut_off))
    }

    /// Returns the error of a request that was aborted because the gateway shuts down.
    fn cut_off() -> Outcome {
        let why = "the gateway is shutting down; send the request again when it is back";
        Outcome::refused(ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, why))
    }

    /// Aborts all requests in progress, each with an error.
    pub(crate) fn cut_short(&self) {
        for running in self.requests().running.values() {
            running.notify_one();
        }
    }

    /// Resolves when no request is in progress.
    pub(crate) async fn until_idle(&self) {
        loop {
            let mut idle = std::pin::pin!(self.idle.notified());
            idle.as_mut().enable();
            if self.requests().running.is_empty() {
                return;
            }
            idle.await;
        }
    }

    /// Cancels the request of an exchange that has ended.
    pub(crate) fn abandon(&self, ticket: Ticket) {
        drop(self.with_machine(|machine| machine.abandon(ticket)));
    }

    // === subscription streams

    /// Opens a subscription stream, which begins with the acknowledgement. Subscriptions that exceed the client's limit are left out.
    pub(crate) fn listen(&self, ticket: Ticket, filter: Filter, subscribed: Vec<Subscribed>) -> Works {
        let is_wanted = self.requests().running.contains_key(&ticket);
        let (acknowledged, beyond) = self.caller.subscriptions().open(ticket, filter, subscribed, is_wanted);
        drop(beyond);
        if !self.requests().running.contains_key(&ticket) {
            self.end_listening(ticket);
        }
        self.with_machine(|machine| machine.acknowledge(ticket, &acknowledged))
    }

    /// Removes a subscription stream, and ends its subscriptions.
    pub(crate) fn end_listening(&self, ticket: Ticket) {
        self.forget_running(ticket);
        let stream = self.caller.subscriptions().close(ticket);
        drop(stream);
    }

    // === questions to it

    fn answered(&self, ask: Ticket, answer: Result<Message, ErrorObject>) {
        let asker = self.requests().asks.remove(&ask);
        if let Some(asker) = asker {
            asker.answered(answer);
        }
    }

    fn ask_progressed(&self, ask: Ticket, message: &Message) {
        if let Some(asker) = self.requests().asks.get(&ask) {
            asker.progressed(message);
        }
    }

    // === the end

    /// Ends the client: its calls are cancelled, its questions answered with an error, its lines released. The caller of this function removes it
    /// from the registry.
    pub(crate) fn hang_up(&self) {
        drop(self.with_machine(face::Session::hang_up));
        self.calls.hang_up(&self.caller);
    }
}

impl Port for Client {
    fn peer(&self) -> Option<Arc<Peer>> {
        self.legacy_peer()
    }

    fn cancellation(&self, ticket: Ticket) -> Option<Arc<Notify>> {
        self.requests().running.get(&ticket).cloned()
    }

    fn interim(&self, ticket: Ticket, message: Message) -> BoxFuture<'_, ()> {
        let work = self.take(Input::Interim(ticket, message));
        Box::pin(self.send(work))
    }

    fn interim_now(&self, ticket: Ticket, message: Message) {
        let work = self.take(Input::Interim(ticket, message));
        self.send_now(work);
    }

    fn ask(&self, related: Option<Ticket>, question: Message, asker: Box<dyn Asker>) -> Ticket {
        let ask = {
            let mut requests = self.requests();
            requests.next_ask += 1;
            let ask = Ticket(requests.next_ask);
            requests.asks.insert(ask, asker);
            ask
        };
        let related = related.or_else(|| match &self.delivery {
            // Without a stream of the session's own, a question is sent on the stream of the oldest answer that is still open.
            Delivery::Http(streams) if !streams.has_session_stream() => self.machine().oldest_call(),
            _ => None,
        });
        let message = question;
        let work = self.take(Input::Ask { ask, related, message });
        self.send_now(work);
        ask
    }

    fn withdraw(&self, ask: Ticket, reason: Option<String>) {
        let asker = self.requests().asks.remove(&ask);
        if asker.is_some() {
            let work = self.take(Input::AskCancelled(ask, reason));
            self.send_now(work);
        }
    }
}

/// Returns the work for one message.
pub(crate) fn one(item: Work) -> Works {
    smallvec![item]
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("number", &self.number)
            .field("principal", &self.caller.subject.principal.id)
            .finish_non_exhaustive()
    }
}
