//! A gateway in this process: the kernel, and the connections to its servers.

use std::sync::Arc;
use std::time::Duration;

use console::Console;
use kernel::http_api::Mount;
use kernel::{Dependencies, Kernel, Records};
use transport::{Outbound, SystemResolver};

use super::{cache, settings};
use crate::builtin::Builtins;
use crate::config::{self, Config, Sources};

/// How long the shutdown may take.
const SHUTDOWN: Duration = Duration::from_secs(10);

/// A kernel, and its connections to servers.
pub(super) struct Gateway {
    pub(super) kernel: Kernel,
    pub(super) outbound: Arc<Outbound>,
}

impl Gateway {
    /// Starts a kernel with the settings of a configuration; without records it remembers nothing.
    pub(super) fn start(settings: kernel::Settings, records: Option<Records>, config: &Config, sources: &Sources) -> Self {
        let store = records.as_ref().map(|records| records.store.clone());
        let builtins = Builtins::new(store, config.store.retention);
        let outbound = Arc::new(Outbound::new(settings::client_limits(config), None).inside(Arc::new(builtins)));
        let cache: Arc<dyn kernel::OfferCache> = match config::state_dir(&sources.env) {
            Some(state) => Arc::new(cache::Files::new(state.join("catalogue"))),
            None => Arc::new(kernel::NoCache),
        };
        let mut outside = Dependencies::new(outbound.clone(), cache).resolver(Arc::new(SystemResolver));
        if let Some(records) = records {
            outside = outside.records(records);
        }
        let kernel = Kernel::start(settings, outside);
        Self { kernel, outbound }
    }

    /// Returns the operator API of the gateway.
    pub(super) fn api(&self) -> Mount {
        Console::mount(self.kernel.clone())
    }

    /// Ends the kernel, and waits until no child process is left.
    pub(super) async fn stop(self) {
        self.kernel.shutdown(SHUTDOWN).await;
        drop(tokio::time::timeout(SHUTDOWN, self.outbound.finished()).await);
    }
}
