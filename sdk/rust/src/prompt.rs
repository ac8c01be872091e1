//! Prompts.

use std::fmt;

use serde_json::{Map, Value, json};

use crate::args::Args;
use crate::content::Messages;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::handler::{Completer, Completion, Handler, erase, erase_completer};
use crate::resource::find;
use crate::tool::insert_into;

/// An argument of a prompt.
#[derive(Clone)]
pub struct Argument {
    name: String,
    fields: Map<String, Value>,
    completer: Option<Completer>,
}

impl Argument {
    /// Builds an optional argument called `name`.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            fields: Map::from_iter([("name".to_owned(), json!(name))]),
            completer: None,
        }
    }

    /// Sets the description of what it means.
    #[must_use]
    pub fn description(self, words: &str) -> Self {
        self.field("description", json!(words))
    }

    /// Marks the argument as required.
    #[must_use]
    pub fn required(self) -> Self {
        self.field("required", json!(true))
    }

    /// Sets any other field, for instance `title`.
    #[must_use]
    pub fn field(mut self, name: &str, value: Value) -> Self {
        self.fields.insert(name.to_owned(), value);
        self
    }

    /// Sets the completer, which suggests values.
    #[must_use]
    pub fn complete<F, Fut>(mut self, complete: F) -> Self
    where
        F: Fn(Context, Completion) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<String>>> + Send + 'static,
    {
        self.completer = Some(erase_completer(complete));
        self
    }
}

impl fmt::Debug for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Argument").field("fields", &self.fields).finish_non_exhaustive()
    }
}

/// A prompt without a handler yet; [`handler`](PromptSpec::handler) completes it.
#[derive(Clone)]
pub struct PromptSpec {
    name: String,
    fields: Map<String, Value>,
    required: Vec<String>,
    completers: Vec<(String, Completer)>,
}

/// A prompt with its handler.
#[derive(Clone)]
pub struct Prompt {
    spec: PromptSpec,
    pub(crate) handler: Handler,
}

impl Prompt {
    /// Starts a prompt called `name`.
    #[expect(
        clippy::new_ret_no_self,
        reason = "a prompt exists only with its handler, which the returned spec takes"
    )]
    pub fn new(name: &str) -> PromptSpec {
        let fields = Map::from_iter([("name".to_owned(), json!(name))]);
        PromptSpec {
            name: name.to_owned(),
            fields,
            required: Vec::new(),
            completers: Vec::new(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.spec.name
    }

    pub(crate) fn describe(&self) -> Value {
        Value::Object(self.spec.fields.clone())
    }

    /// Checks that no required argument is missing, which is invalid params (2025-11-25 server/prompts, "Error
    /// Handling").
    pub(crate) fn check(&self, args: &Args) -> Result<()> {
        match self.spec.required.iter().find(|name| args.get(name.as_str()).is_none()) {
            Some(name) => Err(Error::invalid_params(format!(
                "prompt `{}` needs the argument `{name}`",
                self.spec.name
            ))),
            None => Ok(()),
        }
    }

    pub(crate) fn completer(&self, argument: &str) -> Option<&Completer> {
        find(&self.spec.completers, argument)
    }

    pub(crate) fn completes(&self) -> bool {
        !self.spec.completers.is_empty()
    }
}

impl fmt::Debug for PromptSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptSpec").field("fields", &self.fields).finish_non_exhaustive()
    }
}

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompt").field("spec", &self.spec).finish_non_exhaustive()
    }
}

impl PromptSpec {
    /// Sets the display name.
    #[must_use]
    pub fn title(self, title: &str) -> Self {
        self.field("title", json!(title))
    }

    /// Sets the description of what the prompt is for.
    #[must_use]
    pub fn description(self, words: &str) -> Self {
        self.field("description", json!(words))
    }

    /// Sets any other field, for instance `icons`.
    #[must_use]
    pub fn field(mut self, name: &str, value: Value) -> Self {
        self.fields.insert(name.to_owned(), value);
        self
    }

    /// Adds an entry to the prompt's `_meta`.
    #[must_use]
    pub fn meta(mut self, key: &str, value: Value) -> Self {
        insert_into(&mut self.fields, "_meta", key, value);
        self
    }

    /// Adds an argument.
    #[must_use]
    pub fn argument(mut self, argument: Argument) -> Self {
        if argument.fields.get("required") == Some(&Value::Bool(true)) {
            self.required.push(argument.name.clone());
        }
        if let Some(completer) = argument.completer {
            self.completers.push((argument.name, completer));
        }
        let arguments = self.fields.entry("arguments").or_insert_with(|| json!([]));
        if let Value::Array(arguments) = arguments {
            arguments.push(Value::Object(argument.fields));
        }
        self
    }

    /// Completes the prompt.
    pub fn handler<F, Fut, R>(self, handler: F) -> Prompt
    where
        F: Fn(Context, Args) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R>> + Send + 'static,
        R: Into<Messages> + 'static,
    {
        Prompt {
            spec: self,
            handler: erase(handler, |_, result| result.into().wire()),
        }
    }
}
