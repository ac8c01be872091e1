//! Pins: the digest of each tool's definition when it was approved, and the events of tools that are new or have changed (MGP §4).

use std::collections::BTreeMap;
use std::sync::Arc;

use jsonrpc::Raw;
use mgp::audit::{Actor, Draft, EventType, Outcome, Target};
use mgp::tool::{self, Hidden};
use model::{By, Digest, Pin, PrincipalId, ServerId, ToolId, Trace};
use policy::PinState;
use store::{Change, Commit};

use crate::guard::Guard;
use crate::record::details;

/// The principal that pins tools that are seen for the first time.
const GATEWAY: &str = "gateway";
/// The number of pins in one commit at most.
const MOST_PINS: usize = 500;

/// The tools of a server that differ from what was approved.
#[derive(Debug)]
pub struct Unapproved {
    server: ServerId,
    fresh: Vec<(ToolId, Digest)>,
    changed: Vec<(ToolId, Digest, Digest)>,
}

impl Unapproved {
    /// Returns whether a tool is among them.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        let mut fresh = self.fresh.iter().map(|(tool, _)| tool);
        fresh.any(|tool| &*tool.name == name) || self.changed.iter().any(|(tool, ..)| &*tool.name == name)
    }
}

impl Guard {
    /// Compares the tools of a server with their pins.
    #[must_use]
    pub fn unapproved(&self, server: &ServerId) -> Unapproved {
        let (mut fresh, mut changed) = (Vec::new(), Vec::new());
        for (facts, state) in self.policy().pins(server) {
            let tool = ToolId {
                server: server.clone(),
                name: facts.name.clone(),
            };
            match state {
                PinState::Same => {}
                PinState::Unpinned => fresh.push((tool, facts.digest)),
                PinState::Changed { approved, now } => changed.push((tool, approved.digest, now)),
            }
        }
        Unapproved {
            server: server.clone(),
            fresh,
            changed,
        }
    }

    /// Pins the tools that are seen for the first time, and records those that have changed since they were pinned. `definitions` are those of the
    /// unapproved tools: what they hide from people is recorded.
    pub async fn pin(self: &Arc<Self>, unapproved: Unapproved, definitions: Vec<(String, Raw)>) {
        self.tell_hidden(&unapproved.server, definitions).await;
        for (tool, approved, now) in unapproved.changed {
            let draft = Draft::new(
                EventType::TOOL_CHANGED,
                Actor::kernel("pins"),
                Target::tool(&tool),
                Outcome::Pending,
            );
            let details = details(&[("approved", &approved.to_string()), ("found", &now.to_string())]);
            tracing::warn!(%tool, "the tool is not what it was when it was approved");
            self.record().after(draft.details(details), &Trace::default()).await;
        }
        for part in unapproved.fresh.chunks(MOST_PINS) {
            if self.runtime.shutdown().is_cancelled() || self.pin_some(part).await.is_none() {
                return;
            }
        }
    }

    /// Records what definitions hide from people, once for each tool.
    async fn tell_hidden(&self, server: &ServerId, definitions: Vec<(String, Raw)>) {
        let mut found: BTreeMap<String, Vec<Hidden>> = BTreeMap::new();
        for (name, raw) in definitions {
            let hidden = tool::hidden(&raw);
            if !hidden.is_empty() {
                found.insert(name, hidden);
            }
        }
        for (name, hidden) in found {
            let tool = ToolId {
                server: server.clone(),
                name: name.into(),
            };
            let places = hidden.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            tracing::warn!(%tool, places, "its definition has characters that people don't see and models read");
            let draft = Draft::new(
                EventType::TOOL_HIDES_TEXT,
                Actor::kernel("pins"),
                Target::tool(&tool),
                Outcome::Success,
            );
            let draft = draft.details(details(&[("places", &places)]));
            self.record().after(draft, &Trace::default()).await;
        }
    }

    async fn pin_some(self: &Arc<Self>, fresh: &[(ToolId, Digest)]) -> Option<()> {
        let by = By {
            principal: PrincipalId::new(GATEWAY),
            at: self.calendar().now(),
        };
        let pins: Vec<Pin> = fresh
            .iter()
            .map(|(tool, digest)| Pin {
                tool: tool.clone(),
                digest: *digest,
                pinned: by.clone(),
            })
            .collect();
        let changes = pins.iter().map(|pin| Change::PutPin {
            pin: pin.clone(),
            instead_of: None,
        });
        let commit = Commit::new(changes.collect(), Vec::new());
        let stored = self.change(commit, |edit| {
            for pin in pins {
                edit.pin(pin);
            }
        });
        stored
            .await
            .inspect_err(|error| tracing::warn!(%error, "the definitions of tools were not pinned"))
            .ok()
    }
}
