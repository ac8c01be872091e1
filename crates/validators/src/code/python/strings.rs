//! Judges strings: templates reach attributes, and the names of reserved attributes are used to look them up.

use super::super::node::{Node, span};
use super::super::refuse;
use super::super::tree::{Source, text};
use super::arguments::Arguments;
use super::{Judge, tables};
use crate::text::unescape;

/// Returns the value of a string literal without placeholders, if the node is one.
pub(super) fn value(source: &Source<'_>, node: Node<'_>) -> Option<String> {
    match node.kind() {
        "string" if node.children().all(|child| child.kind() != "interpolation") => Some(literal(text(source, node))),
        "concatenated_string" => node.named_children().map(|part| value(source, part)).collect(),
        "parenthesized_expression" => value(source, node.named_child(0)?),
        _ => None,
    }
}

/// Returns the text of a literal as it is written, with its prefix and quotes.
fn literal(written: &str) -> String {
    let start = written.find(['"', '\'']).unwrap_or(0);
    let (prefix, quoted) = written.split_at(start);
    let quotes = if quoted.starts_with("\"\"\"") || quoted.starts_with("'''") {
        3
    } else {
        1
    };
    let content = quoted.get(quotes..quoted.len().saturating_sub(quotes)).unwrap_or_default();
    if prefix.contains(['r', 'R']) {
        return content.to_owned();
    }
    unescape(content).unwrap_or_else(|| content.to_owned())
}

impl Judge<'_, '_> {
    /// Judges a string that is the name of a reserved attribute, at `strict`.
    pub(super) fn string(&mut self, node: Node<'_>) {
        if !self.policy.is_strict() {
            return;
        }
        let Some(value) = value(self.source, node) else { return };
        if value.len() <= 128 && value.split('.').any(tables::is_forbidden_dunder) && value.split('.').all(is_name) {
            refuse::attribute(self.findings, span(node), &value);
        }
    }

    /// Judges `.format` and `.format_map`: a template reaches attributes of its arguments, so it has to be known.
    pub(super) fn template_attribute(&mut self, node: Node<'_>, object: Node<'_>, name: &str) {
        if !matches!(name, "format" | "format_map" | "vformat") {
            return;
        }
        let is_on_type = object.kind() == "identifier" && matches!(self.text(object), "str" | "string");
        let template = if is_on_type {
            let call = node.parent();
            (call.kind() == "call").then(|| Arguments::of(call).at(0)).flatten()
        } else {
            Some(object)
        };
        let templates = template.and_then(|template| self.known_texts(template));
        match templates {
            None => refuse::dynamic(self.findings, span(node), name),
            Some(templates) if templates.iter().any(|template| reaches(template)) => {
                refuse::attribute(self.findings, span(node), "a template that reaches into attributes");
            }
            Some(_) => {}
        }
    }

    /// Returns all texts that an expression can be, if the program shows them.
    fn known_texts(&self, node: Node<'_>) -> Option<Vec<String>> {
        if node.kind() == "identifier" {
            let texts = self.names.texts_of(self.text(node))?;
            return Some(texts.iter().map(|written| literal(written)).collect());
        }
        value(self.source, node).map(|text| vec![text])
    }
}

fn is_name(part: &str) -> bool {
    part.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Returns whether a replacement field of a template takes an attribute that begins with an underscore, or one that
/// runs programs.
fn reaches(template: &str) -> bool {
    template.split('{').skip(1).any(|field| {
        let field = field.split(['}', '!', ':']).next().unwrap_or_default();
        let attributes = field.split(['.', '[', ']']).skip(1);
        attributes.into_iter().any(|name| {
            let name = name.trim_matches(['"', '\'']);
            name.starts_with('_') || tables::RUNNERS.contains(&name) || tables::FRAME_ATTRIBUTES.contains(&name) || tables::is_module(name)
        })
    })
}
