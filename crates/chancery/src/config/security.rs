//! `[policy]`, `[audit]` and `[store]`: who may do what, what is kept of it, and where.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kernel::{Alert, Security};
use model::{Access, By, Grant, GrantScope, PrincipalId, Role, ServerId, Timestamp, ToolId};
use policy::{DefaultAccess, OnChange, OnDangerous, OnModerate, Origin, PermissionPolicy, Rates, Tables as PolicyTables};
use store::{Retention, SyncMode};

use super::expand::{Env, expand_at};
use super::fields::Fields;
use super::gateway::{Gateway, resolve};
use super::node::{Entry, Node, Value};
use super::problem::{Problem, Problems};
use super::schema::{ALERT, AUDIT, GRANT, POLICY, RATES, STORE};
use super::source::Place;

pub(super) const ACCESS: [(&str, DefaultAccess); 2] = [("opt-in", DefaultAccess::OptIn), ("opt-out", DefaultAccess::OptOut)];
pub(super) const PERMISSIONS: [(&str, PermissionPolicy); 4] = [
    ("interactive", PermissionPolicy::Interactive),
    ("auto_approve", PermissionPolicy::AutoApprove),
    ("deny_all", PermissionPolicy::DenyAll),
    ("config_only", PermissionPolicy::ConfigOnly),
];
pub(super) const MODERATE: [(&str, OnModerate); 2] = [("run", OnModerate::Run), ("confirm", OnModerate::Confirm)];
pub(super) const DANGEROUS: [(&str, OnDangerous); 2] = [("confirm", OnDangerous::Confirm), ("refuse", OnDangerous::Refuse)];
pub(super) const CHANGED: [(&str, OnChange); 3] = [("review", OnChange::Review), ("refuse", OnChange::Refuse), ("run", OnChange::Run)];

/// Who stands behind grants that the configuration makes.
const GRANTED_BY: &str = "configuration";

/// Where the gateway remembers, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// The folder, where one is named.
    pub folder: Option<PathBuf>,
    /// When an event is safe from a power cut.
    pub sync: SyncMode,
    /// How long events are kept.
    pub retention: Retention,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            folder: None,
            sync: SyncMode::Interval(INTERVAL),
            retention: Retention::KeepAll,
        }
    }
}

/// The most alerts.
const MOST_ALERTS: usize = 100;
/// The most events that an alert counts.
const MOST_COUNTED: usize = 10_000;
/// DESIGN 8.
const INTERVAL: Duration = Duration::from_millis(50);

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

/// A grant, and where its server stands.
#[derive(Clone, Debug)]
struct Granted {
    grant: Grant,
    at: Place,
}

impl Tables {
    /// No file says anything.
    #[must_use]
    pub(super) fn none() -> Self {
        Self {
            policy: Fields::none(&POLICY),
            rates: Fields::none(&RATES),
            audit: Fields::none(&AUDIT),
            store: Fields::none(&STORE),
            grants: Vec::new(),
            alerts: Vec::new(),
        }
    }

    /// What one file says.
    pub(super) fn read(root: &Fields, problems: &mut Problems) -> Self {
        let mut tables = Self::none();
        if let Some(node) = root.node("policy") {
            tables.policy = Fields::read(&POLICY, node, problems);
        }
        if let Some(node) = tables.policy.node("rates") {
            tables.rates = Fields::read(&RATES, node, problems);
        }
        if let Some(node) = root.node("audit") {
            tables.audit = Fields::read(&AUDIT, node, problems);
        }
        if let Some(node) = root.node("store") {
            tables.store = Fields::read(&STORE, node, problems);
        }
        tables.grants = each(&tables.policy, "grants", "policy.grants", problems, grant);
        tables.alerts = each(&tables.audit, "alerts", "audit.alerts", problems, alert);
        check_retention(&tables.audit, problems);
        tables
    }

