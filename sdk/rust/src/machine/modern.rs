//! The modern era: every request stands alone (2026-07-28 basic).

use std::sync::Arc;

use jsonrpc::ErrorObject;
use serde_json::{Map, Value, json};

use super::{Facts, Machine, Refusal, Request, Verdict};
use crate::ask::Question;
use crate::cache::Cache;
use crate::era::{Era, MODERN};
use crate::error::{self, unsupported_revision};
use crate::keys;
use crate::known::Known;
use crate::level::Level;

impl Machine {
    pub(super) fn modern(&mut self, request: Request) {
        match facts(&request) {
            Ok(facts) => self.modern_request(request, Arc::new(facts)),
            Err(refusal) => self.answer(&request, Err(refusal)),
        }
    }

    fn modern_request(&mut self, request: Request, facts: Arc<Facts>) {
        match &*request.method {
            "server/discover" => self.complete(&request, Ok(self.discover())),
            "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list" => {
                let listed = self.list(&request, Era::Modern);
                self.complete(&request, listed);
            }
            "tools/call" => self.call_tool(request, facts),
            "resources/read" => self.read_resource(request, facts),
            "prompts/get" => self.get_prompt(request, facts),
            "completion/complete" => self.complete_argument(request, facts),
            "subscriptions/listen" => self.listen(&request, &facts),
            "tasks/get" | "tasks/update" | "tasks/cancel" if self.core.catalog().has_tasks() => {
                let done = self.task_request(&request, &facts);
                self.complete(&request, done);
            }
            _ => self.custom_request(request, facts),
        }
    }

    /// Answers `server/discover` (2026-07-28).
    fn discover(&self) -> Map<String, Value> {
        let mut result = Map::new();
        result.insert("supportedVersions".to_owned(), json!(MODERN));
        result.insert("capabilities".to_owned(), self.core.capabilities(Era::Modern, MODERN[0]));
        if let Some(words) = &self.core.instructions {
            result.insert("instructions".to_owned(), json!(words));
        }
        self.core.lists.write(&mut result);
        result
    }

    /// Answers with a complete result.
    pub(super) fn complete(&mut self, request: &Request, outcome: Result<Map<String, Value>, Refusal>) {
        let outcome = outcome.map(|fields| self.modern_result("complete", fields));
        self.answer(request, outcome);
    }

    /// Returns a result with what every modern result has: its type, and the server's info (2026-07-28 basic, "General
    /// fields").
    pub(super) fn modern_result(&self, result_type: &str, fields: Map<String, Value>) -> Value {
        let mut result = Map::from_iter([("resultType".to_owned(), json!(result_type))]);
        result.extend(fields);
        crate::tool::insert_into(&mut result, "_meta", keys::SERVER, self.core.info.clone());
        Value::Object(result)
    }

    /// Returns a handler's result in the shape of the request's era.
    pub(super) fn era_result(&self, facts: &Facts, mut result: Value) -> Value {
        match (facts.era, result) {
            (Era::Modern, Value::Object(mut fields)) => {
                let result_type = match fields.remove("resultType") {
                    Some(Value::String(given)) => given,
                    _ => "complete".to_owned(),
                };
                self.modern_result(&result_type, fields)
            }
            (_, other) => {
                result = other;
                Cache::strip(&mut result);
                result
            }
        }
    }
}

