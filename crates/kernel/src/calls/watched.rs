//! The questions and the outcome of a legacy server's task that a modern client polls.

use guard::SendPermit;
use jsonrpc::{Id, Message, Raw};
use mcp::adapt::{self, InputRequest, InputRequired};
use mcp::exchange::Outcome;
use mcp::revision::Revision;
use mcp::tasks::{Payload, Status};
use upstream::Question;

/// The questions and the outcome of a task.
#[derive(Default)]
pub(crate) struct Watched {
    questions: Vec<(String, Question)>,
    asked: u64,
    outcome: Option<Outcome>,
}

impl Watched {
    /// Keeps a question until the client answers it.
    pub(crate) fn ask(&mut self, question: Question) {
        self.asked += 1;
        self.questions.push((format!("question-{}", self.asked), question));
    }

    /// Keeps the task's outcome.
    pub(crate) fn end(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }

    /// Returns the payload of a task with that status. The status may arrive shortly before the result: until both are there, the payload is empty.
    pub(crate) fn payload(&self, status: Option<Status>, to: Revision) -> Payload {
        if status == Some(Status::Cancelled) {
            return Payload::None;
        }
        match &self.outcome {
            Some(Outcome::Result(answered)) => {
                return Payload::Result(adapt::result("tools/call", &answered.result, answered.revision, to));
            }
            Some(Outcome::Error(failed)) => return Payload::Error(failed.error.clone()),
            _ => {}
        }
        if self.questions.is_empty() || status.is_some_and(Status::is_terminal) {
            return Payload::None;
        }
        let requests = self.questions.iter().map(|(key, question)| {
            let method = question.method().to_owned();
            let params = question.message.params();
            let params = params.map(|params| adapt::reverse_params(&method, &params, question.revision, to, ""));
            InputRequest {
                key: key.clone(),
                method,
                params,
            }
        });
        Payload::Input(InputRequired {
            requests: requests.collect(),
            state: None,
        })
    }

    /// Forwards the client's answers to the server.
    pub(crate) fn answer(&mut self, responses: &Raw, from: Revision, permit: &SendPermit) {
        self.questions.retain(|(key, question)| {
            let Some(answer) = responses.get(key) else { return true };
            let answer = adapt::reverse_result(question.method(), &answer, from, question.revision);
            question.answer(Message::result(&Id::number(0), &answer), permit);
            false
        });
    }
}

#[cfg(test)]
mod tests;
