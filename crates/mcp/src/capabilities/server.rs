//! The capabilities that a server declares, in each era's form, and those of many servers merged.

use std::collections::BTreeMap;

use jsonrpc::{ObjectBuilder, Raw, RawKind};

use super::{TASKS_EXTENSION, declares, object_or_empty};
use crate::method::ListKind;
use crate::revision::Revision;

/// The capabilities that a server declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerCapabilities(Raw);

impl ServerCapabilities {
    /// Returns a view of what a server sent; what is not an object declares nothing.
    #[must_use]
    pub fn new(raw: Raw) -> Self {
        Self(object_or_empty(raw))
    }

    /// Returns a server that declares nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self(Raw::object_empty())
    }

    /// Returns the object as it was received.
    #[must_use]
    pub fn raw(&self) -> &Raw {
        &self.0
    }

    /// Returns whether something is declared at that path: present, and neither `null` nor `false`.
    #[must_use]
    pub fn has(&self, path: &[&str]) -> bool {
        declares(&self.0, path)
    }

    /// Returns whether the server has tools.
    #[must_use]
    pub fn tools(&self) -> bool {
        self.has(&["tools"])
    }

    /// Returns whether the server has resources.
    #[must_use]
    pub fn resources(&self) -> bool {
        self.has(&["resources"])
    }

    /// Returns whether the server has prompts.
    #[must_use]
    pub fn prompts(&self) -> bool {
        self.has(&["prompts"])
    }

    /// Returns whether the server completes arguments. A server of 2024-11-05 may without saying so.
    #[must_use]
    pub fn completions(&self) -> bool {
        self.has(&["completions"])
    }

    /// Returns whether the server sends log messages.
    #[must_use]
    pub fn logging(&self) -> bool {
        self.has(&["logging"])
    }

    /// Returns whether changes of single resources can be followed.
    #[must_use]
    pub fn subscribe(&self) -> bool {
        self.has(&["resources", "subscribe"])
    }

    /// Returns whether the server offers that list.
    #[must_use]
    pub fn offers(&self, list: ListKind) -> bool {
        self.has(&[list.capability()])
    }

    /// Returns whether the server announces changes of that list.
    #[must_use]
    pub fn list_changed(&self, list: ListKind) -> bool {
        self.has(&[list.capability(), "listChanged"])
    }

    /// Returns the settings of an extension.
    #[must_use]
    pub fn extension(&self, name: &str) -> Option<Raw> {
        self.0.at(&["extensions", name])
    }

    /// Returns the settings of an experimental capability.
    #[must_use]
    pub fn experimental(&self, name: &str) -> Option<Raw> {
        self.0.at(&["experimental", name])
    }

    /// Returns whether tools can be called as tasks in the manner of 2025-11-25.
    #[must_use]
    pub fn tasks_call(&self) -> bool {
        self.has(&["tasks", "requests", "tools", "call"])
    }

    /// Returns whether the server may answer with tasks in the manner of SEP-2663.
    #[must_use]
    pub fn tasks_extension(&self) -> bool {
        self.has(&["extensions", TASKS_EXTENSION])
    }

    /// Returns what a client of revision `to` is told of a server of revision `from` that the gateway bridges: tasks of
    /// the one kind become tasks of the other. A modern server's tasks cannot be listed, so `tasks.list` is left out.
    #[must_use]
    pub fn towards(&self, from: Revision, to: Revision) -> Self {
        let edit = match (from.is_modern(), to.is_modern()) {
            (false, true) if self.0.get("tasks").is_some() => {
                let edit = self.0.edit().remove(&["tasks"]);
                if self.tasks_call() {
                    edit.set(&["extensions", TASKS_EXTENSION], &Raw::object_empty())
                } else {
                    edit
                }
            }
            (true, false) if self.tasks_extension() => {
                let edit = self.0.edit().remove(&["extensions", TASKS_EXTENSION]);
                if to >= Revision::V2025_11_25 {
                    let nothing = Raw::object_empty();
                    edit.set(&["tasks", "cancel"], &nothing)
                        .set(&["tasks", "requests", "tools", "call"], &nothing)
                } else {
                    edit
                }
            }
            _ => return self.clone(),
        };
        Self(edit.finish())
    }
}

/// Merges the capabilities of several servers: the most that the gateway may declare itself.
///
/// Objects are merged key by key, `true` wins over `false`, and of other values that differ the first server's stays.
/// The keys are sorted by name, whatever the order of the servers was.
pub fn merge_servers<'a>(servers: impl IntoIterator<Item = &'a ServerCapabilities>) -> ServerCapabilities {
    let mut union = Union::default();
    for server in servers {
        union.add(&server.0, 0);
    }
    ServerCapabilities(union.to_raw())
}

/// Deeper than this, the first server's value stays as it is.
const DEPTH: usize = 8;

/// A merged object that is being built.
#[derive(Default)]
struct Union(BTreeMap<String, Member>);

enum Member {
    Object(Union),
    Value(Raw),
}

impl Union {
    fn add(&mut self, raw: &Raw, depth: usize) {
        // A server whose object repeats a key declares nothing: which of the two it means can't be known.
        let Ok(object) = raw.object() else { return };
        for (key, value) in object.iter() {
            let nested = value.kind() == RawKind::Object && depth < DEPTH;
            match self.0.get_mut(key) {
                None if nested => {
                    let mut union = Self::default();
                    union.add(value, depth + 1);
                    self.0.insert(key.to_owned(), Member::Object(union));
                }
                None => {
                    self.0.insert(key.to_owned(), Member::Value(value.clone()));
                }
                Some(Member::Object(union)) if nested => union.add(value, depth + 1),
                Some(Member::Value(known)) if known.as_bool() == Some(false) || known.kind() == RawKind::Null => {
                    *known = value.clone();
                }
                Some(_) => {}
            }
        }
    }

    fn to_raw(&self) -> Raw {
        let member = |member: &Member| match member {
            Member::Object(union) => union.to_raw(),
            Member::Value(value) => value.clone(),
        };
        let members = self.0.iter().map(|(key, value)| (key, member(value)));
        ObjectBuilder::new().members(members).finish()
    }
}
