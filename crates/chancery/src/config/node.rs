//! One tree for TOML and JSON, in which every key and value has its place in the file.

use std::fmt;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{Problem, Problems};
use super::source::{Place, Source};

/// A value and its place.
#[derive(Clone)]
pub struct Node {
    /// The place.
    pub place: Place,
    /// The value.
    pub value: Value,
}

/// The kinds of values.
#[derive(Clone)]
pub enum Value {
    /// JSON only.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A string, decoded.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A table, in the order of the file.
    Table(Vec<Entry>),
    /// TOML only: a date or a time, as TOML writes it.
    Date(String),
}

impl Value {
    /// Returns the string, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the boolean, if it is one.
    #[must_use]
    pub fn flag(&self) -> Option<bool> {
        match self {
            Self::Bool(flag) => Some(*flag),
            _ => None,
        }
    }

    /// Returns the number, if it is whole.
    #[must_use]
    pub fn int(&self) -> Option<i64> {
        match self {
            Self::Int(int) => Some(*int),
            _ => None,
        }
    }
}

/// A key with its value.
#[derive(Clone)]
pub struct Entry {
    /// The key, decoded.
    pub key: String,
    /// The place of the key.
    pub at: Place,
    /// The value.
    pub node: Node,
}

impl Node {
    /// Returns a node at a place.
    #[must_use]
    pub fn new(place: Place, value: Value) -> Self {
        Self { place, value }
    }

    /// Returns the name of its type, with an article.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Int(_) => "a whole number",
            Value::Float(_) => "a fraction",
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Date(_) => "a date",
        }
    }

    /// Returns the string, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.value.text()
    }

    /// Returns the boolean, if it is one.
    #[must_use]
    pub fn flag(&self) -> Option<bool> {
        self.value.flag()
    }

    /// Returns the number, if it is whole.
    #[must_use]
    pub fn int(&self) -> Option<i64> {
        self.value.int()
    }

    /// Returns the elements; none if it isn't a list.
    #[must_use]
    pub fn list(&self) -> &[Self] {
        match &self.value {
            Value::List(list) => list,
            _ => &[],
        }
    }

    /// Returns the entries; none if it isn't a table.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Table(entries) => entries,
            _ => &[],
        }
    }

    /// Returns whether another node has the same value, whatever its place and the order of its keys.
    #[must_use]
    pub fn says_the_same(&self, other: &Self) -> bool {
        match (&self.value, &other.value) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(one), Value::Bool(another)) => one == another,
            (Value::Int(one), Value::Int(another)) => one == another,
            (Value::Float(one), Value::Float(another)) => one.to_bits() == another.to_bits(),
            (Value::Text(one), Value::Text(another)) | (Value::Date(one), Value::Date(another)) => one == another,
            (Value::List(one), Value::List(another)) => {
                one.len() == another.len() && one.iter().zip(another).all(|(one, another)| one.says_the_same(another))
            }
            (Value::Table(one), Value::Table(another)) => {
                let found = |entry: &Entry| other.get(&entry.key).is_some_and(|node| entry.node.says_the_same(node));
                one.len() == another.len() && one.iter().all(found)
            }
            _ => false,
        }
    }

    /// Returns the value of a key; none if it isn't a table.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }
}

/// Shows the shape without any value: a text may contain a secret.
impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.kind(), self.place)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Value(***)")
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entry").field(&self.key).field(&self.node).finish()
    }
}

/// Parses TOML. All syntax errors are reported; what could be parsed is returned all the same.
pub fn parse_toml(source: &Arc<Source>, problems: &mut Problems) -> Node {
    let (table, errors) = DeTable::parse_recoverable(source.text());
    problems.extend(errors.iter().map(|error| {
        // The parser's message names tokens, never values.
        let problem = Problem::error(format!("this is not valid TOML: {}", error.message().replace('\n', "; ")));
        problem.at(&source.at(error.span().unwrap_or(0..0)))
    }));
    let span = table.span();
    Node::new(source.at(span), self::table(source, table.get_ref()))
}

/// Parses a file, and returns an empty tree if its syntax is broken: errors that follow from that would only distract.
pub(super) fn toml_or_empty(source: &Arc<Source>, problems: &mut Problems) -> Node {
    let mut syntax = Problems::default();
    let node = parse_toml(source, &mut syntax);
    if syntax.is_empty() {
        return node;
    }
    problems.extend(syntax);
    Node::new(node.place, Value::Table(Vec::new()))
}

fn table(source: &Arc<Source>, table: &DeTable<'_>) -> Value {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            at: source.at(key.span()),
            node: node(source, value),
        })
        .collect();
    entries.sort_by_key(|entry| entry.at.span().start);
    Value::Table(entries)
}

fn node(source: &Arc<Source>, value: &Spanned<DeValue<'_>>) -> Node {
    let content = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(int) => i64::from_str_radix(int.as_str(), int.radix()).map_or_else(|_| Value::Float(f64::NAN), Value::Int),
        DeValue::Float(float) => Value::Float(float.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(items) => Value::List(items.iter().map(|item| node(source, item)).collect()),
        DeValue::Table(inner) => table(source, inner),
    };
    Node::new(source.at(value.span()), content)
}
