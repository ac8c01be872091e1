//! The task methods of both eras (2025-11-25 basic/utilities/tasks; SEP-2663).

use std::sync::Arc;

use jsonrpc::{ErrorObject, Id, Message, Raw};
use serde_json::{Map, Value, json};

use super::{Call, CallId, Facts, Machine, Refusal, Request, Route, Verdict, Waiter};
use crate::core::Change;
use crate::era::Era;
use crate::error::Result;
use crate::keys;
use crate::tasks::{Cancelling, Outcome, Standing};

impl Machine {
    /// Answers `tasks/get`, `tasks/update` and `tasks/cancel` of the extension.
    pub(super) fn task_request(&self, request: &Request, facts: &Facts) -> std::result::Result<Map<String, Value>, Refusal> {
        Self::refuse_without_tasks(facts)?;
        let id = request.text("taskId")?;
        match &*request.method {
            "tasks/get" => Ok(self.core.tasks.detailed(&id).ok_or_else(unknown)?),
            "tasks/update" => self.update_task(request, &id),
            // Cancelling a finished task is acknowledged, too (SEP-2663, "Task Cancellation").
            _ => match self.core.tasks.cancel(&id, None) {
                Cancelling::Unknown => Err(unknown().into()),
                Cancelling::TooLate => Ok(Map::new()),
                Cancelling::Cancelled => {
                    self.core.announce(Change::Task(id));
                    Ok(Map::new())
                }
            },
        }
    }

    fn update_task(&self, request: &Request, id: &str) -> std::result::Result<Map<String, Value>, Refusal> {
        if !self.core.tasks.is_owned_by(id, None) {
            return Err(unknown().into());
        }
        let Some(Value::Object(answers)) = request.params.get("inputResponses").map(|raw| raw.to_value()) else {
            return Err(ErrorObject::invalid_params("`inputResponses` must be an object").into());
        };
        for (key, answer) in answers {
            self.core.tasks.answer(id, None, &key, answer).ok_or_else(unknown)??;
        }
        self.core.announce(Change::Task(id.to_owned()));
        Ok(Map::new())
    }

    /// Answers the task methods of 2025-11-25.
    pub(super) fn legacy_task_request(&mut self, request: Request, facts: Arc<Facts>) {
        if request.method == "tasks/result" {
            return self.task_result(request, facts);
        }
        let done = self.legacy_task_answer(&request).map_err(Refusal::from);
        self.answer(&request, done);
    }

    fn legacy_task_answer(&self, request: &Request) -> std::result::Result<Value, ErrorObject> {
        let owner = Some(self.me);
        if request.method == "tasks/list" {
            return self.list_tasks(request);
        }
        let id = request.text("taskId")?;
        if request.method == "tasks/cancel" {
            match self.core.tasks.cancel(&id, owner) {
                Cancelling::Unknown => return Err(unknown()),
                Cancelling::TooLate => return Err(ErrorObject::invalid_params("the task is over; it cannot be cancelled any more")),
                Cancelling::Cancelled => self.core.announce(Change::Task(id.clone())),
            }
        }
        self.core.tasks.view(&id, owner, Era::Legacy).map(Value::Object).ok_or_else(unknown)
    }

    fn list_tasks(&self, request: &Request) -> std::result::Result<Value, ErrorObject> {
        let cursor = request.params.get("cursor").map(|_| request.text("cursor")).transpose()?;
        let own = self.core.tasks.list(Some(self.me));
        let page = crate::catalog::page(
            "tasks",
            &own,
            cursor.as_deref(),
            self.core.page,
            |(id, _)| id,
            |(_, task)| task.clone(),
        );
        page.map(Value::Object)
            .map_err(|error| ErrorObject::invalid_params(error.to_string()))
    }

