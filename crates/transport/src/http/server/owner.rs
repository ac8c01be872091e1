//! The operator API on a local socket of its own: only the gateway's owner can reach it, and is an operator there.

use std::path::Path;
use std::sync::Arc;

use kernel::front::Front;
use kernel::http_api::Mount;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::access::Access;
use super::options::ListenLimits;
use super::shared::Shared;
use super::{conn, listen};
use crate::http::stream::Stream;
use crate::socket::{SocketError, SocketListener};

/// A listening socket of the operator API. Only its own user can connect.
#[derive(Debug)]
pub struct OwnerSocket(SocketListener);

impl OwnerSocket {
    /// Listens at `path`, like [`SocketListener::bind`].
    ///
    /// # Errors
    /// The errors of [`SocketListener::bind`].
    pub fn bind(path: &Path) -> Result<Self, SocketError> {
        SocketListener::bind(path).map(Self)
    }

    /// Serves until `shutdown`; then requests are finished and streams closed.
    pub async fn serve(self, front: Arc<dyn Front>, mount: Mount, limits: ListenLimits, shutdown: CancellationToken) {
        let shared = Arc::new(Shared {
            mounts: vec![mount],
            ..Shared::new(front, Access::of_owner(), limits)
        });
        let tasks = TaskTracker::new();
        let places = Arc::new(Semaphore::new(shared.limits.max_connections));
        let accepting = async {
            // Every connection is the owner's own: connections above the limit wait.
            while let Ok(place) = Arc::clone(&places).acquire_owned().await {
                let stream = self.0.accept().await;
                conn::spawn(&shared, &tasks, Stream::Local(stream), place);
            }
        };
        listen::serve(&shared, &tasks, accepting, &shutdown).await;
    }
}
