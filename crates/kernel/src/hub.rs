//! News for all clients: lists that changed, gathered for a moment so that a burst is told once.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use jsonrpc::Message;
use mcp::client::Filter;
use mcp::method::ListKind;

use crate::inner::Inner;

/// What has changed and was not told yet.
#[derive(Debug, Default)]
pub(crate) struct Hub {
    waiting: Mutex<HashSet<&'static str>>,
}

impl Hub {
    /// Tells every client, after the debounce, that lists have changed.
    pub(crate) fn lists_changed(&self, inner: &Arc<Inner>, kinds: &HashSet<ListKind>) {
        let first = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let first = waiting.is_empty();
            waiting.extend(kinds.iter().map(|kind| kind.changed()));
            first && !waiting.is_empty()
        };
        if !first {
            return;
        }
        let (weak, debounce) = (Arc::downgrade(inner), inner.settings().debounce);
        inner.spawn(async move {
            tokio::time::sleep(debounce).await;
            let Some(inner) = weak.upgrade() else { return };
            let told = std::mem::take(&mut *inner.hub.waiting.lock().unwrap_or_else(PoisonError::into_inner));
            for name in told {
                let message = Message::notification(name, None);
                for client in inner.clients.all() {
                    client.tell(&message, |filter| wants(filter, name));
                }
            }
        });
    }
}

fn wants(filter: &Filter, name: &str) -> bool {
    match name {
        "notifications/tools/list_changed" => filter.tools,
        "notifications/prompts/list_changed" => filter.prompts,
        _ => filter.resources,
    }
}
