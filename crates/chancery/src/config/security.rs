//! Reads `[policy]`, `[audit]` and `[store]`: who may do what, what is recorded of it, and where.

use std::path::{Path, PathBuf};

use kernel::{Alert, Security};
use model::{PrincipalId, Role, ServerId, ToolId};
use policy::{Origin, Rates, Tables as PolicyTables};
use store::{Retention, SyncMode};

use super::audit::{AMOUNTS, check_alerts, check_retention, read_alert, retention};
use super::expand::{Env, expand_at};
use super::fields::Fields;
use super::gateway::{Gateway, resolve};
use super::grants::{Granted, grant};
use super::node::{Entry, Node, Value};
use super::problem::{Problem, Problems};
use super::schema::{self, Key, Section};

/// The store's settings: its folder, and for how long it keeps events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// The folder, where one is named.
    pub folder: Option<PathBuf>,
    /// When an event is safe from a power cut.
    pub sync: SyncMode,
    /// How long events are kept.
    pub retention: Retention,
}

/// The tables of one or several files.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    policy: Fields,
    rates: Fields,
    audit: Fields,
    store: Fields,
    grants: Vec<Granted>,
    alerts: Vec<Alert>,
}

impl Tables {
    /// Returns the tables where no file sets anything.
    #[must_use]
    pub(super) fn none() -> Self {
        Self {
            policy: Fields::none(&schema::policy::SECTION),
            rates: Fields::none(&schema::rates::SECTION),
            audit: Fields::none(&schema::audit::SECTION),
            store: Fields::none(&schema::store::SECTION),
            grants: Vec::new(),
            alerts: Vec::new(),
        }
    }

    /// Reads the tables of one file.
    pub(super) fn read(root: &Fields, problems: &mut Problems) -> Self {
        let mut tables = Self::none();
        if let Some(node) = root.node(&schema::root::POLICY) {
            tables.policy = Fields::read(&schema::policy::SECTION, node, problems);
        }
        if let Some(node) = tables.policy.node(&schema::policy::RATES) {
            tables.rates = Fields::read(&schema::rates::SECTION, node, problems);
        }
        if let Some(node) = root.node(&schema::root::AUDIT) {
            tables.audit = Fields::read(&schema::audit::SECTION, node, problems);
        }
        if let Some(node) = root.node(&schema::root::STORE) {
            tables.store = Fields::read(&schema::store::SECTION, node, problems);
        }
        tables.grants = each(&tables.policy, &schema::policy::GRANTS, problems, grant);
        tables.alerts = each(&tables.audit, &schema::audit::ALERTS, problems, read_alert);
        check_retention(&tables.audit, problems);
        tables
    }

    /// Takes from a later file the keys that are not set yet. Grants and alerts of all files count.
    pub(super) fn fill(&mut self, later: Self) {
        // One file sets the retention as a whole: a mix of two files' halves would match neither's intention.
        let keeps = self.audit.node(&schema::audit::RETENTION).is_some();
        self.policy.fill(later.policy);
        self.rates.fill(later.rates);
        self.store.fill(later.store);
        self.audit.fill(match keeps {
            true => later.audit.without(&[&schema::audit::RETENTION]).without(&AMOUNTS),
            false => later.audit,
        });
        self.grants.extend(later.grants);
        self.alerts.extend(later.alerts);
    }

    /// Returns the security of these tables, without the settings of servers; `known` are all servers, also those that
    /// are disabled.
    pub(super) fn security(&self, known: &[&ServerId], problems: &mut Problems) -> Security {
        let fields = &self.policy;
        for granted in &self.grants {
            granted.warn(known, problems);
        }
        check_alerts(&self.alerts, problems);
        Security {
            tables: PolicyTables {
                access: fields.get(&schema::policy::ACCESS),
                permissions: fields.get(&schema::policy::PERMISSIONS),
                moderate: fields.get(&schema::policy::MODERATE),
                dangerous: fields.get(&schema::policy::DANGEROUS),
                changed: fields.get(&schema::policy::CHANGED),
                rates: rates(&self.rates, problems),
                servers: std::collections::BTreeMap::new(),
            },
            grants: self.grants.iter().map(|granted| granted.grant.clone()).collect(),
            approval_ttl: fields.get(&schema::policy::APPROVAL_TIMEOUT),
            approval_hold: fields.get(&schema::policy::APPROVAL_HOLD),
            underscored_tools: fields.get(&schema::policy::UNDERSCORED_TOOLS),
            redact: self
                .audit
                .get(&schema::audit::REDACT)
                .iter()
                .map(|word| word.to_lowercase())
                .collect(),
            alerts: self.alerts.clone(),
            ..Security::default()
        }
    }

