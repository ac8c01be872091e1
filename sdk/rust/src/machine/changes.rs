//! Notifications of changes: sessions get them pushed, modern clients subscribe.

use std::collections::HashSet;

use jsonrpc::{ErrorObject, Message, Raw};
use serde_json::{Map, Value, json};

use super::{Facts, Lane, Listen, MAX_SUBSCRIPTIONS, Machine, Output, Request, Route, Verdict, Waiter};
use crate::core::Change;
use crate::era::Era;
use crate::error::Error;
use crate::keys;

/// How many subscriptions one connection may hold.
const MAX_LISTENS: usize = 64;

impl Machine {
    /// Opens a subscription (2026-07-28 basic/patterns/subscriptions).
    pub(super) fn listen(&mut self, request: &Request, facts: &Facts) {
        match self.accept_listen(request, facts) {
            Err(error) => self.answer(request, Err(error.into())),
            Ok((listen, accepted)) => {
                let params = json!({"notifications": accepted});
                self.notify_listener(&listen, "notifications/subscriptions/acknowledged", &Raw::of(&params));
                self.listens.push(listen);
            }
        }
    }

    fn accept_listen(&self, request: &Request, facts: &Facts) -> Result<(Listen, Value), ErrorObject> {
        let Some(Value::Object(filter)) = request.params.get("notifications").map(|raw| raw.to_value()) else {
            return Err(ErrorObject::invalid_params("`notifications` must be an object"));
        };
        if self.listens.len() >= MAX_LISTENS {
            return Err(ErrorObject::new(
                jsonrpc::code::INTERNAL_ERROR,
                "too many subscriptions; end some first",
            ));
        }
        let wants = |key: &str, capability: &str| filter.get(key) == Some(&Value::Bool(true)) && self.offers(capability, Era::Modern);
        let uris = strings(&filter, "resourceSubscriptions")?;
        let tasks = strings(&filter, "taskIds")?;
        if filter.contains_key("taskIds") {
            Self::refuse_without_tasks(facts)?;
        }
        let listen = Listen {
            id: request.id.clone(),
            exchange: request.exchange,
            tools: wants("toolsListChanged", "tools"),
            prompts: wants("promptsListChanged", "prompts"),
            resources: wants("resourcesListChanged", "resources"),
            uris: if self.offers("resources", Era::Modern) {
                uris
            } else {
                HashSet::new()
            },
            tasks: tasks.into_iter().filter(|task| self.core.tasks.is_owned_by(task, None)).collect(),
            extensions: self
                .core
                .filters
                .iter()
                .filter(|key| filter.get(*key).is_some_and(|wanted| *wanted != false))
                .cloned()
                .collect(),
        };
        let accepted = accepted(&listen, &filter);
        Ok((listen, accepted))
    }

    pub(super) fn change(&mut self, change: &Change) {
        match change {
            Change::Tools => self.list_changed("notifications/tools/list_changed", |listen| listen.tools),
            Change::Prompts => self.list_changed("notifications/prompts/list_changed", |listen| listen.prompts),
            Change::Resources => self.list_changed("notifications/resources/list_changed", |listen| listen.resources),
            Change::Resource(uri) => self.resource_updated(uri),
            Change::Task(task) => self.task_changed(task),
            Change::Custom { filter, method, params } => {
                self.tell_session(method, Some(params));
                self.tell_listeners(method, params, |listen| listen.extensions.contains(filter));
            }
            Change::Everything => self.everything_changed(),
        }
    }

    fn list_changed(&mut self, method: &str, wants: fn(&Listen) -> bool) {
        self.tell_session(method, None);
        self.tell_listeners(method, &Raw::object_empty(), wants);
    }

    fn resource_updated(&mut self, uri: &str) {
        const METHOD: &str = "notifications/resources/updated";
        let params = Raw::of(&json!({"uri": uri}));
        if self.session.as_ref().is_some_and(|session| session.subscriptions.contains(uri)) {
            self.tell_session(METHOD, Some(&params));
        }
        self.tell_listeners(METHOD, &params, |listen| listen.uris.contains(uri));
    }

