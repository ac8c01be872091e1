//! The values of one table, checked against the schema: everything that is wrong is reported at once, what is left can be read without errors.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use model::{Permission, ServerId, Timestamp};
use policy::Rate;
use validators::arguments::Validator;

use super::expand;
use super::node::{Entry, Node, Value};
use super::problem::{Problem, Problems};
use super::quantity;
use super::schema::{Key, Kind, SECTIONS, Section};
use super::source::Place;

/// The keys of one table that are known and hold what they must.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    section: &'static Section,
    found: BTreeMap<&'static str, Found>,
}

#[derive(Clone, Debug)]
struct Found {
    at: Place,
    node: Node,
}

impl Fields {
    /// No keys: every value is the default.
    #[must_use]
    pub(super) fn none(section: &'static Section) -> Self {
        Self {
            section,
            found: BTreeMap::new(),
        }
    }

    /// Checks a table against its section.
    pub(super) fn read(section: &'static Section, node: &Node, problems: &mut Problems) -> Self {
        let mut fields = Self::none(section);
        if !matches!(node.value, Value::Table(_)) {
            let problem = Problem::error(format!("{} must be a table, not {}", section.header(), node.kind()));
            problems.push(
                problem
                    .at(&node.place)
                    .help(format!("write `{}` on a line of its own, and its keys below", section.header())),
            );
            return fields;
        }
        for entry in node.entries() {
            let Some(key) = section.key(&entry.key) else {
                problems.push(unknown(section, entry));
                continue;
            };
            match check(key, &entry.node) {
                Ok(()) => {
                    let found = Found {
                        at: entry.at.clone(),
                        node: entry.node.clone(),
                    };
                    fields.found.insert(key.name, found);
                }
                Err(problem) => problems.push(problem),
            }
        }
        fields
    }

    /// Takes the keys of `later` that are not set yet (DESIGN 14: the first file wins).
    pub(super) fn fill(&mut self, later: Self) {
        for (name, found) in later.found {
            self.found.entry(name).or_insert(found);
        }
    }

    /// All but some keys.
    #[must_use]
    pub(super) fn without(mut self, names: &[&str]) -> Self {
        self.found.retain(|name, _| !names.contains(name));
        self
    }

    /// Where a key stands.
    #[must_use]
    pub(super) fn at(&self, name: &str) -> Option<&Place> {
        self.found.get(name).map(|found| &found.at)
    }

    /// Where the value of a key stands.
    #[must_use]
    pub(super) fn value_at(&self, name: &str) -> Option<&Place> {
        self.found.get(name).map(|found| &found.node.place)
    }

    /// The value of a key as it was written.
    #[must_use]
    pub(super) fn node(&self, name: &str) -> Option<&Node> {
        debug_assert!(
            self.section.key(name).is_some(),
            "the schema of {} has no `{name}`",
            self.section.header()
        );
        self.found.get(name).map(|found| &found.node)
    }

    /// A string that was given, or its default.
    #[must_use]
    pub(super) fn text(&self, name: &str) -> Option<String> {
        match self.node(name) {
            Some(node) => node.text().map(str::to_owned),
            None => self.default(name).map(|text| text.trim_matches('"').to_owned()),
        }
    }

    /// A boolean.
    #[must_use]
    pub(super) fn flag(&self, name: &str) -> bool {
        match self.node(name) {
            Some(node) => node.flag() == Some(true),
            None => self.default(name) == Some("true"),
        }
    }

    /// A duration that was given, or its default.
    #[must_use]
    pub(super) fn duration(&self, name: &str) -> Option<Duration> {
        quantity::duration(&self.text(name)?).ok()
    }

    /// How long something is kept.
    #[must_use]
    pub(super) fn age(&self, name: &str) -> Option<Duration> {
        quantity::age(&self.text(name)?).ok()
    }

    /// An instant.
    #[must_use]
    pub(super) fn instant(&self, name: &str) -> Option<Timestamp> {
        match &self.node(name)?.value {
            Value::Text(text) | Value::Date(text) => mgp::time::parse(text),
            _ => None,
        }
    }

    /// A rate.
    #[must_use]
    pub(super) fn rate(&self, name: &str) -> Option<Rate> {
        quantity::rate(self.node(name)?.text()?).ok()
    }

