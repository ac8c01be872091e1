//! The reserved `_meta` keys and the extension that the SDK knows.

pub(crate) const REVISION: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const CLIENT: &str = "io.modelcontextprotocol/clientInfo";
pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub(crate) const SERVER: &str = "io.modelcontextprotocol/serverInfo";
pub(crate) const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
pub(crate) const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
/// The tasks extension of the modern era (SEP-2663).
pub(crate) const TASKS: &str = "io.modelcontextprotocol/tasks";
