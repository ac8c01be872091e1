//! Which files are read, in which order, and how they become one configuration (MGP §15.2, DESIGN 14).

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kernel::spec::ServerSpec;
use model::ServerId;

use super::digest::Digest;
use super::expand::Env;
use super::fields::Fields;
use super::gateway::{Gateway, Tables};
use super::node::{Node, Value, parse_toml};
use super::places;
use super::problem::{Problem, Problems};
use super::schema::ROOT;
use super::security::{self, Store};
use super::server;
use super::source::Source;
use super::trust::{Known, Question, Trust, Trusted};
use super::watch::Watch;
use crate::import::{self, Here};

/// Everything that was configured. Never changes; a reload makes another one.
#[derive(Clone)]
pub struct Config {
    /// How the gateway behaves.
    pub gateway: Gateway,
    /// The servers to use, in the order of the files.
    pub servers: Vec<ServerSpec>,
    /// What each server runs or calls, as it stands in the file, without what may be a secret.
    pub invocations: BTreeMap<ServerId, String>,
    /// Servers with `enabled = false`.
    pub disabled: Vec<ServerId>,
    /// The files it was made of, in order.
    pub files: Vec<PathBuf>,
    /// Who may do what. Who comes in, and from where, depends on where is listened.
    pub security: kernel::Security,
    /// Where the gateway remembers.
    pub store: Store,
    /// A digest of which files it came from (not of what they say): gateways of one user with the same identity serve the same configuration.
    pub identity: String,
}

/// Servers by id and digest only: what they are started with may hold secrets.
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

/// Where configuration comes from: what the command line, the environment and the directory say. A reload reads the same sources again.
#[derive(Clone, Debug)]
pub struct Sources {
    /// The environment for lookup and `${VAR}`.
    pub env: Env,
    /// The directory whose `mgp.toml` counts.
    pub cwd: PathBuf,
    /// `--config`: this file and no other.
    pub config: Option<PathBuf>,
    /// `--mcp-json`: these files, after `--config` and instead of any lookup.
    pub mcp_json: Vec<PathBuf>,
    /// `--trust`: project files are used without asking.
    pub trust: bool,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// What somebody should know; no errors.
    pub warnings: Problems,
    /// Project files that nobody confirmed, and that were therefore not read.
    pub untrusted: Vec<PathBuf>,
    /// The files to look at for a reload, those that don't exist yet included.
    pub watch: Watch,
}

/// Why a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `--config`
    Option,
    /// `$MGP_CONFIG_PATH`
    Variable,
    /// `./mgp.toml`
    Project,
    /// `~/.config/mgp/servers.toml`
    User,
    /// `--mcp-json`
    McpJson,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Option => "--config",
            Self::Variable => "$MGP_CONFIG_PATH",
            Self::Project => "project",
            Self::User => "user",
            Self::McpJson => "--mcp-json",
        })
    }
}

impl Sources {
    /// The files that would be read, in order, whether they exist or not.
    #[must_use]
    pub fn candidates(&self) -> Vec<(Origin, PathBuf)> {
        let json = self.mcp_json.iter().map(|path| (Origin::McpJson, self.cwd.join(path)));
        if self.config.is_some() || !self.mcp_json.is_empty() {
            let config = self.config.iter().map(|path| (Origin::Option, self.cwd.join(path)));
            return config.chain(json).collect();
        }
        // MGP §15.2, as DESIGN 14 reads it: the variable stands instead of the other two.
        if let Some(path) = self.env.get_filled("MGP_CONFIG_PATH") {
            return vec![(Origin::Variable, self.cwd.join(path))];
        }
        let mut found = vec![(Origin::Project, places::project_config(&self.cwd))];
        found.extend(places::user_config(&self.env).map(|path| (Origin::User, path)));
        found.dedup_by(|a, b| a.1 == b.1);
        found
    }

    /// The identity that the configuration of these sources has, whatever its files say at present.
    #[must_use]
    pub fn identity(&self) -> String {
        let is_read = |origin: Origin, path: &Path| match origin {
            Origin::Project => {
                path.is_file() && (self.trust || std::fs::read(path).is_ok_and(|bytes| known(path, &bytes, &self.env) == Known::Yes))
            }
            Origin::User => path.is_file(),
            Origin::Option | Origin::Variable | Origin::McpJson => true,
        };
        let files = self.candidates().into_iter().filter(|(origin, path)| is_read(*origin, path));
        identity(files.map(|(_, path)| path))
    }

    /// Reads everything again. A project file that changed since somebody confirmed it is left out, and named in [`Loaded::untrusted`].
    ///
    /// # Errors
    /// As for [`load`].
    pub fn reload(&self) -> Result<Loaded, Problems> {
        load(self, Trust::Recorded)
    }
}

