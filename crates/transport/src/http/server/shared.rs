//! The state that all connections of a listener share, and that of one connection.

use std::fmt;
use std::sync::Arc;

use http::Response;
use kernel::front::Front;
use kernel::http_api::Mount;
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use super::access::Access;
use super::answer::{self, Refusal};
use super::options::ListenLimits;
use super::reply::{Reply, Source};
use super::sse::Sessions;
use super::watch::{Watch, Watches};

/// The state that all connections of a listener share.
pub(crate) struct Shared {
    pub(crate) front: Arc<dyn Front>,
    /// The families of routes that are served beside MCP.
    pub(crate) mounts: Vec<Mount>,
    pub(crate) access: Access,
    pub(crate) limits: ListenLimits,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) sse: bool,
    pub(crate) sessions: Arc<Sessions>,
    pub(super) watches: Arc<Watches>,
    pub(super) tls: Option<TlsAcceptor>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("access", &self.access).finish_non_exhaustive()
    }
}

impl Shared {
    /// Makes the shared state without TLS, HTTP+SSE and operator API.
    pub(crate) fn new(front: Arc<dyn Front>, access: Access, limits: ListenLimits) -> Self {
        Self {
            front,
            mounts: Vec::new(),
            access,
            streams: Arc::new(Semaphore::new(limits.max_streams)),
            sse: false,
            sessions: Arc::default(),
            watches: Arc::new(Watches::new(&limits)),
            tls: None,
            limits,
        }
    }
}

/// The state that every request of a connection needs.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) shared: Arc<Shared>,
    pub(crate) watch: Arc<Watch>,
}

impl Served {
    /// Answers with a stream of events, unless the limit of open streams is reached.
    pub(super) fn stream(&self, source: Source) -> Result<Response<Reply>, Refusal> {
        let permit = Arc::clone(&self.shared.streams)
            .try_acquire_owned()
            .map_err(|_| Refusal::too_many_streams())?;
        Ok(answer::events(Reply::stream(source, self.shared.limits.keep_alive, permit)))
    }
}
