//! Changes of lists, debounced so that clients are told of a burst once.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use mcp::client::Filter;
use mcp::method::ListKind;

/// The lists whose change clients have not been told yet.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    waiting: Mutex<HashSet<&'static str>>,
}

impl Changes {
    /// Notes that lists have changed. Returns whether they are the first: then the caller has to tell clients after the debounce time.
    pub(crate) fn note(&self, kinds: &HashSet<ListKind>) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let first = waiting.is_empty();
        waiting.extend(kinds.iter().map(|kind| kind.changed()));
        first && !waiting.is_empty()
    }

    /// Takes the notifications that are to be sent to clients now.
    pub(crate) fn take(&self) -> HashSet<&'static str> {
        std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns whether a stream with that filter wants a notification.
pub(crate) fn wants(filter: &Filter, name: &str) -> bool {
    match name {
        "notifications/tools/list_changed" => filter.tools,
        "notifications/prompts/list_changed" => filter.prompts,
        _ => filter.resources,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_told_of_once() {
        let changes = Changes::default();
        let tools: HashSet<ListKind> = [ListKind::Tools].into();
        assert!(!changes.note(&HashSet::new()), "nothing has changed");
        assert!(changes.note(&tools));
        assert!(!changes.note(&tools), "that is told of already");
        assert_eq!(changes.take(), ["notifications/tools/list_changed"].into());
        assert!(changes.note(&tools));
    }

    #[test]
    fn resources_and_their_templates_are_one_notification() {
        let changes = Changes::default();
        changes.note(&[ListKind::Resources, ListKind::ResourceTemplates].into());
        assert_eq!(changes.take().len(), 1);
    }
}
