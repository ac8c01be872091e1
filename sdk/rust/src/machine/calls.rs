//! Requests that handlers work on: their start, what they report, and their end.

use std::sync::Arc;
use std::time::Duration;

use jsonrpc::{ErrorObject, Id, Message, Raw, Refused};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    Call, CallEvent, CallId, ExchangeId, Facts, Lane, Machine, Output, Refusal, Reply, Request, Route, Verdict, Waiter, Work, WorkKind,
    args, modern,
};
use crate::args::Args;
use crate::era::Era;
use crate::error::{Error, Result, Why, missing_capability, not_found, rescue};
use crate::handler::{Completer, Completion, Handler};
use crate::keys;
use crate::known::Known;
use crate::level::Level;
use crate::tool::{TaskSupport, Tool};

/// A handler that was found for a request.
struct Found {
    handler: Handler,
    args: Args,
    is_tool: bool,
    /// The methods that may end in questions (2026-07-28 basic/patterns/mrtr, "Supported Requests").
    may_ask: bool,
    kind: WorkKind,
}

impl Found {
    fn plain(handler: Handler, args: Args, may_ask: bool) -> Self {
        Self {
            handler,
            args,
            is_tool: false,
            may_ask,
            kind: WorkKind::Call { may_become_task: false },
        }
    }
}

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

    fn find_tool(&self, request: &Request, facts: &Facts) -> std::result::Result<Found, Refusal> {
        let name = request.text("name")?;
        let catalog = self.core.catalog();
        let tool = catalog
            .tool(&name)
            .ok_or_else(|| ErrorObject::invalid_params(format_args!("unknown tool `{name}`")))?;
        let kind = self.tool_kind(request, facts, tool)?;
        let args = arguments(request)?;
        Ok(Found {
            handler: tool.handler.clone(),
            args,
            is_tool: true,
            may_ask: true,
            kind,
        })
    }

    /// Whether a call runs as a task: the legacy client asks for it, the modern server decides (SEP-2663, "Capability Negotiation").
    fn tool_kind(&self, request: &Request, facts: &Facts, tool: &Tool) -> std::result::Result<WorkKind, Refusal> {
        let call = |may_become_task| Ok(WorkKind::Call { may_become_task });
        if facts.era == Era::Modern {
            return match tool.task() {
                TaskSupport::Forbidden => call(false),
                _ if facts.tasks() && tool.starts_as_call() => call(true),
                _ if facts.tasks() => self.new_task(None, None),
                TaskSupport::Optional => call(false),
                TaskSupport::Required => Err(missing_capability(&json!({"extensions": {keys::TASKS: {}}})).into()),
            };
        }
        let asked = request.params.get("task").filter(|_| facts.revision == "2025-11-25");
        match (tool.task(), asked) {
            (TaskSupport::Optional | TaskSupport::Required, Some(task)) => {
                let ttl = task
                    .get("ttl")
                    .and_then(|ttl| ttl.as_f64())
                    .filter(|ttl| ttl.is_finite() && *ttl >= 0.0);
                self.new_task(
                    Some(self.me),
                    ttl.map(|ttl| Duration::try_from_secs_f64(ttl / 1000.0).unwrap_or(Duration::MAX)),
                )
            }
            (TaskSupport::Forbidden | TaskSupport::Optional, None) => call(false),
            // 2025-11-25 basic/utilities/tasks, "Tool-Level Negotiation".
            (TaskSupport::Forbidden, Some(_)) => Err(ErrorObject::new(METHOD_NOT_FOUND, "this tool does not run as a task").into()),
            (TaskSupport::Required, None) => Err(ErrorObject::new(METHOD_NOT_FOUND, "this tool only runs as a task").into()),
        }
    }

    fn new_task(&self, owner: Option<u64>, ttl: Option<Duration>) -> std::result::Result<WorkKind, Refusal> {
        Ok(WorkKind::Task(self.core.tasks.create(owner, ttl, CancellationToken::new())?))
    }

    fn find_resource(&self, request: &Request, facts: &Facts) -> std::result::Result<Found, Refusal> {
        let uri = request.text("uri")?;
        let catalog = self.core.catalog();
        let found = match catalog.resource(&uri) {
            Some(resource) => Some((resource.handler.clone(), Args::default())),
            None => catalog.templates.iter().find_map(|template| template.fit(&uri)),
        };
        let (handler, args) = found.ok_or_else(|| not_found(&uri, facts.era))?;
        Ok(Found::plain(handler, args, true))
    }

    fn find_prompt(&self, request: &Request) -> std::result::Result<Found, Refusal> {
        let name = request.text("name")?;
        let catalog = self.core.catalog();
        let prompt = catalog
            .prompt(&name)
            .ok_or_else(|| ErrorObject::invalid_params(format_args!("unknown prompt `{name}`")))?;
        let args = arguments(request)?;
        prompt.check(&args)?;
        Ok(Found::plain(prompt.handler.clone(), args, true))
    }

    fn find_completer(&self, request: &Request) -> std::result::Result<Found, Refusal> {
        let catalog = self.core.catalog();
        if !catalog.completes() {
            return Err(ErrorObject::method_not_found(&request.method).into());
        }
        let text = |path: &[&str]| {
            let found = request
                .params
                .at(path)
                .and_then(|raw| raw.as_str().map(std::borrow::Cow::into_owned));
            found.ok_or_else(|| ErrorObject::invalid_params(format_args!("`{}` must be a string", path.join("."))))
        };
        let argument = text(&["argument", "name"])?;
        let value = text(&["argument", "value"])?;
        let completer = match &*text(&["ref", "type"])? {
            "ref/prompt" => {
                let name = text(&["ref", "name"])?;
                let prompt = catalog
                    .prompt(&name)
                    .ok_or_else(|| ErrorObject::invalid_params(format_args!("unknown prompt `{name}`")))?;
                prompt.completer(&argument).cloned()
            }
            "ref/resource" => {
                let uri = text(&["ref", "uri"])?;
                let template = catalog.template(&uri);
                let known = template.is_some() || catalog.resource(&uri).is_some();
                if !known {
                    return Err(ErrorObject::invalid_params(format_args!("unknown resource template `{uri}`")).into());
                }
                template.and_then(|template| template.completer(&argument).cloned())
            }
            other => return Err(ErrorObject::invalid_params(format_args!("`{other}` cannot be completed")).into()),
        };
        let settled = request
            .params
            .at(&["context", "arguments"])
            .map(|raw| args(&raw))
            .unwrap_or_default();
        Ok(Found::plain(
            completion_handler(completer, Completion { value, arguments: settled }),
            Args::default(),
            false,
        ))
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

    /// Keeps the books of a request that is answered later.
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

    /// Answers with `CreateTaskResult`, in the shape of the era.
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
            // Nothing more is said about a request that is over or was cancelled.
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

    /// Takes back the questions of `call` whose answers nobody waits for any more.
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

    /// The client's answer to one of our questions.
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

    /// Nobody reads that exchange any more.
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

const METHOD_NOT_FOUND: i64 = jsonrpc::code::METHOD_NOT_FOUND;

fn arguments(request: &Request) -> std::result::Result<Args, ErrorObject> {
    match request.params.get("arguments").map(|raw| raw.to_value()) {
        None | Some(Value::Null) => Ok(Args::default()),
        Some(Value::Object(fields)) => Ok(Args::new(fields)),
        Some(_) => Err(ErrorObject::invalid_params("`arguments` must be an object")),
    }
}

fn refusal_of_client(message: &Message) -> String {
    let why = message.error_raw().and_then(|raw| jsonrpc::ErrorObject::parse(&raw));
    match why {
        Some(why) => format!("the client answered our question with the error {}: {}", why.code, why.message),
        None => "the client answered our question with an error".to_owned(),
    }
}

/// At most 100 values, and how many there are (2025-11-25 server/utilities/completion).
fn completion_handler(completer: Option<Completer>, completion: Completion) -> Handler {
    Arc::new(move |ctx, _| {
        let running = completer.as_ref().map(|complete| complete(ctx, completion.clone()));
        Box::pin(async move {
            let mut values = match running {
                Some(running) => running.await?,
                None => Vec::new(),
            };
            let total = values.len();
            values.truncate(100);
            let completion = json!({"values": values, "total": total, "hasMore": total > 100});
            Ok(Value::Object(Map::from_iter([("completion".to_owned(), completion)])))
        })
    })
}
