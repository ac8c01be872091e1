//! The servers of one configuration, and the state that outlives a change of it.

use std::collections::HashMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use model::ServerId;

use crate::context::{Config, Context};
use crate::identity::Identity;
use crate::server::{Server, keep_connected};
use crate::session::Session;
use crate::spec::{ServerSpec, Start};

/// The servers behind the gateway.
#[derive(Debug)]
pub struct Upstream {
    context: Arc<Context>,
    servers: ArcSwap<Servers>,
}

/// The servers of one configuration, in its order.
#[derive(Debug, Default)]
pub struct Servers {
    list: Vec<Arc<Server>>,
    by_id: HashMap<ServerId, Arc<Server>, foldhash::fast::RandomState>,
}

/// The servers that a change of the configuration added and removed.
#[derive(Debug, Default)]
pub struct Changed {
    /// The servers that are new, or configured anew. They are not started yet.
    pub fresh: Vec<Arc<Server>>,
    /// The servers that were removed or replaced. They are not ended yet.
    pub gone: Vec<Arc<Server>>,
}

impl Servers {
    fn new(list: Vec<Arc<Server>>) -> Self {
        let by_id = list.iter().map(|server| (server.spec().id.clone(), server.clone())).collect();
        Self { list, by_id }
    }

    /// Returns each server, in the order of the configuration.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Server>> {
        self.list.iter()
    }

    /// Returns the server of that id.
    #[must_use]
    pub fn get(&self, id: &ServerId) -> Option<&Arc<Server>> {
        self.by_id.get(id)
    }
}

impl Upstream {
    /// Creates the servers of a configuration. Nothing is started.
    #[must_use]
    pub fn new(context: Arc<Context>, specs: &[ServerSpec]) -> Arc<Self> {
        let list = specs.iter().map(|spec| Server::new(spec.clone(), &context)).collect();
        Arc::new(Self {
            context,
            servers: ArcSwap::from_pointee(Servers::new(list)),
        })
    }

    /// Returns the servers of the present configuration.
    #[must_use]
    pub fn servers(&self) -> Arc<Servers> {
        self.servers.load_full()
    }

    /// Returns the server of that id.
    #[must_use]
    pub fn server(&self, id: &ServerId) -> Option<Arc<Server>> {
        self.servers.load().get(id).cloned()
    }

    /// Returns the connection of that number to a server.
    #[must_use]
    pub fn session(&self, server: &ServerId, number: u64) -> Option<Arc<Session>> {
        self.server(server)?.session(number)
    }

    /// Returns the identity of the gateway towards servers.
    #[must_use]
    pub fn identity(&self) -> &Arc<Identity> {
        &self.context.identity
    }

    /// Puts another configuration in force: servers that did not change keep running. The caller starts the fresh ones and ends those that are gone.
    pub fn configure(&self, config: Config, specs: &[ServerSpec]) -> Changed {
        self.context.configure(config);
        let old = self.servers();
        let mut fresh = Vec::new();
        let list: Vec<Arc<Server>> = specs
            .iter()
            .map(|spec| match old.get(&spec.id).filter(|server| server.spec().same_as(spec)) {
                Some(server) => server.clone(),
                None => {
                    let server = Server::new(spec.clone(), &self.context);
                    fresh.push(server.clone());
                    server
                }
            })
            .collect();
        let is_kept = |server: &&Arc<Server>| list.iter().any(|kept| Arc::ptr_eq(kept, server));
        let gone = old.iter().filter(|server| !is_kept(server)).cloned().collect();
        self.servers.store(Arc::new(Servers::new(list)));
        Changed { fresh, gone }
    }

    /// Loads a server's cached offers, and starts the server if it is to start with the gateway; tries again for as long as that fails.
    pub fn bring_up(&self, server: &Arc<Server>) {
        server.state.remember();
        if let Err(why) = &server.spec().launch {
            tracing::warn!(server = %server.spec().id, why, "a server cannot be used");
            return;
        }
        if server.spec().start == Start::OnUse {
            return;
        }
        let (weak, state) = (Arc::downgrade(server), Arc::downgrade(&server.state));
        self.context.runtime.spawn_until_shutdown(async move {
            keep_connected(&state, || weak.upgrade().map(|server| server.base_line())).await;
        });
    }
}
