//! The nodes of a tree in one list, parents first, because the parser's own tree is slow to traverse.

use std::ops::Range;

use tree_sitter::{Tree, TreeCursor};

use super::grammar::Grammar;

/// How deeply code may nest.
const MAX_DEPTH: usize = 200;

/// The error that code nests deeper than is judged, from this byte on.
#[derive(Debug)]
pub(super) struct TooDeep {
    pub(super) at: usize,
}

/// Every node that has a name, or a role in its parent.
#[derive(Debug)]
pub(super) struct Nodes {
    list: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    kind: &'static str,
    /// The field of the parent that it is in; empty if that has no name.
    field: &'static str,
    named: bool,
    /// The index of the parent; the root is its own parent.
    parent: usize,
    /// The index behind the last node inside it.
    end: usize,
    bytes: Range<usize>,
}

impl Nodes {
    pub(super) fn collect(tree: &Tree, grammar: &Grammar) -> Result<Self, TooDeep> {
        let mut cursor = tree.walk();
        let mut nodes = Self { list: Vec::new() };
        nodes.add(&cursor, grammar, 0);
        // The ancestors of the cursor. One that is not kept is represented by its parent, because it has no children.
        let mut around = vec![0];
        loop {
            if cursor.goto_first_child() {
                if around.len() > MAX_DEPTH {
                    return Err(TooDeep {
                        at: cursor.node().start_byte(),
                    });
                }
            } else {
                loop {
                    nodes.close(around.pop());
                    if cursor.goto_next_sibling() {
                        break;
                    }
                    if !cursor.goto_parent() {
                        return Ok(nodes);
                    }
                }
            }
            let parent = around.last().copied().unwrap_or_default();
            around.push(nodes.add(&cursor, grammar, parent).unwrap_or(parent));
        }
    }

    /// Keeps the node at the cursor, if it carries information; returns its index.
    fn add(&mut self, cursor: &TreeCursor<'_>, grammar: &Grammar, parent: usize) -> Option<usize> {
        let node = cursor.node();
        let named = node.is_named();
        let field = cursor.field_id().map_or("", |field| grammar.field(field.get()));
        if !named && field.is_empty() {
            return None;
        }
        self.list.push(Entry {
            kind: grammar.kind(node.kind_id()),
            field,
            named,
            parent,
            end: self.list.len() + 1,
            bytes: node.byte_range(),
        });
        Some(self.list.len() - 1)
    }

    /// Marks all nodes kept since as inside of the node.
    fn close(&mut self, at: Option<usize>) {
        let end = self.list.len();
        if let Some(entry) = at.and_then(|at| self.list.get_mut(at)) {
            entry.end = end;
        }
    }

    /// Iterates over all nodes, parents first.
    pub(super) fn iter(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.list.len()).map(|at| Node { list: &self.list, at })
    }

    /// Returns the smallest node that contains a byte.
    pub(super) fn around(&self, byte: usize) -> Option<Node<'_>> {
        self.iter()
            .filter(|node| node.entry().named && node.byte_range().contains(&byte))
            .last()
    }
}

/// A node, as cheap to copy as a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'t> {
    list: &'t [Entry],
    at: usize,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl<'t> Node<'t> {
    fn entry(self) -> &'t Entry {
        &self.list[self.at]
    }

    pub(super) fn kind(self) -> &'static str {
        self.entry().kind
    }

    /// Returns the field of the parent that the node is in.
    pub(super) fn field(self) -> Option<&'static str> {
        Some(self.entry().field).filter(|field| !field.is_empty())
    }

    /// Returns the parent; the root's is the root.
    pub(super) fn parent(self) -> Self {
        Self {
            at: self.entry().parent,
            ..self
        }
    }

    pub(super) fn is_root(self) -> bool {
        self.at == 0
    }

    pub(super) fn byte_range(self) -> Range<usize> {
        self.entry().bytes.clone()
    }

    /// Returns the direct children.
    pub(super) fn children(self) -> impl Iterator<Item = Self> {
        let end = self.entry().end;
        let mut at = self.at + 1;
        std::iter::from_fn(move || {
            let child = Self { at, ..self };
            (at < end).then(|| {
                at = child.entry().end;
                child
            })
        })
    }

    pub(super) fn named_children(self) -> impl Iterator<Item = Self> {
        self.children().filter(|child| child.entry().named)
    }

    pub(super) fn named_child(self, number: usize) -> Option<Self> {
        self.named_children().nth(number)
    }

    pub(super) fn children_by_field_name(self, field: &str) -> impl Iterator<Item = Self> {
        self.children().filter(move |child| child.entry().field == field)
    }

    pub(super) fn child_by_field_name(self, field: &str) -> Option<Self> {
        self.children_by_field_name(field).next()
    }
}

/// Returns the span of a node.
pub(super) fn span(node: Node<'_>) -> std::ops::Range<usize> {
    node.byte_range()
}