    /// Rates by what they are of, and where that stands.
    pub(super) fn rates(&self, name: &str) -> impl Iterator<Item = (&Entry, Rate)> {
        let entries = self.node(name).map(Node::entries).unwrap_or_default();
        entries
            .iter()
            .filter_map(|entry| Some((entry, quantity::rate(entry.node.text()?).ok()?)))
    }

    /// Permissions, by their canonical names.
    #[must_use]
    pub(super) fn permissions(&self, name: &str) -> Vec<Permission> {
        let said = self.texts(name).into_iter().filter_map(|name| mgp::permission::read(&name).ok());
        said.flat_map(|said| said.permissions).collect()
    }

    /// Validators, where they were given.
    #[must_use]
    pub(super) fn validators(&self, name: &str) -> Option<Vec<Validator>> {
        self.node(name)?;
        Some(self.texts(name).iter().filter_map(|name| Validator::parse(name).ok()).collect())
    }

    /// One of the words of a choice, as what it stands for.
    #[must_use]
    pub(super) fn word<T: Copy>(&self, name: &str, meanings: &[(&str, T)]) -> Option<T> {
        let given = self.text(name)?;
        meanings.iter().find(|(word, _)| *word == given).map(|(_, meaning)| *meaning)
    }

    /// A size in bytes, or its default.
    #[must_use]
    pub(super) fn size(&self, name: &str) -> usize {
        let bytes = match self.node(name).map(|node| &node.value) {
            Some(Value::Int(bytes)) => u64::try_from(*bytes).ok(),
            _ => self.text(name).and_then(|text| quantity::size(&text).ok()),
        };
        bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX)
    }

    /// A count, or its default.
    #[must_use]
    pub(super) fn count(&self, name: &str) -> usize {
        let given = self.node(name).and_then(Node::int);
        let count = given.or_else(|| self.default(name)?.parse().ok());
        count.and_then(|count| usize::try_from(count).ok()).unwrap_or(1)
    }

    /// A list of strings; empty if it wasn't given.
    #[must_use]
    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let list = self.node(name).map(Node::list).unwrap_or_default();
        list.iter().filter_map(Node::text).map(str::to_owned).collect()
    }

    fn default(&self, name: &str) -> Option<&'static str> {
        self.section.key(name)?.default
    }
}

/// Whether a value is what its key must hold.
fn check(key: &Key, node: &Node) -> Result<(), Problem> {
    let wrong = |what: &str| {
        let problem = Problem::error(format!("`{}` must be {what}, not {}", key.name, node.kind()));
        problem
            .at(&node.place)
            .help(format!("for example `{} = {}`", key.name, key.example))
    };
    match key.kind {
        Kind::Flag => node.flag().map(drop).ok_or_else(|| wrong("`true` or `false`")),
        Kind::Count => match node.int() {
            Some(count) if (1..=1_000_000_000).contains(&count) => Ok(()),
            Some(_) => Err(Problem::error(format!("`{}` must be at least 1", key.name)).at(&node.place)),
            None => Err(wrong("a whole number")),
        },
        Kind::Size => match node.value {
            Value::Int(bytes) if bytes > 0 => Ok(()),
            Value::Text(_) => text(key, node, quantity::size),
            _ => Err(wrong("a size")),
        },
        Kind::Duration if node.int().is_some() => {
            let problem = Problem::error(format!("`{}` needs a unit", key.name)).at(&node.place);
            Err(problem.help(format!(
                "write `{} = \"{}s\"` for seconds, or `ms`, `m`, `h`",
                key.name,
                node.int().unwrap_or(30)
            )))
        }
        Kind::Duration if node.text().is_none() => Err(wrong("a duration")),
        Kind::Duration => text(key, node, quantity::duration),
        Kind::Age if node.text().is_none() => Err(wrong("a duration")),
        Kind::Age => text(key, node, quantity::age),
        Kind::Rate if node.text().is_none() => Err(wrong("a rate")),
        Kind::Rate => text(key, node, quantity::rate),
        Kind::Rates => rates(key, node),
        Kind::Instant => instant(key, node),
        Kind::Text | Kind::Template | Kind::Choice(_) | Kind::Address | Kind::Id if node.text().is_none() => Err(wrong("a string")),
        Kind::Text => text(key, node, |text| if text.is_empty() { Err("it is empty") } else { Ok(()) }),
        Kind::Template => template(key.name, node),
        Kind::Choice(words) => choice(key, node, words),
        Kind::Address => text(key, node, address),
        Kind::Id => text(key, node, |id| {
            ServerId::new(id).map_err(|_| "an id has 1 to 64 letters, digits, `-`, `_` or `.`, and no `__`")
        }),
        Kind::Texts | Kind::Templates | Kind::Patterns | Kind::Permissions | Kind::Validators => list(key, node),
        Kind::TemplateMap => map(key, node),
        // Read by the sections themselves.
        Kind::Table(_) | Kind::Tables(_) | Kind::TableMap(_) => Ok(()),
    }
}

