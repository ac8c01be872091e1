//! Reads `[[servers]]`: from a table to a [`ServerSpec`].

use std::collections::BTreeMap;
use std::path::Path;

use http::{HeaderName, HeaderValue, Uri};
use kernel::ServerSecurity;
use kernel::spec::{Builtin, EraChoice, HttpKind, Launch, ServerSpec, Share};
use model::{Role, Secret, ServerId};
use policy::{DefaultAccess, ServerTable};

use super::choice::{Transport, word};
use super::digest::Digest;
use super::expand::{Env, expand_at, is_literal, unset};
use super::fields::{Fields, meant};
use super::gateway::{Gateway, resolve};
use super::hide;
use super::mask::names_secret;
use super::node::{Entry, Node};
use super::problem::{Problem, Problems};
use super::schema::server::{self as keys, WAYS};
use super::schema::{Key, Kind, Setting};
use super::server_security::Tables as Security;
use super::source::Place;
use crate::words::shell_word;

/// A server's table, checked, with its variables not yet replaced.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// Its id.
    pub id: ServerId,
    /// The place of the id.
    pub at: Place,
    /// Whether it is to be used.
    pub enabled: bool,
    /// Whether nothing is wrong with it; errors that follow from another would only distract.
    pub sound: bool,
    fields: Fields,
    security: Security,
}

/// Checks a server's table. Returns `None` if it has no usable id or no way to reach it.
pub(super) fn read(node: &Node, problems: &mut Problems) -> Option<Table> {
    let before = problems.errors();
    let fields = Fields::read(&keys::SECTION, node, problems);
    let security = Security::read(&fields, problems);
    if node.get(keys::ID.name).is_none() {
        let problem = Problem::error("a server has no `id`").at(&node.place).label("this one");
        problems.push(problem.help("give it a name of its own: `id = \"files\"`"));
    }
    let reachable = check_shape(node, &fields, problems);
    let id = fields.get(&keys::ID)?;
    if id.as_str() == policy::KERNEL {
        let problem = Problem::error(format!("no server can be called `{id}`")).at(fields.value_at(&keys::ID).unwrap_or(&node.place));
        problems.push(problem.help("that is what the gateway's own tools are called in grants; give the server another name"));
    }
    reachable.then(|| Table {
        id,
        at: fields.value_at(&keys::ID).unwrap_or(&node.place).clone(),
        enabled: fields.get(&keys::ENABLED),
        sound: problems.errors() == before,
        security,
        fields,
    })
}

/// Checks that the table has one way to reach the server, and no key that belongs to another way.
fn check_shape(node: &Node, fields: &Fields, problems: &mut Problems) -> bool {
    // Looked up in the file, not among the checked fields: a key of a wrong type has been reported already.
    let given = WAYS.iter().filter_map(|(way, foreign)| Some((node.get(way.name)?, *way, *foreign)));
    let given: Vec<(&Node, &Key, &[&Key])> = given.collect();
    let (way, foreign) = match given[..] {
        [(_, way, foreign)] => (way, foreign),
        [(_, one, _), (node, other, _), ..] => {
            let what = format!("a server has either a `{}` or a `{}`, not both", one.name, other.name);
            let problem = Problem::error(what).at(&node.place);
            problems.push(problem.help("make two servers of it, or remove one of the keys"));
            return false;
        }
        [] => {
            let is_way = |key: &Key| WAYS.iter().any(|(way, _)| way.name == key.name);
            let misspelt = |entry: &Entry| meant(&keys::SECTION, &entry.key).is_some_and(is_way);
            if node
                .entries()
                .iter()
                .filter(|entry| keys::SECTION.key(&entry.key).is_none())
                .any(misspelt)
            {
                return false;
            }
            let problem = Problem::error("a server has neither a `command` nor a `url`")
                .at(&node.place)
                .label("this one");
            problems.push(problem.help("say how to reach it: `command = \"npx\"` with `args`, or `url = \"https://mcp.example.com/mcp\"`"));
            return false;
        }
    };
    for key in foreign {
        if let Some(at) = fields.at(key) {
            let what = format!("`{}` means nothing for a server with a `{}`", key.name, way.name);
            problems.push(Problem::error(what).at(at).help(format!("remove it, or replace `{}`", way.name)));
        }
    }
    let transport = fields.get(&keys::TRANSPORT);
    let fits = match transport {
        Some(Transport::Stdio) => way.name != keys::URL.name,
        Some(Transport::Http | Transport::Sse) => way.name != keys::COMMAND.name,
        None => true,
    };
    if let (false, Some(transport), Some(at)) = (fits, transport, fields.value_at(&keys::TRANSPORT)) {
        let what = format!("a server with a `{}` can't speak `{}`", way.name, word(&transport));
        let problem = Problem::error(what).at(at);
        problems
            .push(problem.help("`stdio` needs a `command`, `http` and `sse` need a `url`; without `transport` the right one is chosen"));
    }
    fits
}

