//! A server as data: the lists that it offers, and its answers to requests.

use std::collections::HashMap;

use mcp::revision::Era;
use serde_json::{Value, json};

/// One step of a scripted server in the course of a request. Texts are JSON in which these names are replaced: `$id`,
/// `$method`, `$params`, `$arguments`, `$name`, `$uri`, `$token` (the progress token), `$answers` (to the questions
/// asked so far, an array), `$responses` (`inputResponses`), `$connection` (the number of the connection); any other
/// name is replaced by the argument of that name.
#[derive(Clone, Debug)]
pub enum Step {
    /// Sends a frame: a message, or bytes that are none.
    Send(String),
    /// Sends a frame a number of times.
    Flood(usize, String),
    /// Answers with a result.
    Answer(String),
    /// Answers with an error of that code and message.
    Fail(i64, String),
    /// Asks the client, and waits for the answer.
    Ask(String, String),
    /// Waits until the test opens the gate of that name.
    Gate(String),
    /// Waits for ever.
    Hang,
    /// Ends the connection.
    Exit,
    /// Answers with a bare HTTP status and some text.
    Status(u16, String),
}

impl Step {
    /// Answers with a result.
    pub fn answer(result: impl Into<String>) -> Self {
        Self::Answer(result.into())
    }

    /// Answers with text content.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Answer(json!({"content": [{"type": "text", "text": text}]}).to_string())
    }

    /// Sends a frame.
    pub fn send(frame: impl Into<String>) -> Self {
        Self::Send(frame.into())
    }

    /// Sends a notification.
    #[must_use]
    pub fn notify(method: &str, params: &str) -> Self {
        Self::Send(format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#))
    }

    /// Asks the client.
    #[must_use]
    pub fn ask(method: &str, params: &str) -> Self {
        Self::Ask(method.to_owned(), params.to_owned())
    }

    /// Asks for a form whose message is JSON text or a `$name`.
    #[must_use]
    pub fn elicit(message: &str) -> Self {
        let schema = r#"{"type":"object","properties":{"value":{"type":"string"}}}"#;
        Self::ask(
            "elicitation/create",
            &format!(r#"{{"message":{message},"requestedSchema":{schema}}}"#),
        )
    }

    /// Answers `input_required` (2026-07-28); the state names the round that the retry begins.
    #[must_use]
    pub fn require(requests: &str, next_round: usize) -> Self {
        Self::Answer(format!(
            r#"{{"resultType":"input_required","inputRequests":{requests},"requestState":"round-{next_round}"}}"#
        ))
    }

    /// Waits until the test opens the gate.
    #[must_use]
    pub fn gate(name: &str) -> Self {
        Self::Gate(name.to_owned())
    }
}

/// The script of a server.
#[derive(Clone, Debug)]
pub struct Script {
    pub(crate) era: Era,
    pub(crate) revision: String,
    pub(crate) http: bool,
    pub(crate) stream_always: bool,
    pub(crate) capabilities: Value,
    pub(crate) tools: Vec<Value>,
    pub(crate) prompts: Vec<Value>,
    pub(crate) resources: Vec<Value>,
    pub(crate) templates: Vec<Value>,
    /// The steps by `method` or `method what`; each round of a request has its own.
    pub(crate) steps: HashMap<String, Vec<Vec<Step>>>,
    pub(crate) keeps_log: bool,
}

impl Script {
    fn new(era: Era, revision: &str) -> Self {
        Self {
            era,
            revision: revision.to_owned(),
            http: false,
            stream_always: false,
            capabilities: json!({"tools": {"listChanged": true}}),
            tools: Vec::new(),
            prompts: Vec::new(),
            resources: Vec::new(),
            templates: Vec::new(),
            steps: HashMap::new(),
            keeps_log: true,
        }
    }

    /// Returns a server of 2025-11-25 on a pipe.
    #[must_use]
    pub fn legacy() -> Self {
        Self::new(Era::Legacy, "2025-11-25")
    }

    /// Returns a server of 2026-07-28 on a pipe.
    #[must_use]
    pub fn modern() -> Self {
        Self::new(Era::Modern, "2026-07-28")
    }

    /// Returns a server of an era, on a pipe.
    #[must_use]
    pub fn of(era: Era) -> Self {
        match era {
            Era::Legacy => Self::legacy(),
            Era::Modern => Self::modern(),
        }
    }

    /// Uses Streamable HTTP instead of a pipe.
    #[must_use]
    pub fn over_http(mut self, http: bool) -> Self {
        self.http = http;
        self
    }

    /// Answers with a stream, even where there is only the answer.
    #[must_use]
    pub fn always_streams(mut self) -> Self {
        self.stream_always = true;
        self
    }

    /// Sets another revision of its era.
    #[must_use]
    pub fn revision(mut self, revision: &str) -> Self {
        revision.clone_into(&mut self.revision);
        self
    }

    /// Sets the capabilities that it declares.
    #[must_use]
    pub fn capabilities(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Keeps no record of what it receives, for long tests.
    #[must_use]
    pub fn forgetful(mut self) -> Self {
        self.keeps_log = false;
        self
    }

    /// Adds a tool and its steps.
    #[must_use]
    pub fn tool(self, name: &str, steps: impl Into<Vec<Step>>) -> Self {
        self.tool_rounds(name, vec![steps.into()])
    }

    /// Adds a tool that asks in the way of 2026-07-28: the steps of each round.
    #[must_use]
    pub fn tool_rounds(self, name: &str, rounds: Vec<Vec<Step>>) -> Self {
        self.tool_as(json!({"name": name, "inputSchema": {"type": "object"}}), rounds)
    }

    /// Adds a tool by its whole definition, and its steps.
    ///
    /// # Panics
    /// Without a name.
    #[must_use]
    pub fn tool_defined(self, definition: Value, steps: impl Into<Vec<Step>>) -> Self {
        self.tool_as(definition, vec![steps.into()])
    }

    /// Adds a tool by its whole definition, and its steps in each round.
    ///
    /// # Panics
    /// Without a name.
    #[must_use]
    pub fn tool_as(mut self, definition: Value, rounds: Vec<Vec<Step>>) -> Self {
        let name = definition["name"].as_str().expect("a tool has a name").to_owned();
        self.tools.push(definition);
        self.steps.insert(format!("tools/call {name}"), rounds);
        self
    }

    /// Adds a prompt and its steps.
    #[must_use]
    pub fn prompt(mut self, name: &str, steps: impl Into<Vec<Step>>) -> Self {
        self.capabilities["prompts"] = json!({"listChanged": true});
        self.prompts.push(json!({"name": name}));
        self.steps.insert(format!("prompts/get {name}"), vec![steps.into()]);
        self
    }

    /// Adds a resource and the steps of reading it.
    #[must_use]
    pub fn resource(mut self, uri: &str, steps: impl Into<Vec<Step>>) -> Self {
        self.capabilities["resources"] = json!({"subscribe": true, "listChanged": true});
        self.resources.push(json!({"uri": uri, "name": uri}));
        self.steps.insert(format!("resources/read {uri}"), vec![steps.into()]);
        self
    }

    /// Sets the steps of a method; behind a method and a blank, those for that name, URI, task or cursor.
    #[must_use]
    pub fn on(mut self, method: &str, steps: impl Into<Vec<Step>>) -> Self {
        self.steps.insert(method.to_owned(), vec![steps.into()]);
        self
    }

    /// Returns the steps of a request, if the script has some; else the usual answer of a server of its kind.
    pub(crate) fn steps_for(&self, method: &str, what: Option<&str>, round: usize) -> Vec<Step> {
        let own = what.and_then(|what| self.steps.get(&format!("{method} {what}")));
        if let Some(rounds) = own.or_else(|| self.steps.get(method)) {
            return rounds.get(round).or(rounds.last()).cloned().unwrap_or_default();
        }
        match self.usual(method) {
            Some(result) => vec![Step::Answer(result.to_string())],
            None => vec![Step::Fail(-32601, format!("Method not found: {method}"))],
        }
    }

    fn usual(&self, method: &str) -> Option<Value> {
        let info = json!({"name": "scripted", "version": "1"});
        let listed = |key: &str, items: &[Value]| {
            Some(if self.era == Era::Modern {
                json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", key: items})
            } else {
                json!({ key: items })
            })
        };
        match (method, self.era) {
            ("initialize", Era::Legacy) => {
                Some(json!({"protocolVersion": self.revision, "capabilities": self.capabilities, "serverInfo": info}))
            }
            ("server/discover", Era::Modern) => Some(json!({
                "resultType": "complete", "supportedVersions": [self.revision], "capabilities": self.capabilities,
                "ttlMs": 0, "cacheScope": "private", "_meta": {"io.modelcontextprotocol/serverInfo": info},
            })),
            ("ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe", Era::Legacy) => Some(json!({})),
            ("tools/list", _) => listed("tools", &self.tools),
            ("prompts/list", _) => listed("prompts", &self.prompts),
            ("resources/list", _) => listed("resources", &self.resources),
            ("resources/templates/list", _) => listed("resourceTemplates", &self.templates),
            _ => None,
        }
    }
}

/// Replaces `$names` by values. An inserted value is not searched again.
pub(crate) fn fill(template: &str, value_of: impl Fn(&str) -> Option<String>) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find('$') {
        text.push_str(&rest[..at]);
        let name: String = rest[at + 1..].chars().take_while(char::is_ascii_lowercase).collect();
        match value_of(&name) {
            Some(value) => text.push_str(&value),
            None => text.push_str(&rest[at..=at + name.len()]),
        }
        rest = &rest[at + 1 + name.len()..];
    }
    text.push_str(rest);
    text
}
