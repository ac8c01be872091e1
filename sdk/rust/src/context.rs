//! The context of a handler: what it can do besides returning a result.

use std::sync::{Arc, Mutex, PoisonError};

use jsonrpc::{Message, Raw};
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::ask::{Answers, Elicit, Elicited, Question, Root, Sample, Sampled};
use crate::core::{Change, Core};
use crate::era::Era;
use crate::error::{Error, Result};
use crate::handle::Handle;
use crate::known::Known;
use crate::level::Level;
use crate::machine::{CallEvent, CallId, Facts, Input};
use crate::random;

/// The request that a handler serves: the client, its capabilities, and the connection back to it. Clones refer to one
/// request.
///
/// # The law of questions
///
/// [`elicit`](Self::elicit), [`sample`](Self::sample), [`roots`](Self::roots) and [`ask_all`](Self::ask_all) take a
/// key, and within one request a key has one answer. In the legacy era, and in tasks, a question is sent and the
/// handler waits. In the modern era a handler cannot wait: a question whose answer is not known yet *ends the run* with
/// an error that must be passed on with `?`; the client gathers the answers and sends the request again, and the
/// handler *runs again from its beginning*, this time with the answers. So up to its last question a handler must do
/// nothing that may not be done twice, or do it in [`once`](Self::once), which keeps the result.
#[derive(Clone, Debug)]
pub struct Context(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    core: Arc<Core>,
    facts: Arc<Facts>,
    call: CallId,
    inbox: mpsc::Sender<Input>,
    cancel: CancellationToken,
    may_become_task: bool,
    task: Mutex<Option<String>>,
    known: Mutex<Known>,
    progress: Mutex<f64>,
}

/// The values from which a [`Context`] is built.
pub(crate) struct Parts {
    pub(crate) core: Arc<Core>,
    pub(crate) facts: Arc<Facts>,
    pub(crate) call: CallId,
    pub(crate) inbox: mpsc::Sender<Input>,
    pub(crate) cancel: CancellationToken,
    pub(crate) may_become_task: bool,
    pub(crate) task: Option<String>,
    pub(crate) known: Known,
}

