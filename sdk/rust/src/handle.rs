//! A handle to the running server, for changing what it offers.

use std::sync::Arc;

use jsonrpc::Raw;
use serde_json::Value;

use crate::catalog::replace;
use crate::core::{Change, Core};
use crate::prompt::Prompt;
use crate::resource::{Resource, ResourceTemplate};
use crate::tool::Tool;

/// A handle that changes a server while it runs; clients that asked for it are notified. Clones refer to one server.
#[derive(Clone, Debug)]
pub struct Handle(Arc<Core>);

impl Handle {
    pub(crate) fn new(core: Arc<Core>) -> Self {
        Self(core)
    }

    /// Adds a tool, or replaces the one of its name.
    pub fn add_tool(&self, tool: Tool) {
        self.0
            .edit(Change::Tools, |catalog| replace(&mut catalog.tools, tool, |tool| tool.name()));
    }

    /// Removes a tool.
    pub fn remove_tool(&self, name: &str) {
        self.0
            .edit(Change::Tools, |catalog| catalog.tools.retain(|tool| tool.name() != name));
    }

    /// Adds a prompt, or replaces the one of its name.
    pub fn add_prompt(&self, prompt: Prompt) {
        self.0.edit(Change::Prompts, |catalog| {
            replace(&mut catalog.prompts, prompt, |prompt| prompt.name())
        });
    }

    /// Removes a prompt.
    pub fn remove_prompt(&self, name: &str) {
        self.0
            .edit(Change::Prompts, |catalog| catalog.prompts.retain(|prompt| prompt.name() != name));
    }

    /// Adds a resource, or replaces the one of its URI.
    pub fn add_resource(&self, resource: Resource) {
        self.0.edit(Change::Resources, |catalog| {
            replace(&mut catalog.resources, resource, |resource| resource.uri())
        });
    }

    /// Removes a resource.
    pub fn remove_resource(&self, uri: &str) {
        self.0.edit(Change::Resources, |catalog| {
            catalog.resources.retain(|resource| resource.uri() != uri)
        });
    }

    /// Adds a resource template, or replaces the one of its URI template.
    pub fn add_template(&self, template: ResourceTemplate) {
        self.0.edit(Change::Resources, |catalog| {
            replace(&mut catalog.templates, template, |template| template.uri_template())
        });
    }

    /// Notifies the subscribers of `uri` that its contents have changed.
    pub fn resource_updated(&self, uri: &str) {
        self.0.announce(Change::Resource(uri.to_owned()));
    }

    /// Sends a notification of an extension: to legacy sessions, and to modern clients that listen with the filter key `filter`
    /// (see [`Server::filter`](crate::Server::filter)).
    pub fn notify(&self, filter: &str, method: &str, params: &Value) {
        self.0.announce(Change::Custom {
            filter: filter.to_owned(),
            method: method.to_owned(),
            params: Raw::of(params),
        });
    }

    /// Returns how many connections listen for changes.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.0.changes.receiver_count()
    }
}
