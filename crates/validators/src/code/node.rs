//! The nodes of a tree in one list, parents first: what the parser's own tree says only slowly.

use std::ops::Range;

use tree_sitter::{Tree, TreeCursor};

use super::grammar::Grammar;

/// How deep code may be nested.
const MAX_DEPTH: usize = 200;

/// Code is nested deeper than is judged, from this byte on.
#[derive(Debug)]
pub(super) struct TooDeep {
    pub(super) at: usize,
}

/// Every node that has a name, or is something to the node around it.
#[derive(Debug)]
pub(super) struct Nodes {
    list: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    kind: &'static str,
    /// What it is to the node around it; empty when that has no name.
    field: &'static str,
    named: bool,
    /// The place of the node around it; the root is its own.
    parent: usize,
    /// The place behind the last node inside of it.
    end: usize,
    bytes: Range<usize>,
}

impl Nodes {
    pub(super) fn collect(tree: &Tree, grammar: &Grammar) -> Result<Self, TooDeep> {
        let mut cursor = tree.walk();
        let mut nodes = Self { list: Vec::new() };
        nodes.add(&cursor, grammar, 0);
        // The nodes around the cursor. One that is not kept stands for the node around it, as it has no children.
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

    /// Keeps the node at the cursor, if it says anything; tells its place.
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

    /// All that was kept since is inside of the node.
    fn close(&mut self, at: Option<usize>) {
        let end = self.list.len();
        if let Some(entry) = at.and_then(|at| self.list.get_mut(at)) {
            entry.end = end;
        }
    }

    /// All of them, parents first.
    pub(super) fn iter(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.list.len()).map(|at| Node { list: &self.list, at })
    }

    /// The smallest node around a byte.
    pub(super) fn around(&self, byte: usize) -> Option<Node<'_>> {
        self.iter()
            .filter(|node| node.entry().named && node.byte_range().contains(&byte))
            .last()
    }
}

/// One node, as cheap to hand on as a number.
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

    /// What it is to the node around it.
    pub(super) fn field(self) -> Option<&'static str> {
        Some(self.entry().field).filter(|field| !field.is_empty())
    }

    /// The node around it; the root's is the root.
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

    /// The nodes right inside of it.
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

/// The span of a node.
pub(super) fn span(node: Node<'_>) -> std::ops::Range<usize> {
    node.byte_range()
}