fn text<T, E: std::fmt::Display>(key: &Key, node: &Node, parse: impl Fn(&str) -> Result<T, E>) -> Result<(), Problem> {
    let value = node.text().unwrap_or_default();
    parse(value).map(drop).map_err(|error| {
        let shown = if key.secret { String::new() } else { format!(" `{value}`") };
        let problem = Problem::error(format!("`{}` can't be{shown}: {error}", key.name)).at(&node.place);
        problem.help(format!("for example `{} = {}`", key.name, key.example))
    })
}

/// An address to listen on; `localhost` is the IPv4 loopback.
pub fn address(text: &str) -> Result<SocketAddr, &'static str> {
    let numeric = text
        .strip_prefix("localhost:")
        .map_or_else(|| text.to_owned(), |port| format!("127.0.0.1:{port}"));
    numeric.parse().map_err(|_| "it is not an IP address and a port")
}

fn choice(key: &Key, node: &Node, words: &[&str]) -> Result<(), Problem> {
    let word = node.text().unwrap_or_default();
    if words.contains(&word) {
        return Ok(());
    }
    let all = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let problem = Problem::error(format!("`{}` can't be `{word}`", key.name)).at(&node.place);
    Err(match nearest(word, words.iter().copied()) {
        Some(near) => problem.help(format!("did you mean `{near}`? It can be {all}")),
        None => problem.help(format!("it can be {all}")),
    })
}

fn template(name: &str, node: &Node) -> Result<(), Problem> {
    expand::pieces(node.text().unwrap_or_default())
        .map(drop)
        .map_err(|error| Problem::error(format!("`{name}` is malformed: {error}")).at(&node.place))
}

