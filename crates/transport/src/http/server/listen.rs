//! The listener: binds an address, accepts connections, and drains them at shutdown.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use kernel::front::Front;
use kernel::http_api::Mount;
use rustls::ServerConfig;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_rustls::{TlsAcceptor, TlsStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::access::Access;
use super::conn;
use super::options::{Anonymous, ListenOptions};
use super::shared::Shared;
use super::watch::Order;
use crate::http::stream::Stream;
use crate::http::tls::{self, TlsError};

/// Why an address can't be listened on.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Every client that reaches the address could use every server.
    #[error(
        "listen on `{0}`: others can reach that address, and no token is configured, so that every client could use every server; \
         configure a bearer token, listen on 127.0.0.1, or set `insecure_bind = true` if something else keeps others out"
    )]
    Insecure(SocketAddr),
    /// The operating system refused.
    #[error("listen on `{address}`: {error}{}", hint(.error))]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        error: io::Error,
    },
    /// The certificate or its key can't be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => "; stop what listens there, or choose another port",
        io::ErrorKind::PermissionDenied => "; ports below 1024 need a privilege, choose another",
        io::ErrorKind::AddrNotAvailable => "; this machine doesn't have that address",
        _ => "",
    }
}

/// A bound listener.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    options: ListenOptions,
    tls: Option<Arc<ServerConfig>>,
    mounts: Vec<Mount>,
}

impl Listener {
    /// Binds the address. Connections wait until [`serve`](Self::serve).
    ///
    /// # Errors
    /// When the address is taken or not this machine's, when it would admit clients without a token from other
    /// machines, or when TLS can't be set up.
    pub async fn bind(options: ListenOptions) -> Result<Self, ListenError> {
        let address = options.address;
        let strangers = options.tokens.is_empty() && options.anonymous != Anonymous::Never;
        if strangers && !options.insecure_bind && !address.ip().is_loopback() {
            return Err(ListenError::Insecure(address));
        }
        let tls = options
            .tls
            .as_ref()
            .map(|files| tls::showing(&files.certificate, &files.key))
            .transpose()?;
        let bind_error = |error| ListenError::Bind { address, error };
        let socket = TcpListener::bind(address).await.map_err(bind_error)?;
        let address = socket.local_addr().map_err(bind_error)?;
        Ok(Self {
            socket,
            address,
            options,
            tls,
            mounts: Vec::new(),
        })
    }

    /// Serves a family of routes too, to principals that the listener admits.
    #[must_use]
    pub fn mounting(mut self, mount: Mount) -> Self {
        self.mounts.push(mount);
        self
    }

    /// Returns the address that it listens on, with the port that was taken.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of the MCP endpoint for clients on this machine.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let mut address = self.address;
        match &mut address {
            SocketAddr::V4(v4) if v4.ip().is_unspecified() => v4.set_ip(std::net::Ipv4Addr::LOCALHOST),
            SocketAddr::V6(v6) if v6.ip().is_unspecified() => v6.set_ip(std::net::Ipv6Addr::LOCALHOST),
            _ => {}
        }
        format!("{scheme}://{address}/mcp")
    }

    /// Serves until `shutdown`; then no connection is accepted, requests are finished, streams of GETs closed, and past
    /// the drain deadline every connection is closed. Returns when no connection is left.
    pub async fn serve(self, front: Arc<dyn Front>, shutdown: CancellationToken) {
        let access = Access::new(&self.options, self.address);
        let shared = Shared {
            mounts: self.mounts,
            sse: self.options.sse,
            tls: self.tls.map(TlsAcceptor::from),
            ..Shared::new(front, access, self.options.limits)
        };
        let (socket, shared, tasks) = (self.socket, Arc::new(shared), TaskTracker::new());
        serve(&shared, &tasks, accept(socket, &shared, &tasks), &shutdown).await;
    }
}

/// Accepts until `shutdown`, then drains.
pub(crate) async fn serve(shared: &Arc<Shared>, tasks: &TaskTracker, accepting: impl Future<Output = ()>, shutdown: &CancellationToken) {
    let served = async {
        shutdown.run_until_cancelled(accepting).await;
        shared.watches.give_all(Order::Finish);
        tasks.close();
        if timeout(shared.limits.drain, tasks.wait()).await.is_err() {
            shared.watches.give_all(Order::Close);
            tasks.wait().await;
        }
    };
    tokio::select! {
        () = served => {}
        () = sweep(shared) => {}
    }
}

async fn sweep(shared: &Shared) {
    let mut ticks = interval(shared.limits.tick());
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        ticks.tick().await;
        shared.watches.sweep();
    }
}

async fn accept(socket: TcpListener, shared: &Arc<Shared>, tasks: &TaskTracker) {
    let places = Arc::new(Semaphore::new(shared.limits.max_connections));
    loop {
        let tcp = match socket.accept().await {
            Ok((tcp, _)) => tcp,
            Err(error) => {
                crate::accept::after_error(&error).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            refuse(shared, &tcp);
            continue;
        };
        // Watched from here on, so that a drain finds it.
        let (shared, watched) = (Arc::clone(shared), shared.watches.add());
        tasks.spawn(async move {
            if let Some(stream) = secured(&shared, tcp).await {
                conn::serve(shared, stream, watched).await;
            }
            drop(place);
        });
    }
}

/// Returns the connection's stream, after the TLS handshake where there is one.
async fn secured(shared: &Shared, tcp: TcpStream) -> Option<Stream> {
    // Answers are written in one piece each: waiting for more would only delay them.
    tcp.set_nodelay(true).ok()?;
    let Some(tls) = &shared.tls else { return Some(Stream::Plain(tcp)) };
    match timeout(shared.limits.head_timeout, tls.accept(tcp)).await {
        Ok(Ok(stream)) => Some(Stream::Tls(Box::new(TlsStream::Server(stream)))),
        Ok(Err(error)) => {
            tracing::debug!(%error, "a TLS handshake failed");
            None
        }
        Err(_) => None,
    }
}

/// Answers that there are too many connections, as far as the socket takes it at once.
fn refuse(shared: &Shared, tcp: &TcpStream) {
    tracing::warn!(
        max_connections = shared.limits.max_connections,
        "refused a connection: too many are open"
    );
    if shared.tls.is_none() {
        drop(tcp.try_write(b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"));
    }
}
