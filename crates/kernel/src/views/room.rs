//! The views of the catalogue: cached for each shape of client and for each subject, and updated by the first request that needs them.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use bytes::Bytes;
use catalog::{Offer, Restricted, View};
use guard::{Guard, Subject};
use mcp::exchange::Peer;
use mcp::revision::Revision;
use mgp::negotiation::Extension;
use model::{Principal, ServerId, Timestamp};
use policy::Policy;
use runtime::Runtime;
use upstream::{Health, Server, Upstream};

use super::cached::CachedView;
use super::last::LastView;
use super::own_tools::OwnOffers;
use super::shown;
use super::visible::Visible;
use crate::mgp_offer::of_guard;
use crate::settings::Settings;

/// The number of shapes of clients whose views are cached.
const MAX_SHAPES: usize = 256;
/// The number of subjects, each in one shape, whose views are cached.
const MAX_SUBJECTS: usize = 4096;

/// The shape of a client: its capabilities and its revision.
type Shape = (Bytes, Revision);
/// The key of a subject's view: the principal with its role, its token, and the shape of its client.
type ViewKey = (Principal, Option<Arc<str>>, Bytes, Revision);
type Kept<K> = Mutex<HashMap<K, Arc<CachedView>, foldhash::fast::RandomState>>;

/// The views of one gateway's catalogue.
pub(crate) struct Views {
    guard: Arc<Guard>,
    upstream: Arc<Upstream>,
    runtime: Arc<Runtime>,
    settings: Arc<ArcSwap<Settings>>,
    own: OwnOffers,
    /// The epoch of the catalogue, which grows when something changes that views show.
    epoch: AtomicU64,
    /// A counter that grows when the definitions of all servers have to be shown differently.
    shown_anew: AtomicU64,
    /// The views of the shapes.
    shapes: Kept<Shape>,
    /// The views of subjects that may not see everything.
    subjects: Kept<ViewKey>,
    /// The offers as they are shown, by server and by whether the client negotiated security.
    shown: Mutex<HashMap<(ServerId, bool), Shown>>,
}

/// An offer, and the form in which it is shown.
struct Shown {
    anew: u64,
    /// All offers of the server, because its other offers change how a tool is judged.
    offers: Vec<Arc<Offer>>,
    parts: Vec<(Arc<Offer>, Arc<Offer>)>,
}

