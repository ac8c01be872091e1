//! What a client declares, and how much of it a server may be told.

use jsonrpc::{Raw, RawKind};

use super::{TASKS_EXTENSION, claimed_by, claims, declares, object_or_empty};
use crate::revision::Revision;

/// What a client can do, as it said it itself.
///
/// Law: never more than the client declared. The one addition, [`ClientCapabilities::with_tasks_extension`], says for one request what the
/// client said in the words of another revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCapabilities(Raw);

/// What lies between a client and a server, and so what of the client's abilities can reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carry {
    /// What the client speaks.
    pub from: Revision,
    /// What the server speaks, or what it is about to be asked to speak.
    pub to: Revision,
    /// Whether requests of the server find their way to this client: not on a connection that many clients share.
    pub reverse: bool,
    /// Whether task-augmented requests of the server, and its polling of the client's tasks, are carried (2025-11-25 on both sides).
    pub client_tasks: bool,
}

impl ClientCapabilities {
    /// A view of what a client sent; what is not an object declares nothing.
    #[must_use]
    pub fn new(raw: Raw) -> Self {
        Self(object_or_empty(raw))
    }

    /// A client that declares nothing.
    #[must_use]
    pub fn empty() -> Self {
        Self(Raw::object_empty())
    }

    /// The object as it came.
    #[must_use]
    pub fn raw(&self) -> &Raw {
        &self.0
    }

    /// Whether something is declared at that path: present, and neither `null` nor `false`.
    #[must_use]
    pub fn has(&self, path: &[&str]) -> bool {
        declares(&self.0, path)
    }

    /// Whether forms can be shown. An empty `elicitation` means forms (2025-11-25 client/elicitation; 2025-06-18 had nothing else).
    #[must_use]
    pub fn elicitation_form(&self) -> bool {
        self.has(&["elicitation", "form"]) || (self.has(&["elicitation"]) && !self.elicitation_url())
    }

    /// Whether the user can be sent to a URL.
    #[must_use]
    pub fn elicitation_url(&self) -> bool {
        self.has(&["elicitation", "url"])
    }

    /// Whether a model can be asked.
    #[must_use]
    pub fn sampling(&self) -> bool {
        self.has(&["sampling"])
    }

    /// Whether a model can be asked that may call tools.
    #[must_use]
    pub fn sampling_tools(&self) -> bool {
        self.has(&["sampling", "tools"])
    }

    /// Whether there are roots to list.
    #[must_use]
    pub fn roots(&self) -> bool {
        self.has(&["roots"])
    }

    /// Whether the client says when its roots change.
    #[must_use]
    pub fn roots_list_changed(&self) -> bool {
        self.has(&["roots", "listChanged"])
    }

    /// The settings of an extension.
    #[must_use]
    pub fn extension(&self, name: &str) -> Option<Raw> {
        self.0.at(&["extensions", name])
    }

    /// The settings of an experimental capability.
    #[must_use]
    pub fn experimental(&self, name: &str) -> Option<Raw> {
        self.0.at(&["experimental", name])
    }

    /// Whether a method that the core does not know belongs to something that the client declared.
    #[must_use]
    pub fn claims(&self, method: &str) -> bool {
        claims(&self.0).contains(claimed_by(method))
    }

    /// The tasks capability of 2025-11-25: what a server may do with tasks of the client.
    #[must_use]
    pub fn tasks(&self) -> Option<Raw> {
        self.0.get("tasks").filter(|tasks| tasks.kind() == RawKind::Object)
    }

    /// Whether results may be tasks (SEP-2663).
    #[must_use]
    pub fn tasks_extension(&self) -> bool {
        self.has(&["extensions", TASKS_EXTENSION])
    }

    /// The same client with the tasks extension: for one request in which a legacy client asked for a task (`params.task`) on its way to a
    /// modern server, which may answer with a task only then (SEP-2663).
    #[must_use]
    pub fn with_tasks_extension(&self) -> Self {
        if self.tasks_extension() {
            return self.clone();
        }
        Self(self.0.edit().set(&["extensions", TASKS_EXTENSION], &Raw::object_empty()).finish())
    }

    /// Whether a server can ask this client for anything. Such a client has upstream sessions of its own (DESIGN 1).
    #[must_use]
    pub fn reverse(&self) -> bool {
        self.sampling() || self.roots() || self.has(&["elicitation"])
    }

    /// The client's own object, as it came, without what cannot be carried to the server (DESIGN 1).
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
            // The gateway speaks the tasks of 2025-11-25 with such a server; one that knew the extension would answer in its words.
            removed.push(&["extensions", TASKS_EXTENSION]);
        }
        if carry.to <= Revision::V2025_06_18 && self.has(&["elicitation"]) && !self.elicitation_form() {
            // There, an `elicitation` of any content means forms.
            removed.push(&["elicitation"]);
        }
        let present = removed.into_iter().filter(|path| self.0.at(path).is_some());
        let relayed = present.fold(self.0.edit(), jsonrpc::Editor::remove).finish();
        // A container that says nothing would only keep this client's connections apart from others'.
        let says_nothing = |key: &&str| {
            relayed
                .get(key)
                .is_some_and(|held| held.object().is_ok_and(|held| held.iter().next().is_none()))
        };
        let empty = ["extensions", "experimental"].into_iter().filter(says_nothing);
        Self(empty.fold(relayed.edit(), |edit, key| edit.remove(&[key])).finish())
    }

    /// What of `required` this client does not declare: `data.requiredCapabilities` of -32021. `None` when all is there.
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

    /// The same bytes for the same capabilities however they are spelled: part of the key under which upstream sessions are shared (DESIGN 1).
    #[must_use]
    pub fn key(&self) -> Vec<u8> {
        self.0.canonical()
    }
}
