//! Questions that a handler may put to the client, and their answers.

use serde_json::{Map, Value, json};

use crate::args::Args;
use crate::content::Content;
use crate::era::Era;
use crate::error::{Error, Result};

/// One question to the client: an elicitation, a sampling, or the list of roots.
#[derive(Clone, Debug)]
pub struct Question {
    kind: Kind,
    params: Map<String, Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Form,
    Url,
    Sample,
    SampleWithTools,
    Roots,
}

/// A question to the user.
#[derive(Clone, Debug)]
pub struct Elicit(Question);

impl Elicit {
    /// Builds a form question; `schema` is an object schema of primitive properties (2026-07-28 client/elicitation,
    /// "Requested Schema").
    pub fn form(message: impl Into<String>, schema: Value) -> Self {
        let params = fields(json!({"message": message.into(), "requestedSchema": schema}));
        Self(Question { kind: Kind::Form, params })
    }

    /// Builds a question to visit a page, for what must not pass through the client. Since 2025-11-25.
    pub fn url(message: impl Into<String>, url: impl Into<String>) -> Self {
        let params = fields(json!({"mode": "url", "message": message.into(), "url": url.into()}));
        Self(Question { kind: Kind::Url, params })
    }
}

/// A question to the client's model.
#[derive(Clone, Debug)]
pub struct Sample(Question);

impl Sample {
    /// Builds a question that allows the model at most `max_tokens` tokens of answer.
    #[must_use]
    pub fn new(max_tokens: u32) -> Self {
        let params = fields(json!({"messages": [], "maxTokens": max_tokens}));
        Self(Question {
            kind: Kind::Sample,
            params,
        })
    }

    /// Adds a user message.
    #[must_use]
    pub fn user(self, content: Content) -> Self {
        self.message("user", &content.into_value())
    }

    /// Adds an assistant message.
    #[must_use]
    pub fn assistant(self, content: Content) -> Self {
        self.message("assistant", &content.into_value())
    }

    /// Adds a message with any content, for instance `tool_use` or `tool_result` blocks.
    #[must_use]
    pub fn message(mut self, role: &str, content: &Value) -> Self {
        if let Some(Value::Array(messages)) = self.0.params.get_mut("messages") {
            messages.push(json!({"role": role, "content": content}));
        }
        self
    }

    /// Sets the system prompt.
    #[must_use]
    pub fn system(self, prompt: &str) -> Self {
        self.field("systemPrompt", json!(prompt))
    }

    /// Sets the tools that the model may use; needs the client capability `sampling.tools`. Since 2025-11-25.
    #[must_use]
    pub fn tools(mut self, tools: Value) -> Self {
        self.0.kind = Kind::SampleWithTools;
        self.field("tools", tools)
    }

    /// Sets any other parameter: `modelPreferences`, `temperature`, `stopSequences`, `toolChoice`, `metadata`, …
    #[must_use]
    pub fn field(mut self, name: &str, value: Value) -> Self {
        self.0.params.insert(name.to_owned(), value);
        self
    }
}

impl From<Elicit> for Question {
    fn from(elicit: Elicit) -> Self {
        elicit.0
    }
}

impl From<Sample> for Question {
    fn from(sample: Sample) -> Self {
        sample.0
    }
}

impl Question {
    /// Builds the question for the roots of the client's workspace.
    #[must_use]
    pub fn roots() -> Self {
        Self {
            kind: Kind::Roots,
            params: Map::new(),
        }
    }