/// Reads, checks and merges everything.
///
/// # Errors
/// Every problem that was found, if one of them is an error.
pub fn load(sources: &Sources, trust: Trust<'_>) -> Result<Loaded, Problems> {
    let mut merge = Merge::new();
    let mut trust = if sources.trust { Trust::All } else { trust };
    let (env, cwd, home) = (&sources.env, sources.cwd.as_path(), places::home(&sources.env));
    let candidates = sources.candidates();
    let watch = Watch::new(candidates.iter().map(|(_, path)| path.clone()));
    let mut untrusted = Vec::new();
    for (origin, path) in &candidates {
        let Some(source) = read_file(*origin, path, &mut merge.problems) else {
            continue;
        };
        if *origin == Origin::McpJson {
            merge.mcp_json(
                &source,
                Here {
                    cwd,
                    home: home.as_deref(),
                    env,
                },
            );
        } else {
            let mut syntax = Problems::default();
            let node = parse(&source, &mut syntax);
            if *origin == Origin::Project && !is_trusted(path, &source, &node, env, &mut trust, &mut merge.problems) {
                // What is wrong with a file that isn't used keeps nobody from the others.
                untrusted.push(path.clone());
                continue;
            }
            merge.problems.extend(syntax);
            merge.toml(&node);
        }
        merge.files.push(path.clone());
        merge.warn_of_readers(path);
    }
    let (config, mut problems) = merge.finish(env);
    config.gateway.check_files(&mut problems);
    if problems.has_errors() {
        return Err(problems);
    }
    Ok(Loaded {
        config,
        warnings: problems,
        untrusted,
        watch,
    })
}

/// One TOML text as a whole configuration, whether or not the files that it names are there; for checks and tests.
///
/// # Errors
/// As for [`load`].
pub fn load_text(name: &str, text: &str, env: &Env) -> Result<(Config, Problems), Problems> {
    let mut merge = Merge::new();
    let source = Source::toml(name, text.to_owned());
    let node = parse(&source, &mut merge.problems);
    merge.toml(&node);
    let (config, problems) = merge.finish(env);
    if problems.has_errors() {
        Err(problems)
    } else {
        Ok((config, problems))
    }
}

/// What is wrong with the table of one server, as if nothing else were configured.
#[must_use]
pub fn check_server(table: &Node, env: &Env) -> Problems {
    let mut merge = Merge::new();
    let server = server::read(table, &mut merge.problems);
    merge.servers.extend(server);
    merge.finish(env).1
}

