//! Resources and resource templates.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::args::Args;
use crate::cache::Cache;
use crate::content::Contents;
use crate::context::Context;
use crate::error::Result;
use crate::handler::{Completer, Completion, Handler, erase, erase_completer};
use crate::tool::insert_into;
use crate::uri_template::UriTemplate;

/// The result of a read: one or more contents, and how long they stay fresh (modern clients only).
#[derive(Clone, Debug)]
pub struct ReadResult {
    contents: Vec<Contents>,
    cache: Option<Cache>,
}

impl ReadResult {
    /// Sets how long these contents stay fresh, for the caller's own authorization context only.
    #[must_use]
    pub fn fresh_for(mut self, time: Duration) -> Self {
        self.cache = Some(Cache::private(time));
        self
    }

    /// Sets how long these contents stay fresh, and that they may be shared by all clients.
    #[must_use]
    pub fn fresh_for_all(mut self, time: Duration) -> Self {
        self.cache = Some(Cache::public(time));
        self
    }

    fn wire(self) -> Value {
        let contents: Vec<Value> = self.contents.into_iter().map(Contents::into_value).collect();
        let mut result = Map::from_iter([("contents".to_owned(), Value::Array(contents))]);
        // The machine removes this again for legacy clients.
        self.cache.unwrap_or(Cache::private(Duration::ZERO)).write(&mut result);
        Value::Object(result)
    }
}

impl From<Contents> for ReadResult {
    fn from(contents: Contents) -> Self {
        Self {
            contents: vec![contents],
            cache: None,
        }
    }
}

impl From<Vec<Contents>> for ReadResult {
    fn from(contents: Vec<Contents>) -> Self {
        Self { contents, cache: None }
    }
}

/// The resource that is to be read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The URI as the client gave it.
    pub uri: String,
    /// The template's variables, percent-decoded; empty for a plain resource.
    pub variables: Args,
}

/// A resource without its contents yet; [`handler`](ResourceSpec::handler), [`text`](ResourceSpec::text) or
/// [`blob`](ResourceSpec::blob) completes it.
#[derive(Clone, Debug)]
pub struct ResourceSpec {
    uri: String,
    fields: Map<String, Value>,
}

/// A resource with its handler.
#[derive(Clone)]
pub struct Resource {
    spec: ResourceSpec,
    pub(crate) handler: Handler,
}

impl Resource {
    /// Starts the resource `uri`, called `name`.
    #[expect(
        clippy::new_ret_no_self,
        reason = "a resource exists only with its handler, which the returned spec takes"
    )]
    pub fn new(uri: &str, name: &str) -> ResourceSpec {
        let fields = Map::from_iter([("uri".to_owned(), json!(uri)), ("name".to_owned(), json!(name))]);
        ResourceSpec {
            uri: uri.to_owned(),
            fields,
        }
    }

    pub(crate) fn uri(&self) -> &str {
        &self.spec.uri
    }

    pub(crate) fn describe(&self) -> Value {
        Value::Object(self.spec.fields.clone())
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resource").field("spec", &self.spec).finish_non_exhaustive()
    }
}

impl ResourceSpec {
    /// Sets the description for the model.
    #[must_use]
    pub fn description(self, words: &str) -> Self {
        self.field("description", json!(words))
    }

    /// Sets the MIME type of its contents.
    #[must_use]
    pub fn mime(self, mime: &str) -> Self {
        self.field("mimeType", json!(mime))
    }

    /// Sets any other field: `title`, `size`, `annotations`, `icons`, …
    #[must_use]
    pub fn field(mut self, name: &str, value: Value) -> Self {
        self.fields.insert(name.to_owned(), value);
        self
    }

    /// Adds an entry to the resource's `_meta`.
    #[must_use]
    pub fn meta(mut self, key: &str, value: Value) -> Self {
        insert_into(&mut self.fields, "_meta", key, value);
        self
    }

    /// Completes the resource with a text that never changes.
    pub fn text(self, text: impl Into<String>) -> Resource {
        let contents = Contents::text(&self.uri, self.mime_or("text/plain"), text);
        self.handler(move |_, _| std::future::ready(Ok(contents.clone())))
    }

    /// Completes the resource with bytes that never change.
    pub fn blob(self, bytes: impl AsRef<[u8]>) -> Resource {
        let contents = Contents::blob(&self.uri, self.mime_or("application/octet-stream"), bytes);
        self.handler(move |_, _| std::future::ready(Ok(contents.clone())))
    }

