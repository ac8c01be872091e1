//! One connection to a server: its machine, its link, and the waiters of its calls.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Instant;

use guard::SendPermit;
use jsonrpc::{ErrorObject, Message};
use mcp::exchange::{Outcome, Request};
use mcp::meta;
use mcp::method::ListKind;
use mcp::revision::{Era, Revision};
use mcp::server::{self, CallError, Output, Placed, Ready};
use model::{ServerId, Ticket, TicketMap, Trace};
use smallvec::SmallVec;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::context::Context;
use crate::event::ServerEvent;
use crate::frame::{self, Frame};
use crate::link::{Link, OutPost};
use crate::protocol::{Mgp, SessionProtocol};
use crate::question::{Asking, Question};
use crate::waiter::{CallEvent, EventSink, Waiter};

/// The number of lines of a child's stderr that an error includes: enough for the message above a stack trace.
const LAST_WORDS: usize = 10;

/// The outputs of a machine after one input: mostly one, which then needs no allocation.
pub(crate) type Outputs = SmallVec<[Output; 1]>;

/// The line of a session, which receives what belongs to no call.
pub(crate) trait Owner: Send + Sync {
    /// Takes a notification that belongs to no call.
    fn notified(self: Arc<Self>, session: &Arc<Session>, message: &Message);
    /// Takes a question that belongs to no call.
    fn asked(self: Arc<Self>, question: Question);
    /// Notes that the connection has ended by itself.
    fn lost(&self, session: &Session, why: &str);
    /// Notes that the gateway ended the connection, so that the next use makes a new one.
    fn renewed(&self, session: &Session);
}

/// One connection. It ends once; its line makes a new one.
pub struct Session {
    /// The number of the session, which no other session of the gateway has.
    pub number: u64,
    pub(crate) context: Arc<Context>,
    pub(crate) server: ServerId,
    owner: Weak<dyn Owner>,
    pub(crate) link: OnceLock<Link>,
    /// `Mcp-Session-Id` of a legacy HTTP server.
    pub(crate) token: OnceLock<Arc<str>>,
    ready: OnceLock<Ready>,
    protocols: [SessionProtocol; 1],
    pub(crate) since: Instant,
    state: Mutex<State>,
    ended: AtomicBool,
    /// Whether the server does not know the session any more, so that it need not be told of the end.
    is_forgotten: AtomicBool,
    /// The number of frames that were no messages.
    pub(crate) garbage: AtomicU32,
    over: CancellationToken,
}

struct State {
    machine: server::Session,
    waiters: TicketMap<Waiter>,
    why: Option<String>,
}

