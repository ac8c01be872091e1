//! The driver of a room: each participant is a caller of the gateway, and the way back to it is the room's transcript.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use jsonrpc::{ErrorObject, Id, Message, Raw};
use kernel::{Asker, BoxFuture, Caller, Calls, Kernel, Port, Subject};
use mcp::capabilities::ClientCapabilities;
use mcp::exchange::Peer;
use mcp::revision::Revision;
use model::Ticket;
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};
use tokio_util::task::TaskTracker;

use super::rules::{Effect, Rules};

/// A room and its participants.
pub(crate) struct Room {
    calls: Arc<Calls>,
    table: Arc<Table>,
    participants: HashMap<String, Arc<Participant>>,
    running: TaskTracker,
}

/// What the participants share: the rules, and what the driver keeps for each call and each question.
#[derive(Default)]
struct Table {
    state: Mutex<State>,
    seen: watch::Sender<usize>,
}

#[derive(Default)]
struct State {
    rules: Rules,
    cancellations: HashMap<Ticket, Arc<Notify>>,
    askers: HashMap<Ticket, Box<dyn Asker>>,
}

impl Table {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes the tasks that wait for the transcript.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state();
        let changed = change(&mut state);
        self.seen.send_replace(state.rules.transcript().len());
        changed
    }
}

// region: participant
/// One participant: a caller of the gateway, and the way back to it.
struct Participant {
    name: String,
    caller: Arc<Caller>,
    peer: Arc<Peer>,
    table: Arc<Table>,
}

impl Participant {
    /// Makes a participant of the subject that its connection has shown. One with a person behind it can be asked.
    fn new(calls: &Calls, table: &Arc<Table>, subject: Subject, has_person: bool) -> Arc<Self> {
        let capabilities = if has_person { json!({"elicitation": {}}) } else { json!({}) };
        Arc::new_cyclic(|this: &Weak<Self>| Self {
            name: subject.principal.id.to_string(),
            caller: calls.caller(subject, this.clone()),
            peer: Arc::new(Peer {
                revision: Revision::LATEST_LEGACY,
                capabilities: ClientCapabilities::new(Raw::of(&capabilities)),
                info: None,
            }),
            table: table.clone(),
        })
    }
}
// endregion

// region: port
impl Port for Participant {
    fn peer(&self) -> Option<Arc<Peer>> {
        Some(self.peer.clone())
    }

    fn cancellation(&self, ticket: Ticket) -> Option<Arc<Notify>> {
        self.table.state().cancellations.get(&ticket).cloned()
    }

    fn interim(&self, ticket: Ticket, message: Message) -> BoxFuture<'_, ()> {
        self.interim_now(ticket, message);
        Box::pin(std::future::ready(()))
    }

    fn interim_now(&self, ticket: Ticket, message: Message) {
        if message.method() == Some("notifications/progress") {
            let progress = message.params().map_or(Value::Null, |params| params.to_value()["progress"].clone());
            self.table.change(|state| state.rules.progress(ticket, &progress));
        }
    }

    fn ask(&self, related: Option<Ticket>, question: Message, asker: Box<dyn Asker>) -> Ticket {
        let message = question.params().map_or(Value::Null, |params| params.to_value()["message"].clone());
        self.table.change(|state| {
            let question = state.rules.asked(&self.name, related, &message);
            state.askers.insert(question, asker);
            question
        })
    }

    fn withdraw(&self, ask: Ticket, _reason: Option<String>) {
        let asker = self.table.change(|state| {
            state.rules.withdrawn(ask);
            state.askers.remove(&ask)
        });
        drop(asker);
    }
}
// endregion

impl Room {
    /// Opens a room of participants, each with whether a person is behind it.
    pub(crate) fn open(kernel: &Kernel, participants: impl IntoIterator<Item = (Subject, bool)>) -> Self {
        let (calls, table) = (kernel.calls().clone(), Arc::<Table>::default());
        let seat = |(subject, has_person)| {
            let participant = Participant::new(&calls, &table, subject, has_person);
            (participant.name.clone(), participant)
        };
        Self {
            participants: participants.into_iter().map(seat).collect(),
            calls: calls.clone(),
            table: table.clone(),
            running: TaskTracker::new(),
        }
    }

    // region: say
    /// Takes in a message of a participant and carries its effect out.
    pub(crate) fn say(&self, who: &str, message: &Value) {
        let effect = self.table.change(|state| {
            let effect = state.rules.said(who, message);
            if let Some(Effect::Call(call, ..)) = &effect {
                // Noted before the call runs: a cancellation that comes at once finds it.
                state.cancellations.insert(*call, Arc::default());
            }
            effect
        });
        match effect {
            Some(Effect::Call(call, tool, arguments)) => self.call(who, call, tool, arguments),
            Some(Effect::Cancel(call, questions)) => {
                let cancellation = self.table.state().cancellations.remove(&call);
                cancellation.inspect(|cancellation| cancellation.notify_one());
                for question in questions {
                    let why = ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, "the call was cancelled");
                    self.answer(question, Err(why));
                }
            }
            Some(Effect::Answer(question, result)) => self.answer(question, Ok(Message::result(&Id::number(0), &Raw::of(&result)))),
            None => {}
        }
    }

    fn call(&self, who: &str, call: Ticket, tool: String, arguments: Option<Value>) {
        let participant = &self.participants[who];
        let (calls, caller, table) = (self.calls.clone(), participant.caller.clone(), self.table.clone());
        self.running.spawn(async move {
            let arguments = arguments.as_ref().map(Raw::of);
            let (key, what) = match calls.call_tool(&caller, call, &tool, arguments).await {
                Some(Ok(result)) => ("result", result.to_value()),
                Some(Err(error)) => ("error", json!(error.message)),
                None => ("cancelled", json!(true)),
            };
            table.change(|state| {
                state.cancellations.remove(&call);
                state.rules.ended(call, key, &what);
            });
        });
    }

    fn answer(&self, question: Ticket, answer: Result<Message, ErrorObject>) {
        let asker = self.table.change(|state| {
            state.rules.withdrawn(question);
            state.askers.remove(&question)
        });
        if let Some(asker) = asker {
            asker.answered(answer);
        }
    }
    // endregion

    /// Waits until the transcript has an entry, and returns the first.
    ///
    /// # Panics
    /// When it does not come.
    pub(crate) async fn until(&self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let mut seen = self.table.seen.subscribe();
        let found = async {
            loop {
                seen.borrow_and_update();
                if let Some(entry) = self.transcript().into_iter().find(&is_it) {
                    return entry;
                }
                seen.changed().await.expect("the room is open");
            }
        };
        let found = tokio::time::timeout(testkit::PATIENCE, found).await;
        found.unwrap_or_else(|_| panic!("waited in vain for {what}: {:#?}", self.transcript()))
    }

    /// Returns what every participant of the room has seen.
    pub(crate) fn transcript(&self) -> Vec<Value> {
        self.table.state().rules.transcript().to_vec()
    }

    /// Returns the questions that wait for an answer.
    pub(crate) fn open_questions(&self) -> Vec<u64> {
        let mut open: Vec<u64> = self.table.state().askers.keys().map(|question| question.0).collect();
        open.sort_unstable();
        open
    }

    /// Closes the room: the calls that run are cancelled, and the participants' lines are dropped.
    pub(crate) async fn close(&self) {
        let running: Vec<_> = self.table.state().cancellations.drain().collect();
        running.iter().for_each(|(_, cancellation)| cancellation.notify_one());
        self.running.close();
        self.running.wait().await;
        for participant in self.participants.values() {
            self.calls.hang_up(&participant.caller);
        }
    }
}
