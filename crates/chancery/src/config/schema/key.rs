//! The properties of a key and of a table that don't depend on types.

use super::literal::Literal;

/// The kind of a key's value.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A string.
    Text,
    /// A string in which `${VAR}` and `${VAR:-default}` are replaced.
    Template,
    /// `true` or `false`.
    Flag,
    /// A time with its unit: `"500ms"`, `"30s"`, `"5m"`, `"1h"`. Never zero.
    Duration,
    /// A time of up to a century: how long something is kept.
    Age,
    /// An instant, as RFC 3339 writes it, with its offset.
    Instant,
    /// A number of calls in a time: `"100/1m"`.
    Rate,
    /// A table of rates.
    Rates,
    /// A list of permissions (MGP §3.2).
    Permissions,
    /// A list of validators (MGP §4.5).
    Validators,
    /// A number of bytes: `4096`, `"64KiB"`, `"16MiB"`. Never zero.
    Size,
    /// A whole number, at least 1.
    Count,
    /// One of these words.
    Choice(fn() -> Vec<&'static str>),
    /// An address and a port to listen on.
    Address,
    /// The id of a server.
    Id,
    /// A list of strings.
    Texts,
    /// A list of strings in which `${VAR}` is replaced.
    Templates,
    /// A list of names; a trailing `*` matches any rest.
    Patterns,
    /// A table of strings in which `${VAR}` is replaced.
    TemplateMap,
    /// A table of its own.
    Table(&'static Section),
    /// A list of tables.
    Tables(&'static Section),
    /// A table of tables, by names that the user chooses.
    TableMap(&'static Section),
}

/// One key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// The kind of its value.
    pub kind: Kind,
    /// Whether its table is useless without it.
    pub required: bool,
    /// The value it has when it isn't set; `None` if there is no default.
    pub default: Option<Literal>,
    /// Its meaning, in sentences.
    pub doc: &'static str,
    /// Other names that people look for (of other gateways and clients); they lead to a suggestion.
    pub also: &'static [&'static str],
    /// Whether its value may be, or hold, a secret.
    pub secret: bool,
    /// An example value, as TOML, where there is no default.
    pub(super) example: &'static str,
}

impl Key {
    /// Makes a key that is optional, without a default, and not secret.
    #[must_use]
    pub(super) const fn new(name: &'static str, kind: Kind) -> Self {
        Self {
            name,
            kind,
            required: false,
            default: None,
            doc: "",
            also: &[],
            secret: false,
            example: "",
        }
    }

    /// Returns an example value, as TOML; `None` for tables, which have one of their own.
    #[must_use]
    pub fn example(&self) -> Option<String> {
        match (self.example, self.default) {
            ("", default) => default.map(|default| default.to_string()),
            (example, _) => Some(example.to_owned()),
        }
    }

    /// Returns the example as a piece of advice.
    #[must_use]
    pub fn for_example(&self) -> String {
        format!("for example `{} = {}`", self.name, self.example().unwrap_or_default())
    }

    /// Returns the table or tables that its value is.
    #[must_use]
    pub fn section(&self) -> Option<&'static Section> {
        match self.kind {
            Kind::Table(section) | Kind::Tables(section) | Kind::TableMap(section) => Some(section),
            _ => None,
        }
    }
}

/// How a table occurs in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// It is the whole file.
    File,
    /// Once: `[gateway]`.
    Table,
    /// Any number of times: `[[servers]]`.
    List,
    /// Once for each name: `[servers.tools.NAME]`.
    ByName,
}

/// One table.
#[derive(Debug)]
pub struct Section {
    /// Its header, without brackets: `gateway.limits`.
    pub name: &'static str,
    /// How it occurs in a file.
    pub shape: Shape,
    /// Its purpose.
    pub doc: &'static str,
    /// Its keys, in the order of the reference.
    pub keys: &'static [&'static Key],
}

impl Section {
    /// Returns the key of that name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().copied().find(|key| key.name == name)
    }

    /// Returns the header as it is written in a file.
    #[must_use]
    pub fn header(&self) -> String {
        match self.shape {
            Shape::File => "this file".to_owned(),
            Shape::Table => format!("[{}]", self.name),
            Shape::List => format!("[[{}]]", self.name),
            Shape::ByName => format!("[{}.NAME]", self.name),
        }
    }

    /// Returns this table and those inside it, each before its inner ones.
    #[must_use]
    pub fn with_inner(&'static self) -> Vec<&'static Self> {
        let inner = self.keys.iter().filter_map(|key| key.section());
        std::iter::once(self).chain(inner.flat_map(Self::with_inner)).collect()
    }
}