    /// Takes what a later file says of keys that are not set yet. Grants and alerts of all files count.
    pub(super) fn fill(&mut self, later: Self) {
        // How long is said by one file, whole: two halves of two files would be nobody's intention.
        let keeps = self.audit.node("retention").is_some();
        self.policy.fill(later.policy);
        self.rates.fill(later.rates);
        self.store.fill(later.store);
        self.audit.fill(match keeps {
            true => later.audit.without(&["retention", "keep", "searchable", "size"]),
            false => later.audit,
        });
        self.grants.extend(later.grants);
        self.alerts.extend(later.alerts);
    }

    /// The security of these tables, without what servers say; `known` are all servers, also those that are disabled.
    pub(super) fn security(&self, known: &[&ServerId], problems: &mut Problems) -> Security {
        let fields = &self.policy;
        for granted in &self.grants {
            granted.warn(known, problems);
        }
        check_alerts(&self.alerts, problems);
        Security {
            tables: PolicyTables {
                access: fields.word("access", &ACCESS),
                permissions: fields.word("permissions", &PERMISSIONS).unwrap_or_default(),
                moderate: fields.word("moderate", &MODERATE).unwrap_or_default(),
                dangerous: fields.word("dangerous", &DANGEROUS).unwrap_or_default(),
                changed: fields.word("changed", &CHANGED).unwrap_or_default(),
                rates: rates(&self.rates, problems),
                servers: std::collections::BTreeMap::new(),
            },
            grants: self.grants.iter().map(|granted| granted.grant.clone()).collect(),
            approval_ttl: fields.duration("approval_timeout").unwrap_or_default(),
            approval_hold: fields.duration("approval_hold").unwrap_or_default(),
            underscored_tools: fields.flag("underscored_tools"),
            redact: self.audit.texts("redact").iter().map(|word| word.to_lowercase()).collect(),
            alerts: self.alerts.clone(),
            ..Security::default()
        }
    }

    /// Where the gateway remembers.
    pub(super) fn store(&self, env: &Env, home: Option<&Path>, problems: &mut Problems) -> Store {
        let audit = &self.audit;
        Store {
            folder: self.folder(env, home, problems),
            sync: match audit.text("sync").as_deref() {
                Some("always") => SyncMode::Always,
                _ => SyncMode::Interval(INTERVAL),
            },
            retention: retention(audit).unwrap_or(Retention::KeepAll),
        }
    }