    /// Notifies the client of everything it wants, because after a lag it is unknown what was missed.
    fn everything_changed(&mut self) {
        for change in [Change::Tools, Change::Prompts, Change::Resources] {
            self.change(&change);
        }
        let mut uris: HashSet<String> = self.listens.iter().flat_map(|listen| listen.uris.iter().cloned()).collect();
        uris.extend(self.session.iter().flat_map(|session| session.subscriptions.iter().cloned()));
        uris.iter().for_each(|uri| self.resource_updated(uri));
        let mut tasks: HashSet<String> = self.listens.iter().flat_map(|listen| listen.tasks.iter().cloned()).collect();
        tasks.extend(self.parked.iter().map(|(_, task)| task.clone()));
        tasks.iter().for_each(|task| self.task_changed(task));
    }

    pub(super) fn tell_listeners(&mut self, method: &str, params: &Raw, wants: impl Fn(&Listen) -> bool) {
        let listens = std::mem::take(&mut self.listens);
        for listen in listens.iter().filter(|listen| wants(listen)) {
            self.notify_listener(listen, method, params);
        }
        self.listens = listens;
    }

    /// Sends a notification on a subscription, with its id, which is that of the request (2026-07-28
    /// basic/patterns/subscriptions).
    fn notify_listener(&mut self, listen: &Listen, method: &str, params: &Raw) {
        let params = params.edit().set(&["_meta", keys::SUBSCRIPTION], listen.id.raw()).finish();
        self.send(Route::Exchange(listen.exchange), Message::notification(method, Some(&params)));
    }

    /// Ends what would never end by itself, because the client is leaving.
    pub(super) fn close(&mut self) {
        self.closing = true;
        self.end_listens();
        for (_, waiter) in self.questions.drain() {
            match waiter {
                Waiter::Call(_, reply) => self.outbox.push_back(Output::Answer(reply, Err(Error::cancelled()))),
                Waiter::Task { id, key } => self.core.tasks.withdraw(&id, &key),
            }
        }
    }

    /// Ends every subscription in order ("Graceful Closure"); on stdio it is also cancelled, because the specification
    /// asks for both.
    fn end_listens(&mut self) {
        for listen in std::mem::take(&mut self.listens) {
            let result = Raw::of(&self.modern_result("complete", Map::new()));
            let result = result.edit().set(&["_meta", keys::SUBSCRIPTION], listen.id.raw()).finish();
            self.reply(listen.exchange, Message::result(&listen.id, &result), Verdict::Fine);
            if self.lane == Lane::Stdio {
                let params = Raw::object_empty().edit().set(&["requestId"], listen.id.raw()).finish();
                self.send(Route::Session, Message::notification("notifications/cancelled", Some(&params)));
            }
        }
    }
}

fn strings(filter: &Map<String, Value>, key: &str) -> Result<HashSet<String>, ErrorObject> {
    let wrong = || ErrorObject::invalid_params(format_args!("`{key}` must be an array of at most {MAX_SUBSCRIPTIONS} strings"));
    match filter.get(key) {
        None | Some(Value::Null) => Ok(HashSet::new()),
        Some(Value::Array(items)) if items.len() <= MAX_SUBSCRIPTIONS => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong))
            .collect(),
        Some(_) => Err(wrong()),
    }
}

/// Returns the part of `filter` that we honour, as the client wrote it.
fn accepted(listen: &Listen, filter: &Map<String, Value>) -> Value {
    let keep = |set: &HashSet<String>, items: &Value| -> Value {
        let items = items.as_array().map_or(&[][..], Vec::as_slice);
        items
            .iter()
            .filter(|item| item.as_str().is_some_and(|item| set.contains(item)))
            .cloned()
            .collect()
    };
    let honoured = filter.iter().filter_map(|(key, value)| {
        let value = match &**key {
            "toolsListChanged" => listen.tools.then(|| value.clone()),
            "promptsListChanged" => listen.prompts.then(|| value.clone()),
            "resourcesListChanged" => listen.resources.then(|| value.clone()),
            "resourceSubscriptions" => (!listen.uris.is_empty()).then(|| keep(&listen.uris, value)),
            "taskIds" => Some(keep(&listen.tasks, value)),
            _ => listen.extensions.contains(key).then(|| value.clone()),
        };
        Some((key.clone(), value?))
    });
    Value::Object(honoured.collect())
}
