//! The state of one configured server: its health, its era, and its offers.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use catalog::Offer;
use mcp::method::ListKind;
use mcp::revision::Era;
use mgp::negotiation::{Agreement, Extension};
use model::{Permission, TrustLevel};
use runtime::CallCounts;
use tokio::sync::watch;

use crate::context::Context;
use crate::event::ServerEvent;
use crate::health::{Health, HealthRecord};
use crate::offers::{Capabilities, Offers, Turn};
use crate::spec::{EraChoice, ServerSpec, Start};
use crate::unavailable::Unavailable;

/// A server's state, which its lines share.
pub struct ServerState {
    /// The server's configuration.
    pub spec: ServerSpec,
    /// The counters of its calls.
    pub calls: CallCounts,
    pub(crate) context: Arc<Context>,
    inner: Mutex<Inner>,
    /// The lock that is held from reporting an offer until it is published, so that the guard never knows an older offer than lists show.
    publishing: Mutex<()>,
    /// Whether the server is no longer part of the configuration: no connection is made any more.
    retired: AtomicBool,
    /// Counts changes of the state: a new offer, a failure.
    news: watch::Sender<u64>,
}

struct Inner {
    era: Option<Era>,
    sse: bool,
    health: HealthRecord,
    offers: Offers,
    /// The number of published offers whose report is still to be made.
    unreported: usize,
    /// What was agreed of MGP on the latest connection.
    agreed: Option<Agreement>,
}

/// The turn to read some lists. While it lives no other caller reads them.
pub(crate) struct FetchTurn {
    server: Weak<ServerState>,
    capabilities: Capabilities,
    kinds: Vec<ListKind>,
}

impl ServerState {
    pub(crate) fn new(spec: ServerSpec, context: &Arc<Context>) -> Arc<Self> {
        let health = HealthRecord::new(spec.launch.as_ref().err());
        Arc::new(Self {
            spec,
            calls: CallCounts::default(),
            context: context.clone(),
            inner: Mutex::new(Inner {
                era: None,
                sse: false,
                health,
                offers: Offers::default(),
                unreported: 0,
                agreed: None,
            }),
            publishing: Mutex::default(),
            retired: AtomicBool::new(false),
            news: watch::Sender::new(0),
        })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the key of clients without capabilities.
    pub(crate) fn no_capabilities(&self) -> &Capabilities {
        &self.context.identity.no_capabilities
    }

    // === its era and its agreement

    /// Returns the era, where it is configured or was found out.
    #[must_use]
    pub fn known_era(&self) -> Option<Era> {
        match self.spec.era {
            EraChoice::Legacy => Some(Era::Legacy),
            EraChoice::Modern => Some(Era::Modern),
            EraChoice::Auto => self.inner().era,
        }
    }

    pub(crate) fn note_era(&self, era: Era) {
        self.inner().era = Some(era);
    }

    pub(crate) fn speaks_sse(&self) -> bool {
        self.inner().sse
    }

    pub(crate) fn note_sse(&self) {
        self.inner().sse = true;
    }

    /// Notes what was agreed of MGP on a connection.
    pub(crate) fn note_agreement(&self, agreed: Option<&Agreement>) {
        self.inner().agreed = agreed.cloned();
    }

    /// Returns the permissions that the server asked for itself when it was last connected.
    #[must_use]
    pub fn asked_permissions(&self) -> Vec<Permission> {
        let inner = self.inner();
        inner.agreed.as_ref().map(|agreed| agreed.permissions.clone()).unwrap_or_default()
    }

    /// Returns whether the server's errors say whether and when a call may be made again.
    #[must_use]
    pub fn says_how_to_retry(&self) -> bool {
        let inner = self.inner();
        inner
            .agreed
            .as_ref()
            .is_some_and(|agreed| agreed.active.has(Extension::ErrorHandling))
    }

    /// Returns the trust that the server claims for itself.
    #[must_use]
    pub fn claimed_trust(&self) -> Option<TrustLevel> {
        self.inner().agreed.as_ref().and_then(|agreed| agreed.trust)
    }

    // === health

    pub(crate) fn check_backoff(&self) -> Result<(), Unavailable> {
        self.inner().health.check_backoff(runtime::now())
    }

    pub(crate) fn came_up(&self) {
        self.inner().health.came_up();
        tracing::info!(server = %self.spec.id, "started");
    }

    /// Notes a failed attempt. The known era is forgotten, because the server may have changed.
    pub(crate) fn went_down(&self, error: &Unavailable) {
        let is_news = {
            let mut inner = self.inner();
            inner.era = None;
            inner.health.went_down(runtime::now(), error)
        };
        match is_news {
            true => tracing::warn!(server = %self.spec.id, why = %error, "is not available"),
            false => tracing::debug!(server = %self.spec.id, why = %error, "is still not available"),
        }
        self.context.runtime.metrics().server_failed(self.spec.id.as_str());
        self.tell_news();
    }

    /// Notes that a connection, made at `since`, ended by itself.
    pub(crate) fn lost(&self, since: Instant, error: Unavailable) {
        tracing::warn!(server = %self.spec.id, why = %error, "the connection was lost");
        self.inner().health.lost(runtime::now(), since, error);
        self.context.runtime.metrics().server_restarted(self.spec.id.as_str());
        self.tell_news();
    }

    /// Notes why the server's lists could not be read completely.
    pub(crate) fn note_trouble(&self, why: &str) {
        self.inner().health.set_trouble(Some(why.to_owned()));
        self.tell_news();
    }

    /// Returns why the server's lists could not be read completely the last time.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        self.inner().health.trouble().cloned()
    }

