//! Tasks: calls that outlive the request that started them, in both their shapes (2025-11-25 basic/utilities/tasks; SEP-2663).
//!
//! Law: a task belongs to the legacy session that asked for it, or, where there are no sessions, to any client that
//! knows its id.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use jsonrpc::ErrorObject;
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::ask::Question;
use crate::clock::iso;
use crate::era::Era;
use crate::error::{Error, Result};
use crate::random;

/// How long a task is kept by default.
const TTL: Duration = Duration::from_secs(3600);
/// The longest time that a client may ask for.
const MAX_TTL: Duration = Duration::from_secs(24 * 3600);
/// The interval at which clients should poll.
const POLL: Duration = Duration::from_millis(500);
/// How many tasks may exist at once.
const MAX_TASKS: usize = 1024;

/// The outcome of the wrapped request.
pub(crate) type Outcome = std::result::Result<Value, ErrorObject>;

/// The session a task belongs to; `None` in the modern era.
pub(crate) type Owner = Option<u64>;

/// The state of a task, for a caller that waits for its result.
pub(crate) enum Standing {
    Unknown,
    Running,
    Done(Outcome),
}

/// The outcome of an attempt to cancel.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Cancelling {
    Unknown,
    TooLate,
    Cancelled,
}

#[derive(Debug)]
struct Asked {
    key: String,
    question: Question,
    params: Value,
    reply: oneshot::Sender<Value>,
    sent: bool,
}

#[derive(Debug)]
struct Record {
    owner: Owner,
    created: SystemTime,
    updated: SystemTime,
    ttl: Duration,
    message: Option<String>,
    asked: Vec<Asked>,
    outcome: Option<Outcome>,
    cancelled: bool,
    cancel: CancellationToken,
}

impl Record {
    fn over(&self) -> bool {
        self.cancelled || self.outcome.is_some()
    }

    fn status(&self, era: Era) -> &'static str {
        match &self.outcome {
            _ if self.cancelled => "cancelled",
            Some(Err(_)) => "failed",
            // A failed tool is a failed task in 2025-11-25 and a completed one in the extension.
            Some(Ok(result)) if era == Era::Legacy && result["isError"] == true => "failed",
            Some(Ok(_)) => "completed",
            None if !self.asked.is_empty() => "input_required",
            None => "working",
        }
    }

    fn view(&self, id: &str, era: Era) -> Map<String, Value> {
        let (ttl, poll) = if era == Era::Modern {
            ("ttlMs", "pollIntervalMs")
        } else {
            ("ttl", "pollInterval")
        };
        let mut view = Map::new();
        view.insert("taskId".to_owned(), json!(id));
        view.insert("status".to_owned(), json!(self.status(era)));
        if let Some(message) = self.status_message(era) {
            view.insert("statusMessage".to_owned(), json!(message));
        }
        view.insert("createdAt".to_owned(), json!(iso(self.created)));
        view.insert("lastUpdatedAt".to_owned(), json!(iso(self.updated)));
        view.insert(ttl.to_owned(), json!(u64::try_from(self.ttl.as_millis()).unwrap_or(u64::MAX)));
        view.insert(poll.to_owned(), json!(u64::try_from(POLL.as_millis()).unwrap_or(u64::MAX)));
        view
    }

    fn status_message(&self, era: Era) -> Option<String> {
        match &self.outcome {
            Some(Err(error)) => Some(error.message.clone()),
            Some(Ok(result)) if era == Era::Legacy && result["isError"] == true => result["content"][0]["text"].as_str().map(str::to_owned),
            _ => self.message.clone(),
        }
    }

    /// Returns the fields that accompany the status (SEP-2663, `DetailedTask`).
    fn detailed(&self, id: &str) -> Map<String, Value> {
        let mut view = self.view(id, Era::Modern);
        match &self.outcome {
            _ if self.cancelled => {}
            Some(Ok(result)) => drop(view.insert("result".to_owned(), result.clone())),
            Some(Err(error)) => drop(view.insert("error".to_owned(), error.to_raw().to_value())),
            None if !self.asked.is_empty() => {
                let open = self.asked.iter().map(|asked| {
                    (
                        asked.key.clone(),
                        json!({"method": asked.question.method(), "params": asked.params}),
                    )
                });
                view.insert("inputRequests".to_owned(), Value::Object(open.collect()));
            }
            None => {}
        }
        view
    }
}

