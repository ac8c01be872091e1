//! Requests that handlers work on: their start, what they report, and their end.

use std::sync::Arc;

use jsonrpc::{ErrorObject, Id, Message, Raw, Refused};
use serde_json::{Value, json};

use super::find::Found;
use super::{
    Call, CallEvent, CallId, ExchangeId, Facts, Lane, Machine, Output, Refusal, Reply, Request, Route, Verdict, Waiter, Work, WorkKind,
    args, modern,
};
use crate::era::Era;
use crate::error::{Error, Result, Why, rescue};
use crate::known::Known;
use crate::level::Level;

impl Machine {
    pub(super) fn call_tool(&mut self, request: Request, facts: Arc<Facts>) {
        let found = self.find_tool(&request, &facts);
        self.start(request, facts, found);
    }

    pub(super) fn read_resource(&mut self, request: Request, facts: Arc<Facts>) {
        let found = self.find_resource(&request, &facts);
        self.start(request, facts, found);
    }

    pub(super) fn get_prompt(&mut self, request: Request, facts: Arc<Facts>) {
        let found = self.find_prompt(&request);
        self.start(request, facts, found);
    }

    pub(super) fn complete_argument(&mut self, request: Request, facts: Arc<Facts>) {
        let found = self.find_completer(&request);
        self.start(request, facts, found);
    }

    pub(super) fn custom_request(&mut self, request: Request, facts: Arc<Facts>) {
        let handler = self.core.methods.get(&request.method).cloned();
        let found = handler.map(|handler| Found::plain(handler, args(&request.params), false));
        let found = found.ok_or_else(|| ErrorObject::method_not_found(&request.method).into());
        self.start(request, facts, found);
    }

    fn start(&mut self, request: Request, facts: Arc<Facts>, found: std::result::Result<Found, Refusal>) {
        if let Err(refusal) = self.try_start(&request, facts, found) {
            self.answer(&request, Err(refusal));
        }
    }

    fn try_start(
        &mut self,
        request: &Request,
        facts: Arc<Facts>,
        found: std::result::Result<Found, Refusal>,
    ) -> std::result::Result<(), Refusal> {
        let found = found?;
        let identity = (found.may_ask && facts.era == Era::Modern).then(|| modern::identity(request));
        let known = match &identity {
            Some(identity) => modern::known(self, request, identity)?,
            None => Known::default(),
        };
        let call = self.next_call();
        if let WorkKind::Task(task) = &found.kind {
            self.announce_task(request, &facts, task);
        } else {
            let record = Call {
                id: request.id.clone(),
                exchange: request.exchange,
                facts: Arc::clone(&facts),
                is_tool: found.is_tool,
                identity,
            };
            self.remember(call, record)?;
        }
        let Found { handler, args, kind, .. } = found;
        self.outbox.push_back(Output::Start(
            call,
            Work {
                handler,
                args,
                facts,
                known,
                kind,
            },
        ));
        Ok(())
    }

    /// Records a request that is answered later.
    pub(super) fn remember(&mut self, call: CallId, record: Call) -> std::result::Result<(), Refusal> {
        self.by_id.insert(record.id.clone(), call).map_err(|refused| match refused {
            Refused::Duplicate => ErrorObject::invalid_request("a request with this id is still being worked on"),
            Refused::Full => ErrorObject::new(
                jsonrpc::code::INTERNAL_ERROR,
                "too many requests at once; wait for some answers first",
            ),
        })?;
        self.calls.insert(call, record);
        Ok(())
    }

    /// Answers with `CreateTaskResult`, in the era's shape.
    fn announce_task(&mut self, request: &Request, facts: &Facts, task: &str) {
        let result = self.created(facts, task);
        self.answer(request, Ok(result));
    }

    fn created(&self, facts: &Facts, task: &str) -> Value {
        if facts.era == Era::Modern {
            return self.modern_result("task", self.core.tasks.view(task, None, Era::Modern).unwrap_or_default());
        }
        json!({"task": self.core.tasks.view(task, Some(self.me), Era::Legacy).unwrap_or_default()})
    }

    pub(super) fn call_event(&mut self, call: CallId, event: CallEvent) {
        match event {
            CallEvent::Notify { message, level, of_task } => self.relay(call, message, level, of_task),
            CallEvent::Ask { method, params, reply } => self.ask(call, &method, &params, reply),
            CallEvent::Withdraw => self.withdraw(call),
            CallEvent::BecameTask(task) => self.became_task(call, &task),
            CallEvent::Detach => {
                if let Some(record) = self.calls.get(&call) {
                    self.outbox.push_back(Output::Detach(record.exchange));
                }
            }
            CallEvent::Done(result) => self.done(call, result),
        }
    }

    fn relay(&mut self, call: CallId, message: Message, level: Option<Level>, of_task: bool) {
        let too_fine = |session: &super::Session| level.is_some_and(|level| level < session.level);
        match self.calls.get(&call) {
            Some(record) if record.facts.era == Era::Modern => self.send(Route::Exchange(record.exchange), message),
            _ if self.session.as_ref().is_none_or(too_fine) => {}
            Some(record) => self.send(Route::Exchange(record.exchange), message),
            // The request of a task was answered long ago.
            None if of_task => self.send(Route::Session, message),
            // A request that is over or was cancelled gets no more messages.
            None => {}
        }
    }