    /// Returns whether the server is to start with the gateway, and has neither an offer nor an error yet.
    #[must_use]
    pub fn is_awaited(&self) -> bool {
        let inner = self.inner();
        let unknown = inner.offers.is_empty() && inner.health.trouble().is_none() && !inner.health.is_error();
        self.spec.start == Start::Eager && unknown
    }

    /// Returns the health for users of the server's offer: a server that is connected but whose lists cannot be read cannot be used.
    #[must_use]
    pub fn usable(&self) -> Health {
        let inner = self.inner();
        if *inner.health.health() != Health::Started || !inner.offers.is_empty() {
            return inner.health.health().clone();
        }
        let why = inner.health.trouble().map_or("it has not answered yet", String::as_str);
        Health::Error(Unavailable::new(format!("connected, but what it offers could not be read: {why}")))
    }

    /// Returns the server's health.
    #[must_use]
    pub fn health(&self) -> Health {
        self.inner().health.health().clone()
    }

    /// Returns when the server may be tried again; none when it may be now.
    pub(crate) fn retry_at(&self) -> Option<Instant> {
        self.inner().health.retry_at()
    }

    /// Returns what is left of the time that lists wait for this server.
    #[must_use]
    pub fn patience(&self, startup_wait: Duration) -> Duration {
        self.inner().health.patience(runtime::now(), startup_wait)
    }

    /// Returns a receiver that changes when the state changes: a new offer, a failure.
    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    fn tell_news(&self) {
        self.news.send_modify(|count| *count += 1);
    }

    // === its offers

    /// Returns the offer to clients of these capabilities; if there is none, the offer to clients without any.
    #[must_use]
    pub fn offer(&self, capabilities: &Capabilities) -> Option<Arc<Offer>> {
        self.inner().offers.get(capabilities, self.no_capabilities())
    }

    /// Returns whether the offer to clients of exactly these capabilities is known.
    #[must_use]
    pub fn has_own_offer(&self, capabilities: &Capabilities) -> bool {
        self.inner().offers.has(capabilities)
    }

    /// Returns all offers of the server; the one to clients without capabilities comes first.
    #[must_use]
    pub fn offers(&self) -> Vec<Arc<Offer>> {
        self.inner().offers.all(self.no_capabilities())
    }