    /// Completes the resource with a handler that reads its contents at each request.
    pub fn handler<F, Fut, R>(self, handler: F) -> Resource
    where
        F: Fn(Context, Read) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R>> + Send + 'static,
        R: Into<ReadResult> + 'static,
    {
        let uri = self.uri.clone();
        let handler = move |ctx, variables| {
            handler(
                ctx,
                Read {
                    uri: uri.clone(),
                    variables,
                },
            )
        };
        Resource {
            spec: self,
            handler: erase(handler, |_, result| result.into().wire()),
        }
    }

    fn mime_or<'a>(&'a self, default: &'a str) -> &'a str {
        self.fields.get("mimeType").and_then(Value::as_str).unwrap_or(default)
    }
}

/// A template without a handler yet; [`handler`](TemplateSpec::handler) completes it.
#[derive(Clone)]
pub struct TemplateSpec {
    uri: String,
    fields: Map<String, Value>,
    completers: Vec<(String, Completer)>,
}

/// A family of resources, described by a URI template.
#[derive(Clone)]
pub struct ResourceTemplate {
    spec: TemplateSpec,
    template: UriTemplate,
    handler: Arc<dyn Fn(String) -> Handler + Send + Sync>,
}

impl ResourceTemplate {
    /// Starts the template `uri_template`, called `name`: `{x}` stands for one path segment, `{+x}` for several.
    #[expect(
        clippy::new_ret_no_self,
        reason = "a template exists only with its handler, which the returned spec takes"
    )]
    pub fn new(uri_template: &str, name: &str) -> TemplateSpec {
        let fields = Map::from_iter([("uriTemplate".to_owned(), json!(uri_template)), ("name".to_owned(), json!(name))]);
        TemplateSpec {
            uri: uri_template.to_owned(),
            fields,
            completers: Vec::new(),
        }
    }

    pub(crate) fn uri_template(&self) -> &str {
        &self.spec.uri
    }

    pub(crate) fn describe(&self) -> Value {
        Value::Object(self.spec.fields.clone())
    }

    /// Returns the handler and the variables for `uri`, if it matches.
    pub(crate) fn fit(&self, uri: &str) -> Option<(Handler, Args)> {
        let variables = self.template.variables(uri)?;
        Some(((self.handler)(uri.to_owned()), Args::new(variables)))
    }

    pub(crate) fn completer(&self, variable: &str) -> Option<&Completer> {
        find(&self.spec.completers, variable)
    }

    pub(crate) fn completes(&self) -> bool {
        !self.spec.completers.is_empty()
    }
}

impl fmt::Debug for TemplateSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TemplateSpec").field("fields", &self.fields).finish_non_exhaustive()
    }
}

impl fmt::Debug for ResourceTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceTemplate").field("spec", &self.spec).finish_non_exhaustive()
    }
}

impl TemplateSpec {
    /// Sets the description of the resources, for the model.
    #[must_use]
    pub fn description(self, words: &str) -> Self {
        self.field("description", json!(words))
    }

    /// Sets the MIME type, if all resources of the family share it.
    #[must_use]
    pub fn mime(self, mime: &str) -> Self {
        self.field("mimeType", json!(mime))
    }

    /// Sets any other field: `title`, `annotations`, `icons`, …
    #[must_use]
    pub fn field(mut self, name: &str, value: Value) -> Self {
        self.fields.insert(name.to_owned(), value);
        self
    }

    /// Sets the completer that suggests values for `variable`.
    #[must_use]
    pub fn complete<F, Fut>(mut self, variable: &str, complete: F) -> Self
    where
        F: Fn(Context, Completion) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Vec<String>>> + Send + 'static,
    {
        self.completers.push((variable.to_owned(), erase_completer(complete)));
        self
    }

    /// Completes the template.
    pub fn handler<F, Fut, R>(self, handler: F) -> ResourceTemplate
    where
        F: Fn(Context, Read) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R>> + Send + 'static,
        R: Into<ReadResult> + 'static,
    {
        let handler = Arc::new(handler);
        let for_uri = move |uri: String| {
            let handler = Arc::clone(&handler);
            erase(
                move |ctx, variables| {
                    handler(
                        ctx,
                        Read {
                            uri: uri.clone(),
                            variables,
                        },
                    )
                },
                |_, result: R| result.into().wire(),
            )
        };
        ResourceTemplate {
            template: UriTemplate::parse(&self.uri),
            spec: self,
            handler: Arc::new(for_uri),
        }
    }
}

pub(crate) fn find<'a>(completers: &'a [(String, Completer)], name: &str) -> Option<&'a Completer> {
    completers.iter().find(|(known, _)| known == name).map(|(_, completer)| completer)
}
