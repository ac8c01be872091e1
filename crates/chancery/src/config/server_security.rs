//! What a server's table says about security: `[servers.mgp]`, `[servers.policy]` and `[servers.tools.NAME]`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use kernel::ServerSecurity;
use mgp::tool::Override;
use model::{Risk, Role, TrustLevel};
use policy::{ServerTable, ToolTable};
use validators::path::Roots;
use validators::sql::Dialect;
use validators::url;

use super::expand::{Env, expand_at};
use super::fields::Fields;
use super::gateway::resolve;
use super::node::{Node, Value};
use super::problem::{Problem, Problems};
use super::schema::{MGP, SERVER_POLICY, TOOL};
use super::security::{ACCESS, CHANGED, DANGEROUS, MODERATE, PERMISSIONS};

const RISKS: [(&str, Risk); 3] = [("safe", Risk::Safe), ("moderate", Risk::Moderate), ("dangerous", Risk::Dangerous)];

/// The tables about security of one server, checked.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    /// Whether there is an `mgp` table.
    pub is_mgp: bool,
    mgp: Fields,
    policy: Fields,
    tools: Vec<(Arc<str>, Fields)>,
}

impl Tables {
    /// Checks them.
    pub(super) fn read(server: &Fields, problems: &mut Problems) -> Self {
        let mut table = |name: &str, section| match server.node(name) {
            Some(node) => Fields::read(section, node, problems),
            None => Fields::none(section),
        };
        let (mgp, policy) = (table("mgp", &MGP), table("policy", &SERVER_POLICY));
        warn_of_restarts(&mgp, problems);
        Self {
            is_mgp: server.node("mgp").is_some(),
            mgp,
            policy,
            tools: server.node("tools").map(|node| tools(node, problems)).unwrap_or_default(),
        }
    }

    /// What the kernel and the policy are told of the server.
    pub(super) fn finish(&self, env: &Env, home: Option<&Path>, problems: &mut Problems) -> (ServerSecurity, ServerTable) {
        let trust = self.mgp.text("trust_level").and_then(|word| mgp::trust::parse(&word));
        let security = ServerSecurity {
            trust: trust.unwrap_or(TrustLevel::Standard),
            role: Role::Agent,
            permissions: self.mgp.permissions("permissions_required"),
            tools: self.tools.iter().map(|(name, fields)| (name.clone(), said(fields))).collect(),
        };
        let fields = &self.policy;
        let table = ServerTable {
            access: fields.word("access", &ACCESS),
            permissions: fields.word("permissions", &PERMISSIONS),
            approved: fields.permissions("approved"),
            strict: fields.flag("strict"),
            moderate: fields.word("moderate", &MODERATE),
            dangerous: fields.word("dangerous", &DANGEROUS),
            changed: fields.word("changed", &CHANGED),
            roots: self.roots(env, home, problems),
            network: url::Policy {
                allow: fields.texts("hosts").iter().map(|host| host.to_ascii_lowercase()).collect(),
                schemes: fields.texts("schemes").iter().map(|scheme| scheme.to_ascii_lowercase()).collect(),
            },
            commands: fields.texts("commands"),
            dialect: fields.text("dialect").and_then(|name| Dialect::parse(&name)),
            validators: fields.validators("validators"),
            tools: self
                .tools
                .iter()
                .map(|(name, fields)| (name.clone(), judged(fields)))
                .collect::<BTreeMap<_, _>>(),
        };
        (security, table)
    }

    fn roots(&self, env: &Env, home: Option<&Path>, problems: &mut Problems) -> Roots {
        let mut paths = Vec::new();
        for node in self.policy.node("roots").map(Node::list).unwrap_or_default() {
            let text = match expand_at(node, "roots", env) {
                Ok(text) => text,
                Err(problem) => {
                    problems.push(*problem);
                    continue;
                }
            };
            let base = Path::new(node.place.source().name()).parent();
            let path = resolve(&text, base, home).to_string_lossy().into_owned();
            match Roots::new([path.as_str()]) {
                Ok(_) => paths.push(path),
                Err(error) => problems.push(Problem::error(format!("a root can't be used: {error}")).at(&node.place)),
            }
        }
        // Each has been tried alone.
        Roots::new(paths.iter().map(String::as_str)).unwrap_or_default()
    }
}

/// What stands in the file and is not acted on yet.
fn warn_of_restarts(mgp: &Fields, problems: &mut Problems) {
    if let Some(at) = mgp.at("restart_policy") {
        let problem = Problem::warning("`mgp.restart_policy` has no effect yet").at(at);
        problems.push(problem.help("this version of chancery reads it, so that one file serves every MGP client, but doesn't act on it"));
    }
}

fn tools(node: &Node, problems: &mut Problems) -> Vec<(Arc<str>, Fields)> {
    if !matches!(node.value, Value::Table(_)) {
        let problem = Problem::error(format!("`tools` must hold a table for each tool, not {}", node.kind())).at(&node.place);
        problems.push(problem.help("write `[servers.tools.NAME]`; which tools are offered is said by `include` and `exclude`"));
    }
    let entries = node.entries().iter();
    entries
        .map(|entry| (entry.key.as_str().into(), Fields::read(&TOOL, &entry.node, problems)))
        .collect()
}

fn said(fields: &Fields) -> Override {
    Override {
        risk: fields.word("risk", &RISKS),
        permissions: fields.permissions("permissions"),
        confirmation_required: fields.flag("confirm"),
    }
}

fn judged(fields: &Fields) -> ToolTable {
    ToolTable {
        validators: fields.validators("validators"),
        only_reads: fields.flag("only_reads"),
    }
}
