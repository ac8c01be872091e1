//! `[gateway]`: the settings of the gateway itself.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{PrincipalId, Secret};
use policy::Origin;
use transport::http::Anonymous;

use super::choice::LogFormat;
use super::expand::{Env, ExpandError, expand};
use super::fields::Fields;
use super::node::{Entry, Node};
use super::problem::{Problem, Problems};
use super::schema::{Key, Setting, gateway as keys, limits, tls};
use super::source::Place;

/// The settings of the gateway itself.
#[derive(Clone, Debug)]
pub struct Gateway {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The certificate for HTTPS.
    pub tls: Option<Tls>,
    /// The tokens for HTTP; if empty, every client on loopback is admitted as the local user.
    pub tokens: Vec<Token>,
    /// Which clients are admitted without a token.
    pub anonymous: Anonymous,
    /// Values of `Host` beside the obvious ones.
    pub allowed_hosts: Vec<String>,
    /// Values of `Origin` beside loopback ones.
    pub allowed_origins: Vec<String>,
    /// Whether HTTP+SSE of 2024-11-05 is served too.
    pub sse: bool,
    /// Whether listening beyond loopback without a token was asked for.
    pub insecure_bind: bool,
    /// The limits of what clients may use.
    pub limits: Limits,
    /// How long the first list waits for servers never seen before (DESIGN 5).
    pub startup_wait: Duration,
    /// How long a request may take without a sign of life, where the server doesn't say.
    pub request_timeout: Duration,
    /// How long a server may take to start, where it doesn't say.
    pub startup_timeout: Duration,
    /// What is logged, as a filter of `tracing-subscriber`.
    pub log_level: String,
    /// The format of the log.
    pub log_format: LogFormat,
    /// The places of those settings that can turn out to be wrong in use.
    pub places: Places,
}

/// The places of settings in the files; `None` for what no file sets.
#[derive(Clone, Debug)]
pub struct Places {
    /// The value of `listen`.
    pub listen: Option<Place>,
    /// The value of `tls.cert`.
    pub cert: Option<Place>,
    /// The value of `tls.key`.
    pub key: Option<Place>,
}

/// A certificate and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tls {
    /// The file of the chain, PEM.
    pub cert: PathBuf,
    /// The file of the key, PEM.
    pub key: PathBuf,
}

/// A bearer token.
#[derive(Clone, Debug)]
pub struct Token {
    /// The principal of its bearer; `local` for the one of `token`.
    pub principal: String,
    /// The token.
    pub secret: Secret,
}

/// The limits of what clients may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a message.
    pub body: usize,
    /// The most levels of a message's JSON.
    pub depth: usize,
    /// The most bytes of an HTTP request's head.
    pub headers: usize,
    /// The most HTTP connections of all clients.
    pub connections: usize,
    /// The most sessions of all clients.
    pub sessions: usize,
    /// The most event streams of all clients.
    pub streams: usize,
    /// The most unanswered requests of one session.
    pub in_flight: usize,
    /// How long a connection may idle.
    pub idle: Duration,
    /// How long a session may idle.
    pub session_idle: Duration,
}

/// The three tables of one or several files, not yet made into a [`Gateway`].
#[derive(Clone, Debug)]
pub(super) struct Tables {
    gateway: Fields,
    tls: Option<Fields>,
    limits: Fields,
}

impl Tables {
    /// Returns the tables where no file sets anything.
    #[must_use]
    pub(super) fn none() -> Self {
        Self {
            gateway: Fields::none(&keys::SECTION),
            tls: None,
            limits: Fields::none(&limits::SECTION),
        }
    }

    /// Reads the tables of one file.
    pub(super) fn read(node: &Node, problems: &mut Problems) -> Self {
        let gateway = Fields::read(&keys::SECTION, node, problems);
        let tls = gateway.node(&keys::TLS).map(|node| read_tls(node, problems));
        let limits = gateway
            .node(&keys::LIMITS)
            .map(|node| Fields::read(&limits::SECTION, node, problems));
        Self {
            gateway,
            tls,
            limits: limits.unwrap_or_else(|| Fields::none(&limits::SECTION)),
        }
    }

    /// Takes from a later file the keys that are not set yet; a certificate and its key come from one file.
    pub(super) fn fill(&mut self, later: Self) {
        self.gateway.fill(later.gateway);
        self.limits.fill(later.limits);
        self.tls = self.tls.take().or(later.tls);
    }

