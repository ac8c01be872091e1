//! The options of a listener.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use model::{Principal, Secret};

/// The address to listen on, the clients that may connect, and the limits.
#[derive(Clone, Debug)]
pub struct ListenOptions {
    /// The address. Port 0 takes any free one.
    pub address: SocketAddr,
    /// The tokens of the configuration, beside those that the gateway remembers.
    pub tokens: Vec<Token>,
    /// Which clients may connect without a token, as the local user.
    pub anonymous: Anonymous,
    /// Listen on an address that other machines reach, although no token is required.
    pub insecure_bind: bool,
    /// Names under which the listener is reached, beside `localhost` and loopback addresses: `host` or `host:port`. A
    /// loopback listener refuses every other `Host`; another listener does so where names are given.
    pub hosts: Vec<String>,
    /// Web origins that may connect (`https://app.example`), also across origins (CORS). On a loopback listener those
    /// of the same machine may connect as well.
    pub origins: Vec<String>,
    /// The files for TLS; `None` for plain HTTP.
    pub tls: Option<TlsFiles>,
    /// Serve HTTP+SSE of 2024-11-05 on `/sse` and `/messages`.
    pub sse: bool,
    /// The limits.
    pub limits: ListenLimits,
}

impl Default for ListenOptions {
    fn default() -> Self {
        Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            tokens: Vec::new(),
            anonymous: Anonymous::default(),
            insecure_bind: false,
            hosts: Vec::new(),
            origins: Vec::new(),
            tls: None,
            sse: false,
            limits: ListenLimits::default(),
        }
    }
}

/// Which clients may connect without a token, as the local user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anonymous {
    /// Every client, as long as no token exists; only loopback addresses are listened on then, unless `insecure_bind`
    /// says otherwise.
    #[default]
    WithoutTokens,
    /// On a loopback address every client; elsewhere as [`Anonymous::WithoutTokens`].
    Loopback,
    /// No client.
    Never,
}

/// A bearer token and its principal.
#[derive(Clone, Debug)]
pub struct Token {
    /// The value after `Authorization: Bearer`.
    pub secret: Secret,
    /// The principal that the token stands for.
    pub principal: Principal,
}

/// A certificate chain and its key, both PEM.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The chain, the listener's own certificate first.
    pub certificate: PathBuf,
    /// The key.
    pub key: PathBuf,
}

/// Limits of a listener.
#[derive(Clone, Debug)]
pub struct ListenLimits {
    /// The largest body of a request, in bytes.
    pub max_body: usize,
    /// The largest head of a request, in bytes.
    pub max_head: usize,
    /// How long the head of a request may take from its first byte; a TLS handshake as well.
    pub head_timeout: Duration,
    /// How long the body of a request may take.
    pub body_timeout: Duration,
    /// How long a connection may stand without a request.
    pub idle_timeout: Duration,
    /// How long a client may read nothing of what is written.
    pub write_timeout: Duration,
    /// How many connections are served at once.
    pub max_connections: usize,
    /// How many streams of events are open at once.
    pub max_streams: usize,
    /// How often a quiet stream carries a comment, so that no proxy closes it.
    pub keep_alive: Duration,
    /// How long requests may still take after shutdown began.
    pub drain: Duration,
}

impl Default for ListenLimits {
    fn default() -> Self {
        Self {
            max_body: 16 * 1024 * 1024,
            max_head: 64 * 1024,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(60),
            idle_timeout: Duration::from_secs(90),
            write_timeout: Duration::from_secs(60),
            max_connections: 8192,
            max_streams: 4096,
            keep_alive: Duration::from_secs(15),
            drain: Duration::from_secs(10),
        }
    }
}

impl ListenLimits {
    /// Returns how often deadlines are checked: often enough for the shortest.
    pub(crate) fn tick(&self) -> Duration {
        let shortest = self
            .head_timeout
            .min(self.body_timeout)
            .min(self.idle_timeout)
            .min(self.write_timeout);
        (shortest / 4).clamp(Duration::from_millis(10), Duration::from_secs(1))
    }
}
