//! Runs a machine: gives it its inputs, starts the work that it wants started, and writes what it wants written.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use jsonrpc::ErrorObject;
use serde_json::Value;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use crate::context::{Context, Parts};
use crate::core::{Change, Core};
use crate::error::{Error, Result, rescue};
use crate::machine::{CallEvent, CallId, ExchangeId, Input, Lane, Machine, Output, Route, Verdict, Work, WorkKind};

/// How long a cancelled handler may clean up before it is dropped.
const GRACE: Duration = Duration::from_secs(5);
/// How long the calls in progress may take when the client is gone or the server stops.
pub(crate) const DRAIN: Duration = Duration::from_secs(5);
/// How many notifications of one client may be handled at once.
const MAX_NOTIFICATIONS: usize = 64;
/// How many inputs may wait for a machine.
pub(crate) const INBOX: usize = 64;

/// The writer of a machine's messages.
pub(crate) trait Sink {
    /// Writes a message; with `last` its exchange is over. May wait for the reader, within bounds. Returns `false` if
    /// the connection is gone.
    fn send(&mut self, route: Route, bytes: Bytes, verdict: Verdict, last: bool) -> impl Future<Output = bool> + Send;
    /// Ends the exchange.
    fn finish(&mut self, exchange: ExchangeId) -> impl Future<Output = ()> + Send;
    /// Closes the exchange's stream until the client resumes it.
    fn detach(&mut self, exchange: ExchangeId) -> impl Future<Output = ()> + Send;
    /// Records the revision that the legacy session has agreed on.
    fn revision(&mut self, _revision: &'static str) {}
}

/// One machine with its tasks and its writer.
pub(crate) struct Driver<S> {
    core: Arc<Core>,
    machine: Machine,
    sink: S,
    inbox: mpsc::Sender<Input>,
    running: HashMap<CallId, CancellationToken>,
    notifications: Arc<Semaphore>,
    broken: bool,
}

impl<S: Sink> Driver<S> {
    pub(crate) fn new(core: Arc<Core>, lane: Lane, sink: S, inbox: mpsc::Sender<Input>) -> Self {
        Self {
            machine: Machine::new(Arc::clone(&core), lane),
            core,
            sink,
            inbox,
            running: HashMap::new(),
            notifications: Arc::new(Semaphore::new(MAX_NOTIFICATIONS)),
            broken: false,
        }
    }

    /// Runs until `gone`, then until the calls in progress are answered, for at most as long as `patience` then
    /// returns.
    pub(crate) async fn run(
        mut self,
        mut inputs: mpsc::Receiver<Input>,
        gone: CancellationToken,
        patience: impl FnOnce() -> Duration + Send,
    ) {
        let mut changes = self.core.changes.subscribe();
        while !self.broken {
            // Order: the end first, so that a busy client cannot postpone it; then the client; then the changes.
            tokio::select! {
                biased;
                () = gone.cancelled() => break,
                input = inputs.recv() => match input {
                    Some(input) => self.feed(input).await,
                    None => break,
                },
                change = changes.recv() => match change {
                    Ok(change) => self.feed(Input::Change(change)).await,
                    Err(RecvError::Lagged(_)) => self.feed(Input::Change(Change::Everything)).await,
                    Err(RecvError::Closed) => break,
                },
            }
        }
        self.drain(inputs, patience()).await;
    }

    /// Runs one exchange only: until it is over, or until its client hangs up.
    pub(crate) async fn run_exchange(
        mut self,
        exchange: ExchangeId,
        mut inputs: mpsc::Receiver<Input>,
        hung_up: CancellationToken,
        stop: CancellationToken,
    ) {
        let mut changes = self.core.changes.subscribe();
        let mut stopping = false;
        loop {
            tokio::select! {
                biased;
                () = hung_up.cancelled() => {
                    self.feed(Input::Hangup(exchange)).await;
                    break;
                }
                () = stop.cancelled(), if !stopping => {
                    stopping = true;
                    self.feed(Input::Close).await;
                }
                input = inputs.recv() => match input {
                    Some(input) => self.feed(input).await,
                    None => break,
                },
                change = changes.recv() => match change {
                    Ok(change) => self.feed(Input::Change(change)).await,
                    Err(RecvError::Lagged(_)) => self.feed(Input::Change(Change::Everything)).await,
                    Err(RecvError::Closed) => break,
                },
            }
            if self.broken {
                self.feed(Input::Hangup(exchange)).await;
                break;
            }
            if self.machine.is_idle() {
                break;
            }
        }
    }

