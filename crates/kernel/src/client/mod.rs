//! A client as the kernel holds it: its machine, the way back to it, and what it has under way.

pub(crate) mod batch;
mod dismissal;
pub(crate) mod http;
pub(crate) mod pipe;
pub(crate) mod registry;
pub(crate) mod streams;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use jsonrpc::{ErrorObject, Message};
use mcp::client::{self as face, Filter, Input, Output, Target};
use mcp::exchange::{Outcome, Peer, Request};
use model::{Principal, ServerId, Ticket, TicketMap};
use policy::Action;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::drained::Drained;
use crate::exchange;
use crate::front::Credential;
use crate::gate::Permit;
use crate::inner::Inner;
use crate::listening::Subscribed;
use crate::upstream::{Line, Server, Session};
use crate::views::Seen;
pub(crate) use dismissal::dismiss_unwelcome;
use streams::Streams;

/// One client: a pipe, a legacy HTTP session, or a single modern POST.
pub(crate) struct Client {
    pub(crate) number: u64,
    pub(crate) principal: Principal,
    /// The id of the remembered token that let it in.
    pub(crate) bearer: Option<Arc<str>>,
    pub(crate) inner: Arc<Inner>,
    pub(crate) delivery: Delivery,
    machine: Mutex<face::Session>,
    books: Mutex<Books>,
    /// The view it saw last, so that a call need not look it up.
    pub(crate) seen: Mutex<Option<Arc<Seen>>>,
    /// `Mcp-Session-Id`
    pub(crate) token: OnceLock<Arc<str>>,
    /// Ends its streams; made when there is one.
    ending: OnceLock<CancellationToken>,
}

/// The way back to a client.
pub(crate) enum Delivery {
    /// One stream for everything.
    Pipe(mpsc::Sender<Bytes>),
    /// A stream an answer, and one for the rest.
    Http(Streams),
}

#[derive(Default)]
struct Books {
    next_ask: u64,
    asks: TicketMap<Asker>,
    running: TicketMap<Arc<Notify>>,
    lines: HashMap<ServerId, Arc<Line>, foldhash::fast::RandomState>,
    subscriptions: HashSet<(ServerId, String)>,
    listening: TicketMap<Listening>,
}

/// Who waits for the answer to a question.
enum Asker {
    /// A server, over its own connection.
    Server {
        line: Arc<Line>,
        session: Arc<Session>,
        ask: Ticket,
        method: String,
        /// What its answer needs to leave.
        permit: Permit,
    },
    /// A bridge between the eras.
    Bridge(oneshot::Sender<Result<Message, ErrorObject>>),
}

/// A bridge's question. Dropping it before it is answered takes it back.
pub(crate) struct Question {
    client: Arc<Client>,
    ask: Ticket,
    answer: oneshot::Receiver<Result<Message, ErrorObject>>,
}

impl Question {
    /// The answer; `None` when the client has gone.
    pub(crate) async fn answer(&mut self) -> Option<Result<Message, ErrorObject>> {
        (&mut self.answer).await.ok()
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        let unanswered = self.client.books().asks.contains_key(&self.ask);
        if unanswered {
            self.client
                .take_ask_back(self.ask, Some("the answer is not needed any more".to_owned()));
        }
    }
}

/// An open `subscriptions/listen`.
struct Listening {
    /// Without its URIs.
    filter: Filter,
    subscribed: Vec<Subscribed>,
}

/// What the machine wants that only the caller of [`Client::take`] can do.
pub(crate) enum Work {
    Send(Message, Target),
    Hello(Ticket, Arc<Peer>),
    Request(Ticket, Box<Request>),
    Listen(Ticket, Box<Request>),
}

impl Client {
    /// Whether somebody who shows this may use what it opened: the same principal, let in by the same token. What another token of the same
    /// principal is for may differ, and a session must not outlive the token that opened it.
    pub(crate) fn belongs_to(&self, who: &Credential) -> bool {
        self.principal == who.principal && self.bearer == who.token
    }

    pub(crate) fn new(inner: &Arc<Inner>, who: Credential, delivery: Delivery) -> Arc<Self> {
        Arc::new(Self {
            number: inner.clients.next_number(),
            principal: who.principal,
            bearer: who.token,
            inner: inner.clone(),
            delivery,
            machine: Mutex::new(
                face::Session::new()
                    .allowing(inner.settings().max_in_flight)
                    .signing(inner.own_info.clone()),
            ),
            books: Mutex::default(),
            seen: Mutex::default(),
            token: OnceLock::new(),
            ending: OnceLock::new(),
        })
    }