impl Views {
    pub(crate) fn new(
        guard: &Arc<Guard>,
        upstream: &Arc<Upstream>,
        runtime: &Arc<Runtime>,
        settings: &Arc<ArcSwap<Settings>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            guard: guard.clone(),
            upstream: upstream.clone(),
            runtime: runtime.clone(),
            settings: settings.clone(),
            own: OwnOffers::default(),
            epoch: AtomicU64::new(0),
            shown_anew: AtomicU64::new(0),
            shapes: Mutex::default(),
            subjects: Mutex::default(),
            shown: Mutex::default(),
        })
    }

    /// Notes that a server's offer has changed. The next request updates a view, at the cost of what differs.
    pub(crate) fn changed(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }

    /// Notes that the configuration has changed, so that all offers are shown again.
    pub(crate) fn configured(&self) {
        self.shown_anew.fetch_add(1, Ordering::AcqRel);
        lock(&self.shapes).clear();
        lock(&self.subjects).clear();
        self.changed();
    }

    /// Returns the present view for a subject whose client is such a peer. `last` is the view that the caller saw last.
    pub(crate) fn view(&self, subject: &Subject, last: &LastView, peer: &Peer) -> Arc<View> {
        self.look(subject, last, peer).view.clone()
    }

    /// Returns the cached view, which knows whether an offer is missing from it that could still come.
    pub(crate) fn look(&self, subject: &Subject, last: &LastView, peer: &Peer) -> Arc<CachedView> {
        let epoch = self.epoch.load(Ordering::Acquire);
        let policy = self.guard.policy();
        if let Some(seen) = last.get().filter(|seen| self.is_current(seen, epoch, &policy)) {
            return seen;
        }
        let seen = match policy.tables() {
            Some(_) => self.of_subject(epoch, &policy, subject, peer),
            None => self.of_shape(epoch, peer),
        };
        last.set(&seen);
        seen
    }

    fn is_current(&self, seen: &CachedView, epoch: u64, policy: &Policy) -> bool {
        let lasts = |at: Timestamp| !at.has_come(self.guard.calendar().now());
        seen.epoch == epoch && seen.policy == policy.revision() && seen.until.is_none_or(lasts)
    }

    /// Returns the whole view for such a client, whatever its subject may see: a call of a denied tool is refused as denied, and not as unknown.
    pub(crate) fn whole(&self, peer: &Peer) -> Arc<View> {
        self.of_shape(self.epoch.load(Ordering::Acquire), peer).view.clone()
    }

    /// Returns the part of the view for such a client that a subject may see.
    fn of_subject(&self, epoch: u64, policy: &Policy, subject: &Subject, peer: &Peer) -> Arc<CachedView> {
        let capabilities = peer.capabilities.raw().bytes().clone();
        let key = (subject.principal.clone(), subject.token.clone(), capabilities, peer.revision);
        let before = lock(&self.subjects).get(&key).cloned();
        if let Some(seen) = before.as_ref().filter(|seen| self.is_current(seen, epoch, policy)) {
            return seen.clone();
        }
        let shape = self.of_shape(epoch, peer);
        let now = self.guard.calendar().now();
        let token = subject.token.as_deref();
        let visible = Visible {
            viewer: policy.viewer(&subject.principal, token, now),
            role: subject.principal.role,
        };
        let whole = shape.view.clone();
        let restricted = match before.as_ref().and_then(|seen| Some((seen, seen.restricted.as_ref()?))) {
            // The rules are unchanged: only what has changed is examined.
            Some((seen, known)) if self.is_current(seen, seen.epoch, policy) => known.updated(whole, &visible),
            Some((seen, known)) => {
                let lasts = seen.until.is_none_or(|at| !at.has_come(now));
                known.reviewed(whole, &visible, |server| lasts && visible.viewer.is_unchanged(server, seen.policy))
            }
            None => Restricted::new(whole, &visible),
        };
        let seen = CachedView {
            epoch: shape.epoch,
            policy: policy.revision(),
            until: policy.next_expiry(&subject.principal.id, token, now),
            view: restricted.view().clone(),
            settled: shape.settled,
            restricted: Some(restricted),
        };
        keep(&self.subjects, key, seen, MAX_SUBJECTS)
    }

    /// Returns the view of a shape.
    fn of_shape(&self, epoch: u64, peer: &Peer) -> Arc<CachedView> {
        let key = (peer.capabilities.raw().bytes().clone(), peer.revision);
        let before = lock(&self.shapes).get(&key).cloned();
        match before {
            Some(seen) if seen.epoch == epoch => seen,
            before => keep(&self.shapes, key, self.build(epoch, peer, before.as_deref()), MAX_SHAPES),
        }
    }

    /// Updates the view of a shape.
    fn build(&self, epoch: u64, peer: &Peer, before: Option<&CachedView>) -> CachedView {
        let outcome = of_guard(&self.guard).with_client(peer.capabilities.raw());
        let speaks = outcome.has(Extension::Security);
        let mut offers: Vec<Arc<Offer>> = Vec::new();
        let mut missing: Vec<ServerId> = Vec::new();
        let mut settled = true;
        for server in self.upstream.servers().iter() {
            let key = server.offer_key(peer);
            let is_error = matches!(server.state.health(), Health::Error(_));
            match server.state.offer(&key) {
                Some(offer) => {
                    settled &= is_error || server.state.has_own_offer(&key);
                    offers.push(self.shown(server, &offer, speaks));
                }
                None => {
                    settled &= is_error;
                    missing.push(server.spec().id.clone());
                }
            }
        }
        if outcome.agreement.is_some() {
            let underscored = self.guard.with_security(|security| security.underscored_tools).unwrap_or_default();
            offers.push(self.own.get(underscored, &self.upstream.identity().info));
        }
        let before = before.map_or_else(|| Arc::new(self.empty()), |seen| seen.view.clone());
        let view = before.updated(offers, missing);
        self.runtime.metrics().missing(view.missing().len());
        CachedView {
            epoch,
            policy: self.guard.policy().revision(),
            until: None,
            view,
            settled,
            restricted: None,
        }
    }

    /// Returns an empty view, from which others are built.
    fn empty(&self) -> View {
        let page_size = self.settings.load().page_size;
        View::build(Vec::new(), Vec::new(), page_size).signed(self.upstream.identity().info.clone())
    }

    /// Returns an offer as clients are shown it; the value of the last time if nothing about it has changed.
    fn shown(&self, server: &Server, offer: &Arc<Offer>, speaks: bool) -> Arc<Offer> {
        if !self.guard.is_guarded() {
            return offer.clone();
        }
        let anew = self.shown_anew.load(Ordering::Acquire);
        let offers = server.state.offers();
        let key = (server.spec().id.clone(), speaks);
        let is_same = |known: &Shown| known.anew == anew && same(&known.offers, &offers);
        let known = {
            let shown = lock_shown(&self.shown);
            let known = shown.get(&key).filter(|known| is_same(known));
            known.and_then(|known| known.parts.iter().find(|(source, _)| Arc::ptr_eq(source, offer)).cloned())
        };
        if let Some((_, shown)) = known {
            return shown;
        }
        let made = shown::offer(&self.guard, &server.state, offer, speaks);
        let mut all = lock_shown(&self.shown);
        let entry = all.entry(key).or_insert_with(|| Shown {
            anew,
            offers: offers.clone(),
            parts: Vec::new(),
        });
        if !is_same(entry) {
            *entry = Shown {
                anew,
                offers,
                parts: Vec::new(),
            };
        }
        entry.parts.push((offer.clone(), made.clone()));
        made
    }
}

fn same(one: &[Arc<Offer>], other: &[Arc<Offer>]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| Arc::ptr_eq(one, other))
}

type Guarded<'a, T> = std::sync::MutexGuard<'a, T>;

fn lock<K>(kept: &Kept<K>) -> Guarded<'_, HashMap<K, Arc<CachedView>, foldhash::fast::RandomState>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

fn lock_shown(shown: &Mutex<HashMap<(ServerId, bool), Shown>>) -> Guarded<'_, HashMap<(ServerId, bool), Shown>> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Caches a view that was built without the lock. The cache is bounded: if there are too many views, all are removed.
fn keep<K: Eq + Hash>(kept: &Kept<K>, key: K, seen: CachedView, most: usize) -> Arc<CachedView> {
    let seen = Arc::new(seen);
    let mut kept = lock(kept);
    if kept.len() >= most && !kept.contains_key(&key) {
        kept.clear();
    }
    kept.insert(key, seen.clone());
    seen
}

impl std::fmt::Debug for Views {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Views").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
