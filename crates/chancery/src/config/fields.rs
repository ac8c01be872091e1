//! Checks the values of one table against the schema: everything that is wrong is reported at once, and the rest can be
//! read without errors.

use std::collections::BTreeMap;

use model::ServerId;
use policy::Rate;
use validators::arguments::Validator;

use super::expand;
use super::node::{Entry, Node, Value};
use super::problem::{Problem, Problems};
use super::quantity;
use super::schema::{Key, Kind, Section, Setting, Typed, sections};
use super::source::Place;

/// The keys of one table that are known and have valid values.
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
    /// Returns the fields of an empty table: every value is the default.
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

    /// Removes some keys.
    #[must_use]
    pub(super) fn without(mut self, keys: &[&Key]) -> Self {
        self.found.retain(|name, _| !keys.iter().any(|key| key.name == *name));
        self
    }

    /// Returns the place of a key.
    #[must_use]
    pub(super) fn at(&self, key: &Key) -> Option<&Place> {
        self.found(key).map(|found| &found.at)
    }

    /// Returns the place of a key's value.
    #[must_use]
    pub(super) fn value_at(&self, key: &Key) -> Option<&Place> {
        self.node(key).map(|node| &node.place)
    }

    /// Returns the value of a key as it was written.
    #[must_use]
    pub(super) fn node(&self, key: &Key) -> Option<&Node> {
        self.found(key).map(|found| &found.node)
    }

    /// Returns the value of a key as its type; its default where it has one and is not set.
    #[must_use]
    pub(super) fn get<T: Typed>(&self, key: &T) -> T::Value {
        key.read(self.node(key).map(|node| &node.value))
    }

    /// Returns the elements of a list with their places; none if it is not set.
    #[must_use]
    pub(super) fn list(&self, key: &Key) -> &[Node] {
        self.node(key).map(Node::list).unwrap_or_default()
    }

    /// Returns the entries of a table with their places; none if it is not set.
    #[must_use]
    pub(super) fn entries(&self, key: &Key) -> &[Entry] {
        self.node(key).map(Node::entries).unwrap_or_default()
    }

    /// Returns the rates of a table, each with its entry.
    pub(super) fn rates(&self, key: &Key) -> impl Iterator<Item = (&Entry, Rate)> {
        let entries = self.entries(key).iter();
        entries.filter_map(|entry| Some((entry, quantity::rate(entry.node.text()?).ok()?)))
    }

    /// Returns the value of a required key, which is reported where it is missing; `table` names what lacks the key.
    pub(super) fn require<T>(&self, key: &Setting<T>, node: &Node, table: &str, problems: &mut Problems) -> Option<T> {
        if node.get(key.name).is_none() {
            let problem = Problem::error(format!("{table} has no `{}`", key.name))
                .at(&node.place)
                .label("this one");
            problems.push(problem.help(key.for_example()));
        }
        self.get(key)
    }

    fn found(&self, key: &Key) -> Option<&Found> {
        debug_assert!(
            self.section.keys.iter().any(|known| std::ptr::eq(*known, key)),
            "`{}` is no key of {}",
            key.name,
            self.section.header()
        );
        self.found.get(key.name)
    }
}

