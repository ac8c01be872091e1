//! Parses a text into a tree in which every key and value has its place.

use std::sync::Arc;

use jsonc_parser::ast::{ObjectProp, Value as Ast};
use jsonc_parser::common::{Range, Ranged as _};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::wrong::{control_character, fault};
use crate::config::{Entry, Node, Place, Problem, Source, Value};

/// The deepest nesting that is accepted.
const DEPTH: usize = 64;

/// The extensions that editors write: comments and trailing commas, and nothing else beyond the standard.
pub(super) const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Returns a text without the byte order mark that it may begin with, and the mark.
pub(super) fn without_mark(text: &str) -> (&str, &str) {
    let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
    text.split_at(mark)
}

/// Parses JSON with `//` and `/* */` comments, trailing commas and a byte order mark.
///
/// # Errors
/// The first error, with its place.
pub fn parse(source: &Arc<Source>) -> Result<Node, Problem> {
    let (mark, text) = without_mark(source.text());
    let tree = Tree {
        source,
        offset: mark.len(),
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS);
    let faults = control_character(text)
        .into_iter()
        .chain(parsed.as_ref().err().map(|error| fault(text, error)));
    if let Some((range, what)) = faults.min_by_key(|(range, _)| range.start) {
        return Err(tree.wrong(range, what));
    }
    match parsed.ok().and_then(|parsed| parsed.value) {
        Some(value) => tree.node(&value, 0),
        // An editor leaves an empty settings file that was never used.
        None => Ok(Node::new(tree.at(Range::from_byte_index(text.len())), Value::Null)),
    }
}

/// Converts a parsed text to a [`Node`].
struct Tree<'a> {
    source: &'a Arc<Source>,
    /// The position at which the parsed text begins.
    offset: usize,
}

impl Tree<'_> {
    fn at(&self, range: Range) -> Place {
        self.source.at(self.offset + range.start..self.offset + range.end)
    }

    fn wrong(&self, range: Range, what: &str) -> Problem {
        Problem::error(format!("this is not valid JSON: {what}")).at(&self.at(range))
    }

    fn node(&self, ast: &Ast<'_>, depth: usize) -> Result<Node, Problem> {
        if depth > DEPTH {
            return Err(self.wrong(ast.range(), "it is nested too deeply"));
        }
        let value = match ast {
            Ast::NullKeyword(_) => Value::Null,
            Ast::BooleanLit(flag) => Value::Bool(flag.value),
            Ast::StringLit(text) => Value::Text(text.value.clone().into_owned()),
            Ast::NumberLit(number) => match (number.value.parse(), number.value.parse()) {
                (Ok(int), _) => Value::Int(int),
                (_, Ok(float)) => Value::Float(float),
                _ => return Err(self.wrong(number.range, "this is no number")),
            },
            Ast::Array(array) => {
                let items = array.elements.iter().map(|item| self.node(item, depth + 1));
                Value::List(items.collect::<Result<_, _>>()?)
            }
            Ast::Object(object) => Value::Table(self.entries(&object.properties, depth + 1)?),
        };
        Ok(Node::new(self.at(ast.range()), value))
    }

    fn entries(&self, properties: &[ObjectProp<'_>], depth: usize) -> Result<Vec<Entry>, Problem> {
        let mut entries: Vec<Entry> = Vec::with_capacity(properties.len());
        for property in properties {
            let (key, at) = (property.name.as_str(), self.at(property.name.range()));
            if entries.iter().any(|entry| entry.key == key) {
                return Err(Problem::error(format!("the key `{key}` stands here twice")).at(&at));
            }
            entries.push(Entry {
                key: key.to_owned(),
                at,
                node: self.node(&property.value, depth)?,
            });
        }
        Ok(entries)
    }
}
