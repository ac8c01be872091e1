//! Responses: the answers of the front, and the listener's own refusals.

use std::fmt;

use bytes::Bytes;
use http::header::{self, HeaderName, HeaderValue};
use http::{Response, StatusCode};

use super::reply::Reply;
use crate::http::names;
use crate::refusal;

/// The methods of `/mcp`.
pub(crate) const MCP_METHODS: &str = "POST, GET, DELETE";

/// A refusal of the listener itself, boxed because it is the exception.
pub(crate) struct Refusal(Box<Parts>);

struct Parts {
    status: StatusCode,
    text: String,
    header: Option<(HeaderName, &'static str)>,
}

impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0.status, self.0.text)
    }
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, text: impl Into<String>) -> Self {
        let text = text.into();
        Self(Box::new(Parts {
            status,
            text,
            header: None,
        }))
    }

    pub(crate) fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.0.header = Some((name, value));
        self
    }

    pub(crate) fn method_not_allowed(allow: &'static str) -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, format!("use one of the methods {allow}")).with(header::ALLOW, allow)
    }

    pub(crate) fn too_many_streams() -> Self {
        let text = "too many streams are open; close one, or try again later";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, text).with(header::RETRY_AFTER, "5")
    }

    /// Returns the refusal in the form that MCP clients understand.
    pub(crate) fn into_response(self) -> Response<Reply> {
        let body = refusal::body(refusal::INVALID_REQUEST, &self.0.text);
        self.with_body(names::JSON, body)
    }

    /// Returns the refusal in the form that clients of the operator API understand.
    pub(crate) fn into_problem(self) -> Response<Reply> {
        let status = self.0.status;
        let title = status.canonical_reason().unwrap_or("refused").to_lowercase();
        let body = refusal::problem(status.as_u16(), &title, &self.0.text);
        self.with_body("application/problem+json", body)
    }

    fn with_body(self, media: &'static str, body: Bytes) -> Response<Reply> {
        let Parts { status, header, .. } = *self.0;
        let mut response = json(status, body);
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
        if let Some((name, value)) = header {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

/// Makes a response with a JSON message.
pub(crate) fn json(status: StatusCode, body: Bytes) -> Response<Reply> {
    let mut response = Response::new(Reply::whole(body));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(names::JSON));
    response
}

/// Makes a response without a body.
pub(crate) fn empty(status: StatusCode) -> Response<Reply> {
    let mut response = Response::new(Reply::whole(Bytes::new()));
    *response.status_mut() = status;
    if status == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(MCP_METHODS));
    }
    response
}

/// Makes a response with plain text, for people and probes.
pub(crate) fn text(status: StatusCode, kind: &'static str, body: String) -> Response<Reply> {
    let mut response = Response::new(Reply::whole(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Makes a response with a stream of events.
pub(crate) fn events(reply: Reply) -> Response<Reply> {
    let mut response = Response::new(reply);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(names::EVENT_STREAM));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // nginx and similar proxies would hold events back (2026-07-28 basic/transports/streamable-http).
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

/// Sets the session's header.
pub(crate) fn assign(response: &mut Response<Reply>, session: Option<&str>) {
    if let Some(value) = session.and_then(|session| HeaderValue::from_str(session).ok()) {
        response.headers_mut().insert(names::SESSION_ID, value);
    }
}

/// Lets a web page of this origin read the response.
pub(crate) fn share(response: &mut Response<Reply>, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static("Mcp-Session-Id, WWW-Authenticate"),
    );
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
}