impl Table {
    /// Returns the place of a secret in the file itself, if there seems to be one.
    #[must_use]
    pub(super) fn literal_secret(&self) -> Option<&Place> {
        let env = self.fields.entries(&keys::ENV).iter();
        env.filter(|entry| names_secret(&entry.key))
            .chain(self.fields.entries(&keys::HEADERS))
            .find(|entry| entry.node.text().is_some_and(is_literal))
            .map(|entry| &entry.node.place)
    }

    /// Returns what the server would run or call, as written in the file: for a person who is asked whether to trust
    /// it.
    #[must_use]
    pub(super) fn summary(&self) -> String {
        if let Some(builtin) = self.fields.get(&keys::BUILTIN) {
            return format!("{}, which the gateway brings itself", builtin.name());
        }
        match self.fields.get(&keys::URL) {
            Some(url) => url.split(['?', '#']).next().unwrap_or_default().to_owned(),
            None => {
                let command = self.fields.get(&keys::COMMAND).unwrap_or_default();
                std::iter::once(command)
                    .chain(self.fields.get(&keys::ARGS))
                    .collect::<Vec<_>>()
                    .join(" ")
            }
        }
    }

    /// Returns what the server runs or calls, as written in the file, without what may be a secret: for a person who
    /// wants to try it by hand.
    #[must_use]
    pub(super) fn invocation(&self) -> String {
        if let Some(builtin) = self.fields.get(&keys::BUILTIN) {
            return format!("builtin = \"{}\"", builtin.name());
        }
        if let Some(url) = self.fields.get(&keys::URL) {
            return hide::arguments([url.as_str()]).concat();
        }
        let args = self.fields.get(&keys::ARGS);
        let args = hide::arguments(args.iter().map(String::as_str));
        let command = self.fields.get(&keys::COMMAND).unwrap_or_default();
        let words: Vec<String> = std::iter::once(&command).chain(&args).map(|word| shell_word(word)).collect();
        words.join(" ")
    }

    /// Returns the server with its variables replaced. With an unset one, the server is in error, and a warning is
    /// given.
    pub(super) fn finish(&self, gateway: &Gateway, env: &Env, home: Option<&Path>, problems: &mut Problems) -> ServerSpec {
        let launch = self.launch(env, home).map_err(|problem| {
            let reason = problem.message().to_owned();
            problems.push(*problem);
            reason
        });
        let fields = &self.fields;
        let era = match fields.node(&keys::ERA) {
            // DESIGN 2: servers declared MGP default to `legacy`.
            None if self.security.is_mgp => EraChoice::Legacy,
            _ => fields.get(&keys::ERA),
        };
        ServerSpec {
            id: self.id.clone(),
            digest: digest(&launch, era),
            launch,
            era,
            // A built-in server keeps nothing between calls.
            share: match fields.get(&keys::BUILTIN) {
                Some(_) => Share::All,
                None => fields.get(&keys::SHARE),
            },
            start: fields.get(&keys::START),
            prefix: fields.get(&keys::PREFIX),
            include: fields.get(&keys::INCLUDE),
            exclude: fields.get(&keys::EXCLUDE),
            request_timeout: fields.get(&keys::REQUEST_TIMEOUT).unwrap_or(gateway.request_timeout),
            startup_timeout: fields.get(&keys::STARTUP_TIMEOUT).unwrap_or(gateway.startup_timeout),
        }
    }

    /// Returns the server's settings for the kernel and the policy.
    pub(super) fn security(&self, env: &Env, home: Option<&Path>, problems: &mut Problems) -> (ServerSecurity, ServerTable) {
        let (mut security, mut table) = self.security.finish(env, home, problems);
        if self.fields.get(&keys::BUILTIN) == Some(Builtin::Audit) {
            // Only operators may read the record of all principals, whatever the grants say. Grants may still exclude
            // some operators.
            security.role = Role::Operator;
            table.access = table.access.or(Some(DefaultAccess::OptOut));
        }
        (security, table)
    }

