//! Tells policy what servers offer: each tool with its risk and its validators, each definition with its digest (MGP §4, DESIGN 7).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use catalog::{Item, Offer};
use jsonrpc::Raw;
use mgp::audit::{Actor, Draft, EventType, Outcome, Target};
use mgp::tool::{self, Assessment, Circumstances, Hidden, Inference, ToolSecurity};
use model::{By, Digest, Permission, Pin, PrincipalId, ServerId, ToolId, Trace, TrustLevel};
use policy::{Checks, PinState, ServerFacts, ServerTable, ToolFacts};
use store::{Change, Commit};
use validators::arguments::{Declaration, Facts, Slots};

use super::Guard;
use super::decide::decided;
use crate::inner::Inner;
use crate::sha256::sha256;
use crate::{Security, ServerSecurity};

/// The one who pins what is seen for the first time.
const GATEWAY: &str = "gateway";

/// A tool as it is judged, and why.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) facts: ToolFacts,
    pub(crate) assessment: Assessment,
    /// What its definition hides from people.
    pub(crate) hidden: Vec<Hidden>,
}

impl Guard {
    /// Takes in what a server offers, to whatever clients, and what it wants for itself. Called before any list shows it. What its tools want.
    pub(crate) fn learn(
        &self,
        server: &ServerId,
        offers: &[Arc<Offer>],
        wants: Vec<Permission>,
        claims: Option<TrustLevel>,
    ) -> BTreeSet<Permission> {
        let tools = self.with_security(|security| judge_all(security, server, offers, claims));
        let facts: Vec<ToolFacts> = tools.into_iter().flatten().map(|(_, judged)| judged.facts).collect();
        let wanted = facts.iter().flat_map(|facts| facts.permissions.iter().cloned()).collect();
        self.edit(|edit| {
            edit.server(server, ServerFacts { permissions: wants });
            edit.tools(server, facts);
        });
        wanted
    }

    /// How the tools of a server are judged, by name: by that configuration, or by the one in force.
    pub(crate) fn judged(
        &self,
        security: Option<&Security>,
        server: &ServerId,
        offers: &[Arc<Offer>],
        claims: Option<TrustLevel>,
    ) -> BTreeMap<String, Judged> {
        if let Some(security) = security {
            return judge_all(security, server, offers, claims);
        }
        let open = Security::default();
        let judged = self.with_security(|security| judge_all(security, server, offers, claims));
        judged.unwrap_or_else(|| judge_all(&open, server, offers, claims))
    }