fn list(key: &Key, node: &Node) -> Result<(), Problem> {
    let example = || format!("for example `{} = {}`", key.name, key.example);
    if !matches!(node.value, Value::List(_)) {
        let problem = Problem::error(format!("`{}` must be a list of strings, not {}", key.name, node.kind()));
        return Err(problem.at(&node.place).help(example()));
    }
    for item in node.list() {
        let Some(text) = item.text() else {
            let problem = Problem::error(format!("`{}` must hold strings only, not {}", key.name, item.kind()));
            return Err(problem.at(&item.place).help(example()));
        };
        match key.kind {
            Kind::Templates => template(key.name, item)?,
            Kind::Permissions => {
                let wrong = |error| {
                    Problem::error(format!("`{}` can't hold that: {error}", key.name))
                        .at(&item.place)
                        .help(example())
                };
                mgp::permission::read(text).map_err(wrong)?;
            }
            Kind::Validators => {
                Validator::parse(text).map_err(|_| no_validator(key, text, item))?;
            }
            Kind::Patterns if text.is_empty() || text.trim_end_matches('*').contains('*') || text.ends_with("**") => {
                let problem = Problem::error(format!("`{}` holds `{text}`, which is no name", key.name)).at(&item.place);
                return Err(problem.help("write a tool's own name; one `*` may stand at its end"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn no_validator(key: &Key, name: &str, item: &Node) -> Problem {
    const NAMES: [&str; 10] = [
        "sandbox",
        "sandbox:strict",
        "sandbox:pipeline",
        "readonly",
        "network_restricted",
        "code_safety",
        "code_safety:standard",
        "code_safety:strict",
        "code_safety:readonly",
        "none",
    ];
    let problem = Problem::error(format!("`{}` holds `{name}`, which is no validator", key.name)).at(&item.place);
    let all = NAMES.map(|name| format!("`{name}`")).join(", ");
    match nearest(name, NAMES.into_iter()) {
        Some(near) => problem.help(format!("did you mean `{near}`? There are {all}")),
        None => problem.help(format!("there are {all}")),
    }
}

/// An RFC 3339 instant: as a string, or as TOML writes one.
fn instant(key: &Key, node: &Node) -> Result<(), Problem> {
    let (Value::Text(text) | Value::Date(text)) = &node.value else {
        let problem = Problem::error(format!("`{}` must be an instant, not {}", key.name, node.kind())).at(&node.place);
        return Err(problem.help(format!("for example `{} = {}`", key.name, key.example)));
    };
    match mgp::time::parse(text) {
        Some(_) => Ok(()),
        None => {
            let problem = Problem::error(format!("`{}` can't be `{text}`: it is no instant with an offset", key.name)).at(&node.place);
            Err(problem.help(format!("write date, time and offset, for example `{} = {}`", key.name, key.example)))
        }
    }
}

fn rates(key: &Key, node: &Node) -> Result<(), Problem> {
    let example = || format!("for example `{} = {}`", key.name, key.example);
    if !matches!(node.value, Value::Table(_)) {
        let problem = Problem::error(format!("`{}` must be a table of rates, not {}", key.name, node.kind()));
        return Err(problem.at(&node.place).help(example()));
    }
    for entry in node.entries() {
        let name = format!("{}.{}", key.name, entry.key);
        let parsed = entry.node.text().ok_or_else(|| format!("it is {}", entry.node.kind()));
        if let Err(why) = parsed.and_then(quantity::rate) {
            return Err(Problem::error(format!("`{name}` is no rate: {why}"))
                .at(&entry.node.place)
                .help(example()));
        }
    }
    Ok(())
}

fn map(key: &Key, node: &Node) -> Result<(), Problem> {
    if !matches!(node.value, Value::Table(_)) {
        let problem = Problem::error(format!("`{}` must be a table of strings, not {}", key.name, node.kind()));
        return Err(problem
            .at(&node.place)
            .help(format!("for example `{} = {}`", key.name, key.example)));
    }
    for entry in node.entries() {
        let name = format!("{}.{}", key.name, entry.key);
        if entry.node.text().is_none() {
            let problem = Problem::error(format!("`{name}` must be a string, not {}", entry.node.kind()));
            return Err(problem.at(&entry.node.place).help("put it in quotes"));
        }
        template(&name, &entry.node)?;
    }
    Ok(())
}

/// The key that was probably meant by one that isn't known: by its name elsewhere, or by a typing error.
pub(super) fn meant(section: &Section, name: &str) -> Option<&'static Key> {
    let alias = section.keys.iter().find(|key| key.also.contains(&name));
    alias.or_else(|| section.key(nearest(name, section.keys.iter().map(|key| key.name))?))
}

/// An unknown key, with the one that was probably meant.
fn unknown(section: &Section, entry: &Entry) -> Problem {
    let problem = Problem::error(format!("unknown key `{}` in {}", entry.key, section.header()))
        .at(&entry.at)
        .label("not a key of this table");
    if let Some(key) = meant(section, &entry.key) {
        return match (key.also.contains(&entry.key.as_str()), key.example) {
            (false, _) => problem.help(format!("did you mean `{}`?", key.name)),
            (true, "") => problem.help(format!("it is called `{}` here", key.name)),
            (true, example) => problem.help(format!("it is called `{}` here: `{} = {example}`", key.name, key.name)),
        };
    }
    if let Some(other) = SECTIONS.iter().find(|other| other.key(&entry.key).is_some()) {
        return problem.help(format!("`{}` belongs in {}", entry.key, other.header()));
    }
    let names: Vec<_> = section.keys.iter().map(|key| format!("`{}`", key.name)).collect();
    problem.help(format!("its keys are {}", names.join(", ")))
}

/// The word that is at most a few edits away.
pub fn nearest<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).clamp(1, 3);
    let word = word.to_ascii_lowercase().replace('-', "_");
    words
        .map(|known| (strsim::damerau_levenshtein(&word, &known.replace('-', "_")), known))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, known)| known)
}