    fn launch(&self, env: &Env, home: Option<&Path>) -> Result<Launch, Box<Problem>> {
        self.check_variables(env)?;
        if let Some(builtin) = self.fields.get(&keys::BUILTIN) {
            return Ok(Launch::Builtin(builtin));
        }
        if self.fields.node(&keys::URL).is_some() {
            return self.http(env);
        }
        let path = |text: &str| resolve(text, None, home);
        let command = self.expanded(&keys::COMMAND, env)?;
        if command.is_empty() || command.contains('\0') {
            return Err(self.refuse(&keys::COMMAND, "`command` is empty once its variables are replaced"));
        }
        if self.is_gateway_itself() {
            let refused = self.refuse(
                &keys::COMMAND,
                "`command` is this gateway itself, which would start itself for ever",
            );
            let help = "remove the server, or give the inner gateway a configuration of its own: `args = [\"stdio\", \"--config\", \"…\"]`";
            return Err(Box::new(refused.help(help)));
        }
        let args = self.fields.list(&keys::ARGS).iter();
        let args: Result<Vec<_>, _> = args
            .enumerate()
            .map(|(at, node)| expand_at(node, &format!("args[{at}]"), env))
            .collect();
        let cwd = match self.fields.value_at(&keys::CWD) {
            None => None,
            Some(place) => {
                let base = Path::new(place.source().name()).parent();
                Some(resolve(&self.expanded(&keys::CWD, env)?, base, home))
            }
        };
        let env = self.map(&keys::ENV, env, |name, value| {
            (name.is_empty() || name.contains(['=', '\0']) || value.contains('\0')).then_some("is no variable that a process can have")
        })?;
        Ok(Launch::Stdio {
            command: if command.starts_with("~/") {
                path(&command).to_string_lossy().into_owned()
            } else {
                command
            },
            args: args?,
            env,
            cwd,
        })
    }

    /// Refuses unset variables, all of them at once, so that a user who sets one need not try again to learn of the
    /// next.
    fn check_variables(&self, env: &Env) -> Result<(), Box<Problem>> {
        let (mut names, mut paths, mut first) = (Vec::new(), Vec::new(), None);
        for (path, node) in self.templates() {
            for name in unset(node.text().unwrap_or_default(), env) {
                let shown = format!("`{name}`");
                if !names.contains(&shown) {
                    names.push(shown);
                    paths.push(format!("`{path}`"));
                    first = first.or(Some((name, &node.place)));
                }
            }
        }
        let Some((first, at)) = first else { return Ok(()) };
        let (count, names, paths) = (names.len(), names.join(", "), paths.join(", "));
        let what = match count {
            1 => format!("the variable {names} is not set (used in {paths})"),
            _ => format!("the variables {names} are not set (used in {paths})"),
        };
        let help = format!("set {names}, or write `${{{first}:-default}}`; until then this server is in error, the others start");
        Err(Box::new(Problem::warning(what).at(at).help(help)))
    }

    /// Returns the values in which variables are replaced, each with the path of its key.
    fn templates(&self) -> Vec<(String, &Node)> {
        let mut all = Vec::new();
        for key in keys::SECTION.keys {
            let Some(node) = self.fields.node(key) else { continue };
            match key.kind {
                Kind::Template => all.push((key.name.to_owned(), node)),
                Kind::Templates => all.extend(
                    node.list()
                        .iter()
                        .enumerate()
                        .map(|(at, node)| (format!("{}[{at}]", key.name), node)),
                ),
                Kind::TemplateMap => {
                    let entries = node.entries().iter();
                    all.extend(entries.map(|entry| (format!("{}.{}", key.name, entry.key), &entry.node)));
                }
                _ => {}
            }
        }
        all
    }

    /// Returns whether the command is a gateway that would read this same configuration.
    fn is_gateway_itself(&self) -> bool {
        let args = self.fields.get(&keys::ARGS);
        let own = |arg: &String| arg.starts_with("--config") || arg.starts_with("--mcp-json");
        let elsewhere = args.iter().any(own) || self.fields.node(&keys::ENV).is_some() || self.fields.node(&keys::CWD).is_some();
        let command = self.fields.get(&keys::COMMAND).unwrap_or_default();
        !elsewhere && starts_gateway(&command, args.iter().map(String::as_str))
    }

    fn http(&self, env: &Env) -> Result<Launch, Box<Problem>> {
        let url = self.expanded(&keys::URL, env)?;
        check_url(&url).map_err(|what| self.refuse(&keys::URL, &format!("`url` {what}")))?;
        let headers = self.map(&keys::HEADERS, env, |name, value| {
            let bad = name.parse::<HeaderName>().is_err() || HeaderValue::from_str(value).is_err();
            bad.then_some("is no HTTP header: its name or its value holds a character that isn't allowed")
        })?;
        let kind = match self.fields.get(&keys::TRANSPORT) {
            Some(Transport::Sse) => HttpKind::Sse,
            Some(Transport::Http) => HttpKind::Streamable,
            Some(Transport::Stdio) | None => HttpKind::Auto,
        };
        Ok(Launch::Http { url, headers, kind })
    }

