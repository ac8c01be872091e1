//! The rules of a room, as a value without I/O: participants call tools, every participant sees the result, and the one who is asked answers.

use std::collections::BTreeMap;

use model::Ticket;
use serde_json::{Value, json};

// region: effects
/// What a message of a participant makes the driver do.
#[derive(Debug)]
pub(super) enum Effect {
    /// Calls a tool for a participant, under a ticket.
    Call(Ticket, String, Option<Value>),
    /// Cancels a call, and gives up the questions that were asked in its course.
    Cancel(Ticket, Vec<Ticket>),
    /// Answers a question.
    Answer(Ticket, Value),
}
// endregion

/// One room: what is under way in it, and what its participants have seen.
#[derive(Debug, Default)]
pub(super) struct Rules {
    last: u64,
    /// Whose each call is.
    calls: BTreeMap<Ticket, String>,
    /// Who is asked each question, and in the course of which call.
    questions: BTreeMap<Ticket, (String, Option<Ticket>)>,
    transcript: Vec<Value>,
}

impl Rules {
    pub(super) fn transcript(&self) -> &[Value] {
        &self.transcript
    }

    fn next(&mut self) -> Ticket {
        self.last += 1;
        Ticket(self.last)
    }

    // region: said
    /// Takes in what a participant says. Only the participant that made a call cancels it, and only the one that is asked answers.
    pub(super) fn said(&mut self, who: &str, message: &Value) -> Option<Effect> {
        let named = |key: &str| message[key].as_u64().map(Ticket);
        if let Some(tool) = message["call"].as_str() {
            let call = self.next();
            self.calls.insert(call, who.to_owned());
            self.transcript.push(json!({"from": who, "calls": tool, "call": call.0}));
            return Some(Effect::Call(call, tool.to_owned(), message.get("arguments").cloned()));
        }
        if let Some(call) = named("cancel").filter(|call| self.calls.get(call).is_some_and(|by| by == who)) {
            let asked_in_it = self.questions.iter().filter(|(_, (_, related))| *related == Some(call));
            let questions = asked_in_it.map(|(question, _)| *question).collect();
            return Some(Effect::Cancel(call, questions));
        }
        if let Some(question) = named("answer").filter(|question| self.questions.get(question).is_some_and(|(asked, _)| asked == who)) {
            self.questions.remove(&question);
            self.transcript.push(json!({"from": who, "answers": question.0}));
            return Some(Effect::Answer(question, message["with"].clone()));
        }
        self.transcript.push(json!({"from": who, "ignored": message}));
        None
    }
    // endregion

    /// Shows what happens in the course of a call.
    pub(super) fn progress(&mut self, call: Ticket, progress: &Value) {
        self.transcript.push(json!({"call": call.0, "progress": progress}));
    }

    /// Shows a question to a participant and names it.
    pub(super) fn asked(&mut self, who: &str, related: Option<Ticket>, message: &Value) -> Ticket {
        let question = self.next();
        self.questions.insert(question, (who.to_owned(), related));
        let call = related.map(|call| call.0);
        self.transcript
            .push(json!({"asks": who, "question": question.0, "call": call, "message": message}));
        question
    }

    /// Shows that a question needs no answer any more.
    pub(super) fn withdrawn(&mut self, question: Ticket) {
        if self.questions.remove(&question).is_some() {
            self.transcript.push(json!({"withdrawn": question.0}));
        }
    }

    /// Shows how a call has ended.
    pub(super) fn ended(&mut self, call: Ticket, key: &str, what: &Value) {
        if self.calls.remove(&call).is_some() {
            self.transcript.push(json!({"call": call.0, key: what}));
        }
    }
}