    async fn drain(&mut self, mut inputs: mpsc::Receiver<Input>, patience: Duration) {
        // What the client sent before it left is still processed.
        for _ in 0..2 * INBOX {
            match inputs.try_recv() {
                Ok(input) => self.feed(input).await,
                Err(_empty) => break,
            }
        }
        self.feed(Input::Close).await;
        let answered = async {
            while !self.machine.is_idle() && !self.broken {
                match inputs.recv().await {
                    Some(input) => self.feed(input).await,
                    None => break,
                }
            }
        };
        let _late = tokio::time::timeout(patience, answered).await;
        self.running.values().for_each(CancellationToken::cancel);
        self.core.tasks.drop_owner(self.machine.me());
    }

    async fn feed(&mut self, input: Input) {
        let before = self.machine.revision();
        if let Input::Call(call, CallEvent::Done(_) | CallEvent::BecameTask(_)) = &input {
            self.running.remove(call);
        }
        self.machine.handle(input);
        if let Some(revision) = self.machine.revision().filter(|now| before != Some(*now)) {
            self.sink.revision(revision);
        }
        while let Some(output) = self.machine.poll() {
            self.perform(output).await;
        }
    }

    async fn perform(&mut self, output: Output) {
        match output {
            Output::Send {
                route,
                bytes,
                verdict,
                last,
            } => self.broken |= !self.sink.send(route, bytes, verdict, last).await,
            Output::Finish(exchange) => self.sink.finish(exchange).await,
            Output::Detach(exchange) => self.sink.detach(exchange).await,
            Output::Start(call, work) => self.start(call, work),
            Output::Cancel(call) => {
                if let Some(token) = self.running.remove(&call) {
                    token.cancel();
                }
            }
            // A handler that stopped waiting does not need the answer.
            Output::Answer(reply, answer) => drop(reply.send(answer)),
        }
    }

    fn start(&mut self, call: CallId, work: Work) {
        let task = match &work.kind {
            WorkKind::Task(task) => Some(task.clone()),
            WorkKind::Call { .. } | WorkKind::Notification => None,
        };
        let cancel = task.as_ref().and_then(|task| self.core.tasks.token(task)).unwrap_or_default();
        if matches!(work.kind, WorkKind::Call { .. }) {
            self.running.insert(call, cancel.clone());
        }
        let Work {
            handler,
            args,
            facts,
            known,
            kind,
        } = work;
        let place = match kind {
            // A notification has no answer, so excess ones are dropped.
            WorkKind::Notification => match Arc::clone(&self.notifications).try_acquire_owned() {
                Ok(place) => Some(place),
                Err(_full) => return,
            },
            WorkKind::Call { .. } | WorkKind::Task(_) => None,
        };
        let may_become_task = kind == WorkKind::Call { may_become_task: true };
        let (core, inbox) = (Arc::clone(&self.core), self.inbox.clone());
        let parts = Parts {
            core: Arc::clone(&core),
            facts,
            call,
            inbox: inbox.clone(),
            cancel: cancel.clone(),
            may_become_task,
            task,
            known,
        };
        let ctx = Context::new(parts);
        tokio::spawn(async move {
            let running = {
                let ctx = ctx.clone();
                async move { handler(ctx, args).await }
            };
            let result = supervise(running, &cancel).await;
            drop(place);
            match ctx.task() {
                Some(task) => {
                    let outcome = result.or_else(|error| rescue(error.into_why(), ctx.era(), true));
                    if core.tasks.finish(&task, outcome) {
                        core.announce(Change::Task(task));
                    }
                }
                None if kind == WorkKind::Notification => {}
                // The connection may be gone; then the result is not needed.
                None => drop(inbox.send(Input::Call(call, CallEvent::Done(result))).await),
            }
        });
    }
}

/// Runs a handler until it finishes, panics, or exceeds the time for cleaning up after its cancellation.
async fn supervise(running: impl Future<Output = Result<Value>>, cancel: &CancellationToken) -> Result<Value> {
    let outstayed = async {
        cancel.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        result = AssertUnwindSafe(running).catch_unwind() => result.unwrap_or_else(|_panic| Err(Error::from_object(ErrorObject::internal()))),
        () = outstayed => Err(Error::cancelled()),
    }
}
