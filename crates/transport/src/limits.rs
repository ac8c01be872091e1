//! The limits of the connections to servers.

use std::time::Duration;

/// Limits towards servers.
#[derive(Clone, Debug)]
pub struct ClientLimits {
    /// The largest message, answer or event, in bytes.
    pub max_message: usize,
    /// How many outgoing messages wait for a slow pipe before the sender has to wait.
    pub queue: usize,
    /// How long a child may take to exit once its stdin is closed, before SIGTERM.
    pub close_grace: Duration,
    /// How long a child (and the processes that it started) may take after SIGTERM, before SIGKILL.
    pub term_grace: Duration,
    /// How long name resolution, TCP and TLS may take together.
    pub connect_timeout: Duration,
    /// How long an idle HTTP connection is kept.
    pub idle_timeout: Duration,
    /// How many idle HTTP connections are kept for a server.
    pub max_idle: usize,
}

impl Default for ClientLimits {
    fn default() -> Self {
        Self {
            max_message: 16 * 1024 * 1024,
            queue: 64,
            close_grace: Duration::from_secs(2),
            term_grace: Duration::from_secs(2),
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(60),
            max_idle: 128,
        }
    }
}
