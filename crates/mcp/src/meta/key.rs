//! The reserved keys (2026-07-28 basic, `_meta`).

/// The object that holds them all.
pub const META: &str = "_meta";
/// The revision of a request.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The capabilities of a request's client.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The client's name and version.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The least level of log messages that a request asks for.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// The `subscriptions/listen` request to which a notification belongs.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The server's name and version, in results.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The task to which a message belongs (2025-11-25 basic/utilities/tasks).
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
/// The token under which progress is reported.
pub const PROGRESS_TOKEN: &str = "progressToken";
/// W3C trace context.
pub const TRACEPARENT: &str = "traceparent";
/// W3C trace context.
pub const TRACESTATE: &str = "tracestate";
/// W3C baggage.
pub const BAGGAGE: &str = "baggage";
/// The keys that only modern requests carry.
pub const MODERN: [&str; 4] = [PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL];
