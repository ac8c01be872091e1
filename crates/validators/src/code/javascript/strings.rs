//! Evaluates texts in the program: literals, templates without placeholders, and sums of them.

use super::super::node::Node;
use super::super::tree::{Source, text};
use crate::text::unescape;

/// How deeply sums may nest.
const MAX_DEPTH: usize = 32;

/// Returns the text, if it consists of literals only.
pub(super) fn value(source: &Source<'_>, node: Node<'_>) -> Option<String> {
    nested(source, node, 0)
}

fn nested(source: &Source<'_>, node: Node<'_>, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    let inner = |child: Node<'_>| nested(source, child, depth + 1);
    match node.kind() {
        "string" => Some(literal(text(source, node))),
        "template_string" => {
            let whole = node.named_children().all(|child| child.kind() != "template_substitution");
            whole.then(|| literal(text(source, node)))
        }
        "parenthesized_expression" => inner(node.named_child(0)?),
        "binary_expression" if node.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "+") => {
            let left = inner(node.child_by_field_name("left")?)?;
            let right = inner(node.child_by_field_name("right")?)?;
            Some(left + &right)
        }
        _ => None,
    }
}

fn literal(written: &str) -> String {
    let content = written.get(1..written.len().saturating_sub(1)).unwrap_or_default();
    let content = content.replace("\\u{", "\\u00").replace("\\\n", "");
    unescape(&content).unwrap_or(content)
}
