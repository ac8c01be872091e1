//! What the parts of the kernel share.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Weak};
use std::time::Instant;

use arc_swap::{ArcSwap, Guard as Loaded};
use jsonrpc::{Limits, Raw};
use mcp::capabilities::ClientCapabilities;
use mcp::exchange::Peer;
use mcp::revision::Revision;
use model::{Deadline, ServerId};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::cache::OfferCache;
use crate::client::registry::Clients;
use crate::guard::Guard;
use crate::hub::Hub;
use crate::link::Connector;
use crate::metrics::Metrics;
use crate::outside::Outside;
use crate::parked::ParkedCalls;
use crate::resources::Returned;
use crate::seal::{ProcessKey, fill};
use crate::settings::Settings;
use crate::tasks::TaskRoutes;
use crate::upstream::Server;
use crate::views::Views;

/// The shared state.
pub(crate) struct Inner {
    settings: ArcSwap<Settings>,
    servers: ArcSwap<Servers>,
    pub(crate) guard: Guard,
    pub(crate) connector: Arc<dyn Connector>,
    pub(crate) cache: Arc<dyn OfferCache>,
    pub(crate) clients: Clients,
    pub(crate) views: Views,
    pub(crate) hub: Hub,
    pub(crate) parked: ParkedCalls,
    pub(crate) tasks: TaskRoutes,
    pub(crate) returned: Returned,
    pub(crate) metrics: Metrics,
    pub(crate) sealer: ProcessKey,
    /// `serverInfo` and `clientInfo`
    pub(crate) own_info: Raw,
    /// The gateway as a client of its own: no capabilities.
    pub(crate) own_peer: Arc<Peer>,
    /// The same, where it listens to modern servers.
    pub(crate) listening_peer: Arc<Peer>,
    pub(crate) no_capabilities: Arc<[u8]>,
    pub(crate) shutdown: CancellationToken,
    tracker: TaskTracker,
    started: Instant,
}

/// The servers of one configuration, in its order.
#[derive(Debug, Default)]
pub(crate) struct Servers {
    list: Vec<Arc<Server>>,
    by_id: HashMap<ServerId, Arc<Server>, foldhash::fast::RandomState>,
}

impl Servers {
    pub(crate) fn new(list: Vec<Arc<Server>>) -> Self {
        let by_id = list.iter().map(|server| (server.spec.id.clone(), server.clone())).collect();
        Self { list, by_id }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Server>> {
        self.list.iter()
    }

    pub(crate) fn get(&self, id: &ServerId) -> Option<&Arc<Server>> {
        self.by_id.get(id)
    }
}

impl Inner {
    pub(crate) fn new(settings: Settings, outside: Outside) -> Arc<Self> {
        let guard = Guard::new(settings.security.as_ref(), outside.records, outside.resolver, outside.clock);
        let own_info = Raw::of(&serde_json::json!({ "name": "chancery", "title": "Chancery", "version": settings.version }));
        let peer = Arc::new(Peer {
            revision: Revision::LATEST_LEGACY,
            capabilities: ClientCapabilities::empty(),
            info: Some(own_info.clone()),
        });
        let listening = Arc::new(Peer {
            capabilities: ClientCapabilities::empty().with_tasks_extension(),
            ..(*peer).clone()
        });
        let specs = settings.servers.clone();
        let inner = Arc::new(Self {
            settings: ArcSwap::from_pointee(settings),
            servers: ArcSwap::from_pointee(Servers::default()),
            guard,
            connector: outside.connector,
            cache: outside.cache,
            clients: Clients::default(),
            views: Views::default(),
            hub: Hub::default(),
            parked: ParkedCalls::default(),
            tasks: TaskRoutes::default(),
            returned: Returned::default(),
            metrics: Metrics::new(),
            sealer: ProcessKey::new(),
            own_info,
            own_peer: peer,
            listening_peer: listening,
            no_capabilities: ClientCapabilities::empty().key().into(),
            shutdown: CancellationToken::new(),
            tracker: TaskTracker::new(),
            started: crate::now(),
        });
        let weak: Weak<Self> = Arc::downgrade(&inner);
        inner.set_servers(Servers::new(specs.into_iter().map(|spec| Server::new(spec, &weak)).collect()));
        inner
    }

    pub(crate) fn settings(&self) -> Loaded<Arc<Settings>> {
        self.settings.load()
    }

    pub(crate) fn set_settings(&self, settings: Settings) {
        self.settings.store(Arc::new(settings));
    }

    pub(crate) fn limits(&self) -> Limits {
        self.settings.load().limits
    }

    pub(crate) fn servers(&self) -> Arc<Servers> {
        self.servers.load_full()
    }

    pub(crate) fn set_servers(&self, servers: Servers) {
        self.servers.store(Arc::new(servers));
    }

    pub(crate) fn server(&self, id: &ServerId) -> Option<Arc<Server>> {
        self.servers.load().get(id).cloned()
    }

    /// Starts a task that the shutdown waits for.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.tracker.spawn(task));
    }

    pub(crate) fn tracker(&self) -> &TaskTracker {
        &self.tracker
    }

    pub(crate) fn uptime_ms(&self) -> u64 {
        u64::try_from(crate::now().saturating_duration_since(self.started).as_millis()).unwrap_or(u64::MAX)
    }

    /// What sealed states expire by: they hold as long as the process, and no clock that jumps concerns them.
    pub(crate) fn uptime_secs(&self) -> u64 {
        self.uptime_ms() / 1000
    }

    pub(crate) fn park_until(&self) -> Deadline {
        Deadline::after(crate::now(), self.settings().park_ttl)
    }

    /// 128 bits of randomness in hexadecimal: a session id, an elicitation id.
    pub(crate) fn new_token(&self) -> String {
        let mut bytes = [0_u8; 16];
        fill(&mut bytes);
        bytes.iter().fold(String::with_capacity(32), |mut text, byte| {
            text.push(char::from(b"0123456789abcdef"[usize::from(byte >> 4)]));
            text.push(char::from(b"0123456789abcdef"[usize::from(byte & 15)]));
            text
        })
    }

    pub(crate) fn random_u64(&self) -> u64 {
        let mut bytes = [0_u8; 8];
        fill(&mut bytes);
        u64::from_be_bytes(bytes)
    }
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner").finish_non_exhaustive()
    }
}
