//! The settings of the kernel, at start and at each reload: plain data.

use std::time::Duration;

use guard::Security;
use jsonrpc::Limits;
use upstream::spec::ServerSpec;

/// The part of the configuration that the kernel uses.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The servers, in the order of the configuration.
    pub servers: Vec<ServerSpec>,
    /// The time that the first list waits for servers without a known offer (DESIGN 5).
    pub startup_wait: Duration,
    /// The number of items on one page of a list.
    pub page_size: usize,
    /// The time that a parked call waits for its client to send the answers.
    pub park_ttl: Duration,
    /// The time that a legacy HTTP session may be idle before it ends.
    pub session_idle: Duration,
    /// The number of legacy HTTP sessions at the same time.
    pub max_sessions: usize,
    /// The number of one client's requests that may be unanswered at the same time.
    pub max_in_flight: usize,
    /// Limits on each message.
    pub limits: Limits,
    /// The time for which list changes are debounced before clients are told.
    pub debounce: Duration,
    /// The configuration of permissions; if there is none, every principal may do everything.
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