impl Context {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts {
            core,
            facts,
            call,
            inbox,
            cancel,
            may_become_task,
            task,
            known,
        } = parts;
        let (task, known, progress) = (Mutex::new(task), Mutex::new(known), Mutex::new(f64::NEG_INFINITY));
        Self(Arc::new(Inner {
            core,
            facts,
            call,
            inbox,
            cancel,
            may_become_task,
            task,
            known,
            progress,
        }))
    }

    /// Returns the client's era.
    #[must_use]
    pub fn era(&self) -> Era {
        self.0.facts.era
    }

    /// Returns the protocol revision of this request, for instance `2025-06-18`.
    #[must_use]
    pub fn revision(&self) -> &str {
        &self.0.facts.revision
    }

    /// Returns the capabilities that the client declared, as it declared them.
    #[must_use]
    pub fn client_capabilities(&self) -> &Value {
        &self.0.facts.capabilities
    }

    /// Returns the name and version that the client claims; not to be trusted.
    #[must_use]
    pub fn client_info(&self) -> &Value {
        &self.0.facts.client
    }

    /// Returns the request's `_meta`, with trace context and the fields of extensions.
    #[must_use]
    pub fn meta(&self) -> &Value {
        &self.0.facts.meta
    }

    /// Returns a handle to the server, for changing what it offers.
    #[must_use]
    pub fn server(&self) -> Handle {
        Handle::new(Arc::clone(&self.0.core))
    }

    /// Returns whether the client could answer `question`.
    pub fn can_ask(&self, question: impl Into<Question>) -> bool {
        question.into().allowed_by(&self.0.facts.capabilities)
    }

    /// Reports progress, if the client asked for it. Progress must increase; a report that does not is dropped
    /// (2026-07-28 basic/patterns/progress). In a task, `message` becomes its status message.
    pub async fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        if let (Some(task), Some(message)) = (self.task(), message) {
            self.0.core.tasks.note(&task, message);
            self.0.core.announce(Change::Task(task));
        }
        let Some(token) = &self.0.facts.progress else { return };
        if !self.grows(progress) {
            return;
        }
        let mut params = json!({"progress": number(progress)});
        if let Some(total) = total {
            params["total"] = number(total);
        }
        if let Some(message) = message {
            params["message"] = json!(message);
        }
        let params = Raw::of(&params).edit().set(&["progressToken"], token).finish();
        self.send(Message::notification("notifications/progress", Some(&params)), None)
            .await;
    }

    /// Sends a log message, if the client wants messages of that severity.
    pub async fn log(&self, level: Level, data: impl Into<Value>) {
        self.log_as(None, level, data).await;
    }

    /// Sends a log message in the name of a part of the server.
    pub async fn log_as(&self, logger: Option<&str>, level: Level, data: impl Into<Value>) {
        if self.0.facts.level.is_none_or(|wanted| level < wanted) {
            return;
        }
        let mut params = json!({"level": level.name(), "data": data.into()});
        if let Some(logger) = logger {
            params["logger"] = json!(logger);
        }
        let message = Message::notification("notifications/message", Some(&Raw::of(&params)));
        self.send(message, Some(level)).await;
    }

    /// Sends a notification of an extension on the stream of this request.
    pub async fn notify(&self, method: &str, params: &Value) {
        self.send(Message::notification(method, Some(&Raw::of(params))), None).await;
    }

    /// Asks the user a question. See the law of questions.
    ///
    /// # Errors
    /// The client cannot, refuses, or takes too long; or, in the modern era, the answer is not known yet.
    pub async fn elicit(&self, key: &str, elicit: Elicit) -> Result<Elicited> {
        self.ask(key, elicit).await.map(|answer| Elicited::read(&answer))
    }

    /// Asks the client's model a question. See the law of questions.
    ///
    /// # Errors
    /// As for [`elicit`](Self::elicit).
    pub async fn sample(&self, key: &str, sample: Sample) -> Result<Sampled> {
        self.ask(key, sample).await.map(Sampled)
    }

    /// Asks for the roots of the client's workspace. See the law of questions.
    ///
    /// # Errors
    /// As for [`elicit`](Self::elicit).
    pub async fn roots(&self, key: &str) -> Result<Vec<Root>> {
        self.ask(key, Question::roots()).await.map(|answer| Root::read_all(&answer))
    }

    /// Asks several questions at once, so that the modern client makes one round of them.
    ///
    /// # Errors
    /// As for [`elicit`](Self::elicit), for any of them.
    pub async fn ask_all(&self, questions: impl IntoIterator<Item = (&str, Question)>) -> Result<Answers> {
        let mut answers = Map::new();
        let mut open = Vec::new();
        for (key, question) in questions {
            if let Some(answer) = self.known(|known| known.answers.get(key).cloned()) {
                question.check(&answer)?;
                answers.insert(key.to_owned(), answer);
            } else if question.allowed_by(&self.0.facts.capabilities) {
                open.push((key.to_owned(), question));
            } else {
                return Err(Error::missing_capability(question.needs()));
            }
        }
        for (key, answer) in self.put(open).await? {
            self.known(|known| known.answers.insert(key.clone(), answer.clone()));
            answers.insert(key, answer);
        }
        Ok(Answers(answers))
    }

    /// Runs `work` once per request, however often the handler runs: its result is kept, sealed, in `requestState`.
    ///
    /// # Errors
    /// Those of `work`; a failed `work` is tried again in the next run.
    pub async fn once(&self, key: &str, work: impl Future<Output = Result<Value>>) -> Result<Value> {
        if let Some(result) = self.known(|known| known.steps.get(key).cloned()) {
            return Ok(result);
        }
        let result = work.await?;
        self.known(|known| known.steps.insert(key.to_owned(), result.clone()));
        Ok(result)
    }

    /// Sends a request of an extension to a legacy client and waits for its result.
    ///
    /// # Errors
    /// The client is modern (2026-07-28 has no such requests), answers with an error, or takes too long.
    pub async fn request(&self, method: &str, params: Value) -> Result<Value> {
        if self.era() == Era::Modern || self.task().is_some() {
            return Err(Error::tool(format!(
                "`{method}` cannot be sent: this client takes no requests from servers"
            )));
        }
        self.send_and_wait(method, params).await
    }

    /// Makes the rest of this call a task, if its tool [allows it](crate::ToolSpec::task_when_ready) and the client
    /// supports it: then the client gets the task's id at once and the result when it asks for it. Returns whether this
    /// is a task now.
    ///
    /// # Errors
    /// Too many tasks are running.
    pub async fn become_task(&self) -> Result<bool> {
        if self.task().is_some() || !self.0.may_become_task {
            return Ok(self.task().is_some());
        }
        let task = self.0.core.tasks.create(None, None, self.0.cancel.clone())?;
        *self.0.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(task.clone());
        self.report(CallEvent::BecameTask(task)).await;
        Ok(true)
    }

    /// Returns whether the caller has given up, or the server stops.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancel.is_cancelled()
    }

    /// Waits until the caller gives up or the server stops. A handler that goes on after that is dropped a few seconds
    /// later.
    pub async fn cancelled(&self) {
        self.0.cancel.cancelled().await;
    }

    /// Closes the stream of this request; a client of 2025-11-25 reconnects for the rest. Elsewhere it does nothing.
    pub async fn close_stream(&self) {
        self.report(CallEvent::Detach).await;
    }

    /// Returns the id of the task that this call is, if it is one.
    #[must_use]
    pub fn task(&self) -> Option<String> {
        self.0.task.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn ask(&self, key: &str, question: impl Into<Question>) -> Result<Value> {
        let mut answers = self.ask_all([(key, question.into())]).await?;
        Ok(answers.0.remove(key).unwrap_or_default())
    }

    /// Sends the questions that have no answer yet, and returns their answers.
    async fn put(&self, open: Vec<(String, Question)>) -> Result<Vec<(String, Value)>> {
        if open.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(task) = self.task() {
            return self.put_in_task(&task, open).await;
        }
        if self.era() == Era::Modern {
            return Err(Error::suspended(open, self.known(|known| known.clone())));
        }
        let all = open.into_iter().map(|(key, question)| async move {
            let params = question.params(Era::Legacy, self.revision(), random::name);
            let answer = self.send_and_wait(question.method(), params).await?;
            question.check(&answer)?;
            Ok((key, answer))
        });
        futures_util::future::try_join_all(all).await
    }

    async fn put_in_task(&self, task: &str, open: Vec<(String, Question)>) -> Result<Vec<(String, Value)>> {
        let ask = |(key, question): (String, Question)| {
            let params = question.params(self.era(), self.revision(), random::name);
            let answer = self.0.core.tasks.ask(task, &key, &question, params);
            (key, answer)
        };
        let asked: Vec<_> = open.into_iter().map(ask).collect();
        self.0.core.announce(Change::Task(task.to_owned()));
        let all = asked.into_iter().map(|(key, answer)| async move {
            match tokio::time::timeout(self.0.core.ask_timeout, answer).await {
                Ok(Ok(answer)) => Ok((key, answer)),
                Ok(Err(_withdrawn)) => Err(Error::tool("the client refused to answer")),
                Err(_elapsed) => {
                    self.0.core.tasks.withdraw(task, &key);
                    Err(Error::tool("the client did not answer in time"))
                }
            }
        });
        futures_util::future::try_join_all(all).await
    }

    async fn send_and_wait(&self, method: &str, params: Value) -> Result<Value> {
        let (reply, answer) = oneshot::channel();
        self.report(CallEvent::Ask {
            method: method.to_owned(),
            params,
            reply,
        })
        .await;
        match tokio::time::timeout(self.0.core.ask_timeout, answer).await {
            Ok(answer) => answer.unwrap_or_else(|_gone| Err(Error::cancelled())),
            Err(_elapsed) => {
                self.report(CallEvent::Withdraw).await;
                Err(Error::tool(format!("the client did not answer `{method}` in time")))
            }
        }
    }

    fn grows(&self, progress: f64) -> bool {
        let mut last = self.0.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let grows = progress > *last;
        if grows {
            *last = progress;
        }
        grows
    }

    pub(crate) fn known<T>(&self, look: impl FnOnce(&mut Known) -> T) -> T {
        look(&mut self.0.known.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn send(&self, message: Message, level: Option<Level>) {
        let of_task = self.task().is_some();
        self.report(CallEvent::Notify { message, level, of_task }).await;
    }

    /// Sends an event to the machine. Waits for room; does nothing if the connection is gone.
    async fn report(&self, event: CallEvent) {
        let _gone = self.0.inbox.send(Input::Call(self.0.call, event)).await;
    }
}

/// Returns a number without a fraction if it is whole, as clients write them.
#[expect(clippy::cast_possible_truncation, reason = "the bounds are checked just before")]
fn number(value: f64) -> Value {
    const SAFE: f64 = 9_007_199_254_740_991.0;
    if value.fract() == 0.0 && value.abs() <= SAFE {
        json!(value as i64)
    } else {
        json!(value)
    }
}
