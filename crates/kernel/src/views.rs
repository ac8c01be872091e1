//! Merged views of the catalogue, one for each shape of client, rebuilt when an offer changes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use catalog::{Offer, View};
use mcp::exchange::Peer;
use mcp::method::ListKind;
use mcp::revision::Revision;
use model::{PrincipalId, Role, ServerId, Timestamp};
use policy::{Policy, Viewer};

use crate::client::Client;
use crate::inner::Inner;
use crate::kernel_tools;
use crate::secured;
use crate::upstream::server::Health;

/// Shapes of clients whose views are kept.
const MAX_SHAPES: usize = 256;
/// The same, with those who look.
const MAX_SIGHTS: usize = 4096;

/// The views that were built since the catalogue last changed.
#[derive(Debug, Default)]
pub(crate) struct Views {
    epoch: AtomicU64,
    built: Mutex<HashMap<(Bytes, Revision), Arc<Seen>, foldhash::fast::RandomState>>,
    /// What of them principals may see, where that is not everything.
    sifted: Mutex<HashMap<Sight, Arc<Seen>, foldhash::fast::RandomState>>,
}

/// Who looks, with which token, and as what shape of client.
type Sight = (PrincipalId, Option<Arc<str>>, Bytes, Revision);

/// A view and when it was built.
#[derive(Debug)]
pub(crate) struct Seen {
    epoch: u64,
    /// The policy by which it was sifted.
    policy: policy::Revision,
    /// When a grant or a token of whoever looks expires.
    until: Option<Timestamp>,
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
        let policy = self.guard.policy();
        let mut last = client.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seen) = last.as_ref().filter(|seen| self.is_current(seen, epoch, &policy)) {
            return seen.clone();
        }
        let seen = match policy.tables() {
            Some(_) => self.sifted(epoch, &policy, client, peer),
            None => self.shared(epoch, peer),
        };
        *last = Some(seen.clone());
        seen
    }

    fn is_current(&self, seen: &Seen, epoch: u64, policy: &Policy) -> bool {
        let lasts = |at: Timestamp| !at.has_come(self.guard.calendar.now());
        seen.epoch == epoch && seen.policy == policy.revision() && seen.until.is_none_or(lasts)
    }

    /// What there is for such a client, whoever looks: whoever calls something that is denied is told that, and not that there is no such thing.
    pub(crate) fn whole_view(self: &Arc<Self>, peer: &Peer) -> Arc<View> {
        self.shared(self.views.epoch.load(Ordering::Acquire), peer).view.clone()
    }

    /// What a principal may see of the view for such a client.
    fn sifted(self: &Arc<Self>, epoch: u64, policy: &Policy, client: &Client, peer: &Peer) -> Arc<Seen> {
        let capabilities = peer.capabilities.raw().bytes().clone();
        let sight = (client.principal.id.clone(), client.bearer.clone(), capabilities, peer.revision);
        let mut sifted = self.views.sifted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seen) = sifted.get(&sight).filter(|seen| self.is_current(seen, epoch, policy)) {
            return seen.clone();
        }
        let shared = self.shared(epoch, peer);
        let now = self.guard.calendar.now();
        let viewer = policy.viewer(&client.principal, client.bearer.as_deref(), now);
        let offers = shared.view.offers().iter().map(|offer| sift(offer, &viewer, client.principal.role));
        let offers: Vec<Option<Arc<Offer>>> = offers.collect();
        let all = shared.view.offers().iter().zip(&offers);
        let is_all = all
            .into_iter()
            .all(|(whole, seen)| seen.as_ref().is_some_and(|seen| Arc::ptr_eq(whole, seen)));
        let missing = shared.view.missing().iter().filter(|server| viewer.is_server_visible(server));
        let missing: Vec<ServerId> = missing.cloned().collect();
        let view = match is_all && missing.len() == shared.view.missing().len() {
            true => shared.view.clone(),
            false => self.view_of(offers.into_iter().flatten().collect(), missing),
        };
        let seen = Arc::new(Seen {
            epoch,
            policy: policy.revision(),
            until: policy.next_expiry(&client.principal.id, client.bearer.as_deref(), now),
            view,
            settled: shared.settled,
        });
        if sifted.len() >= MAX_SIGHTS {
            sifted.clear();
        }
        sifted.insert(sight, seen.clone());
        seen
    }

    fn shared(self: &Arc<Self>, epoch: u64, peer: &Peer) -> Arc<Seen> {
        let key = (peer.capabilities.raw().bytes().clone(), peer.revision);
        let mut built = self.views.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(seen) = built.get(&key).filter(|seen| seen.epoch == epoch) {
            return seen.clone();
        }
        let seen = Arc::new(self.build(epoch, peer));
        if built.len() >= MAX_SHAPES {
            built.clear();
        }
        built.insert(key, seen.clone());
        seen
    }

    fn view_of(&self, offers: Vec<Arc<Offer>>, missing: Vec<ServerId>) -> Arc<View> {
        Arc::new(View::build(offers, missing, self.settings().page_size).signed(self.own_info.clone()))
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
                    offers.push(secured::offer(self, server, offer, peer));
                }
                None => {
                    settled &= matches!(server.health(), Health::Error(_));
                    missing.push(server.spec.id.clone());
                }
            }
        }
        offers.extend(kernel_tools::offer(self, peer));
        let view = self.view_of(offers, missing);
        self.metrics.missing(view.missing().len());
        Seen {
            epoch,
            policy: self.guard.policy().revision(),
            until: None,
            view,
            settled,
        }
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

/// What of an offer somebody may see; nothing, where that is nothing.
fn sift(offer: &Arc<Offer>, viewer: &Viewer<'_>, role: Role) -> Option<Arc<Offer>> {
    let is_own = offer.server.as_str() == catalog::KERNEL;
    let sees = |tool: &catalog::Item| {
        let known_as = if is_own {
            kernel_tools::listed(&tool.key, role)
        } else {
            Some(tool.key.as_str())
        };
        known_as.is_some_and(|name| viewer.is_visible(&offer.server, name))
    };
    let sees_server = viewer.is_server_visible(&offer.server);
    if sees_server && offer.tools.items.iter().all(sees) {
        return Some(offer.clone());
    }
    let mut sifted = Offer::clone(offer);
    sifted.tools.items.retain(sees);
    if !sees_server {
        for kind in [ListKind::Resources, ListKind::ResourceTemplates, ListKind::Prompts] {
            sifted.list_mut(kind).items.clear();
        }
    }
    (sees_server || !sifted.tools.items.is_empty()).then(|| Arc::new(sifted))
}
