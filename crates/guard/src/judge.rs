//! Judges the tools of a server: each with its risk and its validators, each definition with its digest (MGP §4, DESIGN 7).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jsonrpc::Raw;
use mgp::tool::{self, Assessment, Circumstances, Hidden, Inference, ToolSecurity};
use model::{Permission, ServerId, TrustLevel};
use policy::{Checks, ServerFacts, ServerTable, ToolFacts};
use runtime::sha256;
use validators::arguments::{Declaration, Facts, Slots};

use crate::config::{Security, ServerSecurity};
use crate::guard::Guard;

/// One tool's definition as its server wrote it.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'a> {
    /// The tool's own name.
    pub name: &'a str,
    /// The definition, byte for byte.
    pub raw: &'a Raw,
}

/// A server with every definition of a tool that it shows to any client.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// The server.
    pub server: &'a ServerId,
    /// The trust that the server claims for itself.
    pub claims: Option<TrustLevel>,
    /// Its definitions; what clients without capabilities see comes first.
    pub tools: Vec<Definition<'a>>,
}

/// The judgement of a tool, and its reasons.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The facts about it that policy needs.
    pub facts: ToolFacts,
    /// The reasons for its risk.
    pub assessment: Assessment,
    /// The parts of its definition that people do not see.
    pub hidden: Vec<Hidden>,
}

impl Guard {
    /// Takes a server's tools and the permissions that it wants for itself into the policy. The caller does that before any list shows the tools.
    /// Returns the permissions that the tools want.
    pub fn learn(&self, source: &Source<'_>, wants: Vec<Permission>) -> BTreeSet<Permission> {
        let tools = self.with_security(|security| judge_all(security, source));
        let facts: Vec<ToolFacts> = tools.into_iter().flatten().map(|(_, judged)| judged.facts).collect();
        let wanted = facts.iter().flat_map(|facts| facts.permissions.iter().cloned()).collect();
        self.enforced.edit(|edit| {
            edit.server(source.server, ServerFacts { permissions: wants });
            edit.tools(source.server, facts);
        });
        wanted
    }

    /// Judges the tools of a server, by name: with the given configuration, or with the one in force.
    #[must_use]
    pub fn judged(&self, security: Option<&Security>, source: &Source<'_>) -> BTreeMap<String, Judged> {
        if let Some(security) = security {
            return judge_all(security, source);
        }
        let judged = self.with_security(|security| judge_all(security, source));
        judged.unwrap_or_else(|| judge_all(&Security::default(), source))
    }
}

fn judge_all(security: &Security, source: &Source<'_>) -> BTreeMap<String, Judged> {
    let plain = ServerSecurity::default();
    let own = security.servers.get(source.server).unwrap_or(&plain);
    let trust = mgp::trust::effective(own.trust, source.claims);
    let table = security.tables.server(source.server);
    let mut tools: BTreeMap<String, Judged> = BTreeMap::new();
    for definition in &source.tools {
        let judged = judge(definition, own, trust, table);
        match tools.get(definition.name) {
            // A server that shows one tool in two shapes is held to the more dangerous one.
            Some(known) if known.facts.risk >= judged.facts.risk => {}
            _ => drop(tools.insert(definition.name.to_owned(), judged)),
        }
    }
    tools
}

fn judge(definition: &Definition<'_>, own: &ServerSecurity, trust: TrustLevel, table: &ServerTable) -> Judged {
    let Definition { name, raw } = *definition;
    let security = ToolSecurity::read(raw);
    let description = raw
        .get("description")
        .and_then(|raw| raw.as_str().map(std::borrow::Cow::into_owned));
    let schema = raw.get("inputSchema").map(|raw| value_of(&raw)).unwrap_or_default();
    let slots = Slots::infer(name, description.as_deref().unwrap_or_default(), &schema);
    let inferred = policy::inferred(&slots).map(|inferred| Inference {
        risk: inferred.risk,
        because: inferred.because,
    });
    let plain = tool::Override::default();
    let assessment = tool::assess(
        &security,
        &Circumstances {
            trust,
            configured: own.tools.get(name).unwrap_or(&plain),
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
        name: name.into(),
        risk: assessment.risk,
        confirm: assessment.confirmation,
        role: own.role,
        permissions: assessment.permissions.clone().unwrap_or_default(),
        digest: sha256(&tool::pinned(raw)),
        checks: Arc::new(Checks::of_tool(name, slots, declaration, reads, table)),
    };
    Judged {
        facts,
        assessment,
        hidden: tool::hidden(raw),
    }
}

fn value_of(raw: &Raw) -> serde_json::Value {
    serde_json::from_slice(raw.bytes()).unwrap_or_default()
}