    /// Returns the store's settings.
    pub(super) fn store(&self, env: &Env, home: Option<&Path>, problems: &mut Problems) -> Store {
        let audit = &self.audit;
        Store {
            folder: self.folder(env, home, problems),
            sync: audit.get(&schema::audit::SYNC),
            retention: retention(audit).unwrap_or(Retention::KeepAll),
        }
    }

    fn folder(&self, env: &Env, home: Option<&Path>, problems: &mut Problems) -> Option<PathBuf> {
        let key = &schema::store::FOLDER;
        let node = self.store.node(key)?;
        match expand_at(node, key.name, env) {
            Ok(text) if !text.is_empty() => {
                let base = Path::new(node.place.source().name()).parent();
                Some(resolve(&text, base, home))
            }
            Ok(_) => {
                problems.push(Problem::error("`folder` is empty once its variables are replaced").at(&node.place));
                None
            }
            // Using another folder than the configured one is not an option.
            Err(problem) => {
                problems.push(
                    Problem::error(problem.message())
                        .at(&node.place)
                        .help("set it, or write the folder out"),
                );
                None
            }
        }
    }
}

/// Returns the elements of a list of tables.
fn each<T>(fields: &Fields, key: &Key, problems: &mut Problems, read: impl Fn(&Node, &mut Problems) -> Option<T>) -> Vec<T> {
    let Some(node) = fields.node(key) else { return Vec::new() };
    if !matches!(node.value, Value::List(_)) {
        let header = key.section().map(Section::header).unwrap_or_default();
        let problem = Problem::error(format!("`{}` must be a list of tables, not {}", key.name, node.kind())).at(&node.place);
        problems.push(problem.help(format!("write `{header}` with two brackets, once for each")));
    }
    node.list().iter().filter_map(|table| read(table, problems)).collect()
}

fn rates(fields: &Fields, problems: &mut Problems) -> Rates {
    let mut rates = Rates {
        principal: fields.get(&schema::rates::PRINCIPAL),
        server: fields.get(&schema::rates::SERVER),
        tool: fields.get(&schema::rates::TOOL),
        ..Rates::default()
    };
    rates.principals = fields
        .rates(&schema::rates::PRINCIPALS)
        .map(|(entry, rate)| (PrincipalId::new(&entry.key), rate))
        .collect();
    for (entry, rate) in fields.rates(&schema::rates::SERVERS) {
        match ServerId::new(&entry.key) {
            Ok(id) => drop(rates.servers.insert(id, rate)),
            Err(_) => problems.push(no_name(entry, "a server", "tickets = \"30/1m\"")),
        }
    }
    for (entry, rate) in fields.rates(&schema::rates::TOOLS) {
        match ToolId::parse(&entry.key) {
            Some(tool) => drop(rates.tools.entry(tool.server).or_default().insert(tool.name, rate)),
            None => problems.push(no_name(entry, "a tool", "\"tickets/create\" = \"5/1h\"")),
        }
    }
    rates
}

fn no_name(entry: &Entry, what: &str, example: &str) -> Problem {
    let problem = Problem::error(format!("`{}` names no {}", entry.key, what.trim_start_matches("a "))).at(&entry.at);
    problem.help(format!("name {what}, for example `{example}`"))
}

/// Warns where several principals share the gateway, and nothing says who may use what: then no principal may (DESIGN
/// 7), which should not come as a surprise.
pub(super) fn warn_of_nobody(security: &Security, gateway: &Gateway, problems: &mut Problems) {
    let tables = &security.tables;
    // A server for operators only says nothing about the other servers.
    let is_for_all = |server: &ServerId| security.servers.get(server).is_none_or(|said| said.role == Role::Agent);
    let mut servers = tables.servers.iter().filter(|(server, _)| is_for_all(server));
    let says = tables.access.is_some() || !security.grants.is_empty() || servers.any(|(_, table)| table.access.is_some());
    let principals = gateway.principals(gateway.listen.ip());
    let remote = principals.iter().find(|(_, origin)| *origin == Origin::Remote);
    if let (false, Some((principal, _))) = (says, remote) {
        let problem = Problem::warning(format!(
            "`{principal}` comes in with a token, and nothing says who may use which server"
        ));
        problems.push(problem.help(
            "until something does, no principal may: set `access = \"opt-out\"` in `[policy]` to let all in, or write `[[policy.grants]]`",
        ));
    }
}
