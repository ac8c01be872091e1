//! Reads and writes the questions of modern servers (`input_required`) and the retries that answer them (2026-07-28
//! basic/patterns/mrtr).

use jsonrpc::{DecodeError, ErrorObject, ObjectBuilder, Raw, RawKind};

use super::reverse::required_capabilities;
use crate::capabilities::ClientCapabilities;
use crate::error::{URL_ELICITATION_REQUIRED, missing_client_capability};

/// One question to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputRequest {
    /// The server's key for the question.
    pub key: String,
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: String,
    /// The params of the question.
    pub params: Option<Raw>,
}

/// An `input_required` result: questions, or a state to come back with, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputRequired {
    /// The questions, in the order in which they came.
    pub requests: Vec<InputRequest>,
    /// The state that the retry must carry unchanged.
    pub state: Option<String>,
}

/// Why an `input_required` result can't be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum InputError {
    /// Neither `inputRequests` nor `requestState`.
    #[error("read an `input_required` result: it has neither `inputRequests` nor `requestState`")]
    Empty,
    /// A member has another type than it should.
    #[error("read an `input_required` result: `{0}` is not what it should be")]
    IllTyped(String),
    /// A question of a method that no server may send.
    #[error("read an `input_required` result: `{0}` may not be asked of a client")]
    Method(String),
    /// A value that is not an object, or an object that repeats a key.
    #[error("read an `input_required` result: {0}")]
    Shape(#[from] DecodeError),
}

impl InputRequired {
    /// Reads a result whose type is [`super::ResultType::InputRequired`].
    ///
    /// # Errors
    /// When the specification does not admit the result: a client must not be asked what it may not be asked.
    pub fn read(result: &Raw) -> Result<Self, InputError> {
        let ill_typed = |name: &str| InputError::IllTyped(name.to_owned());
        let state = match result.get("requestState") {
            None => None,
            Some(state) => Some(state.as_str().ok_or_else(|| ill_typed("requestState"))?.into_owned()),
        };
        let Some(requests) = result.get("inputRequests") else {
            return if state.is_some() {
                Ok(Self {
                    requests: Vec::new(),
                    state,
                })
            } else {
                Err(InputError::Empty)
            };
        };
        let requests = requests
            .object()?
            .iter()
            .map(|(key, request)| question(key, request))
            .collect::<Result<_, _>>()?;
        Ok(Self { requests, state })
    }

    /// Returns the result as a modern server sends it.
    #[must_use]
    pub fn to_result(&self) -> Raw {
        let edit = Raw::object_empty().edit().set(&["resultType"], &Raw::string("input_required"));
        let edit = if self.requests.is_empty() {
            edit
        } else {
            edit.set(&["inputRequests"], &self.to_requests())
        };
        match &self.state {
            Some(state) => edit.set(&["requestState"], &Raw::string(state)).finish(),
            None => edit.finish(),
        }
    }

    /// Returns the `inputRequests` object.
    #[must_use]
    pub fn to_requests(&self) -> Raw {
        let requests = self.requests.iter().map(|request| (&request.key, request.to_raw()));
        ObjectBuilder::new().members(requests).finish()
    }

    /// Reads the questions of a legacy server's -32042. Returns `None` for another error, or one without elicitations
    /// that a client could follow (2025-11-25 client/elicitation). The retry is the same request again, without
    /// answers.
    #[must_use]
    pub fn of_url_elicitations(error: &ErrorObject) -> Option<Self> {
        let listed = error
            .data
            .as_ref()
            .filter(|_| error.code == URL_ELICITATION_REQUIRED)?
            .get("elicitations")?
            .items();
        let mut requests: Vec<InputRequest> = Vec::with_capacity(listed.len());
        for (i, params) in listed.iter().enumerate() {
            params.get("url")?;
            let id = params
                .get("elicitationId")
                .and_then(|id| id.as_str().map(std::borrow::Cow::into_owned));
            let key = id
                .filter(|id| requests.iter().all(|known| known.key != *id))
                .unwrap_or_else(|| format!("url-{i}"));
            let params = params
                .edit()
                .remove(&["elicitationId"])
                .set(&["mode"], &Raw::string("url"))
                .finish();
            requests.push(InputRequest {
                key,
                method: "elicitation/create".to_owned(),
                params: Some(params),
            });
        }
        (!requests.is_empty()).then_some(Self { requests, state: None })
    }

