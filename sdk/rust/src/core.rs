//! The state that all connections of one server share.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use jsonrpc::Raw;
use serde_json::{Map, Value, json};
use tokio::sync::broadcast;

use crate::cache::Cache;
use crate::catalog::Catalog;
use crate::era::{Era, Eras};
use crate::handler::Handler;
use crate::keys;
use crate::seal::Sealer;
use crate::tasks::Tasks;

/// How many changes a connection may miss before it is told that everything changed.
const CHANGES: usize = 256;

/// A change that clients may want to be notified of.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Tools,
    Prompts,
    Resources,
    /// The contents of one resource changed.
    Resource(String),
    /// The state of one task changed.
    Task(String),
    /// An extension sends a notification; `filter` is its key in the filter of `subscriptions/listen`.
    Custom {
        filter: String,
        method: String,
        params: Raw,
    },
    /// Changes were missed.
    Everything,
}

/// The server's state, as its connections use it.
pub(crate) struct Core {
    pub(crate) info: Value,
    pub(crate) instructions: Option<String>,
    pub(crate) capabilities: Map<String, Value>,
    pub(crate) eras: Eras,
    pub(crate) page: usize,
    pub(crate) lists: Cache,
    pub(crate) ask_timeout: Duration,
    pub(crate) methods: HashMap<String, Handler>,
    pub(crate) notifications: HashMap<String, Handler>,
    /// Filter keys of extensions that `subscriptions/listen` accepts.
    pub(crate) filters: Vec<String>,
    pub(crate) tasks: Tasks,
    pub(crate) sealer: Sealer,
    pub(crate) changes: broadcast::Sender<Change>,
    catalog: RwLock<Arc<Catalog>>,
    machines: AtomicU64,
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core")
            .field("info", &self.info)
            .field("eras", &self.eras)
            .finish_non_exhaustive()
    }
}

/// The parts of a [`Core`] that the author decides.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) info: Map<String, Value>,
    pub(crate) instructions: Option<String>,
    pub(crate) capabilities: Map<String, Value>,
    pub(crate) eras: Eras,
    pub(crate) page: Option<usize>,
    pub(crate) lists: Option<Cache>,
    pub(crate) ask_timeout: Option<Duration>,
    pub(crate) state_key: Option<[u8; 32]>,
    pub(crate) methods: HashMap<String, Handler>,
    pub(crate) notifications: HashMap<String, Handler>,
    pub(crate) filters: Vec<String>,
    pub(crate) catalog: Catalog,
}

impl Core {
    pub(crate) fn new(plan: Plan) -> Arc<Self> {
        Arc::new(Self {
            info: Value::Object(plan.info),
            instructions: plan.instructions,
            capabilities: plan.capabilities,
            eras: plan.eras,
            page: plan.page.unwrap_or(100),
            lists: plan.lists.unwrap_or(Cache::public(Duration::ZERO)),
            ask_timeout: plan.ask_timeout.unwrap_or(Duration::from_secs(600)),
            methods: plan.methods,
            notifications: plan.notifications,
            filters: plan.filters,
            tasks: Tasks::default(),
            sealer: plan.state_key.as_ref().map_or_else(Sealer::random, Sealer::new),
            changes: broadcast::Sender::new(CHANGES),
            catalog: RwLock::new(Arc::new(plan.catalog)),
            machines: AtomicU64::new(1),
        })
    }

    /// Returns the current catalogue.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the catalogue and notifies all connections.
    pub(crate) fn edit(&self, what: Change, edit: impl FnOnce(&mut Catalog)) {
        {
            let mut current = self.catalog.write().unwrap_or_else(PoisonError::into_inner);
            edit(Arc::make_mut(&mut current));
        }
        self.announce(what);
    }

    pub(crate) fn announce(&self, what: Change) {
        // An error means that there are no connections.
        let _listeners = self.changes.send(what);
    }

    pub(crate) fn next_machine(&self) -> u64 {
        self.machines.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns the server's capabilities in `era`: those of the catalogue, overlaid with those that the author
    /// declared.
    pub(crate) fn capabilities(&self, era: Era, revision: &str) -> Value {
        let catalog = self.catalog();
        let mut all = Map::new();
        all.insert("logging".to_owned(), json!({}));
        if !catalog.tools.is_empty() {
            all.insert("tools".to_owned(), json!({"listChanged": true}));
        }
        if !catalog.resources.is_empty() || !catalog.templates.is_empty() {
            all.insert("resources".to_owned(), json!({"subscribe": true, "listChanged": true}));
        }
        if !catalog.prompts.is_empty() {
            all.insert("prompts".to_owned(), json!({"listChanged": true}));
        }
        // Declared since 2025-03-26.
        if catalog.completes() && revision != "2024-11-05" {
            all.insert("completions".to_owned(), json!({}));
        }
        for (key, value) in &self.capabilities {
            all.insert(key.clone(), value.clone());
        }
        if catalog.has_tasks() {
            if era == Era::Modern {
                crate::tool::insert_into(&mut all, "extensions", keys::TASKS, json!({}));
            } else if revision == "2025-11-25" {
                all.insert(
                    "tasks".to_owned(),
                    json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}),
                );
            }
        }
        Value::Object(all)
    }
}