impl Session {
    pub(crate) fn new(context: &Arc<Context>, server: &ServerId, owner: Weak<dyn Owner>, era: Era) -> Arc<Self> {
        Arc::new(Self {
            number: context.number(),
            context: context.clone(),
            server: server.clone(),
            owner,
            link: OnceLock::new(),
            token: OnceLock::new(),
            ready: OnceLock::new(),
            protocols: SessionProtocol::all(),
            since: runtime::now(),
            state: Mutex::new(State {
                machine: server::Session::new(era),
                waiters: TicketMap::default(),
                why: None,
            }),
            ended: AtomicBool::new(false),
            is_forgotten: AtomicBool::new(false),
            garbage: AtomicU32::new(0),
            over: context.runtime.shutdown().child_token(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the era of the session.
    #[must_use]
    pub fn era(&self) -> Era {
        self.lock().machine.era()
    }

    /// Returns the revision that was negotiated; before the handshake is complete, the newest with one.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.ready.get().map_or(Revision::LATEST_LEGACY, |ready| ready.revision)
    }

    /// Returns the server's part of the handshake; none before the handshake is complete.
    #[must_use]
    pub fn ready(&self) -> Option<&Ready> {
        self.ready.get()
    }

    /// Notes that the handshake is complete.
    pub(crate) fn note_ready(&self, ready: Ready) {
        drop(self.ready.set(ready));
    }

    /// Returns the state of MGP on this session.
    #[must_use]
    pub fn mgp(&self) -> &Mgp {
        let [SessionProtocol::Mgp(mgp)] = &self.protocols;
        mgp
    }

    pub(crate) fn protocols(&self) -> &[SessionProtocol] {
        &self.protocols
    }

    /// Returns whether the server has declared lists of this kind.
    pub(crate) fn offers(&self, kind: ListKind) -> bool {
        let capabilities = self.ready.get().map(|ready| &ready.offer.capabilities);
        capabilities.is_some_and(|capabilities| capabilities.get(kind.capability()).is_some())
    }

    /// Returns the server.
    #[must_use]
    pub fn server(&self) -> &ServerId {
        &self.server
    }

    /// Returns whether the connection has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Returns whether a caller waits for an answer. The gateway's own stream to a modern server is always open, and does not count.
    pub(crate) fn is_busy(&self) -> bool {
        self.lock().machine.is_busy()
    }

    /// Returns the token that is cancelled when this connection has ended.
    #[must_use]
    pub fn over(&self) -> &CancellationToken {
        &self.over
    }

    /// Returns the number of unanswered calls.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.lock().machine.in_flight()
    }

    /// Returns whether each message is an exchange of its own.
    #[must_use]
    pub fn is_http(&self) -> bool {
        matches!(self.link.get(), Some(Link::Http(_)))
    }

    /// Returns the process id of the server, where it is a child of the gateway.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        match self.link.get() {
            Some(Link::Pipe(pipe)) => pipe.peer.pid(),
            _ => None,
        }
    }

    /// Starts a new handshake in the given era, on the same connection.
    pub(crate) fn begin_again(&self, era: Era) {
        self.lock().machine.begin_again(era);
    }

