//! Writes requests to servers.

use std::collections::BTreeMap;

use bytes::{BufMut, Bytes, BytesMut};
use http::header::{self, HeaderName};
use model::Secret;
use upstream::link::{LinkError, OutPost, SendPermit};

use super::address::Address;
use crate::http::names;

/// The headers that this crate alone sets: they frame messages or say how they are encoded.
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

/// A request as it is sent.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) head: BytesMut,
    pub(crate) body: Bytes,
    /// The permit that is checked last, just before the request is written.
    pub(crate) permit: Option<SendPermit>,
}

/// The header lines of every request of a link: `Host`, `User-Agent` and the configured ones. Holds secrets.
pub(crate) struct Base(Vec<u8>);

impl std::fmt::Debug for Base {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

impl Base {
    /// Checks and writes the headers.
    ///
    /// # Errors
    /// When a configured header is invalid, or may not be set by the configuration.
    pub(crate) fn new(address: &Address, configured: &BTreeMap<String, Secret>) -> Result<Self, LinkError> {
        let wrong = |why: String| LinkError::Address { url: address.url(), why };
        let mut lines = BytesMut::new();
        let given = |name: &str| configured.keys().any(|key| key.eq_ignore_ascii_case(name));
        if !given("host") {
            line(&mut lines, "host", &address.authority);
        }
        if !given("user-agent") {
            line(&mut lines, "user-agent", "chancery");
        }
        for (name, value) in configured {
            let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong(format!("`{name}` is not the name of a header")))?;
            if OURS.contains(&parsed) {
                return Err(wrong(format!("the header `{name}` can't be configured: the protocol sets it")));
            }
            let value = value.expose().trim();
            // The value may be a secret: it is not shown.
            if !fits(value) {
                return Err(wrong(format!(
                    "the value of the header `{name}` holds characters that a header can't"
                )));
            }
            line(&mut lines, parsed.as_str(), value);
        }
        Ok(Self(lines.into()))
    }
}

/// A request that is being written.
struct Draft(BytesMut);

impl Draft {
    fn new(method: &str, address: &Address, base: &Base) -> Self {
        let target = address.target.as_str();
        let mut head = BytesMut::with_capacity(method.len() + target.len() + base.0.len() + 512);
        for part in [method, " ", target, " HTTP/1.1\r\n"] {
            head.put_slice(part.as_bytes());
        }
        head.put_slice(&base.0);
        Self(head)
    }

    fn fixed(mut self, lines: &'static str) -> Self {
        self.0.put_slice(lines.as_bytes());
        self
    }

    /// Adds a header, where there is a value.
    fn set(mut self, name: &str, value: Option<&str>) -> Result<Self, LinkError> {
        if let Some(value) = value {
            if !fits(value) {
                let start: String = value.chars().take(80).collect();
                return Err(LinkError::Unreachable(format!("the header `{name}` can't hold `{start}`")));
            }
            line(&mut self.0, name, value);
        }
        Ok(self)
    }

    fn finish(mut self, body: Bytes) -> Request {
        self.0.put_slice(b"\r\n");
        Request {
            head: self.0,
            body,
            permit: None,
        }
    }
}

/// Writes the POST of one message.
///
/// # Errors
/// When a mirrored value can't stand in a header.
pub(crate) fn post(address: &Address, base: &Base, post: OutPost) -> Result<Request, LinkError> {
    let (mirrors, trace) = (&post.mirrors, &post.trace);
    let mut draft = Draft::new("POST", address, base)
        .fixed("accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n")
        .set(names::SESSION_ID.as_str(), post.session.as_deref())?
        .set(names::PROTOCOL_VERSION.as_str(), mirrors.revision.as_deref())?
        .set(names::METHOD.as_str(), mirrors.method.as_deref())?
        .set(names::NAME.as_str(), mirrors.name.as_deref())?
        .set(names::TRACEPARENT.as_str(), trace.parent.as_deref())?
        .set(names::TRACESTATE.as_str(), trace.state.as_deref())?
        .set(names::BAGGAGE.as_str(), trace.baggage.as_deref())?;
    for (name, value) in &mirrors.params {
        let full = format!("{}{name}", names::PARAM_PREFIX);
        let full =
            HeaderName::from_bytes(full.as_bytes()).map_err(|_| LinkError::Unreachable(format!("`{full}` is not the name of a header")))?;
        draft = draft.set(full.as_str(), Some(value))?;
    }
    line(&mut draft.0, "content-length", &post.body.len().to_string());
    Ok(Request {
        permit: post.permit,
        ..draft.finish(post.body)
    })
}

/// Writes the GET of a stream of events.
///
/// # Errors
/// When a value can't stand in a header.
pub(crate) fn get(
    address: &Address,
    base: &Base,
    session: Option<&str>,
    revision: Option<&str>,
    last_event: Option<&str>,
) -> Result<Request, LinkError> {
    let draft = Draft::new("GET", address, base)
        .fixed("accept: text/event-stream\r\ncache-control: no-cache\r\n")
        .set(names::SESSION_ID.as_str(), session)?
        .set(names::PROTOCOL_VERSION.as_str(), revision)?
        .set(names::LAST_EVENT_ID.as_str(), last_event)?;
    Ok(draft.finish(Bytes::new()))
}

/// Writes the DELETE of a session.
///
/// # Errors
/// When a value can't stand in a header.
pub(crate) fn delete(address: &Address, base: &Base, session: &str, revision: &str) -> Result<Request, LinkError> {
    let draft = Draft::new("DELETE", address, base)
        .set(names::SESSION_ID.as_str(), Some(session))?
        .set(names::PROTOCOL_VERSION.as_str(), Some(revision))?;
    Ok(draft.finish(Bytes::new()))
}

/// Returns whether a value can stand in a header: visible ASCII, spaces and tabs, and above all no line break.
fn fits(value: &str) -> bool {
    value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'))
}

fn line(out: &mut BytesMut, name: &str, value: &str) {
    out.reserve(name.len() + value.len() + 4);
    for part in [name, ": ", value, "\r\n"] {
        out.put_slice(part.as_bytes());
    }
}
