//! Merged views of the catalogue, one for each shape of client, rebuilt when an offer changes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use catalog::{Offer, View};
use mcp::exchange::Peer;
use mcp::revision::Revision;
use model::ServerId;

use crate::client::Client;
use crate::inner::Inner;
use crate::upstream::server::Health;

/// Shapes of clients whose views are kept.
const MAX_SHAPES: usize = 256;

/// The views that were built since the catalogue last changed.
#[derive(Debug, Default)]
pub(crate) struct Views {
    epoch: AtomicU64,
    built: Mutex<HashMap<(Bytes, Revision), Arc<Seen>, foldhash::fast::RandomState>>,
}

/// A view and when it was built.
#[derive(Debug)]
pub(crate) struct Seen {
    epoch: u64,
    view: Arc<View>,
    /// Whether every usable server had its own offer for such a client.
    settled: bool,
}

impl Views {
    /// Something changed: every view must be built anew.
    pub(crate) fn outdated(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }
}

impl Inner {
    /// The view for a client, of what is known now.
    pub(crate) fn view_for(self: &Arc<Self>, client: &Client, peer: &Peer) -> Arc<View> {
        self.seen(client, peer).view.clone()
    }

    /// The view for a client, if nothing is missing that could still come.
    pub(crate) fn settled_view(self: &Arc<Self>, client: &Client, peer: &Peer) -> Option<Arc<View>> {
        let seen = self.seen(client, peer);
        seen.settled.then(|| seen.view.clone())
    }

    fn seen(self: &Arc<Self>, client: &Client, peer: &Peer) -> Arc<Seen> {
        let epoch = self.views.epoch.load(Ordering::Acquire);
        let mut last = client.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seen) = last.as_ref().filter(|seen| seen.epoch == epoch) {
            return seen.clone();
        }
        let key = (peer.capabilities.raw().bytes().clone(), peer.revision);
        let mut built = self.views.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seen) = built.get(&key).filter(|seen| seen.epoch == epoch) {
            *last = Some(seen.clone());
            return seen.clone();
        }
        let seen = Arc::new(self.build(epoch, peer));
        if built.len() >= MAX_SHAPES {
            built.clear();
        }
        built.insert(key, seen.clone());
        *last = Some(seen.clone());
        seen
    }

    fn build(self: &Arc<Self>, epoch: u64, peer: &Peer) -> Seen {
        let mut offers: Vec<Arc<Offer>> = Vec::new();
        let mut missing: Vec<ServerId> = Vec::new();
        let mut settled = true;
        for server in self.servers().iter() {
            let key = server.offer_key(peer);
            match server.offer(&key) {
                Some(offer) => {
                    settled &= server.has_own_offer(&key) || matches!(server.health(), Health::Error(_));
                    offers.push(offer);
                }
                None => {
                    settled &= matches!(server.health(), Health::Error(_));
                    missing.push(server.spec.id.clone());
                }
            }
        }
        let view = Arc::new(View::build(offers, missing, self.settings().page_size).signed(self.own_info.clone()));
        self.metrics.missing(view.missing().len());
        Seen { epoch, view, settled }
    }

    /// Which server an extension's method belongs to, for a client.
    pub(crate) fn extension_owner(self: &Arc<Self>, client: &Client, method: &str) -> Option<ServerId> {
        let peer = client.legacy_peer().unwrap_or_else(|| self.own_peer.clone());
        self.view_for(client, &peer).extension_owner(method).cloned()
    }

    /// What to add to «unknown» when some servers could not be asked.
    pub(crate) fn missing_note(&self, view: &View) -> String {
        if view.missing().is_empty() {
            return String::new();
        }
        let names: Vec<String> = view.missing().iter().map(ToString::to_string).collect();
        format!(" (not available now: {})", names.join(", "))
    }
}