fn read_file(origin: Origin, path: &Path, problems: &mut Problems) -> Option<Arc<Source>> {
    /// No configuration is larger; a mistaken path to something huge isn't read whole.
    const LIMIT: u64 = 4 << 20;
    let text = match std::fs::metadata(path) {
        Ok(metadata) if metadata.len() > LIMIT => Err(format!("it is larger than {} MiB", LIMIT >> 20)),
        Ok(_) => std::fs::read(path).map_err(|error| error.to_string()).and_then(|bytes| {
            String::from_utf8(bytes).map_err(|error| format!("it is not UTF-8 (byte {})", error.utf8_error().valid_up_to()))
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && matches!(origin, Origin::Project | Origin::User) => return None,
        Err(error) => Err(error.to_string()),
    };
    let name = path.display().to_string();
    match text {
        Ok(text) if origin == Origin::McpJson => Some(Source::json(&name, text)),
        Ok(text) => Some(Source::toml(&name, text)),
        Err(why) => {
            let problem = Problem::error(format!("`{name}` ({origin}) can't be read: {why}"));
            problems.push(problem.help("check the path and its permissions"));
            None
        }
    }
}

/// The tree of a file, empty if its syntax is broken: what follows from that would only distract.
fn parse(source: &Arc<Source>, problems: &mut Problems) -> Node {
    let mut syntax = Problems::default();
    let node = parse_toml(source, &mut syntax);
    if syntax.is_empty() {
        return node;
    }
    problems.extend(syntax);
    Node::new(node.place, Value::Table(Vec::new()))
}

fn is_trusted(path: &Path, source: &Source, node: &Node, env: &Env, trust: &mut Trust<'_>, problems: &mut Problems) -> bool {
    let state = places::state_dir(env).map(|dir| Trusted::in_dir(&dir));
    let bytes = source.text().as_bytes();
    let path = &whole(path);
    let known = known(path, bytes, env);
    if known == Known::Yes {
        return true;
    }
    let refused = match trust {
        Trust::All => return true,
        Trust::Recorded => true,
        Trust::Ask(ask) => !ask(&question(path, known, node)),
    };
    if refused {
        let why = if known == Known::Changed {
            "has changed since you trusted it"
        } else {
            "is not trusted yet"
        };
        let problem = Problem::warning(format!(
            "`{}` is left out: it {why}, and a project's file can start any program",
            source.name()
        ));
        problems
            .push(problem.help("look at it, then run `chancery config trust` in that directory, or pass `--trust` to use it this once"));
        return false;
    }
    match state.map(|state| state.confirm(path, bytes)) {
        Some(Ok(())) => {}
        Some(Err(error)) => problems.push(Problem::warning(format!("the answer can't be remembered: {error}"))),
        None => problems.push(Problem::warning("the answer can't be remembered: no home directory is known")),
    }
    true
}

/// Whether a person has confirmed these bytes of a file.
fn known(path: &Path, bytes: &[u8], env: &Env) -> Known {
    let state = places::state_dir(env).map(|dir| Trusted::in_dir(&dir));
    state.map_or(Known::No, |state| state.knows(&whole(path), bytes))
}

fn whole(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// A digest of which files a configuration came from.
fn identity(files: impl Iterator<Item = PathBuf>) -> String {
    let digest = files.fold(Digest::new("chancery configuration 1"), |digest, path| {
        digest.text(&whole(&path).to_string_lossy())
    });
    digest.finish()
}

/// What a person should see of a file before trusting it.
#[must_use]
pub fn question(path: &Path, known: Known, node: &Node) -> Question {
    let tables = node.get("servers").map(Node::list).unwrap_or_default();
    // What is wrong with them is reported once they are trusted.
    let servers = tables.iter().filter_map(|table| server::read(table, &mut Problems::default()));
    let servers = servers.map(|server| (server.id.to_string(), server.summary()));
    let rules = [
        ("policy", "says who may do what"),
        ("audit", "says what is kept"),
        ("store", "says where"),
    ];
    let rules = rules.iter().filter(|(name, _)| node.get(name).is_some());
    Question {
        path: path.to_path_buf(),
        changed: known == Known::Changed,
        servers: servers
            .chain(rules.map(|(name, what)| (format!("[{name}]"), (*what).to_owned())))
            .collect(),
    }
}

/// Files on their way to a configuration.
struct Merge {
    gateway: Tables,
    security: security::Tables,
    servers: Vec<server::Table>,
    files: Vec<PathBuf>,
    problems: Problems,
}

impl Merge {
    fn new() -> Self {
        Self {
            gateway: Tables::none(),
            security: security::Tables::none(),
            servers: Vec::new(),
            files: Vec::new(),
            problems: Problems::default(),
        }
    }

    fn toml(&mut self, node: &Node) {
        let root = Fields::read(&ROOT, node, &mut self.problems);
        if let Some(gateway) = root.node("gateway") {
            let tables = Tables::read(gateway, &mut self.problems);
            self.gateway.fill(tables);
        }
        let security = security::Tables::read(&root, &mut self.problems);
        self.security.fill(security);
        if let Some(servers) = root.node("servers") {
            if !matches!(servers.value, Value::List(_)) {
                let problem = Problem::error(format!("`servers` must be a list of tables, not {}", servers.kind())).at(&servers.place);
                self.problems
                    .push(problem.help("write `[[servers]]` with two brackets, once for each server"));
            }
            let tables: Vec<_> = servers
                .list()
                .iter()
                .filter_map(|table| server::read(table, &mut self.problems))
                .collect();
            self.add(tables);
        }
    }

    fn mcp_json(&mut self, source: &Arc<Source>, here: Here<'_>) {
        let imported = import::read_json(source, here, &mut self.problems);
        let mut tables = Vec::new();
        for server in &imported {
            self.problems
                .extend(server.notes.iter().map(|note| Problem::warning(note.text.clone()).at(&note.at)));
            tables.extend(server::read(&server.table, &mut self.problems));
        }
        self.add(tables);
    }

    /// Adds the servers of one file: two of one id in a file are an error, an id of an earlier file wins (DESIGN 14).
    fn add(&mut self, tables: Vec<server::Table>) {
        let mut here: BTreeMap<ServerId, super::source::Place> = BTreeMap::new();
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

    /// A file with secrets that everybody on the machine can read.
    fn warn_of_readers(&mut self, path: &Path) {
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
            let problem = Problem::warning("everybody on this machine can read this file, and a secret seems to stand in it").at(&place);
            self.problems.push(problem.help(format!(
                "run `chmod 600 {name}`, or put the secret into a variable and write `${{NAME}}`"
            )));
        }
    }

    fn finish(mut self, env: &Env) -> (Config, Problems) {
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