    /// Takes the offers from the cache of an earlier process.
    pub fn remember(&self) {
        for (capabilities, bytes) in self.context.cache.load(&self.spec.digest) {
            let Some(mut offer) = Offer::from_cache(&bytes, self.spec.id.clone(), self.spec.prefix) else {
                continue;
            };
            // It may have been read when other tools were chosen.
            let filter = self.spec.filter();
            offer.tools.items.retain(|item| filter.allows(&item.key));
            let offer = Arc::new(offer);
            {
                let _publishing = self.publishing.lock().unwrap_or_else(PoisonError::into_inner);
                if self.has_own_offer(&capabilities) {
                    continue;
                }
                self.tell_offering(&capabilities, &offer);
                let mut inner = self.inner();
                // The era of that time is tried first; after a failure the server is probed again.
                inner.era = inner.era.or(Some(offer.revision.era()));
                inner.offers.remember(capabilities, offer);
                inner.unreported += 1;
                inner.health.remembered();
            }
            self.tell_offered(HashSet::new());
        }
    }

    /// Makes a fresh offer the known one, and reports the lists that changed.
    pub(crate) fn publish(&self, capabilities: &Capabilities, offer: Offer, announced: &[ListKind]) {
        let offer = Arc::new(offer);
        let lists = {
            let _publishing = self.publishing.lock().unwrap_or_else(PoisonError::into_inner);
            self.tell_offering(capabilities, &offer);
            let mut inner = self.inner();
            inner.health.set_trouble(None);
            inner.unreported += 1;
            inner.offers.publish(capabilities, &offer, announced)
        };
        self.tell_offered(lists);
        self.context.cache.save(&self.spec.digest, capabilities, &offer.to_cache());
    }

    /// Reports an offer before it is published.
    fn tell_offering(&self, capabilities: &Capabilities, offer: &Arc<Offer>) {
        let offers = self.inner().offers.with(capabilities, offer, self.no_capabilities());
        let server = self.spec.id.clone();
        self.context.tell(ServerEvent::Offering { server, offers });
    }

    /// Reports an offer that was published, and only then lets those go on who wait for it: they look at views that know of it.
    fn tell_offered(&self, lists: HashSet<ListKind>) {
        let server = self.spec.id.clone();
        self.context.tell(ServerEvent::Offered { server, lists });
        self.inner().unreported -= 1;
        self.tell_news();
    }

    /// Returns whether every offer that was published has been reported.
    pub(crate) fn is_reported(&self) -> bool {
        self.inner().unreported == 0
    }

    /// Waits for the turn to read lists; none if another caller will read them again.
    pub(crate) async fn fetch_turn(self: &Arc<Self>, capabilities: &Capabilities, kinds: &[ListKind]) -> Option<FetchTurn> {
        loop {
            let turn = self.inner().offers.turn(capabilities, kinds);
            match turn {
                Turn::Now => break,
                Turn::Never => return None,
                Turn::Later => tokio::time::sleep(self.context.config().debounce).await,
            }
        }
        Some(FetchTurn {
            server: Arc::downgrade(self),
            capabilities: capabilities.clone(),
            kinds: kinds.to_vec(),
        })
    }

    // === the end

    pub(crate) fn retire(&self) {
        self.retired.store(true, Ordering::Release);
    }

    /// Returns whether the server is no longer part of the configuration.
    #[must_use]
    pub fn is_retired(&self) -> bool {
        self.retired.load(Ordering::Acquire)
    }
}

impl Drop for FetchTurn {
    fn drop(&mut self) {
        if let Some(server) = self.server.upgrade() {
            server.inner().offers.end_turn(&self.capabilities, &self.kinds);
        }
    }
}

impl std::fmt::Debug for ServerState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerState").field("id", &self.spec.id).finish_non_exhaustive()
    }
}