    /// Returns the place of a token that the file itself contains; if other users can read the file, that is worth a
    /// warning.
    #[must_use]
    pub(super) fn literal_secret(&self) -> Option<&Place> {
        let tokens = self.gateway.entries(&keys::TOKENS);
        let nodes = self
            .gateway
            .node(&keys::TOKEN)
            .into_iter()
            .chain(tokens.iter().map(|entry| &entry.node));
        nodes
            .into_iter()
            .find(|node| node.text().is_some_and(super::expand::is_literal))
            .map(|node| &node.place)
    }

    /// Makes the gateway of these tables.
    pub(super) fn finish(&self, env: &Env, home: Option<&Path>, problems: &mut Problems) -> Gateway {
        let fields = &self.gateway;
        let gateway = Gateway {
            listen: fields.get(&keys::LISTEN),
            tls: self.tls.as_ref().and_then(|tls| certificate(tls, home)),
            tokens: tokens(fields, env, problems),
            anonymous: fields.get(&keys::ANONYMOUS),
            allowed_hosts: fields.get(&keys::ALLOWED_HOSTS),
            allowed_origins: fields.get(&keys::ALLOWED_ORIGINS),
            sse: fields.get(&keys::SSE),
            insecure_bind: fields.get(&keys::INSECURE_BIND),
            limits: Limits::of(&self.limits),
            startup_wait: fields.get(&keys::STARTUP_WAIT),
            request_timeout: fields.get(&keys::REQUEST_TIMEOUT),
            startup_timeout: fields.get(&keys::STARTUP_TIMEOUT),
            log_level: fields.get(&keys::LOG_LEVEL),
            log_format: fields.get(&keys::LOG_FORMAT),
            places: self.places(),
        };
        if let Some(at) = fields.value_at(&keys::LOG_LEVEL)
            && tracing_subscriber::EnvFilter::try_new(&gateway.log_level).is_err()
        {
            let problem = Problem::error(format!("`log_level` can't be `{}`", gateway.log_level)).at(at);
            problems.push(problem.help("for example `info`, `debug`, or `info,transport=debug`"));
        }
        match (gateway.check_bind(), fields.value_at(&keys::LISTEN)) {
            (Some(problem), Some(at)) => problems.push(problem.at(at)),
            (Some(problem), None) => problems.push(problem),
            (None, _) => {}
        }
        gateway
    }

    fn places(&self) -> Places {
        let of_tls = |key: &Key| self.tls.as_ref()?.value_at(key).cloned();
        Places {
            listen: self.gateway.value_at(&keys::LISTEN).cloned(),
            cert: of_tls(&tls::CERT),
            key: of_tls(&tls::KEY),
        }
    }
}

impl Gateway {
    /// Checks the files that the settings name. It is no error if only another user may read them: not every command
    /// needs them.
    pub(super) fn check_files(&self, problems: &mut Problems) {
        let Some(Tls { cert, key }) = &self.tls else { return };
        let files = [(tls::CERT.name, cert, &self.places.cert), (tls::KEY.name, key, &self.places.key)];
        for (name, path, at) in files {
            let (Err(error), Some(at)) = (open(path), at) else { continue };
            let what = format!("`{name}` names `{}`, which can't be read: {error}", path.display());
            let problem = match error.kind() {
                io::ErrorKind::PermissionDenied => Problem::warning(what),
                _ => Problem::error(what),
            };
            problems.push(problem.at(at).help("name a PEM file; a relative path is relative to this file"));
        }
    }

    /// Returns the principals that may connect without a stored token when the gateway listens at an address, and from
    /// where.
    ///
    /// `local` connects from other machines only where its token is accepted beyond loopback. With `insecure_bind`,
    /// which the operator has asked for, every client is admitted as the local user.
    #[must_use]
    pub fn principals(&self, address: IpAddr) -> Vec<(PrincipalId, Origin)> {
        let local = model::Principal::local().id;
        let origin = |name: &str| match name == local.as_str() && address.is_loopback() {
            true => Origin::Local,
            false => Origin::Remote,
        };
        let tokens = self
            .tokens
            .iter()
            .map(|token| (PrincipalId::new(&token.principal), origin(&token.principal)));
        std::iter::once((local.clone(), Origin::Local)).chain(tokens).collect()
    }

