//! Tests of the payload of watched tasks.

use std::sync::{Arc, Mutex, PoisonError};

use jsonrpc::ErrorObject;
use model::{ServerId, Ticket};
use upstream::Asking;

use super::*;

/// A connection that records the answers to its server.
#[derive(Default)]
struct Connection(Mutex<Vec<String>>);

impl Connection {
    fn note(&self, text: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Asking for Connection {
    fn answer_under(self: Arc<Self>, ask: Ticket, answer: Message, _: &SendPermit) {
        let result = answer.result_raw().map_or_else(String::new, |raw| raw.text().to_owned());
        self.note(format!("{} {result}", ask.0));
    }

    fn refuse(self: Arc<Self>, ask: Ticket, _: ErrorObject) {
        self.note(format!("{} refused", ask.0));
    }

    fn progress(self: Arc<Self>, _: &Message, _: &SendPermit) {}
}

fn question(connection: &Arc<Connection>, ticket: u64) -> Question {
    let params = Raw::of(&serde_json::json!({"message": "who?", "requestedSchema": {"type": "object", "properties": {}}}));
    let message = Message::request(&Id::number(ticket), "elicitation/create", Some(&params));
    let server = ServerId::new("fs").expect("a good id");
    Question::new(server, Revision::LATEST_LEGACY, message, (1, Ticket(ticket)), connection.clone())
}

fn own_permit() -> SendPermit {
    let own = crate::views::own_tools();
    let clock = store::Clock::system();
    let guard = guard::Guard::new(None, None, own, Arc::new(guard::NoResolver), clock, runtime::Runtime::new());
    guard.admit_own()
}

fn asked_for(payload: &Payload) -> Vec<String> {
    match payload {
        Payload::Input(input) => input.requests.iter().map(|request| request.key.clone()).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn questions_are_told_until_each_is_answered_under_its_own_key() {
    let (mut watched, connection) = (Watched::default(), Arc::new(Connection::default()));
    let working = Some(Status::Working);
    assert!(matches!(watched.payload(working, Revision::LATEST), Payload::None));
    watched.ask(question(&connection, 7));
    watched.ask(question(&connection, 8));
    assert_eq!(asked_for(&watched.payload(working, Revision::LATEST)), ["question-1", "question-2"]);
    let answers = Raw::of(&serde_json::json!({"question-2": {"action": "decline"}, "question-9": {"action": "accept"}}));
    watched.answer(&answers, Revision::LATEST, &own_permit());
    assert_eq!(connection.take(), [r#"8 {"action":"decline"}"#]);
    assert_eq!(asked_for(&watched.payload(working, Revision::LATEST)), ["question-1"]);
    watched.ask(question(&connection, 9));
    assert_eq!(
        asked_for(&watched.payload(working, Revision::LATEST)),
        ["question-1", "question-3"],
        "a key is used once"
    );
}

#[test]
fn the_outcome_comes_before_questions_and_a_cancelled_task_has_neither() {
    let (mut watched, connection) = (Watched::default(), Arc::new(Connection::default()));
    watched.ask(question(&connection, 7));
    assert!(
        matches!(watched.payload(Some(Status::Completed), Revision::LATEST), Payload::None),
        "not both are there yet"
    );
    watched.end(Outcome::own(Raw::of(&serde_json::json!({"content": []}))));
    assert!(matches!(
        watched.payload(Some(Status::Completed), Revision::LATEST),
        Payload::Result(_)
    ));
    assert!(matches!(watched.payload(Some(Status::Cancelled), Revision::LATEST), Payload::None));
    watched.end(Outcome::refused(ErrorObject::internal()));
    assert!(matches!(watched.payload(Some(Status::Failed), Revision::LATEST), Payload::Error(_)));
}