    /// Adds to a client's request the trace that it belongs to and the members of the protocols beside MCP.
    #[must_use]
    pub fn prepare<'a>(&self, request: &'a Request) -> Cow<'a, Request> {
        let mut told = Cow::Borrowed(request);
        // A pipe has no headers: the trace of a request that had them is sent in `_meta` (2026-07-28 basic, `_meta`).
        if !self.is_http() && !request.trace.is_empty() && meta::trace(request.params.as_ref()).is_empty() {
            told.to_mut().params = Some(meta::with_trace(request.params.as_ref(), &request.trace));
        }
        let (config, era) = (self.context.config(), self.era());
        let protocols = self.protocols.iter();
        protocols.fold(told, |told, protocol| protocol.outgoing(&config, era, told))
    }

    /// Places a call. `sink` takes the call's messages that arrive elsewhere than on its own exchange.
    pub(crate) fn place(&self, request: &Request, sink: EventSink<'_>) -> Result<(Placed, Option<mpsc::Receiver<CallEvent>>), CallError> {
        self.place_with(|machine| machine.call(request), sink)
    }

    /// Places the first call of the connection.
    pub(crate) fn place_hello(&self, hello: &server::ClientHello) -> Result<(Placed, Option<mpsc::Receiver<CallEvent>>), CallError> {
        self.place_with(|machine| machine.hello(hello), EventSink::Dropped)
    }

    fn place_with(
        &self,
        place: impl FnOnce(&mut server::Session) -> Result<Placed, CallError>,
        sink: EventSink<'_>,
    ) -> Result<(Placed, Option<mpsc::Receiver<CallEvent>>), CallError> {
        let mut state = self.lock();
        let placed = place(&mut state.machine)?;
        let (waiter, receiver) = match sink {
            // A pipe has one stream: everything comes through the waiter.
            _ if !self.is_http() => Waiter::queue(),
            EventSink::Dropped => return Ok((placed, None)),
            EventSink::Caller(caller, ticket) => (Waiter::caller(caller, ticket), None),
            EventSink::Call => Waiter::queue(),
        };
        state.waiters.insert(placed.ticket, waiter);
        Ok((placed, receiver))
    }

    /// Cancels a call, with a notification to the server if its era cancels in that way.
    pub(crate) fn give_up(self: &Arc<Self>, ticket: Ticket, reason: Option<&str>) {
        let outputs = {
            let mut state = self.lock();
            state.waiters.remove(&ticket);
            let closing_cancels = self.is_http() && state.machine.era() == Era::Modern;
            let tell = !closing_cancels && !self.is_over();
            state.machine.cancel(ticket, reason, tell);
            drain(&mut state.machine)
        };
        self.send_all(outputs, None);
    }

    /// Removes a call that is over.
    pub(crate) fn forget(&self, ticket: Ticket) {
        let mut state = self.lock();
        state.waiters.remove(&ticket);
        state.machine.cancel(ticket, None, false);
    }

    /// Answers a question of the server with an error of the gateway's own.
    pub(crate) fn refuse_ask(self: &Arc<Self>, ask: Ticket, error: ErrorObject) {
        self.send_made(None, |machine| machine.answer(ask, Err(error)));
    }

    /// Sends a notification, if the permit stands when it is written.
    pub fn notify(self: &Arc<Self>, message: &Message, permit: &SendPermit) {
        self.send_made(Some(permit), |machine| machine.notify(message));
    }

    /// Gives the machine an input and sends its outputs, under a permit or as the gateway's own.
    fn send_made(self: &Arc<Self>, permit: Option<&SendPermit>, act: impl FnOnce(&mut server::Session)) {
        let outputs = self.with_machine(act);
        self.send_all(outputs, permit);
    }

    /// Gives the machine an input, and returns its outputs.
    pub(crate) fn with_machine(&self, act: impl FnOnce(&mut server::Session)) -> Outputs {
        let mut state = self.lock();
        act(&mut state.machine);
        drain(&mut state.machine)
    }

    fn send_all(self: &Arc<Self>, outputs: Outputs, permit: Option<&SendPermit>) {
        for output in outputs {
            if let Output::Send(outgoing) = output {
                self.send_aside(outgoing, permit.cloned());
            }
        }
    }

    /// Delivers an event to the waiter of a ticket; returns the event if no waiter takes it.
    pub(crate) fn deliver(&self, ticket: Ticket, event: CallEvent) -> Option<CallEvent> {
        let waiter = {
            let mut state = self.lock();
            match event.is_last() {
                true => state.waiters.remove(&ticket),
                false => state.waiters.get(&ticket).cloned(),
            }
        };
        match waiter {
            Some(waiter) => waiter.deliver(event),
            None => Some(event),
        }
    }

    /// Returns the ticket of the oldest call that has a waiter: on a pipe whose handshake is not complete, that is the handshake.
    pub(crate) fn oldest_waiter(&self) -> Option<Ticket> {
        self.lock().waiters.keys().min().copied()
    }

    /// Turns a server's request into a question.
    pub(crate) fn question(self: &Arc<Self>, ask: Ticket, message: Message) -> Question {
        let asking: Arc<dyn Asking> = self.clone();
        Question::new(self.server.clone(), self.revision(), message, (self.number, ask), asking)
    }

    /// Runs `act` with the line, if that still exists.
    pub(crate) fn with_owner(&self, act: impl FnOnce(Arc<dyn Owner>)) {
        if let Some(owner) = self.owner.upgrade() {
            act(owner);
        }
    }

    /// Sends a message that is not a call: an answer to a question, a notification. Never blocks; a server that reads nothing loses the message.
    pub(crate) fn send_aside(self: &Arc<Self>, outgoing: server::Outgoing, permit: Option<SendPermit>) {
        match self.link.get() {
            Some(Link::Pipe(pipe)) => match pipe.outgoing.try_send(Frame::new(outgoing.message.line(), permit)) {
                Ok(()) => {}
                Err(_) => tracing::warn!(server = %self.server, "the server does not read; a message to it was dropped"),
            },
            Some(Link::Http(link)) => {
                let (link, session) = (link.clone(), self.clone());
                let post = OutPost {
                    permit,
                    ..self.post_of(outgoing, &Trace::default())
                };
                self.context.runtime.spawn(async move {
                    if let Err(error) = link.post(post).await {
                        tracing::debug!(server = %session.server, %error, "a message beside the calls was not delivered");
                    }
                });
            }
            None => {}
        }
    }

    /// Makes the POST of a message.
    pub(crate) fn post_of(&self, outgoing: server::Outgoing, trace: &Trace) -> OutPost {
        OutPost {
            body: outgoing.message.into_bytes(),
            session: self.token.get().cloned(),
            mirrors: outgoing.mirrors,
            trace: trace.clone(),
            permit: None,
        }
    }

    /// Ends the connection. Every caller that waits is told the reason.
    pub fn end(&self, why: &str) {
        let waiters = {
            let mut state = self.lock();
            // A caller that sees that it has ended also finds the reason.
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
        self.context.tell(ServerEvent::SessionEnded {
            session: self.number,
            why: why.to_owned(),
        });
    }

    /// Ends a connection that the server does not know any more.
    pub(crate) fn end_forgotten(&self, why: &str) {
        self.is_forgotten.store(true, Ordering::Release);
        self.end(why);
    }

    /// Ends a connection that the server does not know any more or cannot be reached over, so that the next use of its line makes a new one.
    pub fn renew(&self, why: &str) {
        self.end_forgotten(why);
        self.with_owner(|owner| owner.renewed(self));
    }

    /// Ends a connection that can't go on, as if it had ended by itself.
    pub(crate) fn fail(&self, why: &str) {
        self.end(why);
        self.with_owner(|owner| owner.lost(self, why));
    }

    /// Returns the last lines that a child wrote to stderr, for an error.
    pub(crate) fn last_words(&self) -> Vec<String> {
        let Some(Link::Pipe(pipe)) = self.link.get() else {
            return Vec::new();
        };
        let mut tail = pipe.peer.stderr_tail();
        tail.split_off(tail.len().saturating_sub(LAST_WORDS))
    }

    /// Closes the child of a pipe, and resolves when it is gone; none where there is no child.
    pub fn close(&self) -> Option<impl Future<Output = ()> + Send + use<>> {
        let Some(Link::Pipe(pipe)) = self.link.get() else { return None };
        let peer = pipe.peer.clone();
        Some(async move { peer.close().await })
    }

    pub(crate) fn why_over(&self) -> String {
        self.lock().why.clone().unwrap_or_else(|| "the connection has ended".to_owned())
    }
}

