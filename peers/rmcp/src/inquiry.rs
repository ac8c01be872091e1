//! Asks the client questions in the middle of a request, in either era.
//!
//! A tool calls `inquiry.ask(questions).await?` as often as it likes. With a legacy client the questions are sent as
//! requests and the call waits. With a modern client the request ends with `input_required`; when the client repeats
//! it, earlier answers are in the sealed `requestState`, so that the code runs again up to the next question.

use std::sync::Arc;

use rmcp::model::{
    CallToolResponse, ClientCapabilities, ClientResult, GetPromptResponse, InputRequest, InputRequests, InputRequiredResult,
    InputResponses, ProtocolVersion, SealOptions, ServerRequest,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value};

use crate::shared::Shared;

pub type Answers = Map<String, Value>;

/// The reason why a tool or prompt does not continue.
pub enum Stop {
    InputRequired(Box<InputRequiredResult>),
    Failed(ErrorData),
}

impl From<ErrorData> for Stop {
    fn from(error: ErrorData) -> Self {
        Self::Failed(error)
    }
}

impl From<Stop> for Result<CallToolResponse, ErrorData> {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::InputRequired(result) => Ok((*result).into()),
            Stop::Failed(error) => Err(error),
        }
    }
}

impl From<Stop> for Result<GetPromptResponse, ErrorData> {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::InputRequired(result) => Ok((*result).into()),
            Stop::Failed(error) => Err(error),
        }
    }
}

pub struct Inquiry<'a> {
    shared: Arc<Shared>,
    context: &'a RequestContext<RoleServer>,
    /// The tool or prompt that asks, to which the state is bound.
    subject: String,
    modern: bool,
    stateful: bool,
    came_with_state: bool,
    answers: Answers,
}

impl<'a> Inquiry<'a> {
    pub fn new(shared: &Arc<Shared>, context: &'a RequestContext<RoleServer>, subject: &str, stateful: bool) -> Self {
        Self {
            shared: Arc::clone(shared),
            context,
            subject: subject.to_owned(),
            modern: is_modern(context),
            stateful,
            came_with_state: false,
            answers: Answers::new(),
        }
    }

    /// Takes the data that a modern client sent with its retry.
    ///
    /// # Errors
    /// `requestState` that is not ours, or not of this tool or prompt, is refused.
    pub fn resume(&mut self, responses: Option<InputResponses>, state: Option<&str>) -> Result<(), Stop> {
        if let Some(state) = state {
            self.answers = self
                .shared
                .codec
                .open_json_with(state, self.subject.as_bytes())
                .map_err(|_| ErrorData::invalid_params("requestState is not what this server sealed", None))?;
            self.came_with_state = true;
        }
        self.answers.extend(responses.into_iter().flatten());
        Ok(())
    }

    pub fn came_with_state(&self) -> bool {
        self.came_with_state
    }

    pub fn is_modern(&self) -> bool {
        self.modern
    }

    /// Asks, each question under its key, and returns the answers of all questions so far.
    ///
    /// # Errors
    /// A client that cannot answer such questions is refused; with a modern one the call stops here until it is
    /// repeated.
    pub async fn ask(&mut self, questions: InputRequests) -> Result<&Answers, Stop> {
        for question in questions.values() {
            self.require(question)?;
        }
        if !self.modern {
            for (key, question) in questions {
                let answer = put(self.context, question).await?;
                self.answers.insert(key, answer);
            }
            return Ok(&self.answers);
        }
        let mut open = questions;
        open.retain(|key, question| !self.answers.get(key).is_some_and(|answer| answers(question, answer)));
        if open.is_empty() {
            return Ok(&self.answers);
        }
        let state = self.stateful.then(|| self.seal()).transpose()?;
        Err(Stop::InputRequired(Box::new(InputRequiredResult::new(Some(open), state))))
    }

    fn seal(&self) -> Result<String, ErrorData> {
        let options = SealOptions::new().associated_data(self.subject.as_bytes());
        self.shared
            .codec
            .seal_json_with(&self.answers, &options)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    /// Returns whether the client has the capability that a question needs.
    pub fn can(&self, question: &InputRequest) -> bool {
        let capabilities = self.context.client_capabilities().unwrap_or_default();
        match question {
            InputRequest::CreateMessage(_) => capabilities.sampling.is_some(),
            InputRequest::Elicitation(_) => capabilities.elicitation.is_some(),
            InputRequest::ListRoots(_) => capabilities.roots.is_some(),
            _ => false,
        }
    }

    fn require(&self, question: &InputRequest) -> Result<(), Stop> {
        if self.can(question) {
            return Ok(());
        }
        let needed = match question {
            InputRequest::CreateMessage(_) => "sampling",
            InputRequest::Elicitation(_) => "elicitation",
            _ => "roots",
        };
        Err(lacks(self.modern, needed).into())
    }
}

/// Returns the refusal of a client that did not declare the capability `needed`.
pub fn lacks(modern: bool, needed: &str) -> ErrorData {
    if !modern {
        // -32021 is younger than 2025-11-25; older servers refuse with a text only.
        return ErrorData::invalid_request(format!("the client does not support {needed}"), None);
    }
    let mut required = Map::new();
    required.insert(needed.to_owned(), Value::Object(Map::new()));
    let required: ClientCapabilities = serde_json::from_value(Value::Object(required)).unwrap_or_default();
    ErrorData::missing_required_client_capability(required)
}

pub fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Returns whether the answer has the shape that the question requires. Other shapes count as not answered yet.
fn answers(question: &InputRequest, answer: &Value) -> bool {
    match question {
        InputRequest::CreateMessage(_) => answer.get("content").is_some(),
        InputRequest::Elicitation(_) => answer.get("action").is_some_and(Value::is_string),
        InputRequest::ListRoots(_) => answer.get("roots").is_some_and(Value::is_array),
        _ => false,
    }
}

/// Sends one question to a legacy client as a request and waits for its answer.
async fn put(context: &RequestContext<RoleServer>, question: InputRequest) -> Result<Value, ErrorData> {
    let request = match question {
        InputRequest::CreateMessage(request) => ServerRequest::CreateMessageRequest(request),
        InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
        InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
        _ => return Err(ErrorData::internal_error("a question of unknown kind", None)),
    };
    let result: ClientResult = context
        .peer
        .send_request(request)
        .await
        .map_err(|error| ErrorData::internal_error(format!("the client did not answer: {error}"), None))?;
    serde_json::to_value(result).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}