/// Reads the request's `_meta`; every required field must be present (2026-07-28 basic, "Per-request protocol fields").
fn facts(request: &Request) -> Result<Facts, Refusal> {
    let malformed = |why: String| Refusal(ErrorObject::invalid_params(why), Verdict::BadRequest);
    let revision = request
        .meta(keys::REVISION)
        .and_then(|raw| raw.as_str().map(std::borrow::Cow::into_owned));
    let Some(revision) = revision else {
        if request.method == "initialize" {
            let asked = request.text("protocolVersion").unwrap_or_default();
            return Err(unsupported_revision(&asked, MODERN).into());
        }
        return Err(malformed(format!("`_meta` must carry the string `{}`", keys::REVISION)));
    };
    if !MODERN.contains(&&*revision) {
        return Err(unsupported_revision(&revision, MODERN).into());
    }
    let capabilities = request.meta(keys::CAPABILITIES).map_or(Value::Null, |raw| raw.to_value());
    if !capabilities.is_object() {
        return Err(malformed(format!("`_meta` must carry the object `{}`", keys::CAPABILITIES)));
    }
    let level = request
        .meta(keys::LOG_LEVEL)
        .map(|raw| raw.as_str().and_then(|name| Level::parse(&name)));
    let level = match level {
        Some(None) => return Err(ErrorObject::invalid_params(format_args!("`{}` is no log level", keys::LOG_LEVEL)).into()),
        Some(level) => level,
        None => None,
    };
    let meta = request.params.get("_meta").map_or(Value::Null, |raw| raw.to_value());
    let client = meta[keys::CLIENT].clone();
    Ok(Facts {
        era: Era::Modern,
        revision,
        capabilities,
        client,
        meta,
        progress: super::facts::progress(&request.params),
        level,
    })
}

/// Returns the request's identity, to which its `requestState` is bound: the method and everything that the client may
/// not change between rounds (2026-07-28 basic/patterns/mrtr).
pub(super) fn identity(request: &Request) -> Vec<u8> {
    let stable = request
        .params
        .edit()
        .remove(&["_meta"])
        .remove(&["inputResponses"])
        .remove(&["requestState"])
        .finish();
    [request.method.as_bytes(), b"\0", &stable.canonical()].concat()
}

/// Returns what earlier rounds have learned: the sealed state, and the answers that this retry brings.
pub(super) fn known(machine: &Machine, request: &Request, identity: &[u8]) -> Result<Known, ErrorObject> {
    let mut known = match request.params.get("requestState") {
        None => Known::default(),
        Some(state) => {
            let opened = state
                .as_str()
                .and_then(|state| machine.core.sealer.open(identity, &state, std::time::SystemTime::now()));
            opened.ok_or_else(|| ErrorObject::invalid_params("`requestState` is not valid for this request; call again without it"))?
        }
    };
    match request.params.get("inputResponses").map(|raw| raw.to_value()) {
        None => {}
        // An answer from an earlier round stays as it was sealed.
        Some(Value::Object(answers)) => answers.into_iter().for_each(|(key, answer)| {
            known.answers.entry(key).or_insert(answer);
        }),
        Some(_) => return Err(ErrorObject::invalid_params("`inputResponses` must be an object")),
    }
    Ok(known)
}

impl Machine {
    /// Returns the result that asks the client for input (2026-07-28 basic/patterns/mrtr, "InputRequiredResult").
    pub(super) fn input_required(
        &self,
        facts: &Facts,
        identity: &[u8],
        questions: Vec<(String, Question)>,
        known: &Known,
    ) -> Result<Value, ErrorObject> {
        let state = self.core.sealer.seal(identity, known, std::time::SystemTime::now());
        let state = state.ok_or_else(|| ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, "the answers so far are too large to carry on"))?;
        let asked = questions.into_iter().map(|(key, question)| {
            let params = question.params(Era::Modern, &facts.revision, String::new);
            (key, json!({"method": question.method(), "params": params}))
        });
        let mut fields = Map::new();
        fields.insert("inputRequests".to_owned(), Value::Object(asked.collect()));
        fields.insert("requestState".to_owned(), json!(state));
        Ok(self.modern_result("input_required", fields))
    }

    pub(super) fn refuse_without_tasks(facts: &Facts) -> Result<(), ErrorObject> {
        if facts.tasks() {
            Ok(())
        } else {
            Err(error::missing_capability(&json!({"extensions": {keys::TASKS: {}}})))
        }
    }
}
