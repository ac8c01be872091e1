//! The built-in servers: the kernel treats them like any other, but they run in this process.

mod audit;

use std::sync::Arc;

use kernel::link::BoxFuture;
use kernel::spec::Builtin;
use store::{AuditStore, Retention, Store};
use tokio::io::DuplexStream;
use transport::stdio::Inside;

pub(crate) use audit::Audit;

/// The data of the built-in servers.
#[derive(Debug)]
pub(crate) struct Builtins {
    audit: Audit,
}

impl Builtins {
    /// Makes the servers for the gateway's store, if it has one, and the time for which it keeps events.
    pub(crate) fn new(store: Option<Arc<dyn Store>>, retention: Retention) -> Self {
        let audit = store.map(|store| -> Arc<dyn AuditStore> { store });
        Self {
            audit: Audit::new(audit, retention),
        }
    }
}

impl Inside for Builtins {
    fn run(&self, server: Builtin, input: DuplexStream, output: DuplexStream) -> BoxFuture<'static, ()> {
        let server = match server {
            Builtin::Audit => audit::server(&self.audit),
        };
        Box::pin(async move {
            if let Err(error) = server.serve_streams(input, output).await {
                tracing::debug!(%error, "a connection with a server of the gateway's own has ended");
            }
        })
    }
}
