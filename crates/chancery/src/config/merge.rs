//! Merges the files into one configuration.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use kernel::spec::ServerSpec;
use model::ServerId;

use super::expand::Env;
use super::fields::Fields;
use super::gateway::{Gateway, Tables};
use super::node::{Node, Value, toml_or_empty};
use super::places;
use super::problem::{Problem, Problems};
use super::schema::root;
use super::security::{self, Store};
use super::server;
use super::source::{Place, Source};
use super::sources::identity;

/// The whole configuration. It never changes; a reload makes another one.
#[derive(Clone)]
pub struct Config {
    /// The settings of the gateway itself.
    pub gateway: Gateway,
    /// The servers to use, in the order of the files.
    pub servers: Vec<ServerSpec>,
    /// The program or address of each server, as written in the file, without what may be a secret.
    pub invocations: BTreeMap<ServerId, String>,
    /// Servers with `enabled = false`.
    pub disabled: Vec<ServerId>,
    /// The files that it was made of, in order.
    pub files: Vec<PathBuf>,
    /// The rules of who may do what. Which principals connect, and from where, depends on the address.
    pub security: kernel::Security,
    /// The store's settings.
    pub store: Store,
    /// A digest of the files' names (not of their contents): gateways of one user with the same identity serve the same
    /// configuration.
    pub identity: String,
}

/// Shows servers by id and digest only: their arguments may contain secrets.
impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers: BTreeMap<_, _> = self.servers.iter().map(|server| (&server.id, &server.digest)).collect();
        f.debug_struct("Config")
            .field("gateway", &self.gateway)
            .field("servers", &servers)
            .field("disabled", &self.disabled)
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

/// Loads one TOML text as a whole configuration, whether or not the files that it names exist; for checks and tests.
///
/// # Errors
/// Every problem that was found, if one of them is an error.
pub fn load_text(name: &str, text: &str, env: &Env) -> Result<(Config, Problems), Problems> {
    let mut merge = Merge::new();
    let source = Source::toml(name, text.to_owned());
    let node = toml_or_empty(&source, &mut merge.problems);
    merge.toml(&node);
    let (config, problems) = merge.finish(env);
    if problems.has_errors() {
        Err(problems)
    } else {
        Ok((config, problems))
    }
}

/// Returns what is wrong with the table of one server, as if nothing else were configured.
#[must_use]
pub fn check_server(table: &Node, env: &Env) -> Problems {
    let mut merge = Merge::new();
    let server = server::read(table, &mut merge.problems);
    merge.servers.extend(server);
    merge.finish(env).1
}

/// The files that are being merged.
pub(super) struct Merge {
    gateway: Tables,
    security: security::Tables,
    servers: Vec<server::Table>,
    /// The files that were read.
    pub(super) files: Vec<PathBuf>,
    /// The problems that were found in them.
    pub(super) problems: Problems,
}

impl Merge {
    /// Starts without files.
    pub(super) fn new() -> Self {
        Self {
            gateway: Tables::none(),
            security: security::Tables::none(),
            servers: Vec::new(),
            files: Vec::new(),
            problems: Problems::default(),
        }
    }

    /// Adds a TOML file.
    pub(super) fn toml(&mut self, node: &Node) {
        let fields = Fields::read(&root::SECTION, node, &mut self.problems);
        if let Some(gateway) = fields.node(&root::GATEWAY) {
            let tables = Tables::read(gateway, &mut self.problems);
            self.gateway.fill(tables);
        }
        let security = security::Tables::read(&fields, &mut self.problems);
        self.security.fill(security);
        if let Some(servers) = fields.node(&root::SERVERS) {
            if !matches!(servers.value, Value::List(_)) {
                let problem = Problem::error(format!("`servers` must be a list of tables, not {}", servers.kind())).at(&servers.place);
                self.problems
                    .push(problem.help("write `[[servers]]` with two brackets, once for each server"));
            }
            self.servers(servers.list());
        }
    }

    /// Adds the servers' tables of one file.
    pub(super) fn servers<'a>(&mut self, nodes: impl IntoIterator<Item = &'a Node>) {
        let nodes = nodes.into_iter();
        let tables: Vec<_> = nodes.filter_map(|table| server::read(table, &mut self.problems)).collect();
        self.add(tables);
    }

    /// Adds the servers of one file: two servers with one id in a file are an error; an id of an earlier file wins
    /// (DESIGN 14).
    fn add(&mut self, tables: Vec<server::Table>) {
        let mut here: BTreeMap<ServerId, Place> = BTreeMap::new();
        for table in tables {
            if let Some(first) = here.get(&table.id) {
                let problem = Problem::error(format!("two servers are called `{}`", table.id))
                    .at(&table.at)
                    .label("this is the second");
                self.problems.push(problem.help(format!(
                    "the first stands in line {}; give each an id of its own",
                    first.line_column().0
                )));
                continue;
            }
            here.insert(table.id.clone(), table.at.clone());
            if !self.servers.iter().any(|known| known.id == table.id) {
                self.servers.push(table);
            }
        }
    }

    /// Warns of a file with secrets that every user of the machine can read.
    pub(super) fn warn_of_readers(&mut self, path: &Path) {
        if !readable_by_all(path) {
            return;
        }
        let name = path.display().to_string();
        let servers = self.servers.iter().filter_map(server::Table::literal_secret);
        let secret = self
            .gateway
            .literal_secret()
            .into_iter()
            .chain(servers)
            .find(|place| place.source().name() == name)
            .cloned();
        if let Some(place) = secret {
            let problem = Problem::warning("every user of this machine can read this file, and a secret seems to stand in it").at(&place);
            self.problems.push(problem.help(format!(
                "run `chmod 600 {name}`, or put the secret into a variable and write `${{NAME}}`"
            )));
        }
    }

    /// Returns the configuration, and everything that is wrong with it.
    pub(super) fn finish(mut self, env: &Env) -> (Config, Problems) {
        let home = places::home(env);
        let gateway = self.gateway.finish(env, home.as_deref(), &mut self.problems);
        let known: Vec<&ServerId> = self.servers.iter().map(|table| &table.id).collect();
        let mut security = self.security.security(&known, &mut self.problems);
        let store = self.security.store(env, home.as_deref(), &mut self.problems);
        let (mut servers, mut disabled, mut invocations) = (Vec::new(), Vec::new(), BTreeMap::new());
        for table in &self.servers {
            if !table.enabled {
                disabled.push(table.id.clone());
                continue;
            }
            if !table.sound {
                continue;
            }
            let spec = table.finish(&gateway, env, home.as_deref(), &mut self.problems);
            server::warn_of_cleartext(table, &spec, &mut self.problems);
            let (said, rules) = table.security(env, home.as_deref(), &mut self.problems);
            security.servers.insert(table.id.clone(), said);
            security.tables.servers.insert(table.id.clone(), rules);
            servers.push(spec);
            invocations.insert(table.id.clone(), table.invocation());
        }
        security::warn_of_nobody(&security, &gateway, &mut self.problems);
        let config = Config {
            gateway,
            security,
            store,
            servers,
            invocations,
            disabled,
            identity: identity(self.files.iter().cloned()),
            files: self.files,
        };
        (config, self.problems)
    }
}

#[cfg(unix)]
fn readable_by_all(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.mode() & 0o004 != 0)
}

#[cfg(not(unix))]
fn readable_by_all(_path: &Path) -> bool {
    false
}