    /// Checks that this client may be asked all of these questions (2026-07-28 basic/patterns/mrtr, server
    /// requirements).
    ///
    /// # Errors
    /// -32021 with every capability that the client would have to declare.
    pub fn check(&self, client: &ClientCapabilities) -> Result<(), ErrorObject> {
        let mut required = Raw::object_empty();
        for request in &self.requests {
            let needed = required_capabilities(&request.method, request.params.as_ref().unwrap_or(&Raw::object_empty()));
            let Some(missing) = client.missing(&needed) else { continue };
            for (name, members) in missing.object().iter().flat_map(jsonrpc::Object::iter) {
                required = match members.object() {
                    Ok(members) if !members.is_empty() => members
                        .iter()
                        .fold(required.edit(), |edit, (member, value)| edit.set(&[name, member], value))
                        .finish(),
                    _ if required.get(name).is_some() => required,
                    _ => required.edit().set(&[name], members).finish(),
                };
            }
        }
        if required.len() > 2 {
            Err(missing_client_capability(&required))
        } else {
            Ok(())
        }
    }
}

impl InputRequest {
    /// Returns the question as a value of `inputRequests`.
    fn to_raw(&self) -> Raw {
        ObjectBuilder::new()
            .text("method", &self.method)
            .maybe("params", self.params.as_ref())
            .finish()
    }
}

fn question(key: &str, request: &Raw) -> Result<InputRequest, InputError> {
    let request = request.object()?;
    let method = request
        .get("method")
        .and_then(Raw::as_str)
        .ok_or_else(|| InputError::IllTyped(format!("inputRequests.{key}.method")))?;
    if !matches!(&*method, "elicitation/create" | "sampling/createMessage" | "roots/list") {
        return Err(InputError::Method(method.into_owned()));
    }
    let params = request.get("params").cloned();
    let fits = params
        .as_ref()
        .map_or(method == "roots/list", |params| params.kind() == RawKind::Object);
    if !fits {
        return Err(InputError::IllTyped(format!("inputRequests.{key}.params")));
    }
    Ok(InputRequest {
        key: key.to_owned(),
        method: method.into_owned(),
        params,
    })
}

/// The answers and the state that a retry carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputResponses {
    /// The answers, by the keys of the questions.
    pub responses: Vec<(String, Raw)>,
    /// The state as it was handed out. It is unverified input until its seal has been checked.
    pub state: Option<String>,
}

impl InputResponses {
    /// Reads a request's `inputResponses` and `requestState`; both may be absent.
    ///
    /// # Errors
    /// -32602 where they have another type than they should, or an answer is no object.
    pub fn read(params: Option<&Raw>) -> Result<Self, ErrorObject> {
        let state = match params.and_then(|params| params.get("requestState")) {
            None => None,
            Some(state) => Some(
                state
                    .as_str()
                    .ok_or_else(|| ErrorObject::invalid_params("`requestState` must be a string"))?
                    .into_owned(),
            ),
        };
        let Some(responses) = params.and_then(|params| params.get("inputResponses")) else {
            return Ok(Self {
                responses: Vec::new(),
                state,
            });
        };
        let invalid = |why: &dyn std::fmt::Display| ErrorObject::invalid_params(format_args!("`inputResponses`: {why}"));
        let responses = responses.object().map_err(|e| invalid(&e))?;
        if let Some((key, _)) = responses.iter().find(|(_, response)| response.kind() != RawKind::Object) {
            return Err(invalid(&format_args!("`{key}` must be an object")));
        }
        Ok(Self {
            responses: responses.iter().map(|(key, response)| (key.to_owned(), response.clone())).collect(),
            state,
        })
    }

    /// Returns whether the request is a retry at all.
    #[must_use]
    pub fn is_retry(&self) -> bool {
        self.state.is_some() || !self.responses.is_empty()
    }

    /// Returns the answer to one question.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Raw> {
        self.responses.iter().find(|(known, _)| known == key).map(|(_, response)| response)
    }
}

/// Returns the params of a request's retry: the original params with these answers and this state. Where there are
/// none, the members are absent, as they must be (2026-07-28 basic/patterns/mrtr, client requirements).
#[must_use]
pub fn retry_params(params: Option<&Raw>, responses: &[(String, Raw)], state: Option<&str>) -> Raw {
    let edit = params.cloned().unwrap_or_else(Raw::object_empty).edit();
    let edit = if responses.is_empty() {
        edit.remove(&["inputResponses"])
    } else {
        let responses = responses.iter().map(|(key, response)| (key, response));
        edit.set(&["inputResponses"], &ObjectBuilder::new().members(responses).finish())
    };
    match state {
        Some(state) => edit.set(&["requestState"], &Raw::string(state)).finish(),
        None => edit.remove(&["requestState"]).finish(),
    }
}

/// Removes from the params what only a retry has. Returns the same bytes where there is nothing to remove.
#[must_use]
pub fn without_retry(params: &Raw) -> Raw {
    params.edit().remove(&["inputResponses"]).remove(&["requestState"]).finish()
}