    fn map(
        &self,
        key: &Key,
        env: &Env,
        refuse: impl Fn(&str, &str) -> Option<&'static str>,
    ) -> Result<BTreeMap<String, Secret>, Box<Problem>> {
        let mut map = BTreeMap::new();
        for entry in self.fields.entries(key) {
            let path = format!("{}.{}", key.name, entry.key);
            let value = expand_at(&entry.node, &path, env)?;
            if let Some(why) = refuse(&entry.key, &value) {
                return Err(Box::new(fault(&entry.node, format!("`{path}` {why}")).at(&entry.at)));
            }
            map.insert(entry.key.clone(), Secret::new(value));
        }
        Ok(map)
    }

    fn expanded(&self, key: &Setting<String>, env: &Env) -> Result<String, Box<Problem>> {
        match self.fields.node(key) {
            Some(node) => expand_at(node, key.name, env),
            None => Ok(String::new()),
        }
    }

    fn refuse(&self, key: &Key, what: &str) -> Box<Problem> {
        let problem = self
            .fields
            .node(key)
            .map_or_else(|| Problem::error(what), |node| fault(node, what.to_owned()));
        Box::new(problem.at(self.fields.value_at(key).unwrap_or(&self.at)))
    }
}

/// Returns whether a command starts a gateway like this one.
#[must_use]
pub fn starts_gateway<'a>(command: &str, mut args: impl Iterator<Item = &'a str>) -> bool {
    let program = command.rsplit(['/', '\\']).next().unwrap_or_default();
    matches!(program, "chancery" | "chancery.exe") && args.any(|arg| matches!(arg, "stdio" | "serve"))
}

/// Returns the problem of a value that is wrong only once its variables are replaced. That is not the file's fault: the
/// server is in error, the others start.
fn fault(node: &Node, what: String) -> Problem {
    if node.text().is_some_and(is_literal) {
        Problem::error(what)
    } else {
        Problem::warning(what)
    }
}

/// Checks that a URL can be called.
///
/// # Errors
/// What is wrong with it, without repeating it: it may hold a secret.
pub fn check_url(url: &str) -> Result<(), &'static str> {
    let uri: Uri = url.parse().map_err(|_| "is no URL; for example `https://mcp.example.com/mcp`")?;
    match uri.scheme_str() {
        Some("http" | "https") => {}
        Some(_) => return Err("must start with `http://` or `https://`"),
        None => return Err("is no URL; it must start with `http://` or `https://`"),
    }
    let authority = uri.authority().ok_or("names no host")?;
    if authority.as_str().contains('@') {
        return Err("holds a user or password; put credentials into `headers`, for example `Authorization`");
    }
    if authority.host().is_empty() || authority.as_str().ends_with(':') || authority.port().is_some() && authority.port_u16().is_none() {
        return Err("names no host, or no port after its `:`");
    }
    Ok(())
}

/// Returns a digest of the settings that make a difference to what a server offers: how it is reached, and the era.
fn digest(launch: &Result<Launch, String>, era: EraChoice) -> String {
    let mut digest = Digest::new("chancery server 1").text(word(&era));
    let secrets = |mut digest: Digest, map: &BTreeMap<String, Secret>| {
        digest = digest.text(&map.len().to_string());
        for (name, value) in map {
            digest = digest.text(name).secret(value.expose());
        }
        digest
    };
    digest = match launch {
        Ok(Launch::Stdio { command, args, env, cwd }) => {
            digest = digest.text("stdio").text(command).text(&args.len().to_string());
            digest = args.iter().fold(digest, |digest, arg| digest.secret(arg));
            let cwd = cwd.as_deref().map(Path::to_string_lossy).unwrap_or_default();
            secrets(digest.text(&cwd), env)
        }
        Ok(Launch::Http { url, headers, kind }) => {
            let kind = match kind {
                HttpKind::Auto => "auto",
                HttpKind::Streamable => "http",
                HttpKind::Sse => "sse",
            };
            secrets(digest.text(kind).secret(url), headers)
        }
        Ok(Launch::Builtin(builtin)) => digest.text("builtin").text(builtin.name()).text(env!("CARGO_PKG_VERSION")),
        Err(reason) => digest.text("error").text(reason),
    };
    digest.finish()
}

/// Warns where headers, which usually contain credentials, are sent unencrypted.
pub(super) fn warn_of_cleartext(table: &Table, spec: &ServerSpec, problems: &mut Problems) {
    let Ok(Launch::Http { url, headers, .. }) = &spec.launch else {
        return;
    };
    let Ok(uri) = url.parse::<Uri>() else { return };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let near = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    if uri.scheme_str() == Some("http") && !near && !headers.is_empty() {
        let problem = Problem::warning(format!("the headers of `{}` travel unencrypted", table.id));
        problems.push(
            problem
                .at(table.fields.value_at(&keys::URL).unwrap_or(&table.at))
                .help("use `https://` if the server speaks it"),
        );
    }
}
