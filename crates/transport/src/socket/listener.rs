//! A listening socket that only its own user can connect to.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kernel::front::Front;
use model::Principal;
use rustix::fs::{FlockOperation, flock};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::stdio::{PipeOptions, pipe};

/// Why the socket can't be listened on.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// Another gateway serves it.
    #[error("listen on `{0}`: another gateway of yours already does; attach to it, or stop it first")]
    InUse(PathBuf),
    /// Other users could reach or replace the socket.
    #[error("listen in `{0}`: the directory must be yours and closed to others (`chmod 700` it, or choose another)")]
    Exposed(PathBuf),
    /// The operating system refused.
    #[error("listen on `{path}`: {error}")]
    Io {
        /// The socket, its directory or its lock.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

/// A listening socket. Only its own user can connect; it is removed when this is dropped.
#[derive(Debug)]
pub struct SocketListener {
    listener: UnixListener,
    path: PathBuf,
    /// The lock that is held as long as the socket is served, so that no other gateway takes it for a stale one.
    _lock: OwnedFd,
}

impl SocketListener {
    /// Listens at `path`. Its directory is created if it is missing; a socket that a dead gateway left behind is
    /// replaced.
    ///
    /// # Errors
    /// When another gateway serves it, when other users have access to the directory, or when the system refuses. Needs
    /// a tokio runtime.
    pub fn bind(path: &Path) -> Result<Self, SocketError> {
        let io_error = |path: &Path| {
            let path = path.to_owned();
            move |error: io::Error| SocketError::Io { path, error }
        };
        let directory = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        private_directory(directory)
            .map_err(io_error(directory))?
            .then_some(())
            .ok_or_else(|| SocketError::Exposed(directory.to_owned()))?;

        let lock_path = path.with_extension("lock");
        let lock = fs::File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)
            .map_err(io_error(&lock_path))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive).map_err(|_| SocketError::InUse(path.to_owned()))?;

        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io_error(path)(error)),
            _ => {}
        }
        let listener = UnixListener::bind(path).map_err(io_error(path))?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(io_error(path))?;
        Ok(Self {
            listener,
            path: path.to_owned(),
            _lock: lock.into(),
        })
    }

    /// Returns the path of the socket.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the next connection of the gateway's own user.
    pub(crate) async fn accept(&self) -> UnixStream {
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) if is_ours(&stream) => return stream,
                Ok(_) => tracing::warn!("refused a connection of another user on a local socket"),
                Err(error) => crate::accept::after_error(&error).await,
            }
        }
    }

    /// Serves clients until `shutdown`, and then those that are connected until their outstanding answers are sent.
    pub async fn serve(self, front: Arc<dyn Front>, options: PipeOptions, shutdown: CancellationToken) {
        let clients = TaskTracker::new();
        while let Some(stream) = shutdown.run_until_cancelled(self.accept()).await {
            let (front, options, shutdown) = (Arc::clone(&front), options.clone(), shutdown.clone());
            clients.spawn(async move {
                let (input, output) = stream.into_split();
                pipe::serve(&front, Principal::local(), input, output, &options, shutdown).await;
            });
        }
        clients.close();
        // Twice: once for the answers, once for writing them.
        drop(timeout(options.drain * 2, clients.wait()).await);
    }
}

impl Drop for SocketListener {
    fn drop(&mut self) {
        // The lock file stays: removing it would let two gateways hold locks on different files.
        drop(fs::remove_file(&self.path));
    }
}

/// Creates the directory if need be, and returns whether it belongs to this user and is closed to others.
fn private_directory(directory: &Path) -> io::Result<bool> {
    if !directory.exists() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    }
    let found = fs::metadata(directory)?;
    Ok(found.is_dir() && found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o077 == 0)
}

fn is_ours(stream: &UnixStream) -> bool {
    stream
        .peer_cred()
        .is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw())
}
