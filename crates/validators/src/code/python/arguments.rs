//! The arguments of a call.

use super::super::node::Node;
use super::super::tree::{Source, text};

/// The arguments of a call, in their order.
pub(super) struct Arguments<'t> {
    list: Vec<Node<'t>>,
}

impl<'t> Arguments<'t> {
    pub(super) fn of(call: Node<'t>) -> Self {
        let list = call.child_by_field_name("arguments").map_or_else(Vec::new, |arguments| {
            arguments.named_children().filter(|one| one.kind() != "comment").collect()
        });
        Self { list }
    }

    fn positional(&self) -> impl Iterator<Item = Node<'t>> + '_ {
        self.list.iter().copied().filter(|one| one.kind() != "keyword_argument")
    }

    pub(super) fn all(&self) -> impl Iterator<Item = Node<'t>> + '_ {
        self.positional()
    }

    pub(super) fn at(&self, at: usize) -> Option<Node<'t>> {
        self.positional().nth(at)
    }

    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    pub(super) fn has_splat(&self) -> bool {
        self.list.iter().any(|one| matches!(one.kind(), "list_splat" | "dictionary_splat"))
    }

    pub(super) fn named(&self, source: &Source<'_>, name: &str) -> Option<Node<'t>> {
        self.list
            .iter()
            .filter(|one| one.kind() == "keyword_argument")
            .find(|one| one.child_by_field_name("name").is_some_and(|given| text(source, given) == name))
            .and_then(|one| one.child_by_field_name("value"))
    }
}