    /// Answers `tasks/result` as soon as there is a result; until then the task's questions go to this request's
    /// stream.
    fn task_result(&mut self, request: Request, facts: Arc<Facts>) {
        let id = match request.text("taskId") {
            Ok(id) => id,
            Err(error) => return self.answer(&request, Err(error.into())),
        };
        match self.core.tasks.standing(&id, Some(self.me)) {
            Standing::Unknown => self.answer(&request, Err(unknown().into())),
            Standing::Done(outcome) => self.answer(&request, related(outcome, &id).map_err(Refusal::from)),
            Standing::Running => {
                let call = self.next_call();
                let record = Call {
                    id: request.id.clone(),
                    exchange: request.exchange,
                    facts,
                    is_tool: false,
                    identity: None,
                };
                if let Err(refusal) = self.remember(call, record) {
                    return self.answer(&request, Err(refusal));
                }
                self.parked.push((call, id.clone()));
                self.put_questions(call, &id);
            }
        }
    }

    pub(super) fn task_changed(&mut self, id: &str) {
        if let Some(view) = self.core.tasks.view(id, Some(self.me), Era::Legacy) {
            self.tell_session("notifications/tasks/status", Some(&Raw::of(&view)));
        }
        if let Some(detailed) = self.core.tasks.detailed(id) {
            self.tell_listeners("notifications/tasks", &Raw::of(&detailed), |listen| listen.tasks.contains(id));
        }
        let waiting: Vec<CallId> = self.parked.iter().filter(|(_, task)| task == id).map(|(call, _)| *call).collect();
        for call in waiting {
            match self.core.tasks.standing(id, Some(self.me)) {
                Standing::Running => self.put_questions(call, id),
                Standing::Unknown => self.unpark(call, Err(unknown())),
                Standing::Done(outcome) => self.unpark(call, related(outcome, id)),
            }
        }
    }

    fn unpark(&mut self, call: CallId, outcome: Outcome) {
        self.parked.retain(|(parked, _)| *parked != call);
        let Some(record) = self.take_call(call) else { return };
        let message = match outcome {
            Ok(result) => Message::result(&record.id, &Raw::of(&result)),
            Err(error) => Message::failure(Some(&record.id), &error),
        };
        self.reply(record.exchange, message, Verdict::Fine);
    }

    /// Puts the task's open questions on the stream of `call` (2025-11-25 basic/utilities/tasks, "Input Required
    /// Status").
    fn put_questions(&mut self, call: CallId, id: &str) {
        let Some(exchange) = self.calls.get(&call).map(|record| record.exchange) else {
            return;
        };
        for (key, method, mut params) in self.core.tasks.to_send(id, Some(self.me)) {
            if let Value::Object(fields) = &mut params {
                crate::tool::insert_into(fields, "_meta", keys::RELATED_TASK, json!({"taskId": id}));
            }
            match self.questions.insert(
                None,
                Waiter::Task {
                    id: id.to_owned(),
                    key: key.clone(),
                },
            ) {
                Ok(number) => {
                    self.send(
                        Route::Exchange(exchange),
                        Message::request(&Id::number(number), method, Some(&Raw::of(&params))),
                    );
                }
                Err(_full) => self.core.tasks.withdraw(id, &key),
            }
        }
    }

    pub(super) fn task_answered(&mut self, id: &str, key: &str, answer: Result<Value>) {
        let taken = answer.and_then(|answer| self.core.tasks.answer(id, Some(self.me), key, answer).unwrap_or(Ok(())));
        if let Err(error) = taken {
            self.core.tasks.note(id, &error.to_string());
            self.core.tasks.withdraw(id, key);
        }
        self.core.announce(Change::Task(id.to_owned()));
    }
}

fn unknown() -> ErrorObject {
    ErrorObject::invalid_params("there is no such task; it may have expired")
}

/// Adds the task's id to a result ("Related Task Metadata").
fn related(outcome: Outcome, id: &str) -> Outcome {
    outcome.map(|mut result| {
        if let Value::Object(fields) = &mut result {
            crate::tool::insert_into(fields, "_meta", keys::RELATED_TASK, json!({"taskId": id}));
        }
        result
    })
}
