//! The headers of requests to servers.

use std::collections::BTreeMap;

use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request};
use kernel::link::{LinkError, OutPost};
use model::{Secret, Trace};

use super::address::Address;
use crate::http::names;
use crate::http::once::Once;

/// Headers that this crate alone sets: they frame messages or say how they are encoded.
static OURS: [HeaderName; 14] = [
    header::ACCEPT,
    header::ACCEPT_ENCODING,
    header::CONNECTION,
    header::CONTENT_ENCODING,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::EXPECT,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    names::KEEP_ALIVE,
    names::SESSION_ID,
    names::PROTOCOL_VERSION,
];

/// The headers of every request of a link: the configured ones, `Host` and `User-Agent`.
///
/// # Errors
/// When a configured header isn't one, or is not for the configuration to set.
pub(crate) fn base(address: &Address, configured: &BTreeMap<String, Secret>) -> Result<HeaderMap, LinkError> {
    let wrong = |why: String| LinkError::Address { url: address.url(), why };
    let mut headers = HeaderMap::with_capacity(16 + configured.len());
    let host = HeaderValue::from_str(&address.authority).map_err(|error| wrong(error.to_string()))?;
    headers.insert(header::HOST, host);
    headers.insert(header::USER_AGENT, HeaderValue::from_static("chancery"));
    for (name, value) in configured {
        let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong(format!("`{name}` is not the name of a header")))?;
        if OURS.contains(&parsed) {
            return Err(wrong(format!("the header `{name}` can't be configured: the protocol sets it")));
        }
        // The value may be a secret: it is not shown.
        let mut value = HeaderValue::from_str(value.expose().trim())
            .map_err(|_| wrong(format!("the value of the header `{name}` holds characters that a header can't")))?;
        value.set_sensitive(true);
        headers.insert(parsed, value);
    }
    Ok(headers)
}

/// A request without a body.
pub(crate) fn bare(method: Method, address: &Address, base: &HeaderMap) -> Request<Once> {
    let mut request = Request::new(Once::new(bytes::Bytes::new()));
    *request.method_mut() = method;
    *request.uri_mut() = address.target.clone().into();
    *request.headers_mut() = base.clone();
    request
}

/// The POST of one message.
///
/// # Errors
/// When a mirrored value can't stand in a header.
pub(crate) fn post(address: &Address, base: &HeaderMap, post: OutPost) -> Result<Request<Once>, LinkError> {
    let mut request = bare(Method::POST, address, base);
    let headers = request.headers_mut();
    headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(names::JSON));
    set(headers, names::SESSION_ID, post.session.as_deref())?;
    set(headers, names::PROTOCOL_VERSION, post.mirrors.revision.as_deref())?;
    set(headers, names::METHOD, post.mirrors.method.as_deref())?;
    set(headers, names::NAME, post.mirrors.name.as_deref())?;
    for (name, value) in &post.mirrors.params {
        let full = HeaderName::from_bytes(format!("{}{name}", names::PARAM_PREFIX).as_bytes()).map_err(|_| unfit(name, name))?;
        set(headers, full, Some(value))?;
    }
    trace(headers, &post.trace)?;
    *request.body_mut() = Once::new(post.body);
    Ok(request)
}

/// Sets a header, where there is a value.
///
/// # Errors
/// When the value can't stand in a header.
pub(crate) fn set(headers: &mut HeaderMap, name: HeaderName, value: Option<&str>) -> Result<(), LinkError> {
    if let Some(value) = value {
        let encoded = HeaderValue::from_str(value).map_err(|_| unfit(name.as_str(), value))?;
        headers.insert(name, encoded);
    }
    Ok(())
}

fn trace(headers: &mut HeaderMap, trace: &Trace) -> Result<(), LinkError> {
    set(headers, names::TRACEPARENT, trace.parent.as_deref())?;
    set(headers, names::TRACESTATE, trace.state.as_deref())?;
    set(headers, names::BAGGAGE, trace.baggage.as_deref())
}

fn unfit(name: &str, value: &str) -> LinkError {
    let start: String = value.chars().take(80).collect();
    LinkError::Unreachable(format!("the header `{name}` can't hold `{start}`"))
}
