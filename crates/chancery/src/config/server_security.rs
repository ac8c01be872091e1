//! Reads a server's tables about security: `[servers.mgp]`, `[servers.policy]` and `[servers.tools.NAME]`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use kernel::ServerSecurity;
use mgp::tool::Override;
use model::Role;
use policy::{ServerTable, ToolTable};
use validators::path::Roots;
use validators::url;

use super::expand::{Env, expand_at};
use super::fields::Fields;
use super::gateway::resolve;
use super::node::{Node, Value};
use super::problem::{Problem, Problems};
use super::schema::{self, Key, Section, mgp as mgp_keys, server_policy as keys, tool};

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
    /// Checks the tables.
    pub(super) fn read(server: &Fields, problems: &mut Problems) -> Self {
        let mut table = |key: &Key, section: &'static Section| match server.node(key) {
            Some(node) => Fields::read(section, node, problems),
            None => Fields::none(section),
        };
        let mgp = table(&schema::server::MGP, &mgp_keys::SECTION);
        let policy = table(&schema::server::POLICY, &keys::SECTION);
        warn_of_restarts(&mgp, problems);
        Self {
            is_mgp: server.node(&schema::server::MGP).is_some(),
            mgp,
            policy,
            tools: server
                .node(&schema::server::TOOLS)
                .map(|node| tools(node, problems))
                .unwrap_or_default(),
        }
    }

    /// Returns the server's settings for the kernel and the policy.
    pub(super) fn finish(&self, env: &Env, home: Option<&Path>, problems: &mut Problems) -> (ServerSecurity, ServerTable) {
        let security = ServerSecurity {
            trust: self.mgp.get(&mgp_keys::TRUST_LEVEL),
            role: Role::Agent,
            permissions: self.mgp.get(&mgp_keys::PERMISSIONS_REQUIRED).unwrap_or_default(),
            tools: self.tools.iter().map(|(name, fields)| (name.clone(), said(fields))).collect(),
        };
        let fields = &self.policy;
        let table = ServerTable {
            access: fields.get(&keys::ACCESS),
            permissions: fields.get(&keys::PERMISSIONS),
            approved: fields.get(&keys::APPROVED),
            strict: fields.get(&keys::STRICT),
            moderate: fields.get(&keys::MODERATE),
            dangerous: fields.get(&keys::DANGEROUS),
            changed: fields.get(&keys::CHANGED),
            roots: self.roots(env, home, problems),
            network: url::Policy {
                allow: fields.get(&keys::HOSTS).iter().map(|host| host.to_ascii_lowercase()).collect(),
                schemes: fields
                    .get(&keys::SCHEMES)
                    .iter()
                    .map(|scheme| scheme.to_ascii_lowercase())
                    .collect(),
            },
            commands: fields.get(&keys::COMMANDS),
            dialect: fields.get(&keys::DIALECT),
            validators: fields.get(&keys::VALIDATORS),
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
        for node in self.policy.list(&keys::ROOTS) {
            let text = match expand_at(node, keys::ROOTS.name, env) {
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

/// Warns of settings that have no effect yet.
fn warn_of_restarts(mgp: &Fields, problems: &mut Problems) {
    if let Some(at) = mgp.at(&mgp_keys::RESTART_POLICY) {
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
        .map(|entry| (entry.key.as_str().into(), Fields::read(&tool::SECTION, &entry.node, problems)))
        .collect()
}

fn said(fields: &Fields) -> Override {
    Override {
        risk: fields.get(&tool::RISK),
        permissions: fields.get(&tool::PERMISSIONS),
        confirmation_required: fields.get(&tool::CONFIRM),
    }
}

fn judged(fields: &Fields) -> ToolTable {
    ToolTable {
        validators: fields.get(&tool::VALIDATORS),
        only_reads: fields.get(&tool::ONLY_READS),
    }
}