    /// Returns what is wrong with the address to listen on: clients of other machines must not be admitted by accident.
    #[must_use]
    pub fn check_bind(&self) -> Option<Problem> {
        let open = !self.listen.ip().is_loopback();
        let strangers = self.tokens.is_empty() && self.anonymous != Anonymous::Never;
        if open && strangers && !self.insecure_bind {
            let problem = Problem::error(format!("other machines can reach {}, and no token is set", self.listen));
            return Some(problem.help("set `token` (for example `token = \"${CHANCERY_TOKEN}\"`), listen on 127.0.0.1, set `anonymous = \"never\"` and give out tokens with `chancery token create`, or set `insecure_bind = true` if every client may use every tool"));
        }
        if open && self.tls.is_none() && !strangers {
            let problem = Problem::warning(format!("tokens travel unencrypted to {}", self.listen));
            return Some(problem.help("set `tls`, or put a proxy that speaks HTTPS in front and listen on 127.0.0.1"));
        }
        None
    }
}

fn read_tls(node: &Node, problems: &mut Problems) -> Fields {
    let fields = Fields::read(&tls::SECTION, node, problems);
    for key in tls::SECTION.keys.iter().filter(|key| key.required) {
        if node.get(key.name).is_none() {
            let problem = Problem::error(format!("[gateway.tls] has no `{}`", key.name)).at(&node.place);
            problems.push(problem.help("a certificate needs both `cert` and `key`, each a PEM file"));
        }
    }
    fields
}

fn certificate(fields: &Fields, home: Option<&Path>) -> Option<Tls> {
    let path = |key: &Setting<String>| {
        let base = PathBuf::from(fields.value_at(key)?.source().name());
        Some(resolve(&fields.get(key)?, base.parent(), home))
    };
    Some(Tls {
        cert: path(&tls::CERT)?,
        key: path(&tls::KEY)?,
    })
}

/// Opens a file as its reader would. A pipe is not opened: its first reader consumes its contents.
fn open(path: &Path) -> io::Result<()> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if metadata.is_file() {
        std::fs::File::open(path)?;
    }
    Ok(())
}

/// Resolves a path: `~/` is the home directory, a relative one starts at `base`.
#[must_use]
pub(super) fn resolve(text: &str, base: Option<&Path>, home: Option<&Path>) -> PathBuf {
    match (text.strip_prefix("~/"), home, base) {
        (Some(rest), Some(home), _) => home.join(rest),
        (_, _, Some(base)) => base.join(text),
        _ => PathBuf::from(text),
    }
}

fn tokens(fields: &Fields, env: &Env, problems: &mut Problems) -> Vec<Token> {
    let one = fields.node(&keys::TOKEN).map(|node| ("local", node));
    let many = fields.entries(&keys::TOKENS);
    let all = one
        .into_iter()
        .chain(many.iter().map(|Entry { key, node, .. }| (key.as_str(), node)));
    let mut tokens: Vec<Token> = Vec::new();
    for (principal, node) in all {
        let problem = match expand(node.text().unwrap_or_default(), env) {
            Ok(text) if text.is_empty() || text.contains(|c: char| !c.is_ascii_graphic()) => Problem::error(format!(
                "the token of `{principal}` is empty or holds characters that no HTTP header may hold"
            )),
            Ok(text) if tokens.iter().any(|known| known.secret.matches(&text)) => {
                Problem::error(format!("the token of `{principal}` is also another principal's"))
                    .help("give each principal a token of its own")
            }
            Ok(text) => {
                tokens.push(Token {
                    principal: principal.to_owned(),
                    secret: Secret::new(text),
                });
                continue;
            }
            Err(ExpandError::Unset(name)) => {
                Problem::error(format!("the variable `{name}` is not set")).help(format!("set `{name}`, or write `${{{name}:-default}}`"))
            }
            Err(ExpandError::Malformed(_)) => continue,
        };
        problems.push(problem.at(&node.place));
    }
    tokens
}

impl Limits {
    fn of(fields: &Fields) -> Self {
        Self {
            body: fields.get(&limits::BODY),
            depth: fields.get(&limits::DEPTH),
            headers: fields.get(&limits::HEADERS),
            connections: fields.get(&limits::CONNECTIONS),
            sessions: fields.get(&limits::SESSIONS),
            streams: fields.get(&limits::STREAMS),
            in_flight: fields.get(&limits::IN_FLIGHT),
            idle: fields.get(&limits::IDLE),
            session_idle: fields.get(&limits::SESSION_IDLE),
        }
    }
}
