//! One connection to a server: its machine, its link, and who waits for what.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Instant;

use bytes::Bytes;
use jsonrpc::{DecodeError, ErrorObject, Kind, Message};
use mcp::exchange::{Outcome, Request};
use mcp::method::ListKind;
use mcp::revision::{Era, Revision};
use mcp::server::{self, CallError, Output, Placed, Ready};
use model::{Ticket, TicketMap};
use tokio::sync::mpsc;

use super::call::{CallEvent, Hears, Waiter, taken_back};
use super::line::Line;
use crate::departure::{Leave, Parcel};
use crate::drained::Drained;
use crate::gate::{self, Permit};
use crate::guard::reported;
use crate::inner::Inner;
use crate::link::{Closed, Inbox, Link, OutPost};

/// Frames that are no messages and are logged, of one connection.
const MAX_LOGGED: u32 = 3;
/// Frames that are no messages after which a connection is ended.
const MAX_GARBAGE: u32 = 10_000;

/// Lines of a child's stderr that an error takes along: enough for the message above a stack trace.
const LAST_WORDS: usize = 10;

/// One connection. It ends once; its line makes a new one.
pub(crate) struct Session {
    pub(crate) inner: Arc<Inner>,
    pub(crate) line: Weak<Line>,
    pub(crate) link: OnceLock<Link>,
    /// `Mcp-Session-Id` of a legacy HTTP server.
    pub(crate) token: OnceLock<Arc<str>>,
    pub(crate) ready: OnceLock<Ready>,
    /// What came of the negotiation of MGP.
    pub(crate) agreed: OnceLock<mgp::negotiation::Outcome>,
    pub(crate) since: Instant,
    server_name: String,
    state: Mutex<State>,
    ended: AtomicBool,
    /// Frames that were no messages.
    garbage: AtomicU32,
    over: tokio_util::sync::CancellationToken,
}

struct State {
    machine: server::Session,
    waiters: TicketMap<Waiter>,
    why: Option<String>,
}