/// Checks that a value is what its key must hold.
fn check(key: &Key, node: &Node) -> Result<(), Problem> {
    let wrong = |what: &str| {
        let problem = Problem::error(format!("`{}` must be {what}, not {}", key.name, node.kind()));
        problem.at(&node.place).help(key.for_example())
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
        Kind::Choice(words) => choice(key, node, &words()),
        Kind::Address => text(key, node, quantity::address),
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
        problem.help(key.for_example())
    })
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
    if !matches!(node.value, Value::List(_)) {
        let problem = Problem::error(format!("`{}` must be a list of strings, not {}", key.name, node.kind()));
        return Err(problem.at(&node.place).help(key.for_example()));
    }
    for item in node.list() {
        let Some(text) = item.text() else {
            let problem = Problem::error(format!("`{}` must hold strings only, not {}", key.name, item.kind()));
            return Err(problem.at(&item.place).help(key.for_example()));
        };
        match key.kind {
            Kind::Templates => template(key.name, item)?,
            Kind::Permissions => {
                let wrong = |error| {
                    Problem::error(format!("`{}` can't hold that: {error}", key.name))
                        .at(&item.place)
                        .help(key.for_example())
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

/// Checks an RFC 3339 instant: a string, or a date-time of TOML.
fn instant(key: &Key, node: &Node) -> Result<(), Problem> {
    let (Value::Text(text) | Value::Date(text)) = &node.value else {
        let problem = Problem::error(format!("`{}` must be an instant, not {}", key.name, node.kind())).at(&node.place);
        return Err(problem.help(key.for_example()));
    };
    match mgp::time::parse(text) {
        Some(_) => Ok(()),
        None => {
            let problem = Problem::error(format!("`{}` can't be `{text}`: it is no instant with an offset", key.name)).at(&node.place);
            Err(problem.help(format!("write date, time and offset, {}", key.for_example())))
        }
    }
}

fn rates(key: &Key, node: &Node) -> Result<(), Problem> {
    if !matches!(node.value, Value::Table(_)) {
        let problem = Problem::error(format!("`{}` must be a table of rates, not {}", key.name, node.kind()));
        return Err(problem.at(&node.place).help(key.for_example()));
    }
    for entry in node.entries() {
        let name = format!("{}.{}", key.name, entry.key);
        let parsed = entry.node.text().ok_or_else(|| format!("it is {}", entry.node.kind()));
        if let Err(why) = parsed.and_then(quantity::rate) {
            return Err(Problem::error(format!("`{name}` is no rate: {why}"))
                .at(&entry.node.place)
                .help(key.for_example()));
        }
    }
    Ok(())
}

fn map(key: &Key, node: &Node) -> Result<(), Problem> {
    if !matches!(node.value, Value::Table(_)) {
        let problem = Problem::error(format!("`{}` must be a table of strings, not {}", key.name, node.kind()));
        return Err(problem.at(&node.place).help(key.for_example()));
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

/// Returns the key that was probably meant by an unknown one: by its name elsewhere, or by a typing error.
pub(super) fn meant(section: &Section, name: &str) -> Option<&'static Key> {
    let alias = section.keys.iter().copied().find(|key| key.also.contains(&name));
    alias.or_else(|| section.key(nearest(name, section.keys.iter().map(|key| key.name))?))
}

/// Returns the problem for an unknown key, with the one that was probably meant.
fn unknown(section: &Section, entry: &Entry) -> Problem {
    let problem = Problem::error(format!("unknown key `{}` in {}", entry.key, section.header()))
        .at(&entry.at)
        .label("not a key of this table");
    if let Some(key) = meant(section, &entry.key) {
        return match (key.also.contains(&entry.key.as_str()), key.example()) {
            (false, _) => problem.help(format!("did you mean `{}`?", key.name)),
            (true, None) => problem.help(format!("it is called `{}` here", key.name)),
            (true, Some(example)) => problem.help(format!("it is called `{}` here: `{} = {example}`", key.name, key.name)),
        };
    }
    if let Some(other) = sections().into_iter().find(|other| other.key(&entry.key).is_some()) {
        return problem.help(format!("`{}` belongs in {}", entry.key, other.header()));
    }
    let names: Vec<_> = section.keys.iter().map(|key| format!("`{}`", key.name)).collect();
    problem.help(format!("its keys are {}", names.join(", ")))
}

/// Returns the word that is at most a few edits away.
pub fn nearest<'a>(word: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).clamp(1, 3);
    let word = word.to_ascii_lowercase().replace('-', "_");
    words
        .map(|known| (strsim::damerau_levenshtein(&word, &known.replace('-', "_")), known))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, known)| known)
}
