//! The capabilities that a client declares, and the part of them that a server may be told.

use jsonrpc::{Raw, RawKind};

use super::{TASKS_EXTENSION, claimed_by, claims, declares, object_or_empty};
use crate::revision::Revision;

/// The capabilities that a client declared.
///
/// Law: never more than the client declared. The one addition, [`ClientCapabilities::with_tasks_extension`], says for
/// one request what the client said in the terms of another revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCapabilities(Raw);

/// Describes the path between a client and a server, and so which of the client's capabilities can reach the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carry {
    /// The client's revision.
    pub from: Revision,
    /// The server's revision, or the one that the gateway is about to propose to it.
    pub to: Revision,
    /// Whether the server's requests reach this client: they don't on a connection that many clients share.
    pub reverse: bool,
    /// Whether task-augmented requests of the server, and its polling of the client's tasks, are carried (2025-11-25 on both sides).
    pub client_tasks: bool,
}

impl ClientCapabilities {
    /// Returns a view of what a client sent; what is not an object declares nothing.
    #[must_use]
    pub fn new(raw: Raw) -> Self {
        Self(object_or_empty(raw))
    }

    /// Returns a client that declares nothing.
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

    /// Returns whether forms can be shown. An empty `elicitation` means forms (2025-11-25 client/elicitation; 2025-06-18 had nothing else).
    #[must_use]
    pub fn elicitation_form(&self) -> bool {
        self.has(&["elicitation", "form"]) || (self.has(&["elicitation"]) && !self.elicitation_url())
    }

    /// Returns whether the user can be sent to a URL.
    #[must_use]
    pub fn elicitation_url(&self) -> bool {
        self.has(&["elicitation", "url"])
    }

    /// Returns whether a model can be asked.
    #[must_use]
    pub fn sampling(&self) -> bool {
        self.has(&["sampling"])
    }

    /// Returns whether a model can be asked that may call tools.
    #[must_use]
    pub fn sampling_tools(&self) -> bool {
        self.has(&["sampling", "tools"])
    }

    /// Returns whether the client has roots to list.
    #[must_use]
    pub fn roots(&self) -> bool {
        self.has(&["roots"])
    }

    /// Returns whether the client announces changes of its roots.
    #[must_use]
    pub fn roots_list_changed(&self) -> bool {
        self.has(&["roots", "listChanged"])
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

    /// Returns whether a method that the core does not know belongs to something that the client declared.
    #[must_use]
    pub fn claims(&self, method: &str) -> bool {
        claims(&self.0).contains(claimed_by(method))
    }

    /// Returns the tasks capability of 2025-11-25: what a server may do with tasks of the client.
    #[must_use]
    pub fn tasks(&self) -> Option<Raw> {
        self.0.get("tasks").filter(|tasks| tasks.kind() == RawKind::Object)
    }

    /// Returns whether results may be tasks (SEP-2663).
    #[must_use]
    pub fn tasks_extension(&self) -> bool {
        self.has(&["extensions", TASKS_EXTENSION])
    }

    /// Adds the tasks extension to these capabilities, for one request in which a legacy client asked a modern server
    /// for a task (`params.task`): the server may answer with a task only then (SEP-2663).
    #[must_use]
    pub fn with_tasks_extension(&self) -> Self {
        if self.tasks_extension() {
            return self.clone();
        }
        Self(self.0.edit().set(&["extensions", TASKS_EXTENSION], &Raw::object_empty()).finish())
    }

    /// Returns whether a server can ask this client for anything. Such a client has upstream sessions of its own (DESIGN 1).
    #[must_use]
    pub fn reverse(&self) -> bool {
        self.sampling() || self.roots() || self.has(&["elicitation"])
    }

    /// Returns the client's own object without what cannot be carried to the server (DESIGN 1).
    #[must_use]
    pub fn relay(&self, carry: &Carry) -> Self {
        let mut removed: Vec<&[&str]> = Vec::new();
        if !carry.reverse {
            removed.extend([&["sampling"][..], &["elicitation"], &["roots"]]);
        }
        if !carry.client_tasks || carry.from.is_modern() || carry.to.is_modern() {
            removed.push(&["tasks"]);
        }
        if carry.to.is_modern() {
            // 2026-07-28 has no notification for it.
            removed.push(&["roots", "listChanged"]);
        }
        if carry.from.is_modern() && !carry.to.is_modern() {
            // The gateway uses the tasks of 2025-11-25 with such a server; one that knew the extension would answer in
            // its terms.
            removed.push(&["extensions", TASKS_EXTENSION]);
        }
        if carry.to <= Revision::V2025_06_18 && self.has(&["elicitation"]) && !self.elicitation_form() {
            // There, an `elicitation` of any content means forms.
            removed.push(&["elicitation"]);
        }
        let present = removed.into_iter().filter(|path| self.0.at(path).is_some());
        let relayed = present.fold(self.0.edit(), jsonrpc::Editor::remove).finish();
        // An empty container would only keep this client's connections apart from others'.
        let says_nothing = |key: &&str| {
            relayed
                .get(key)
                .is_some_and(|held| held.object().is_ok_and(|held| held.iter().next().is_none()))
        };
        let empty = ["extensions", "experimental"].into_iter().filter(says_nothing);
        Self(empty.fold(relayed.edit(), |edit, key| edit.remove(&[key])).finish())
    }

    /// Returns what of `required` this client does not declare: `data.requiredCapabilities` of -32021. `None` when all is there.
    #[must_use]
    pub fn missing(&self, required: &Raw) -> Option<Raw> {
        let required = required.object().ok()?;
        let mut missing = Raw::object_empty();
        for (name, wanted) in required.iter() {
            let wanted_members: Vec<String> = wanted
                .object()
                .map(|members| members.iter().map(|(key, _)| key.to_owned()).collect())
                .unwrap_or_default();
            // `elicitation: {}` stands for forms.
            let implied = |member: &str| name == "elicitation" && member == "form" && self.elicitation_form();
            if !self.has(&[name]) || (name == "elicitation" && wanted_members.is_empty() && !self.elicitation_form()) {
                missing = missing.edit().set(&[name], wanted).finish();
            }
            for member in wanted_members {
                if !self.has(&[name, &member]) && !implied(&member) {
                    let settings = wanted.get(&member).unwrap_or_else(Raw::object_empty);
                    missing = missing.edit().set(&[name, &member], &settings).finish();
                }
            }
        }
        (missing.len() > 2).then_some(missing)
    }

    /// Returns equal bytes for equal capabilities, however they are spelled. They are part of the key under which
    /// upstream sessions are shared (DESIGN 1).
    #[must_use]
    pub fn key(&self) -> Vec<u8> {
        self.0.canonical()
    }
}
