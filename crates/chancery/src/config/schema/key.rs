//! What is known of a key and of a table without their types.

use super::literal::Literal;

/// What a value must be.
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
    /// A time as long as a century: how long something is kept.
    Age,
    /// An instant, as RFC 3339 writes it, with its offset.
    Instant,
    /// So many in so much time: `"100/1m"`.
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
    /// A table of tables, by names of the user's own.
    TableMap(&'static Section),
}

/// One key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value must be.
    pub kind: Kind,
    /// Whether its table is useless without it.
    pub required: bool,
    /// The value it has when it isn't given; `None`: there is none.
    pub default: Option<Literal>,
    /// What it means, in sentences.
    pub doc: &'static str,
    /// Other names under which people look for it (of other gateways and clients); they lead to a suggestion.
    pub also: &'static [&'static str],
    /// Whether its value may be, or hold, a secret.
    pub secret: bool,
    /// An example value, as TOML, where the default is none.
    pub(super) example: &'static str,
}

impl Key {
    /// A key that is optional, without a default, and not secret.
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

    /// An example value, as TOML; none for tables, which have one of their own.
    #[must_use]
    pub fn example(&self) -> Option<String> {
        match (self.example, self.default) {
            ("", default) => default.map(|default| default.to_string()),
            (example, _) => Some(example.to_owned()),
        }
    }

    /// The example as a piece of advice.
    #[must_use]
    pub fn for_example(&self) -> String {
        format!("for example `{} = {}`", self.name, self.example().unwrap_or_default())
    }

    /// The table or tables that its value is.
    #[must_use]
    pub fn section(&self) -> Option<&'static Section> {
        match self.kind {
            Kind::Table(section) | Kind::Tables(section) | Kind::TableMap(section) => Some(section),
            _ => None,
        }
    }
}

/// How a table stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// It is the file.
    File,
    /// Once: `[gateway]`.
    Table,
    /// As often as one likes: `[[servers]]`.
    List,
    /// Once for each name: `[servers.tools.NAME]`.
    ByName,
}

/// One table.
#[derive(Debug)]
pub struct Section {
    /// How its header is written, without brackets: `gateway.limits`.
    pub name: &'static str,
    /// How it stands in a file.
    pub shape: Shape,
    /// What it is for.
    pub doc: &'static str,
    /// Its keys, in the order of the reference.
    pub keys: &'static [&'static Key],
}

impl Section {
    /// The key of that name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().copied().find(|key| key.name == name)
    }

    /// The header as it stands in a file.
    #[must_use]
    pub fn header(&self) -> String {
        match self.shape {
            Shape::File => "this file".to_owned(),
            Shape::Table => format!("[{}]", self.name),
            Shape::List => format!("[[{}]]", self.name),
            Shape::ByName => format!("[{}.NAME]", self.name),
        }
    }

    /// This table and those in it, each before those in it.
    #[must_use]
    pub fn with_inner(&'static self) -> Vec<&'static Self> {
        let inner = self.keys.iter().filter_map(|key| key.section());
        std::iter::once(self).chain(inner.flat_map(Self::with_inner)).collect()
    }
}
