//! The tools, resources, templates and prompts that the server offers, and their lists in pages.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use crate::era::Era;
use crate::error::{Error, Result};
use crate::prompt::Prompt;
use crate::resource::{Resource, ResourceTemplate};
use crate::tool::{TaskSupport, Tool};

/// One state of the catalogue. It is not changed: changes make a new one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Catalog {
    pub(crate) tools: Vec<Arc<Tool>>,
    pub(crate) resources: Vec<Arc<Resource>>,
    pub(crate) templates: Vec<Arc<ResourceTemplate>>,
    pub(crate) prompts: Vec<Arc<Prompt>>,
}

impl Catalog {
    pub(crate) fn tool(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.iter().find(|tool| tool.name() == name)
    }

    pub(crate) fn resource(&self, uri: &str) -> Option<&Arc<Resource>> {
        self.resources.iter().find(|resource| resource.uri() == uri)
    }

    pub(crate) fn template(&self, uri_template: &str) -> Option<&Arc<ResourceTemplate>> {
        self.templates.iter().find(|template| template.uri_template() == uri_template)
    }

    pub(crate) fn prompt(&self, name: &str) -> Option<&Arc<Prompt>> {
        self.prompts.iter().find(|prompt| prompt.name() == name)
    }

    pub(crate) fn has_tasks(&self) -> bool {
        self.tools.iter().any(|tool| tool.task() != TaskSupport::Forbidden)
    }

    pub(crate) fn completes(&self) -> bool {
        self.prompts.iter().any(|prompt| prompt.completes()) || self.templates.iter().any(|template| template.completes())
    }

    /// Returns the page of a list method after `cursor`; `None` if `method` is not a list method.
    pub(crate) fn list(&self, method: &str, cursor: Option<&str>, size: usize, era: Era) -> Option<Result<Map<String, Value>>> {
        let page = match method {
            "tools/list" => page("tools", &self.tools, cursor, size, |tool| tool.name(), |tool| tool.describe(era)),
            "resources/list" => page("resources", &self.resources, cursor, size, |one| one.uri(), |one| one.describe()),
            "resources/templates/list" => page(
                "resourceTemplates",
                &self.templates,
                cursor,
                size,
                |one| one.uri_template(),
                |one| one.describe(),
            ),
            "prompts/list" => page(
                "prompts",
                &self.prompts,
                cursor,
                size,
                |prompt| prompt.name(),
                |prompt| prompt.describe(),
            ),
            _ => return None,
        };
        Some(page)
    }
}

/// Replaces the item of the same name by `item`, or appends it.
pub(crate) fn replace<T>(items: &mut Vec<Arc<T>>, item: T, key: impl Fn(&T) -> &str) {
    match items.iter_mut().find(|known| key(known) == key(&item)) {
        Some(known) => *known = Arc::new(item),
        None => items.push(Arc::new(item)),
    }
}

/// Returns the page of `items` after `cursor`. A cursor names the last item of the page before, so that changes
/// elsewhere do not move it.
pub(crate) fn page<T>(
    field: &str,
    items: &[T],
    cursor: Option<&str>,
    size: usize,
    key: impl Fn(&T) -> &str,
    describe: impl Fn(&T) -> Value,
) -> Result<Map<String, Value>> {
    let invalid = || Error::invalid_params("the cursor is invalid or no longer valid; start again without one");
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let name = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| invalid())?;
            let last = items.iter().position(|item| key(item).as_bytes() == name);
            last.ok_or_else(invalid)? + 1
        }
    };
    let rest = items.get(start..).unwrap_or_default();
    let shown = &rest[..rest.len().min(size.max(1))];
    let mut result = Map::new();
    result.insert(field.to_owned(), Value::Array(shown.iter().map(describe).collect()));
    if let (Some(last), true) = (shown.last(), shown.len() < rest.len()) {
        result.insert("nextCursor".to_owned(), Value::String(URL_SAFE_NO_PAD.encode(key(last))));
    }
    Ok(result)
}
