//! The legacy era: a session that begins with `initialize` (2025-11-25 basic/lifecycle).

use std::collections::HashSet;
use std::sync::Arc;

use jsonrpc::{ErrorObject, Raw};
use serde_json::{Map, Value, json};

use super::{Facts, MAX_SUBSCRIPTIONS, Machine, Refusal, Request, Session};
use crate::era::{Era, negotiate};
use crate::level::Level;

impl Machine {
    pub(super) fn legacy(&mut self, request: Request) {
        match &*request.method {
            "initialize" => {
                let done = self.initialize(&request).map_err(Refusal::from);
                return self.answer(&request, done);
            }
            "ping" => return self.answer(&request, Ok(json!({}))),
            _ => {}
        }
        let Some(session) = &self.session else {
            let error = ErrorObject::invalid_request("the session is not initialized; send `initialize` first");
            return self.answer(&request, Err(error.into()));
        };
        let facts = Arc::new(Facts {
            progress: super::facts::progress(&request.params),
            ..session.facts(&request.params)
        });
        self.legacy_request(request, facts);
    }

    fn legacy_request(&mut self, request: Request, facts: Arc<Facts>) {
        match &*request.method {
            "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list" => {
                let listed = self.list(&request, Era::Legacy).map(Value::Object);
                self.answer(&request, listed);
            }
            "tools/call" => self.call_tool(request, facts),
            "resources/read" => self.read_resource(request, facts),
            "resources/subscribe" | "resources/unsubscribe" if self.offers("resources", Era::Legacy) => {
                let done = self.subscribe(&request).map_err(Refusal::from);
                self.answer(&request, done);
            }
            "prompts/get" => self.get_prompt(request, facts),
            "completion/complete" => self.complete_argument(request, facts),
            "logging/setLevel" => {
                let done = self.set_level(&request).map_err(Refusal::from);
                self.answer(&request, done);
            }
            "tasks/get" | "tasks/list" | "tasks/result" | "tasks/cancel" if self.offers("tasks", Era::Legacy) => {
                self.legacy_task_request(request, facts);
            }
            _ => self.custom_request(request, facts),
        }
    }

    fn initialize(&mut self, request: &Request) -> Result<Value, ErrorObject> {
        let revision = negotiate(&request.text("protocolVersion")?);
        let part = |field: &str| request.params.get(field).map_or_else(|| json!({}), |raw| raw.to_value());
        let capabilities = part("capabilities");
        if !capabilities.is_object() {
            return Err(ErrorObject::invalid_params("`capabilities` must be an object"));
        }
        self.session = Some(Session {
            revision,
            capabilities,
            client: part("clientInfo"),
            initialized: false,
            // Until the client sets a level, details are not sent.
            level: Level::Info,
            subscriptions: HashSet::new(),
        });
        let mut result = Map::new();
        result.insert("protocolVersion".to_owned(), json!(revision));
        result.insert("capabilities".to_owned(), self.core.capabilities(Era::Legacy, revision));
        result.insert("serverInfo".to_owned(), self.core.info.clone());
        if let Some(words) = &self.core.instructions {
            result.insert("instructions".to_owned(), json!(words));
        }
        Ok(Value::Object(result))
    }

    fn set_level(&mut self, request: &Request) -> Result<Value, ErrorObject> {
        let name = request.text("level")?;
        let level = Level::parse(&name).ok_or_else(|| ErrorObject::invalid_params(format_args!("`{name}` is no log level")))?;
        if let Some(session) = &mut self.session {
            session.level = level;
        }
        Ok(json!({}))
    }

    fn subscribe(&mut self, request: &Request) -> Result<Value, ErrorObject> {
        let uri = request.text("uri")?;
        let Some(session) = &mut self.session else {
            return Err(ErrorObject::internal());
        };
        if request.method == "resources/unsubscribe" {
            session.subscriptions.remove(&uri);
        } else if session.subscriptions.len() < MAX_SUBSCRIPTIONS {
            session.subscriptions.insert(uri);
        } else {
            return Err(ErrorObject::new(
                jsonrpc::code::INTERNAL_ERROR,
                "too many subscriptions; unsubscribe from some first",
            ));
        }
        Ok(json!({}))
    }

    /// Sends a notification to the legacy client, unless it has not finished its handshake.
    pub(super) fn tell_session(&mut self, method: &str, params: Option<&Raw>) {
        if self.session.as_ref().is_some_and(|session| session.initialized) {
            self.send(super::Route::Session, jsonrpc::Message::notification(method, params));
        }
    }
}