/// All tasks of a server.
#[derive(Debug, Default)]
pub(crate) struct Tasks(Mutex<HashMap<String, Record>>);

impl Tasks {
    /// Creates a task; it can be seen as soon as this returns (SEP-2663: durable before it is announced).
    pub(crate) fn create(&self, owner: Owner, ttl: Option<Duration>, cancel: CancellationToken) -> Result<String> {
        let now = SystemTime::now();
        self.locked(|tasks| {
            if tasks.len() >= MAX_TASKS {
                // Finished tasks may be dropped early so that new work need not be refused.
                let oldest = tasks
                    .iter()
                    .filter(|(_, task)| task.over())
                    .min_by_key(|(_, task)| task.updated)
                    .map(|(id, _)| id.clone());
                let Some(oldest) = oldest else {
                    return Err(Error::internal("too many tasks are running; try again later"));
                };
                tasks.remove(&oldest);
            }
            let id = random::name();
            let ttl = ttl.unwrap_or(TTL).min(MAX_TTL);
            let record = Record {
                owner,
                created: now,
                updated: now,
                ttl,
                message: None,
                asked: Vec::new(),
                outcome: None,
                cancelled: false,
                cancel,
            };
            tasks.insert(id.clone(), record);
            Ok(id)
        })
    }

    /// Returns the task's fields without nesting.
    pub(crate) fn view(&self, id: &str, owner: Owner, era: Era) -> Option<Map<String, Value>> {
        self.with(id, |task| (task.owner == owner).then(|| task.view(id, era))).flatten()
    }

    /// Returns the task with its result, error or questions (modern).
    pub(crate) fn detailed(&self, id: &str) -> Option<Map<String, Value>> {
        self.with(id, |task| task.owner.is_none().then(|| task.detailed(id))).flatten()
    }

    /// Returns all tasks of one session, oldest first.
    pub(crate) fn list(&self, owner: Owner) -> Vec<(String, Value)> {
        self.locked(|tasks| {
            let mut own: Vec<_> = tasks.iter().filter(|(_, task)| task.owner == owner).collect();
            own.sort_by(|(a_id, a), (b_id, b)| (a.created, a_id).cmp(&(b.created, b_id)));
            own.into_iter()
                .map(|(id, task)| (id.clone(), Value::Object(task.view(id, Era::Legacy))))
                .collect()
        })
    }

    pub(crate) fn standing(&self, id: &str, owner: Owner) -> Standing {
        self.with(id, |task| match &task.outcome {
            _ if task.owner != owner => Standing::Unknown,
            _ if task.cancelled => Standing::Done(Err(ErrorObject::invalid_params("the task was cancelled"))),
            Some(outcome) => Standing::Done(outcome.clone()),
            None => Standing::Running,
        })
        .unwrap_or(Standing::Unknown)
    }

    /// Sets the status message of a task.
    pub(crate) fn note(&self, id: &str, message: &str) {
        self.update(id, |task| task.message = Some(message.to_owned()));
    }

    /// Adds a question; the receiver gets the answer, or an error if the task ends first.
    pub(crate) fn ask(&self, id: &str, key: &str, question: &Question, params: Value) -> oneshot::Receiver<Value> {
        let (reply, answer) = oneshot::channel();
        let asked = Asked {
            key: key.to_owned(),
            question: question.clone(),
            params,
            reply,
            sent: false,
        };
        self.update(id, |task| task.asked.push(asked));
        answer
    }

