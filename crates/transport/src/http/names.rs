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
/// The prefix of the headers that mirror a parameter.
pub(crate) const PARAM_PREFIX: &str = "mcp-param-";
/// `Last-Event-ID`
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// W3C trace context.
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
/// W3C trace context.
pub(crate) const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");
/// W3C baggage.
pub(crate) const BAGGAGE: HeaderName = HeaderName::from_static("baggage");
/// `Keep-Alive`, with which a server says how long it keeps an idle connection.
pub(crate) const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");

/// The media type of one JSON message.
pub(crate) const JSON: &str = "application/json";
/// The media type of a stream of events.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";