    fn ask(&mut self, call: CallId, method: &str, params: &Value, reply: Reply) {
        let Some(exchange) = self
            .calls
            .get(&call)
            .filter(|record| record.facts.era == Era::Legacy && !self.closing)
            .map(|record| record.exchange)
        else {
            return self.outbox.push_back(Output::Answer(reply, Err(Error::cancelled())));
        };
        match self.questions.insert(None, Waiter::Call(call, reply)) {
            Ok(id) => self.send(
                Route::Exchange(exchange),
                Message::request(&Id::number(id), method, Some(&Raw::of(params))),
            ),
            Err(jsonrpc::Full(Waiter::Call(_, reply))) => {
                self.outbox.push_back(Output::Answer(
                    reply,
                    Err(Error::internal("too many questions to this client are open")),
                ));
            }
            Err(_) => {}
        }
    }

    /// Withdraws the questions of `call` whose answers the handler no longer waits for.
    fn withdraw(&mut self, call: CallId) {
        let Some(exchange) = self.calls.get(&call).map(|record| record.exchange) else {
            return;
        };
        let dead = |waiter: &Waiter| matches!(waiter, Waiter::Call(of, reply) if *of == call && reply.is_closed());
        let ids: Vec<u64> = self.questions.iter().filter(|(_, waiter)| dead(waiter)).map(|(id, _)| id).collect();
        for id in ids {
            drop(self.questions.take(id));
            let params = Raw::of(&json!({"requestId": id, "reason": "the answer is not needed any more"}));
            self.send(
                Route::Exchange(exchange),
                Message::notification("notifications/cancelled", Some(&params)),
            );
        }
    }

    fn became_task(&mut self, call: CallId, task: &str) {
        let Some(record) = self.take_call(call) else { return };
        let result = self.created(&record.facts, task);
        self.reply(record.exchange, Message::result(&record.id, &Raw::of(&result)), Verdict::Fine);
    }

    fn done(&mut self, call: CallId, result: Result<Value>) {
        self.withdraw(call);
        let Some(record) = self.take_call(call) else { return };
        let outcome = match result.map_err(Error::into_why) {
            Ok(value) => Ok(self.era_result(&record.facts, value)),
            Err(Why::Suspended { questions, known }) => match &record.identity {
                Some(identity) => self.input_required(&record.facts, identity, questions, &known),
                None => Err(ErrorObject::internal()),
            },
            Err(why) => rescue(why, record.facts.era, record.is_tool).map(|value| self.era_result(&record.facts, value)),
        };
        let (message, verdict) = match outcome {
            Ok(result) => (Message::result(&record.id, &Raw::of(&result)), Verdict::Fine),
            Err(error) => {
                let message = Message::failure(Some(&record.id), &error);
                (message, Refusal::from(error).1)
            }
        };
        self.reply(record.exchange, message, verdict);
    }

    pub(super) fn take_call(&mut self, call: CallId) -> Option<Call> {
        let record = self.calls.remove(&call)?;
        self.by_id.take(&record.id);
        Some(record)
    }

    /// Processes the client's answer to a question of ours.
    pub(super) fn response(&mut self, message: &Message) {
        let Some(waiter) = message.id().and_then(Id::as_u64).and_then(|id| self.questions.take(id)) else {
            return;
        };
        let answer = match message.result_raw() {
            Some(result) => Ok(result.to_value()),
            None => Err(Error::tool(refusal_of_client(message))),
        };
        match waiter {
            Waiter::Call(_, reply) => self.outbox.push_back(Output::Answer(reply, answer)),
            Waiter::Task { id, key } => self.task_answered(&id, &key, answer),
        }
    }

    pub(super) fn cancelled_by_client(&mut self, params: &Raw) {
        let Some(id) = params.get("requestId").and_then(|raw| Id::parse(&raw)) else {
            return;
        };
        if let Some(call) = self.by_id.get(&id).copied() {
            self.cancel(call);
        } else if let Some(at) = self.listens.iter().position(|listen| listen.id == id) {
            let listen = self.listens.swap_remove(at);
            self.forget(listen.exchange);
        }
    }

    /// Processes that the client no longer reads that exchange.
    pub(super) fn hang_up(&mut self, exchange: ExchangeId) {
        debug_assert_ne!(
            self.lane,
            Lane::LegacyHttp,
            "a legacy stream may break without cancelling (2025-11-25 basic/transports)"
        );
        self.listens.retain(|listen| listen.exchange != exchange);
        let calls: Vec<CallId> = self
            .calls
            .iter()
            .filter(|(_, call)| call.exchange == exchange)
            .map(|(id, _)| *id)
            .collect();
        calls.into_iter().for_each(|call| self.cancel(call));
        self.exchanges.remove(&exchange);
    }

    fn cancel(&mut self, call: CallId) {
        let questions: Vec<u64> = self
            .questions
            .iter()
            .filter(|(_, waiter)| matches!(waiter, Waiter::Call(of, _) if *of == call))
            .map(|(id, _)| id)
            .collect();
        let Some(record) = self.take_call(call) else { return };
        for id in questions {
            if let Some(Waiter::Call(_, reply)) = self.questions.take(id) {
                self.outbox.push_back(Output::Answer(reply, Err(Error::cancelled())));
            }
            let params = Raw::of(&json!({"requestId": id, "reason": "the request it belonged to was cancelled"}));
            self.send(
                Route::Exchange(record.exchange),
                Message::notification("notifications/cancelled", Some(&params)),
            );
        }
        self.parked.retain(|(parked, _)| *parked != call);
        self.outbox.push_back(Output::Cancel(call));
        self.forget(record.exchange);
    }
}

fn refusal_of_client(message: &Message) -> String {
    let why = message.error_raw().and_then(|raw| jsonrpc::ErrorObject::parse(&raw));
    match why {
        Some(why) => format!("the client answered our question with the error {}: {}", why.code, why.message),
        None => "the client answered our question with an error".to_owned(),
    }
}
