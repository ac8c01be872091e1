//! Parses code, bounded in size, depth and steps, and refuses code that does not parse completely.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser};

use super::Language;
use super::grammar::Grammar;
use super::node::{Node, Nodes, TooDeep};
use crate::text;

const DOES_NOT_PARSE: &str = "the code does not parse";

/// Source code with its nodes.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) nodes: Nodes,
}

/// The text of a node.
pub(super) fn text<'a>(source: &Source<'a>, node: Node<'_>) -> &'a str {
    source.text.get(node.byte_range()).unwrap_or_default()
}

/// The reason why code has no tree.
#[derive(Debug)]
pub(super) struct Unparsed {
    pub(super) at: usize,
    pub(super) reason: &'static str,
}

/// Parses code. Characters that interpreters read differently from the grammar are refused first.
pub(super) fn parse(text: &str, language: Language) -> Result<Source<'_>, Unparsed> {
    ambiguous(text, language)?;
    let grammar = Grammar::of(language);
    let mut parser = Parser::new();
    let unknown = Unparsed {
        at: 0,
        reason: "the grammar of the language can't be loaded",
    };
    if parser.set_language(&grammar.language).is_err() {
        return Err(unknown);
    }
    // The parser asks about every hundred steps: a budget in steps, not in time. Code that does not parse is refused,
    // so error recovery is not needed.
    let mut left = 1000 + text.len() / 8;
    let mut broken = None;
    let mut progress = |state: &ParseState| {
        left = left.saturating_sub(1);
        if state.has_error() {
            broken = Some(state.current_byte_offset());
        }
        if left == 0 || broken.is_some() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let tree = parser.parse_with_options(&mut |at, _| &bytes[at.min(bytes.len())..], None, Some(options));
    let Some(tree) = tree else {
        return Err(match broken {
            Some(at) => Unparsed {
                at: whole_character(text, at),
                reason: DOES_NOT_PARSE,
            },
            None => Unparsed {
                at: 0,
                reason: "the code takes too long to parse",
            },
        });
    };
    let root = tree.root_node();
    if root.has_error() {
        return Err(Unparsed {
            at: first_hole(root),
            reason: DOES_NOT_PARSE,
        });
    }
    match Nodes::collect(&tree, grammar) {
        Ok(nodes) => Ok(Source { text, nodes }),
        Err(TooDeep { at }) => Err(Unparsed {
            at,
            reason: "the code is nested too deep",
        }),
    }
}

/// Returns the start of the character that a byte belongs to.
fn whole_character(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns the first place that the grammar does not know.
fn first_hole(root: tree_sitter::Node<'_>) -> usize {
    let mut at = root;
    loop {
        let mut cursor = at.walk();
        let next = at.children(&mut cursor).find(|child| child.has_error() || child.is_missing());
        match next {
            Some(child) if !child.is_error() && !child.is_missing() => at = child,
            Some(child) => return child.start_byte(),
            None => return at.start_byte(),
        }
    }
}

/// Refuses characters because of which an interpreter sees other lines, or other letters, than the grammar does.
fn ambiguous(text: &str, language: Language) -> Result<(), Unparsed> {
    let refused = |at, reason| Err(Unparsed { at, reason });
    if let Some(at) = text
        .match_indices('\r')
        .map(|(at, _)| at)
        .find(|at| !text[at + 1..].starts_with('\n'))
    {
        return refused(at, "a carriage return stands alone");
    }
    if let Some((at, _)) = text::invisible(text).filter(|(at, _)| !text[*at..].starts_with('\r')) {
        return refused(at, "a character can't be seen");
    }
    if let Some((at, _)) = text
        .char_indices()
        .find(|(_, c)| c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
    {
        return refused(at, "a control character stands in the code");
    }
    if language == Language::Python && declares_encoding(text) {
        return refused(0, "the code declares an encoding of its own");
    }
    Ok(())
}

/// Returns whether a comment on one of the first two lines declares an encoding (PEP 263).
fn declares_encoding(text: &str) -> bool {
    let named = |line: &str| {
        let at = line.find("coding")?;
        let rest = line[at + "coding".len()..].strip_prefix([':', '='])?.trim_start();
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
            .unwrap_or(rest.len());
        Some(rest[..end].to_ascii_lowercase())
    };
    text.lines()
        .take(2)
        .filter(|line| line.trim_start().starts_with('#'))
        .filter_map(named)
        .any(|name| !matches!(name.as_str(), "utf-8" | "utf8" | "ascii" | "us-ascii" | ""))
}