    /// Returns the questions that were not sent to the legacy client yet; from now on they count as sent.
    pub(crate) fn to_send(&self, id: &str, owner: Owner) -> Vec<(String, &'static str, Value)> {
        let unsent = |task: &mut Record| {
            let take = |asked: &mut Asked| {
                let sent = std::mem::replace(&mut asked.sent, true);
                (!sent).then(|| (asked.key.clone(), asked.question.method(), asked.params.clone()))
            };
            task.asked.iter_mut().filter_map(take).collect()
        };
        self.with(id, |task| if task.owner == owner { unsent(task) } else { Vec::new() })
            .unwrap_or_default()
    }

    /// Answers the question `key`; answers to questions that are not open are ignored (SEP-2663, "Task Update
    /// Requests"). Returns `None` if there is no such task. An ill-formed answer is an error and leaves the question
    /// open.
    pub(crate) fn answer(&self, id: &str, owner: Owner, key: &str, answer: Value) -> Option<Result<()>> {
        self.with(id, |task| {
            if task.owner != owner {
                return None;
            }
            let Some(at) = task.asked.iter().position(|asked| asked.key == key) else {
                return Some(Ok(()));
            };
            if let Err(error) = task.asked[at].question.check(&answer) {
                return Some(Err(error));
            }
            let asked = task.asked.remove(at);
            task.updated = SystemTime::now();
            // A handler that gave up waiting does not need the answer.
            let _unneeded = asked.reply.send(answer);
            Some(Ok(()))
        })
        .flatten()
    }

    /// Withdraws the question `key`; its handler gets an error.
    pub(crate) fn withdraw(&self, id: &str, key: &str) {
        self.update(id, |task| task.asked.retain(|asked| asked.key != key));
    }

    /// Returns the token that stops the task's handler.
    pub(crate) fn token(&self, id: &str) -> Option<CancellationToken> {
        self.with(id, |task| task.cancel.clone())
    }

    /// Returns whether the task belongs to `owner`.
    pub(crate) fn is_owned_by(&self, id: &str, owner: Owner) -> bool {
        self.with(id, |task| task.owner == owner).unwrap_or(false)
    }

    /// Ends a task with its outcome; a cancelled task stays cancelled (2025-11-25 basic/utilities/tasks, "Task
    /// Cancellation"). Returns whether that changed anything.
    pub(crate) fn finish(&self, id: &str, outcome: Outcome) -> bool {
        self.with(id, |task| {
            let open = !task.over();
            if open {
                task.outcome = Some(outcome);
                task.message = None;
                task.updated = SystemTime::now();
                task.asked.clear();
            }
            open
        })
        .unwrap_or(false)
    }

    pub(crate) fn cancel(&self, id: &str, owner: Owner) -> Cancelling {
        self.with(id, |task| {
            if task.owner != owner {
                return Cancelling::Unknown;
            }
            if task.over() {
                return Cancelling::TooLate;
            }
            task.cancelled = true;
            task.message = Some("cancelled by the client".to_owned());
            task.updated = SystemTime::now();
            task.asked.clear();
            task.cancel.cancel();
            Cancelling::Cancelled
        })
        .unwrap_or(Cancelling::Unknown)
    }

    /// Ends the tasks of a session that has ended.
    pub(crate) fn drop_owner(&self, owner: u64) {
        self.locked(|tasks| {
            tasks.retain(|_, task| {
                let gone = task.owner == Some(owner);
                if gone {
                    task.cancel.cancel();
                }
                !gone
            });
        });
    }

    fn update(&self, id: &str, change: impl FnOnce(&mut Record)) {
        self.with(id, |task| {
            change(task);
            task.updated = SystemTime::now();
        });
    }

    fn with<T>(&self, id: &str, look: impl FnOnce(&mut Record) -> T) -> Option<T> {
        self.locked(|tasks| tasks.get_mut(id).map(look))
    }

    fn locked<T>(&self, look: impl FnOnce(&mut HashMap<String, Record>) -> T) -> T {
        let mut tasks = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let now = SystemTime::now();
        tasks.retain(|_, task| {
            let expired = now.duration_since(task.created).is_ok_and(|age| age > task.ttl);
            if expired {
                task.cancel.cancel();
            }
            !expired
        });
        look(&mut tasks)
    }
}
