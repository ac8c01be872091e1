//! The header names that MCP adds to HTTP's.

use http::HeaderName;

/// `MCP-Protocol-Version`
pub(crate) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// `Mcp-Session-Id`
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// `Mcp-Method`
pub(crate) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// `Mcp-Name`
pub(crate) const NAME: HeaderName = HeaderName::from_static("mcp-name");
/// What the name of a header that mirrors a parameter begins with.
pub(crate) const PARAM_PREFIX: &str = "mcp-param-";
/// `Last-Event-ID`
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// W3C trace context.
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
/// W3C trace context.
pub(crate) const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");
/// W3C baggage.
pub(crate) const BAGGAGE: HeaderName = HeaderName::from_static("baggage");
/// How long a server keeps an idle connection, where it says so.
pub(crate) const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");

/// The two media types of MCP.
pub(crate) const JSON: &str = "application/json";
/// The two media types of MCP.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";