impl Session {
    pub(crate) fn new(line: &Arc<Line>, era: Era) -> Arc<Self> {
        let server = &line.server;
        Arc::new(Self {
            inner: server.inner(),
            line: Arc::downgrade(line),
            link: OnceLock::new(),
            token: OnceLock::new(),
            ready: OnceLock::new(),
            agreed: OnceLock::new(),
            since: crate::now(),
            server_name: server.spec.id.to_string(),
            state: Mutex::new(State {
                machine: server::Session::new(era),
                waiters: TicketMap::default(),
                why: None,
            }),
            ended: AtomicBool::new(false),
            garbage: AtomicU32::new(0),
            over: server.inner().shutdown.child_token(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn era(&self) -> Era {
        self.lock().machine.era()
    }

    pub(crate) fn revision(&self) -> Revision {
        self.ready.get().map_or(Revision::LATEST_LEGACY, |ready| ready.revision)
    }

    /// Whether the server said that it has lists of this kind.
    pub(crate) fn offers(&self, kind: ListKind) -> bool {
        let capabilities = self.ready.get().map(|ready| &ready.offer.capabilities);
        capabilities.is_some_and(|capabilities| capabilities.get(kind.capability()).is_some())
    }

    pub(crate) fn server_name(&self) -> &str {
        &self.server_name
    }

    pub(crate) fn is_over(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Whether somebody waits for an answer. The gateway's own stream to a modern server is always open.
    pub(crate) fn is_busy(&self) -> bool {
        self.lock().machine.is_busy()
    }

    /// Cancelled when this connection has ended.
    pub(crate) fn over(&self) -> &tokio_util::sync::CancellationToken {
        &self.over
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.lock().machine.in_flight()
    }

    pub(crate) fn is_http(&self) -> bool {
        matches!(self.link.get(), Some(Link::Http(_)))
    }

    /// Begins anew in an era, on the same connection.
    pub(crate) fn begin_again(&self, era: Era) {
        self.lock().machine.begin_again(era);
    }

    /// Places a call. `hears` says who takes what comes for it elsewhere than on its own exchange.
    pub(crate) fn place(&self, request: &Request, hears: Hears<'_>) -> Result<(Placed, Option<mpsc::Receiver<CallEvent>>), CallError> {
        self.place_with(|machine| machine.call(request), hears)
    }

    /// Places the first call of the connection.
    pub(crate) fn place_hello(&self, hello: &server::ClientHello) -> Result<(Placed, Option<mpsc::Receiver<CallEvent>>), CallError> {
        self.place_with(|machine| machine.hello(hello), Hears::Nobody)
    }

    fn place_with(
        &self,
        place: impl FnOnce(&mut server::Session) -> Result<Placed, CallError>,
        hears: Hears<'_>,
    ) -> Result<(Placed, Option<mpsc::Receiver<CallEvent>>), CallError> {
        let mut state = self.lock();
        let placed = place(&mut state.machine)?;
        let (waiter, receiver) = match hears {
            // A pipe has one stream: everything comes through the waiter.
            _ if !self.is_http() => Waiter::queue(),
            Hears::Nobody => return Ok((placed, None)),
            Hears::Client(client, ticket) => (Waiter::client(client, ticket), None),
            Hears::Call => Waiter::queue(),
        };
        state.waiters.insert(placed.ticket, waiter);
        Ok((placed, receiver))
    }

    /// Forgets a call, telling the server where that is how its era cancels.
    pub(crate) fn give_up(self: &Arc<Self>, ticket: Ticket, reason: Option<&str>) {
        let outputs = {
            let mut state = self.lock();
            state.waiters.remove(&ticket);
            let closing_cancels = self.is_http() && state.machine.era() == Era::Modern;
            let tell = !closing_cancels && !self.is_over();
            state.machine.cancel(ticket, reason, tell);
            drain(&mut state.machine)
        };
        self.carry_out(outputs, None, &mut Vec::new());
    }

    /// Forgets a call that is over.
    pub(crate) fn forget(&self, ticket: Ticket) {
        let mut state = self.lock();
        state.waiters.remove(&ticket);
        state.machine.cancel(ticket, None, false);
    }

    /// Answers a question of the server with something of the gateway's own.
    pub(crate) fn answer(self: &Arc<Self>, ask: Ticket, answer: Result<Message, ErrorObject>) {
        self.with_machine(|machine| machine.answer(ask, answer));
    }

    /// Answers a question of the server with what its addressee says, if the permit stands when it is written.
    pub(crate) fn answer_under(self: &Arc<Self>, ask: Ticket, answer: Message, permit: &Permit) {
        if !permit.stands(&self.inner) {
            return self.answer(ask, Err(gate::changed()));
        }
        self.send_under(permit, |machine| machine.answer(ask, Ok(answer)));
    }

    /// Passes on what the addressee of a question reports meanwhile; likewise.
    pub(crate) fn ask_progress(self: &Arc<Self>, message: &Message, permit: &Permit) {
        self.send_under(permit, |machine| machine.ask_progress(message));
    }

    /// Passes a client's notification on; likewise.
    pub(crate) fn notify(self: &Arc<Self>, message: &Message, permit: &Permit) {
        self.send_under(permit, |machine| machine.notify(message));
    }

    fn send_under(self: &Arc<Self>, permit: &Permit, act: impl FnOnce(&mut server::Session)) {
        let outputs = {
            let mut state = self.lock();
            act(&mut state.machine);
            drain(&mut state.machine)
        };
        let leave = Leave::new(&self.inner, permit.clone(), None);
        for output in outputs {
            if let Output::Send(outgoing) = output {
                self.send_aside(outgoing, Some(leave.clone()));
            }
        }
    }

    fn with_machine(self: &Arc<Self>, act: impl FnOnce(&mut server::Session)) {
        let outputs = {
            let mut state = self.lock();
            act(&mut state.machine);
            drain(&mut state.machine)
        };
        self.carry_out(outputs, None, &mut Vec::new());
    }

    /// Takes in what came on the exchange of a call (or on the session's own stream). What concerns that call is pushed onto `own`.
    pub(crate) fn receive(self: &Arc<Self>, bytes: Bytes, via: Option<Ticket>, own: &mut Vec<CallEvent>) -> Result<(), DecodeError> {
        let message = jsonrpc::decode_message(bytes, &self.inner.limits())?;
        let outputs = {
            let mut state = self.lock();
            state.machine.receive(message, via);
            drain(&mut state.machine)
        };
        self.carry_out(outputs, via, own);
        Ok(())
    }

    fn carry_out(self: &Arc<Self>, outputs: Drained<Output>, via: Option<Ticket>, own: &mut Vec<CallEvent>) {
        for output in outputs {
            match output {
                Output::Send(outgoing) if via.is_some() && self.is_http() && is_initialized(&outgoing) => {
                    own.push(CallEvent::Aside(outgoing))
                }
                Output::Send(outgoing) => self.send_aside(outgoing, None),
                Output::Ready(ready) => {
                    drop(self.ready.set((*ready).clone()));
                    self.deliver_hello(CallEvent::Greeted(Ok(())), via, own);
                }
                Output::Failed(error) => self.deliver_hello(CallEvent::Greeted(Err(error)), via, own),
                Output::Outcome(ticket, outcome) => self.deliver(ticket, CallEvent::Done(Box::new(outcome)), via, own),
                Output::Interim(_, message) | Output::Event(message) if reported::is_told(self, &message) => reported::take(self, &message),
                Output::Interim(ticket, message) => self.deliver(ticket, CallEvent::Interim(message), via, own),
                Output::Ask { ask, message, .. } if reported::is_a_clients(self, &message) => reported::refuse(self, ask, &message),
                Output::Ask {
                    ask,
                    related: Some(ticket),
                    message,
                } => self.deliver(ticket, CallEvent::Ask(ask, message), via, own),
                Output::Ask {
                    ask,
                    related: None,
                    message,
                } => self.asked_outside(ask, &message),
                Output::AskCancelled(ask, reason) => self.with_line(|line| line.ask_taken_back(ask, reason)),
                Output::Event(message) => self.with_line(|line| line.event(self, &message)),
                Output::Stray(what, message) => {
                    if message.kind() == Kind::Request && reported::is_a_clients(self, &message) {
                        reported::tried(self, &message);
                    }
                    self.inner.metrics.stray(&self.server_name);
                    tracing::debug!(server = %self.server_name, what, message = ?message, "dropped");
                }
            }
        }
    }

    fn deliver(self: &Arc<Self>, ticket: Ticket, event: CallEvent, via: Option<Ticket>, own: &mut Vec<CallEvent>) {
        if via == Some(ticket) {
            return own.push(event);
        }
        let done = matches!(event, CallEvent::Done(_) | CallEvent::Greeted(_) | CallEvent::Lost(_));
        let waiter = {
            let mut state = self.lock();
            if done {
                state.waiters.remove(&ticket)
            } else {
                state.waiters.get(&ticket).cloned()
            }
        };
        let refused = match waiter {
            Some(waiter) => waiter.deliver(event, self),
            None => Some(event),
        };
        match refused {
            None => {}
            Some(CallEvent::Ask(ask, _)) => {
                self.answer(
                    ask,
                    Err(ErrorObject::new(
                        jsonrpc::code::INTERNAL_ERROR,
                        "the client takes no more questions",
                    )),
                );
            }
            Some(_) => self.inner.metrics.stray(&self.server_name),
        }
    }

    /// The handshake's outcome: over HTTP its exchange is `via`, on a pipe it is the only call there is.
    fn deliver_hello(self: &Arc<Self>, event: CallEvent, via: Option<Ticket>, own: &mut Vec<CallEvent>) {
        if via.is_some() {
            return own.push(event);
        }
        let waiter = {
            let mut state = self.lock();
            let ticket = state.waiters.keys().min().copied();
            ticket.and_then(|ticket| state.waiters.remove(&ticket))
        };
        if let Some(waiter) = waiter {
            drop(waiter.deliver(event, self));
        }
    }

    fn asked_outside(self: &Arc<Self>, ask: Ticket, message: &Message) {
        match self.line.upgrade() {
            Some(line) => line.ask_owner(self, ask, message),
            None => self.answer(ask, Err(ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, "nobody is connected"))),
        }
    }

    fn with_line(&self, act: impl FnOnce(&Arc<Line>)) {
        if let Some(line) = self.line.upgrade() {
            act(&line);
        }
    }

    /// Sends what is not a call: answers to questions, notifications. Never blocks; a server that reads nothing loses them.
    fn send_aside(self: &Arc<Self>, outgoing: server::Outgoing, leave: Option<Leave>) {
        match self.link.get() {
            Some(Link::Pipe(pipe)) => match pipe.outgoing.try_send(Parcel::new(outgoing.message.line(), leave)) {
                Ok(()) => {}
                Err(_) => tracing::warn!(server = %self.server_name, "the server does not read; a message to it was dropped"),
            },
            Some(Link::Http(link)) => {
                let (link, session) = (link.clone(), self.clone());
                let post = OutPost {
                    leave,
                    ..self.post_of(outgoing, &model::Trace::default())
                };
                self.inner.spawn(async move {
                    if let Err(error) = link.post(post).await {
                        tracing::debug!(server = %session.server_name, %error, "a message beside the calls was not delivered");
                    }
                });
            }
            None => {}
        }
    }

    pub(crate) fn post_of(&self, outgoing: server::Outgoing, trace: &model::Trace) -> OutPost {
        OutPost {
            body: outgoing.message.into_bytes(),
            session: self.token.get().cloned(),
            mirrors: outgoing.mirrors,
            trace: trace.clone(),
            leave: None,
        }
    }

    /// Ends the connection: everybody who waits is told why.
    /// A call was taken back before it was written: whoever waits for its answer is told.
    pub(crate) fn take_back(self: &Arc<Self>, ticket: Ticket) {
        let waiter = self.lock().waiters.get(&ticket).cloned();
        if let Some(waiter) = waiter {
            drop(waiter.deliver(taken_back(), self));
        }
    }

    pub(crate) fn end(&self, why: &str) {
        let waiters = {
            let mut state = self.lock();
            // Whoever sees that it has ended finds the reason, too.
            if self.ended.swap(true, Ordering::AcqRel) {
                return;
            }
            state.why = Some(why.to_owned());
            std::mem::take(&mut state.waiters)
        };
        for (_, waiter) in waiters {
            waiter.lost(why);
        }
        self.over.cancel();
    }

    /// Counts a frame that is no message: the first are logged, and a server that prints nothing else is ended.
    fn garbage(&self, frame: &[u8], error: &DecodeError) {
        let server = &self.server_name;
        self.inner.metrics.garbage(server);
        match self.garbage.fetch_add(1, Ordering::Relaxed) + 1 {
            count @ ..=MAX_LOGGED => {
                let start = String::from_utf8_lossy(&frame[..frame.len().min(120)]).into_owned();
                tracing::warn!(%server, count, %error, line = start, "the server printed something that is not a message");
            }
            MAX_GARBAGE => {
                let why = format!("it printed {MAX_GARBAGE} lines that are not messages; does it log to stdout? Logs belong on stderr");
                self.end(&why);
                self.with_line(|line| line.lost(self, &why));
            }
            _ => {}
        }
    }

    /// The last lines that a child wrote to stderr, as many as fit an error.
    pub(crate) fn last_words(&self) -> Vec<String> {
        let Some(Link::Pipe(pipe)) = self.link.get() else {
            return Vec::new();
        };
        let mut tail = pipe.peer.stderr_tail();
        tail.split_off(tail.len().saturating_sub(LAST_WORDS))
    }

    pub(crate) fn why_over(&self) -> String {
        self.lock().why.clone().unwrap_or_else(|| "the connection has ended".to_owned())
    }
}

impl Inbox for Weak<Session> {
    fn frame(&self, frame: Bytes) {
        let Some(session) = self.upgrade().filter(|session| !session.is_over()) else {
            return;
        };
        if let Err(error) = session.receive(frame.clone(), None, &mut Vec::new()) {
            session.garbage(&frame, &error);
        }
    }

    fn closed(&self, why: Closed) {
        let Some(session) = self.upgrade() else { return };
        session.end(&why.to_string());
        session.with_line(|line| line.lost(&session, &why.to_string()));
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.over.cancel();
        if let (Some(Link::Http(link)), Some(token)) = (self.link.get(), self.token.get())
            && !self.ended.load(Ordering::Acquire)
        {
            let (link, token, revision) = (link.clone(), token.clone(), self.revision().as_str());
            self.inner.spawn(async move { link.delete(&token, revision).await });
        }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("server", &self.server_name).finish_non_exhaustive()
    }
}

/// The one notification that must arrive before any call is sent.
fn is_initialized(outgoing: &server::Outgoing) -> bool {
    outgoing.message.method() == Some("notifications/initialized")
}

fn drain(machine: &mut server::Session) -> Drained<Output> {
    Drained::from_fn(|| machine.poll())
}

/// How an outcome counts in the metrics.
pub(crate) fn outcome_label(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Result(_) => "ok",
        Outcome::InputRequired(_) => "input_required",
        Outcome::Error(_) => "error",
    }
}