impl Asking for Session {
    fn answer_under(self: Arc<Self>, ask: Ticket, answer: Message, permit: &SendPermit) {
        if !permit.stands() {
            return self.refuse_ask(ask, SendPermit::withdrawn());
        }
        self.send_made(Some(permit), |machine| machine.answer(ask, Ok(answer)));
    }

    fn refuse(self: Arc<Self>, ask: Ticket, error: ErrorObject) {
        self.refuse_ask(ask, error);
    }

    fn progress(self: Arc<Self>, message: &Message, permit: &SendPermit) {
        self.send_made(Some(permit), |machine| machine.ask_progress(message));
    }
}

impl frame::Placed for Session {
    fn withdrawn(&self, call: Ticket) {
        drop(self.deliver(call, withdrawn()));
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.over.cancel();
        if let (Some(Link::Http(link)), Some(token)) = (self.link.get(), self.token.get())
            && !self.is_forgotten.load(Ordering::Acquire)
        {
            let (link, token, revision) = (link.clone(), token.clone(), self.revision().as_str());
            self.context.runtime.spawn(async move { link.delete(&token, revision).await });
        }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("server", &self.server).finish_non_exhaustive()
    }
}

/// Returns the last event of a call whose permit was withdrawn between the decision and the first byte.
pub(crate) fn withdrawn() -> CallEvent {
    CallEvent::Done(Box::new(Outcome::refused(SendPermit::withdrawn())))
}

fn drain(machine: &mut server::Session) -> Outputs {
    std::iter::from_fn(|| machine.poll()).collect()
}