    fn folder(&self, env: &Env, home: Option<&Path>, problems: &mut Problems) -> Option<PathBuf> {
        let node = self.store.node("folder")?;
        match expand_at(node, "folder", env) {
            Ok(text) if !text.is_empty() => {
                let base = Path::new(node.place.source().name()).parent();
                Some(resolve(&text, base, home))
            }
            Ok(_) => {
                problems.push(Problem::error("`folder` is empty once its variables are replaced").at(&node.place));
                None
            }
            // Remembering somewhere else than was asked for is no way out.
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

/// The elements of a list of tables.
fn each<T>(fields: &Fields, key: &str, name: &str, problems: &mut Problems, read: impl Fn(&Node, &mut Problems) -> Option<T>) -> Vec<T> {
    let Some(node) = fields.node(key) else { return Vec::new() };
    if !matches!(node.value, Value::List(_)) {
        let problem = Problem::error(format!("`{key}` must be a list of tables, not {}", node.kind())).at(&node.place);
        problems.push(problem.help(format!("write `[[{name}]]` with two brackets, once for each")));
    }
    node.list().iter().filter_map(|table| read(table, problems)).collect()
}

/// Reports a key that is missing.
fn require(fields: &Fields, node: &Node, header: &str, name: &str, example: &str, problems: &mut Problems) -> Option<String> {
    let text = fields.text(name);
    if text.is_none() && node.get(name).is_none() {
        let problem = Problem::error(format!("{header} has no `{name}`"))
            .at(&node.place)
            .label("this one");
        problems.push(problem.help(format!("for example `{name} = {example}`")));
    }
    text
}

// === [[policy.grants]] ===

fn grant(node: &Node, problems: &mut Problems) -> Option<Granted> {
    let fields = Fields::read(&GRANT, node, problems);
    let principal = require(&fields, node, "a grant", "principal", "\"alice\"", problems);
    let server = require(&fields, node, "a grant", "server", "\"files\"", problems);
    let server = ServerId::new(&server?).ok()?;
    let access = match fields.text("access").as_deref() {
        Some("deny") => Access::Deny,
        _ => Access::Allow,
    };
    let confirms = fields.flag("confirms");
    if access == Access::Deny && confirms {
        let at = fields.value_at("confirms").unwrap_or(&node.place);
        problems.push(
            Problem::error("a grant can't both deny and confirm")
                .at(at)
                .help("remove `confirms`, or say `access = \"allow\"`"),
        );
        return None;
    }
    let at = fields.value_at("server").unwrap_or(&node.place).clone();
    Some(Granted {
        grant: Grant {
            principal: PrincipalId::new(&principal?),
            scope: match fields.text("tool") {
                Some(tool) => GrantScope::Tool(ToolId { server, name: tool.into() }),
                None => GrantScope::Server(server),
            },
            access,
            confirms,
            granted: By {
                principal: PrincipalId::new(GRANTED_BY),
                at: written(Path::new(at.source().name())),
            },
            expires: fields.instant("expires"),
            justification: fields.text("justification").map(Arc::from),
        },
        at,
    })
}

/// When a file was written last; the beginning of the calendar for what is no file.
fn written(path: &Path) -> Timestamp {
    let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    modified.map_or(Timestamp(0), instant)
}

fn instant(time: SystemTime) -> Timestamp {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

impl Granted {
    /// What is no error, because another file or another day may make it right.
    fn warn(&self, known: &[&ServerId], problems: &mut Problems) {
        let server = match &self.grant.scope {
            GrantScope::Server(server) => server,
            GrantScope::Tool(tool) => &tool.server,
        };
        if server.as_str() != policy::KERNEL && !known.contains(&server) {
            let problem = Problem::warning(format!("a grant is about `{server}`, and no server is called that")).at(&self.at);
            let near = super::nearest(server.as_str(), known.iter().map(|id| id.as_str()));
            problems.push(match near {
                Some(near) => problem.help(format!("did you mean `{near}`?")),
                None => problem.help("the grant says nothing until there is one"),
            });
        }
        if self.grant.expires.is_some_and(|at| at.has_come(instant(SystemTime::now()))) {
            problems.push(
                Problem::warning("a grant has expired")
                    .at(&self.at)
                    .help("remove it, or set another `expires`"),
            );
        }
    }
}

// === [policy.rates] ===

fn rates(fields: &Fields, problems: &mut Problems) -> Rates {
    let mut rates = Rates {
        principal: fields.rate("principal"),
        server: fields.rate("server"),
        tool: fields.rate("tool"),
        ..Rates::default()
    };
    rates.principals = fields
        .rates("principals")
        .map(|(entry, rate)| (PrincipalId::new(&entry.key), rate))
        .collect();
    for (entry, rate) in fields.rates("servers") {
        match ServerId::new(&entry.key) {
            Ok(id) => drop(rates.servers.insert(id, rate)),
            Err(_) => problems.push(no_name(entry, "a server", "tickets = \"30/1m\"")),
        }
    }
    for (entry, rate) in fields.rates("tools") {
        let parts = entry.key.split_once('/').filter(|(_, tool)| !tool.is_empty());
        match parts.and_then(|(server, tool)| Some((ServerId::new(server).ok()?, tool))) {
            Some((server, tool)) => drop(rates.tools.entry(server).or_default().insert(tool.into(), rate)),
            None => problems.push(no_name(entry, "a tool", "\"tickets/create\" = \"5/1h\"")),
        }
    }
    rates
}

fn no_name(entry: &Entry, what: &str, example: &str) -> Problem {
    let problem = Problem::error(format!("`{}` names no {}", entry.key, what.trim_start_matches("a "))).at(&entry.at);
    problem.help(format!("name {what}, for example `{example}`"))
}

// === [audit] ===

fn alert(node: &Node, problems: &mut Problems) -> Option<Alert> {
    let fields = Fields::read(&ALERT, node, problems);
    let name = require(&fields, node, "an alert", "name", "\"denials\"", problems);
    let event = require(&fields, node, "an alert", "event", "\"TOOL_BLOCKED\"", problems);
    let (name, event) = (name?, event?);
    if !name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    {
        let at = fields.value_at("name").unwrap_or(&node.place);
        let problem = Problem::error(format!("an alert can't be called `{name}`")).at(at);
        problems.push(problem.help("its name is the end of an event's type: use lower-case letters, digits and `_`"));
        return None;
    }
    let count = fields.count("count");
    if count > MOST_COUNTED {
        let at = fields.value_at("count").unwrap_or(&node.place);
        let problem = Problem::error(format!("an alert can't count to {count}; {MOST_COUNTED} are the most")).at(at);
        problems.push(problem.help("count fewer in a shorter `window`"));
    }
    Some(Alert {
        name: name.into(),
        event: event.into(),
        actor: fields.text("actor").map(Arc::from),
        count,
        window: fields.duration("window").unwrap_or_default(),
    })
}

/// What the alerts of all files are together: each looks at every event, and counts under its name.
fn check_alerts(alerts: &[Alert], problems: &mut Problems) {
    if alerts.len() > MOST_ALERTS {
        let problem = Problem::error(format!("there are {} `[[audit.alerts]]`; {MOST_ALERTS} are the most", alerts.len()));
        problems
            .push(problem.help("an alert without `actor` counts for each actor by itself; leave out those that differ in nothing else"));
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = alerts.iter().find(|alert| !names.insert(&alert.name)) {
        let problem = Problem::error(format!("two alerts are called `{}`", twice.name));
        problems.push(problem.help("each counts for itself: give each a name of its own"));
    }
}

fn retention(audit: &Fields) -> Option<Retention> {
    Some(match audit.text("retention").as_deref() {
        Some("time_based") => Retention::Time(audit.age("keep")?),
        Some("size_based") => Retention::Size(u64::try_from(audit.size("size")).ok()?),
        Some("tiered") => Retention::Tiered {
            searchable: audit.age("searchable")?,
            kept: audit.age("keep")?,
        },
        _ => Retention::KeepAll,
    })
}

/// What a way to keep events needs, and what means nothing for it.
fn check_retention(audit: &Fields, problems: &mut Problems) {
    let way = audit.text("retention").unwrap_or_default();
    let needs: &[(&str, &str)] = match way.as_str() {
        "time_based" => &[("keep", "\"365d\"")],
        "size_based" => &[("size", "\"10GiB\"")],
        "tiered" => &[("searchable", "\"30d\""), ("keep", "\"365d\"")],
        _ => &[],
    };
    if let Some(at) = audit.value_at("retention") {
        for (name, example) in needs.iter().filter(|(name, _)| audit.node(name).is_none()) {
            let problem = Problem::error(format!("`retention = \"{way}\"` needs `{name}`")).at(at);
            problems.push(problem.help(format!("for example `{name} = {example}`")));
        }
    }
    for name in ["keep", "searchable", "size"] {
        let is_needed = needs.iter().any(|(needed, _)| *needed == name);
        if let (false, Some(at)) = (is_needed, audit.at(name)) {
            let problem = Problem::warning(format!("`{name}` has no effect with `retention = \"{way}\"`")).at(at);
            problems.push(problem.help("remove it, or choose another `retention`"));
        }
    }
    if let (Some(searchable), Some(kept)) = (audit.age("searchable"), audit.age("keep"))
        && way == "tiered"
        && searchable > kept
        && let Some(at) = audit.value_at("searchable")
    {
        let problem = Problem::error("`searchable` can't be longer than `keep`").at(at);
        problems.push(problem.help("what is gone can't be found"));
    }
}

/// Where several share the gateway, and nothing says who may use what: nobody may then (DESIGN 7), which should not come as a surprise.
pub(super) fn warn_of_nobody(security: &Security, gateway: &Gateway, problems: &mut Problems) {
    let tables = &security.tables;
    // What is for operators only says nothing about the others.
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
            "until something does, nobody may: set `access = \"opt-out\"` in `[policy]` to let all in, or write `[[policy.grants]]`",
        ));
    }
}
