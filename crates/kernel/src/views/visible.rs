//! Decides what a subject may see of the catalogue, by the policy in force.

use catalog::{Item, KERNEL, Visibility};
use model::{Role, ServerId};
use policy::Viewer;

use super::own_tools::listed;

/// A subject that looks at lists.
pub(super) struct Visible<'a> {
    pub(super) viewer: Viewer<'a>,
    pub(super) role: Role,
}

impl Visibility for Visible<'_> {
    fn is_server_visible(&self, server: &ServerId) -> bool {
        self.viewer.is_server_visible(server)
    }

    fn is_tool_visible(&self, server: &ServerId, tool: &Item) -> bool {
        let known_as = match server.as_str() {
            KERNEL => listed(&tool.key, self.role),
            _ => Some(tool.key.as_str()),
        };
        known_as.is_some_and(|name| self.viewer.is_visible(server, name))
    }
}