    /// Messages that wait to be written to it; none over HTTP, where each stream has its own.
    pub(crate) fn queued(&self) -> usize {
        match &self.delivery {
            Delivery::Pipe(outgoing) => outgoing.max_capacity() - outgoing.capacity(),
            Delivery::Http(_) => 0,
        }
    }

    fn machine(&self) -> MutexGuard<'_, face::Session> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn legacy_peer(&self) -> Option<Arc<Peer>> {
        self.machine().legacy_peer().cloned()
    }

    /// Lets the machine take something in. What it wants done at once is done; the rest is handed back.
    pub(crate) fn take(self: &Arc<Self>, input: Input) -> Drained<Work> {
        self.with_machine(|machine| machine.handle(input))
    }

    fn with_machine(self: &Arc<Self>, act: impl FnOnce(&mut face::Session)) -> Drained<Work> {
        let outputs = {
            let mut machine = self.machine();
            act(&mut machine);
            // Noted before anybody else can hear of it: a cancellation that comes at once finds the request.
            Drained::from_fn(|| machine.poll().inspect(|output| self.note_start(output)))
        };
        let mut work = Drained::default();
        for output in outputs {
            match output {
                Output::Send(message, target) => work.push(Work::Send(message, target)),
                Output::Hello(ticket, peer) => work.push(Work::Hello(ticket, peer)),
                Output::Request(ticket, request) => work.push(Work::Request(ticket, request)),
                Output::Listen(ticket, request) => work.push(Work::Listen(ticket, request)),
                Output::Cancelled(ticket, _) => self.cancel(ticket),
                Output::Notify(message) => self.notify_servers(&message),
                Output::Answered(ask, answer) => self.answered(ask, answer),
                Output::AskProgress(ask, message) => self.ask_progressed(ask, &message),
                Output::Initialized => self.initialized(),
            }
        }
        work
    }

    /// Sends what can wait for nobody: from a server's reader, which must not block. A client that reads too slowly loses it.
    fn send_now(&self, work: Drained<Work>) {
        for item in work {
            let Work::Send(message, target) = item else { continue };
            let sent = match &self.delivery {
                Delivery::Pipe(outgoing) => outgoing.try_send(message.line()).is_ok(),
                Delivery::Http(streams) => streams.send(target, message.into_bytes()),
            };
            if !sent {
                self.inner.metrics.undelivered();
            }
        }
    }

    /// Sends with back pressure: whoever speaks faster than the client reads has to wait.
    pub(crate) async fn send(&self, work: Drained<Work>) {
        for item in work {
            let Work::Send(message, target) = item else { continue };
            match &self.delivery {
                Delivery::Pipe(outgoing) => drop(outgoing.send(message.line()).await),
                Delivery::Http(streams) => {
                    if let Some(sender) = streams.sender(target) {
                        drop(sender.reserve().await);
                    }
                    streams.send(target, message.into_bytes());
                    // The first message before an answer makes the answer a stream: whoever waits for it must be let in.
                    tokio::task::yield_now().await;
                }
            }
        }
    }

    /// Sends a frame that no machine made: a batch's answers, a refusal of what could not be read.
    pub(crate) async fn send_raw(&self, frame: Bytes) {
        if let Delivery::Pipe(outgoing) = &self.delivery {
            drop(outgoing.send(frame).await);
        }
    }

    // === requests under way

    fn note_start(&self, output: &Output) {
        if let Output::Request(ticket, _) | Output::Listen(ticket, _) = output {
            self.books().running.insert(*ticket, Arc::new(Notify::new()));
        }
    }

    /// What is notified when the client cancels a request; nothing when it has done so already.
    pub(crate) fn running(&self, ticket: Ticket) -> Option<Arc<Notify>> {
        self.books().running.get(&ticket).cloned()
    }

    fn cancel(&self, ticket: Ticket) {
        let running = self.books().running.remove(&ticket);
        if let Some(cancelled) = running {
            cancelled.notify_one();
        }
        self.end_listening(ticket);
    }

    /// The answer to a request, ready to be sent; nothing when the client has cancelled it.
    pub(crate) fn finish(self: &Arc<Self>, ticket: Ticket, outcome: Outcome) -> Drained<Work> {
        let work = self.take(Input::Outcome(ticket, outcome));
        self.books().running.remove(&ticket);
        work
    }

    /// Carries a request out: the answer, ready to be sent; nothing when the client has cancelled it.
    pub(crate) async fn carry_out(self: &Arc<Self>, ticket: Ticket, request: Box<Request>) -> Drained<Work> {
        let outcome = exchange::run(self, ticket, request).await;
        // What the client has cancelled is no longer answered, whatever the outcome says.
        self.finish(ticket, outcome.unwrap_or_else(|| self.cut_off()))
    }

    /// The same for a client that is one request and is kept nowhere: the end of the gateway, which cuts the others short, finds it here.
    pub(crate) async fn carry_out_alone(self: &Arc<Self>, ticket: Ticket, request: Box<Request>) -> Drained<Work> {
        let ending = async {
            self.inner.shutdown.cancelled().await;
            // What its server has to say comes first.
            tokio::time::sleep(crate::kernel::LOOK_FOR_ANSWERS).await;
        };
        let outcome = tokio::select! {
            biased;
            outcome = exchange::run(self, ticket, request) => outcome,
            () = ending => None,
        };
        self.finish(ticket, outcome.unwrap_or_else(|| self.cut_off()))
    }

    /// Why a request that its client still waits for has come to nothing.
    fn cut_off(&self) -> Outcome {
        let why = match self.inner.shutdown.is_cancelled() {
            true => "the gateway is shutting down; send the request again when it is back",
            false => "the token that opened this session lets nobody in any more",
        };
        Outcome::refused(ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, why))
    }

    /// Has all requests under way come to an end, each with an error.
    pub(crate) fn cut_short(&self) {
        for running in self.books().running.values() {
            running.notify_one();
        }
    }

    /// Whether a request is under way.
    pub(crate) fn is_busy(&self) -> bool {
        !self.books().running.is_empty()
    }

    /// The client's exchange is gone: whatever runs for it is given up.
    pub(crate) fn abandon(self: &Arc<Self>, ticket: Ticket) {
        drop(self.with_machine(|machine| machine.abandon(ticket)));
    }

    pub(crate) async fn interim(self: &Arc<Self>, ticket: Ticket, message: Message) {
        let work = self.take(Input::Interim(ticket, message));
        self.send(work).await;
    }

    /// The same, from a reader that must not block.
    pub(crate) fn interim_now(self: &Arc<Self>, ticket: Ticket, message: Message) {
        let work = self.take(Input::Interim(ticket, message));
        self.send_now(work);
    }

    /// A notification that belongs to no request.
    pub(crate) fn event(self: &Arc<Self>, message: &Message) {
        let work = self.take(Input::Event(message.clone()));
        self.send_now(work);
    }

    // === lines and what is wanted of them

    pub(crate) fn line(&self, server: &ServerId) -> Option<Arc<Line>> {
        self.books().lines.get(server).cloned()
    }

    pub(crate) fn keep_line(&self, server: &ServerId, line: &Arc<Line>) {
        self.books().lines.insert(server.clone(), line.clone());
    }

    /// Forgets the lines to servers that are no more.
    pub(crate) fn drop_lines(&self, servers: &[ServerId]) {
        self.books().lines.retain(|server, _| !servers.contains(server));
    }

    pub(crate) fn lines(&self) -> Vec<Arc<Line>> {
        self.books().lines.values().cloned().collect()
    }

    /// Notes a subscription; whether it is new.
    ///
    /// # Errors
    /// When the client has as many as it may have.
    pub(crate) fn subscribe(&self, server: &ServerId, uri: &str) -> Result<bool, ErrorObject> {
        let mut books = self.books();
        let subscription = (server.clone(), uri.to_owned());
        if books.subscriptions.contains(&subscription) {
            return Ok(false);
        }
        if books.room() == 0 {
            return Err(ErrorObject::invalid_params(format!(
                "this session is subscribed to {} resources already; unsubscribe from some first",
                Filter::MAX_URIS
            )));
        }
        Ok(books.subscriptions.insert(subscription))
    }

    /// Drops a subscription; whether there was one.
    pub(crate) fn unsubscribe(&self, server: &ServerId, uri: &str) -> bool {
        self.books().subscriptions.remove(&(server.clone(), uri.to_owned()))
    }

    pub(crate) fn resource_updated(self: &Arc<Self>, server: &ServerId, uri: &str, message: &Message) {
        let (subscribed, listening) = {
            let books = self.books();
            let hears = |l: &Listening| l.subscribed.iter().any(|s| s.is_of(server) && is_under(uri, &s.uri));
            let listening: Vec<Ticket> = books
                .listening
                .iter()
                .filter(|(_, l)| hears(l))
                .map(|(ticket, _)| *ticket)
                .collect();
            let subscribed = books.subscriptions.iter().any(|(s, wanted)| s == server && is_under(uri, wanted));
            (subscribed, listening)
        };
        if subscribed {
            self.event(message);
        }
        for ticket in listening {
            let work = self.with_machine(|machine| machine.notify_listener(ticket, message));
            self.send_now(work);
        }
    }

    /// Tells the client that lists have changed: on its session, and on each stream that asked for it.
    pub(crate) fn tell(self: &Arc<Self>, message: &Message, wants: impl Fn(&Filter) -> bool) {
        self.event(message);
        self.tell_listeners(message, wants);
    }

    /// Tells each stream that asked for it.
    pub(crate) fn tell_listeners(self: &Arc<Self>, message: &Message, wants: impl Fn(&Filter) -> bool) {
        let listening: Vec<Ticket> = self
            .books()
            .listening
            .iter()
            .filter(|(_, l)| wants(&l.filter))
            .map(|(ticket, _)| *ticket)
            .collect();
        for ticket in listening {
            let work = self.with_machine(|machine| machine.notify_listener(ticket, message));
            self.send_now(work);
        }
    }

    /// Opens a subscription stream: acknowledged first, then fed. What is more than a client may subscribe to is left out.
    pub(crate) fn listen(self: &Arc<Self>, ticket: Ticket, mut filter: Filter, mut subscribed: Vec<Subscribed>) -> Drained<Work> {
        let mut books = self.books();
        let beyond = subscribed.split_off(books.room().min(subscribed.len()));
        filter.uris = subscribed.iter().map(|s| s.uri.clone()).collect();
        let acknowledged = filter.clone();
        filter.uris = Vec::new();
        if books.running.contains_key(&ticket) {
            books.listening.insert(ticket, Listening { filter, subscribed });
        }
        drop(books);
        drop(beyond);
        self.with_machine(|machine| machine.acknowledge(ticket, &acknowledged))
    }

    /// Forgets a subscription stream, and gives back what it was subscribed to.
    pub(crate) fn end_listening(&self, ticket: Ticket) {
        let listening = {
            let mut books = self.books();
            books.running.remove(&ticket);
            books.listening.remove(&ticket)
        };
        drop(listening);
    }

    fn initialized(self: &Arc<Self>) {
        let Some(peer) = self.legacy_peer() else { return };
        for server in self.inner.servers().iter() {
            server.look_up(self, &peer);
        }
    }

    /// Passes a client's notification on to whom it concerns: changed roots to the servers on lines of its own, an extension's to its owner.
    fn notify_servers(self: &Arc<Self>, message: &Message) {
        let name = message.method().unwrap_or_default();
        if name == "notifications/roots/list_changed" {
            for line in self.lines().iter().filter(|line| line.key.client == Some(self.number)) {
                if let Some(session) = line.live()
                    && let Some(permit) = self.may_notify(&line.server.spec.id, name)
                {
                    session.notify(message, &permit);
                }
            }
            return;
        }
        let owner = self.inner.extension_owner(self, name);
        if let Some(server) = owner.and_then(|owner| self.inner.server(&owner))
            && let Some(permit) = self.may_notify(&server.spec.id, name)
        {
            self.notify_owner(server, message.clone(), permit);
        }
    }

    fn may_notify(&self, server: &ServerId, method: &str) -> Option<Permit> {
        let action = Action::Notify { server, method };
        self.admit_now(action, &model::Trace::default()).ok()
    }

    /// Tells the owner of an extension, on the line that the client's calls take. Where there is none yet, it is made meanwhile.
    fn notify_owner(self: &Arc<Self>, server: Arc<Server>, message: Message, permit: Permit) {
        if let Some(session) = self.line(&server.spec.id).and_then(|line| line.live()) {
            return session.notify(&message, &permit);
        }
        let (client, over) = (self.clone(), self.inner.shutdown.clone());
        let telling = async move {
            let line = match client.legacy_peer() {
                Some(peer) => server.line_for(&client, &peer).await.map(|(line, _)| line),
                None => server.listening_line(&client.principal.id, &client.inner.own_peer).await,
            };
            if let Ok(line) = line
                && let Ok(session) = line.session().await
            {
                session.notify(&message, &permit);
            }
        };
        self.inner.spawn(async move {
            over.run_until_cancelled(telling).await;
        });
    }

    // === questions to the client

    /// Asks the client on a server's behalf. The answer goes back over the server's own connection.
    pub(crate) fn ask_for_server(
        self: &Arc<Self>,
        line: &Arc<Line>,
        session: &Arc<Session>,
        related: Option<Ticket>,
        ask: Ticket,
        message: &Message,
    ) {
        let method = message.method().unwrap_or_default().to_owned();
        let action = Action::Ask {
            server: &line.server.spec.id,
            method: &method,
        };
        let permit = match self.admit_now(action, &model::Trace::default()) {
            Ok(permit) => permit,
            Err(error) => return session.answer(ask, Err(error)),
        };
        let asker = Asker::Server {
            line: line.clone(),
            session: session.clone(),
            ask,
            method,
            permit,
        };
        let theirs = self.note_asker(asker);
        line.note_ask(ask, self, theirs);
        let message = crate::bridge::question_for(self, message, session.revision());
        self.put_question(theirs, related, message);
    }

    /// Asks the client on a bridge's behalf.
    pub(crate) fn ask_for_bridge(self: &Arc<Self>, related: Ticket, message: Message) -> Question {
        let (sender, answer) = oneshot::channel();
        let ask = self.note_asker(Asker::Bridge(sender));
        self.put_question(ask, Some(related), message);
        Question {
            client: self.clone(),
            ask,
            answer,
        }
    }

    fn note_asker(&self, asker: Asker) -> Ticket {
        let mut books = self.books();
        books.next_ask += 1;
        let ticket = Ticket(books.next_ask);
        books.asks.insert(ticket, asker);
        ticket
    }

    fn put_question(self: &Arc<Self>, ask: Ticket, related: Option<Ticket>, message: Message) {
        let related = related.or_else(|| match &self.delivery {
            // Without a stream of the session's own, a question rides on the oldest answer that is still open.
            Delivery::Http(streams) if !streams.has_session_stream() => self.machine().oldest_call(),
            _ => None,
        });
        let work = self.take(Input::Ask { ask, related, message });
        self.send_now(work);
    }

    pub(crate) fn take_ask_back(self: &Arc<Self>, ask: Ticket, reason: Option<String>) {
        self.books().asks.remove(&ask);
        let work = self.take(Input::AskCancelled(ask, reason));
        self.send_now(work);
    }

    fn answered(self: &Arc<Self>, ask: Ticket, answer: Result<Message, ErrorObject>) {
        let asker = self.books().asks.remove(&ask);
        match asker {
            Some(Asker::Server {
                line,
                session,
                ask,
                method,
                permit,
            }) => {
                line.ask_answered(ask);
                match answer {
                    Ok(message) => {
                        let message = crate::bridge::answer_for(self, &method, message, session.revision());
                        session.answer_under(ask, message, &permit);
                    }
                    Err(error) => session.answer(ask, Err(error)),
                }
            }
            Some(Asker::Bridge(sender)) => drop(sender.send(answer)),
            None => {}
        }
    }

    fn ask_progressed(&self, ask: Ticket, message: &Message) {
        if let Some(Asker::Server { session, permit, .. }) = self.books().asks.get(&ask) {
            session.ask_progress(message, permit);
        }
    }

    // === the end

    /// The client has gone: its calls are given up, its questions answered with an error, its lines dropped.
    pub(crate) fn hang_up(self: &Arc<Self>) {
        drop(self.with_machine(face::Session::hang_up));
        let (listening, lines, subscriptions) = {
            let mut books = self.books();
            (
                std::mem::take(&mut books.listening),
                std::mem::take(&mut books.lines),
                std::mem::take(&mut books.subscriptions),
            )
        };
        drop(listening);
        for (server, uri) in subscriptions {
            if let Some(line) = lines.get(&server) {
                crate::resources::unsubscribe_upstream(line, &uri);
            }
        }
        drop(lines);
        for server in self.inner.servers().iter() {
            server.client_gone(self.number);
        }
        self.inner.clients.forget(self.number);
    }
}

impl Books {
    /// How many more URIs it may subscribe to.
    fn room(&self) -> usize {
        let listening: usize = self.listening.values().map(|l| l.subscribed.len()).sum();
        Filter::MAX_URIS.saturating_sub(self.subscriptions.len() + listening)
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("number", &self.number)
            .field("principal", &self.principal.id)
            .finish_non_exhaustive()
    }
}

/// 2025-11-25 server/resources: an update may name a sub-resource of what was subscribed to.
fn is_under(uri: &str, subscribed: &str) -> bool {
    uri == subscribed
        || uri
            .strip_prefix(subscribed)
            .is_some_and(|rest| subscribed.ends_with('/') || rest.starts_with(['/', '?', '#']))
}
