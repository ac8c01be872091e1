//! What the kernel is told at start and at each reload: plain data.

use std::time::Duration;

use guard::Security;
use jsonrpc::Limits;
use upstream::spec::ServerSpec;

/// Everything the kernel takes from configuration.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The servers, in the order of the configuration.
    pub servers: Vec<ServerSpec>,
    /// How long the first list waits for servers that were never seen (DESIGN 5).
    pub startup_wait: Duration,
    /// Items on one page of a list.
    pub page_size: usize,
    /// How long a parked call waits for its client to come back with answers.
    pub park_ttl: Duration,
    /// How long a legacy HTTP session may be idle before it ends.
    pub session_idle: Duration,
    /// Legacy HTTP sessions at the same time.
    pub max_sessions: usize,
    /// Requests of one client that may be unanswered at the same time.
    pub max_in_flight: usize,
    /// Limits on each message.
    pub limits: Limits,
    /// How long list changes are gathered before clients are told.
    pub debounce: Duration,
    /// What is configured about permissions; every principal may do everything where there is nothing.
    pub security: Option<Security>,
    /// Our own version, as `serverInfo` and `clientInfo` show it.
    pub version: &'static str,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            servers: Vec::new(),
            startup_wait: Duration::from_secs(2),
            page_size: 1000,
            park_ttl: Duration::from_secs(300),
            session_idle: Duration::from_secs(30 * 60),
            max_sessions: 200_000,
            max_in_flight: 1024,
            limits: Limits::default(),
            debounce: Duration::from_millis(50),
            security: None,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}
