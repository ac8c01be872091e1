//! The context that every server, line and session of one gateway shares; it is constructed once.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard as Loaded};
use guard::SendPermit;
use jsonrpc::Limits;
use mgp::negotiation::Offer;
use runtime::Runtime;

use crate::cache::OfferCache;
use crate::event::{ServerEvent, ServerEvents};
use crate::identity::Identity;
use crate::link::Connector;

/// The settings that may change with the configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// The limits on each message.
    pub limits: Limits,
    /// How long changes of a server's lists are gathered before they are read once more.
    pub debounce: Duration,
    /// The part of MGP that the gateway offers; nothing in an open gateway.
    pub mgp: Offer,
}

/// The context that the servers, lines and sessions of one gateway share.
pub struct Context {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) connector: Arc<dyn Connector>,
    pub(crate) cache: Arc<dyn OfferCache>,
    pub(crate) identity: Arc<Identity>,
    /// The permit for the gateway's own requests.
    pub(crate) own_permit: SendPermit,
    config: ArcSwap<Config>,
    sink: Arc<dyn ServerEvents>,
    numbers: AtomicU64,
}

impl Context {
    /// Creates the context. `own_permit` is the guard's permit for the gateway's own calls; `sink` takes the events of servers.
    #[must_use]
    pub fn new(
        runtime: Arc<Runtime>,
        (connector, cache): (Arc<dyn Connector>, Arc<dyn OfferCache>),
        identity: Arc<Identity>,
        own_permit: SendPermit,
        config: Config,
        sink: Arc<dyn ServerEvents>,
    ) -> Arc<Self> {
        Arc::new(Self {
            runtime,
            connector,
            cache,
            identity,
            own_permit,
            config: ArcSwap::from_pointee(config),
            sink,
            numbers: AtomicU64::new(0),
        })
    }

    pub(crate) fn config(&self) -> Loaded<Arc<Config>> {
        self.config.load()
    }

    /// Puts another configuration in force.
    pub fn configure(&self, config: Config) {
        self.config.store(Arc::new(config));
    }

    pub(crate) fn tell(&self, event: ServerEvent) {
        self.sink.event(event);
    }

    /// Returns a number that no other line or session of this gateway has.
    pub(crate) fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed) + 1
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").finish_non_exhaustive()
    }
}