    pub(crate) fn method(&self) -> &'static str {
        match self.kind {
            Kind::Form | Kind::Url => "elicitation/create",
            Kind::Sample | Kind::SampleWithTools => "sampling/createMessage",
            Kind::Roots => "roots/list",
        }
    }

    /// Returns the parameters as `revision` spells them.
    pub(crate) fn params(&self, era: Era, revision: &str, elicitation_id: impl FnOnce() -> String) -> Value {
        let mut params = self.params.clone();
        let modes = era == Era::Modern || revision == "2025-11-25";
        if self.kind == Kind::Form && modes {
            params.insert("mode".to_owned(), json!("form"));
        }
        // 2025-11-25 client/elicitation; removed in 2026-07-28.
        if self.kind == Kind::Url && era == Era::Legacy {
            params.insert("elicitationId".to_owned(), json!(elicitation_id()));
        }
        Value::Object(params)
    }

    /// Returns the client capabilities without which this question must not be asked (2026-07-28 basic/patterns/mrtr).
    pub(crate) fn needs(&self) -> Value {
        match self.kind {
            Kind::Form => json!({"elicitation": {"form": {}}}),
            Kind::Url => json!({"elicitation": {"url": {}}}),
            Kind::Sample => json!({"sampling": {}}),
            Kind::SampleWithTools => json!({"sampling": {"tools": {}}}),
            Kind::Roots => json!({"roots": {}}),
        }
    }

    pub(crate) fn allowed_by(&self, capabilities: &Value) -> bool {
        let has = |path: &str| capabilities.pointer(path).is_some_and(Value::is_object);
        match self.kind {
            // An empty `elicitation` object stands for form mode (2025-11-25 client/elicitation, "Capabilities").
            Kind::Form => has("/elicitation/form") || (has("/elicitation") && !has("/elicitation/url")),
            Kind::Url => has("/elicitation/url"),
            Kind::Sample => has("/sampling"),
            Kind::SampleWithTools => has("/sampling/tools"),
            Kind::Roots => has("/roots"),
        }
    }

    /// Returns whether `answer` has the shape that this question asks for.
    pub(crate) fn check(&self, answer: &Value) -> Result<()> {
        let is_answer = match self.kind {
            Kind::Form | Kind::Url => matches!(answer["action"].as_str(), Some("accept" | "decline" | "cancel")),
            Kind::Sample | Kind::SampleWithTools => answer["role"].is_string() && !answer["content"].is_null(),
            Kind::Roots => answer["roots"].is_array(),
        };
        if is_answer {
            Ok(())
        } else {
            Err(Error::invalid_params(format!("that is not an answer to `{}`", self.method())))
        }
    }
}

/// The user's reaction to an elicitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The user submitted the form, or agreed to visit the page.
    Accept,
    /// The user explicitly declined.
    Decline,
    /// The user dismissed the question without an answer.
    Cancel,
}

/// The answer to an elicitation.
#[derive(Clone, Debug)]
pub struct Elicited {
    /// What the user did.
    pub action: Action,
    /// The form's content; empty unless accepted.
    pub content: Args,
}

impl Elicited {
    /// Returns the content, if the user accepted.
    #[must_use]
    pub fn accepted(&self) -> Option<&Args> {
        (self.action == Action::Accept).then_some(&self.content)
    }

    pub(crate) fn read(answer: &Value) -> Self {
        let action = match answer["action"].as_str() {
            Some("accept") => Action::Accept,
            Some("decline") => Action::Decline,
            _ => Action::Cancel,
        };
        Self {
            action,
            content: Args::new(answer["content"].as_object().cloned().unwrap_or_default()),
        }
    }
}

/// The answer of the client's model: the `CreateMessageResult` as received.
#[derive(Clone, Debug)]
pub struct Sampled(pub Value);

impl Sampled {
    /// Returns the text of all text blocks.
    #[must_use]
    pub fn text(&self) -> String {
        self.blocks()
            .filter_map(|block| block["text"].as_str())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Returns the content blocks; `content` may be one block or several (2025-11-25 client/sampling).
    pub fn blocks(&self) -> impl Iterator<Item = &Value> {
        match &self.0["content"] {
            Value::Array(blocks) => blocks.as_slice(),
            one => std::slice::from_ref(one),
        }
        .iter()
    }
}

/// A root of the client's workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// A `file://` URI.
    pub uri: String,
    /// The client's name for the root.
    pub name: Option<String>,
}

impl Root {
    pub(crate) fn read_all(answer: &Value) -> Vec<Self> {
        let owned = |value: &Value| value.as_str().map(str::to_owned);
        let roots = answer["roots"].as_array().map_or(&[][..], Vec::as_slice);
        roots
            .iter()
            .filter_map(|root| {
                Some(Self {
                    uri: owned(&root["uri"])?,
                    name: owned(&root["name"]),
                })
            })
            .collect()
    }
}

/// The answers to several questions asked at once, by key.
#[derive(Clone, Debug, Default)]
pub struct Answers(pub(crate) Map<String, Value>);

impl Answers {
    /// Returns the answer to the elicitation `key`.
    #[must_use]
    pub fn elicited(&self, key: &str) -> Elicited {
        Elicited::read(self.0.get(key).unwrap_or(&Value::Null))
    }

    /// Returns the answer to the sampling `key`.
    #[must_use]
    pub fn sampled(&self, key: &str) -> Sampled {
        Sampled(self.0.get(key).cloned().unwrap_or_default())
    }

    /// Returns the roots asked for under `key`.
    #[must_use]
    pub fn roots(&self, key: &str) -> Vec<Root> {
        Root::read_all(self.0.get(key).unwrap_or(&Value::Null))
    }
}

fn fields(value: Value) -> Map<String, Value> {
    let Value::Object(fields) = value else {
        unreachable!("built from an object literal")
    };
    fields
}
