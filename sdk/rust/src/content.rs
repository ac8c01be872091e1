//! Content blocks, resource contents, and what tools and prompts return.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::era::Era;

/// One block of content in a tool result or a prompt message.
#[derive(Clone, Debug, PartialEq)]
pub struct Content(Map<String, Value>);

/// Builds a text block.
pub fn text(text: impl Into<String>) -> Content {
    Content::of(json!({"type": "text", "text": text.into()}))
}

/// Builds an image block; `mime` is for instance `image/png`.
pub fn image(bytes: impl AsRef<[u8]>, mime: &str) -> Content {
    Content::of(json!({"type": "image", "data": STANDARD.encode(bytes), "mimeType": mime}))
}

/// Builds an audio block; `mime` is for instance `audio/wav`. Since 2025-03-26.
pub fn audio(bytes: impl AsRef<[u8]>, mime: &str) -> Content {
    Content::of(json!({"type": "audio", "data": STANDARD.encode(bytes), "mimeType": mime}))
}

/// Builds a link to a resource that the client may read. Since 2025-06-18.
pub fn link(uri: &str, name: &str) -> Content {
    Content::of(json!({"type": "resource_link", "uri": uri, "name": name}))
}

/// Builds a block with a resource embedded in the message.
#[must_use]
pub fn embed(contents: Contents) -> Content {
    Content::of(json!({"type": "resource", "resource": contents.0}))
}

impl Content {
    fn of(value: Value) -> Self {
        let Value::Object(fields) = value else {
            unreachable!("built from an object literal")
        };
        Self(fields)
    }

    pub(crate) fn into_value(self) -> Value {
        Value::Object(self.0)
    }

    /// Sets annotations for the client, for instance `json!({"audience": ["user"], "priority": 0.9})`.
    #[must_use]
    pub fn annotations(self, annotations: Value) -> Self {
        self.field("annotations", annotations)
    }

    /// Adds an entry to the block's `_meta`.
    #[must_use]
    pub fn meta(mut self, key: &str, value: Value) -> Self {
        put_meta(&mut self.0, key, value);
        self
    }

    /// Sets any other field, for instance the `title` or `description` of a link.
    #[must_use]
    pub fn field(mut self, name: &str, value: Value) -> Self {
        self.0.insert(name.to_owned(), value);
        self
    }
}

/// The contents of one resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents(Map<String, Value>);

impl Contents {
    /// Builds text contents.
    pub fn text(uri: &str, mime: &str, text: impl Into<String>) -> Self {
        Self(Content::of(json!({"uri": uri, "mimeType": mime, "text": text.into()})).0)
    }

    /// Builds binary contents.
    pub fn blob(uri: &str, mime: &str, bytes: impl AsRef<[u8]>) -> Self {
        Self(Content::of(json!({"uri": uri, "mimeType": mime, "blob": STANDARD.encode(bytes)})).0)
    }

    /// Adds an entry to the `_meta` of these contents.
    #[must_use]
    pub fn meta(mut self, key: &str, value: Value) -> Self {
        put_meta(&mut self.0, key, value);
        self
    }

    pub(crate) fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

/// The result of a tool: content for the model and, if the tool declares an output schema, structured content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    content: Vec<Content>,
    structured: Option<Value>,
    failed: bool,
    meta: Map<String, Value>,
}

/// Builds a structured result. Its JSON text is added as content for clients that know only that, unless other content
/// is given.
#[must_use]
pub fn structured(value: Value) -> ToolResult {
    ToolResult {
        structured: Some(value),
        ..ToolResult::default()
    }
}

impl ToolResult {
    /// Adds a content block.
    #[must_use]
    pub fn content(mut self, content: Content) -> Self {
        self.content.push(content);
        self
    }

    /// Marks the result as a failure.
    #[must_use]
    pub fn failed(mut self) -> Self {
        self.failed = true;
        self
    }

    /// Adds an entry to the result's `_meta`.
    #[must_use]
    pub fn meta(mut self, key: &str, value: Value) -> Self {
        self.meta.insert(key.to_owned(), value);
        self
    }

    pub(crate) fn wire(self, era: Era) -> Value {
        let mut content: Vec<Value> = self.content.into_iter().map(|block| Value::Object(block.0)).collect();
        if let (true, Some(value)) = (content.is_empty(), &self.structured) {
            content.push(Value::Object(text(value.to_string()).0));
        }
        let mut result = Map::from_iter([("content".to_owned(), Value::Array(content))]);
        // Up to 2025-11-25 structured content is an object; any JSON value since (SEP-2106).
        if let Some(value) = self.structured.filter(|value| era == Era::Modern || value.is_object()) {
            result.insert("structuredContent".to_owned(), value);
        }
        if self.failed {
            result.insert("isError".to_owned(), Value::Bool(true));
        }
        if !self.meta.is_empty() {
            result.insert("_meta".to_owned(), Value::Object(self.meta));
        }
        Value::Object(result)
    }
}

impl From<Content> for ToolResult {
    fn from(content: Content) -> Self {
        Self::default().content(content)
    }
}

impl From<Vec<Content>> for ToolResult {
    fn from(content: Vec<Content>) -> Self {
        Self {
            content,
            ..Self::default()
        }
    }
}

impl From<String> for ToolResult {
    fn from(words: String) -> Self {
        text(words).into()
    }
}

impl From<&str> for ToolResult {
    fn from(words: &str) -> Self {
        text(words).into()
    }
}

/// The messages of a prompt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Messages {
    description: Option<String>,
    messages: Vec<(&'static str, Content)>,
}

/// Builds a prompt that starts with a user message.
#[must_use]
pub fn user(content: Content) -> Messages {
    Messages::default().user(content)
}

impl Messages {
    /// Adds a user message.
    #[must_use]
    pub fn user(mut self, content: Content) -> Self {
        self.messages.push(("user", content));
        self
    }

    /// Adds an assistant message.
    #[must_use]
    pub fn assistant(mut self, content: Content) -> Self {
        self.messages.push(("assistant", content));
        self
    }

    /// Sets the description of what the prompt, with these arguments, is about.
    #[must_use]
    pub fn description(mut self, words: impl Into<String>) -> Self {
        self.description = Some(words.into());
        self
    }

    pub(crate) fn wire(self) -> Value {
        let messages: Vec<Value> = self
            .messages
            .into_iter()
            .map(|(role, content)| json!({"role": role, "content": content.0}))
            .collect();
        match self.description {
            Some(words) => json!({"description": words, "messages": messages}),
            None => json!({"messages": messages}),
        }
    }
}

fn put_meta(fields: &mut Map<String, Value>, key: &str, value: Value) {
    let meta = fields.entry("_meta").or_insert_with(|| json!({}));
    if let Value::Object(meta) = meta {
        meta.insert(key.to_owned(), value);
    }
}
