//! The records of one server: the permissions that it wants and has, its tools, and the approved definitions.

use std::sync::Arc;

use model::{Digest, Pin};

use super::permissions::Permissions;
use crate::sorted::Sorted;
use crate::{Revision, ServerFacts, ToolFacts};

/// The records of one server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Server {
    pub(crate) facts: ServerFacts,
    pub(crate) permissions: Permissions,
    tools: Sorted<Arc<str>, Offered>,
    pins: Sorted<Arc<str>, Pin>,
    /// The revision of the last change that concerns all its tools.
    pub(super) changed: Revision,
}

/// One tool, with the revision of its last change.
#[derive(Clone, Debug)]
pub(crate) struct Offered {
    pub(crate) facts: Arc<ToolFacts>,
    changed: Revision,
}

/// The relation of a tool's definition to the approved one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinState {
    /// No definition was approved so far: the keeper of pins stores the first one.
    Unpinned,
    /// The definition is the approved one.
    Same,
    /// The definition differs from the approved one.
    Changed {
        /// The approved definition.
        approved: Box<Pin>,
        /// The digest of the present definition.
        now: Digest,
    },
}

impl Server {
    pub(crate) fn tool(&self, name: &str) -> Option<&Offered> {
        self.tools.get(name)
    }

    pub(crate) fn tools(&self) -> impl Iterator<Item = &Arc<ToolFacts>> {
        self.tools.iter().map(|(_, offered)| &offered.facts)
    }

    /// Returns the relation of a tool to its pin.
    pub(crate) fn pin_state(&self, facts: &ToolFacts) -> PinState {
        match self.pins.get(&facts.name) {
            None => PinState::Unpinned,
            Some(pin) if pin.digest == facts.digest => PinState::Same,
            Some(pin) => PinState::Changed {
                approved: Box::new(pin.clone()),
                now: facts.digest,
            },
        }
    }

    fn is_changed(&self, tool: &str) -> bool {
        let offered = self.tools.get(tool);
        offered.is_some_and(|offered| matches!(self.pin_state(&offered.facts), PinState::Changed { .. }))
    }

    /// Returns the revision of the last change of a tool, or of the server as a whole.
    pub(crate) fn changed(&self, tool: Option<&str>) -> Revision {
        let tool = tool.and_then(|name| self.tools.get(name)).map(|offered| offered.changed);
        tool.map_or(self.changed, |tool| tool.max(self.changed))
    }

    /// Returns the revision of the last change of the server or of any tool.
    pub(crate) fn last_changed(&self) -> Revision {
        let tools = self.tools.iter().map(|(_, offered)| offered.changed);
        tools.fold(self.changed, Revision::max)
    }

    /// Replaces the list of tools. A tool that is equal to its predecessor has not changed.
    pub(super) fn set_tools(&mut self, list: Vec<ToolFacts>, now: Revision) {
        let before = std::mem::take(&mut self.tools);
        for facts in list {
            let same = before.get(&facts.name).filter(|offered| *offered.facts == facts);
            let offered = same.cloned().unwrap_or_else(|| Offered {
                facts: Arc::new(facts),
                changed: now,
            });
            self.tools.insert(offered.facts.name.clone(), offered);
        }
        if before.iter().any(|(name, _)| self.tools.get(name).is_none()) {
            // A removed tool has no entry for the revision of its removal, so the server keeps it.
            self.changed = now;
        }
    }

    pub(super) fn pin(&mut self, pin: Pin, now: Revision) {
        let name = pin.tool.name.clone();
        let before = self.is_changed(&name);
        self.pins.insert(name.clone(), pin);
        // The first pin of a tool changes no decision.
        if before != self.is_changed(&name)
            && let Some(offered) = self.tools.get_mut(&name)
        {
            offered.changed = now;
        }
    }
}
