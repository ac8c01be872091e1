//! What is known of one server: what it wants, what it offers, what it was permitted, and which definitions were approved.

use std::sync::Arc;

use model::{Digest, Pin};

use super::permissions::Permissions;
use crate::sorted::Sorted;
use crate::{Revision, ServerFacts, ToolFacts};

/// One server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Server {
    pub(crate) facts: ServerFacts,
    pub(crate) permissions: Permissions,
    tools: Sorted<Arc<str>, Offered>,
    pins: Sorted<Arc<str>, Pin>,
    /// When something changed that concerns all its tools.
    pub(super) changed: Revision,
}

/// One tool, since when.
#[derive(Clone, Debug)]
pub(crate) struct Offered {
    pub(crate) facts: Arc<ToolFacts>,
    changed: Revision,
}

/// How a tool's definition stands to the one that was approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinState {
    /// Nothing was approved so far: whoever stores pins notes the first sight.
    Unpinned,
    /// It is the approved one.
    Same,
    /// It is another.
    Changed {
        /// What was approved.
        approved: Box<Pin>,
        /// What is there now.
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

    /// How a tool stands to its pin.
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

    /// Since when what is known of a tool, or of the server as a whole, has been what it is.
    pub(crate) fn changed(&self, tool: Option<&str>) -> Revision {
        let tool = tool.and_then(|name| self.tools.get(name)).map(|offered| offered.changed);
        tool.map_or(self.changed, |tool| tool.max(self.changed))
    }

    /// Puts a list of tools in the place of the one before. A tool that is the same as before has not changed.
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
            // Nothing is left of a tool that is gone to say since when it is: the server says so.
            self.changed = now;
        }
    }

    pub(super) fn pin(&mut self, pin: Pin, now: Revision) {
        let name = pin.tool.name.clone();
        let before = self.is_changed(&name);
        self.pins.insert(name.clone(), pin);
        // A pin at first sight says nothing new about any call.
        if before != self.is_changed(&name)
            && let Some(offered) = self.tools.get_mut(&name)
        {
            offered.changed = now;
        }
    }
}