    /// Pins what is seen for the first time, and tells the audit of what has changed since it was pinned.
    pub(crate) async fn pin(&self, inner: &Arc<Inner>, server: &ServerId) {
        let policy = self.policy.load_full();
        let (mut fresh, mut changed) = (Vec::new(), Vec::new());
        for (facts, state) in policy.pins(server) {
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
        let unseen = fresh.iter().map(|(tool, _)| tool).chain(changed.iter().map(|(tool, ..)| tool));
        self.tell_hidden(inner, server, unseen).await;
        for (tool, approved, now) in changed {
            let draft = Draft::new(
                EventType::TOOL_CHANGED,
                Actor::kernel("pins"),
                Target::tool(&tool),
                Outcome::Pending,
            );
            let details = Self::details(&[("approved", &approved.to_string()), ("found", &now.to_string())]);
            tracing::warn!(%tool, "the tool is not what it was when it was approved");
            self.after(draft.details(details), &Trace::default()).await;
        }
        for part in fresh.chunks(MOST_PINS) {
            if inner.shutdown.is_cancelled() || Self::pin_some(inner, part).await.is_none() {
                return;
            }
        }
    }

    /// Tells of what definitions hide from people, once for each that nobody has approved.
    async fn tell_hidden(&self, inner: &Inner, server: &ServerId, unseen: impl Iterator<Item = &ToolId>) {
        let unseen: BTreeSet<&str> = unseen.map(|tool| &*tool.name).collect();
        let Some(known) = inner.server(server).filter(|_| !unseen.is_empty()) else {
            return;
        };
        let mut found: BTreeMap<String, Vec<Hidden>> = BTreeMap::new();
        for item in known.offers().iter().flat_map(|offer| &offer.tools.items) {
            let hidden = tool::hidden(&item.raw);
            if unseen.contains(item.key.as_str()) && !hidden.is_empty() {
                found.insert(item.key.clone(), hidden);
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
            self.after(draft.details(Self::details(&[("places", &places)])), &Trace::default())
                .await;
        }
    }

    async fn pin_some(inner: &Arc<Inner>, fresh: &[(ToolId, Digest)]) -> Option<()> {
        let by = By {
            principal: PrincipalId::new(GATEWAY),
            at: inner.guard.calendar.now(),
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
        let stored = decided(inner, commit, |edit| {
            for pin in pins {
                edit.pin(pin);
            }
        })
        .await;
        stored
            .inspect_err(|error| tracing::warn!(%error, "the definitions of tools were not pinned"))
            .ok()
    }
}

/// Pins in one commit.
const MOST_PINS: usize = 500;

fn judge_all(security: &Security, server: &ServerId, offers: &[Arc<Offer>], claims: Option<TrustLevel>) -> BTreeMap<String, Judged> {
    let plain = ServerSecurity::default();
    let own = security.servers.get(server).unwrap_or(&plain);
    let trust = mgp::trust::effective(own.trust, claims);
    let table = security.tables.server(server);
    let mut tools: BTreeMap<String, Judged> = BTreeMap::new();
    for item in offers.iter().flat_map(|offer| &offer.tools.items) {
        let judged = judge(item, own, trust, table);
        match tools.get(&item.key) {
            // A server that shows one tool in two shapes is held to the more dangerous one.
            Some(known) if known.facts.risk >= judged.facts.risk => {}
            _ => drop(tools.insert(item.key.clone(), judged)),
        }
    }
    tools
}

fn judge(item: &Item, own: &ServerSecurity, trust: TrustLevel, table: &ServerTable) -> Judged {
    let security = ToolSecurity::read(&item.raw);
    let description = item
        .raw
        .get("description")
        .and_then(|raw| raw.as_str().map(std::borrow::Cow::into_owned));
    let schema = item.raw.get("inputSchema").map(|raw| value_of(&raw)).unwrap_or_default();
    let slots = Slots::infer(&item.key, description.as_deref().unwrap_or_default(), &schema);
    let inferred = policy::inferred(&slots).map(|inferred| Inference {
        risk: inferred.risk,
        because: inferred.because,
    });
    let plain = tool::Override::default();
    let assessment = tool::assess(
        &security,
        &Circumstances {
            trust,
            configured: own.tools.get(item.key.as_str()).unwrap_or(&plain),
            inferred: inferred.as_ref(),
        },
    );
    let said = security.declared.iter().find(|declared| declared.validator.is_some());
    let said = said.or_else(|| security.declared.first());
    let declaration = said.map(|declared| Declaration::read(&value_of(&declared.raw))).unwrap_or_default();
    let reads = Facts {
        safe: assessment.risk == model::Risk::Safe,
        side_effects: !assessment.side_effects.is_empty(),
        read_only: security.hints.read_only,
    };
    let facts = ToolFacts {
        name: item.key.as_str().into(),
        risk: assessment.risk,
        confirm: assessment.confirmation,
        role: own.role,
        permissions: assessment.permissions.clone().unwrap_or_default(),
        digest: sha256(&tool::pinned(&item.raw)),
        checks: Arc::new(Checks::of_tool(&item.key, slots, declaration, reads, table)),
    };
    Judged {
        facts,
        assessment,
        hidden: tool::hidden(&item.raw),
    }
}

fn value_of(raw: &Raw) -> serde_json::Value {
    serde_json::from_slice(raw.bytes()).unwrap_or_default()
}
