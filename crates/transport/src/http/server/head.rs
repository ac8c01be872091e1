//! Finds the headers of a request that concern the listener, in one pass.

use http::StatusCode;
use http::header::{self, HeaderMap, HeaderValue};
use mcp::mirror::Mirrors;
use model::Trace;

use super::answer::Refusal;
use crate::http::{media, names};

/// A header that may be repeated by mistake or malice.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Single<'r> {
    value: Option<&'r HeaderValue>,
    repeated: bool,
}

impl<'r> Single<'r> {
    fn add(&mut self, value: &'r HeaderValue) {
        self.repeated |= self.value.is_some();
        self.value = self.value.or(Some(value));
    }

    /// Returns the value without outer white space; `Err` where the header is repeated.
    pub(crate) fn get(self) -> Result<Option<&'r [u8]>, ()> {
        if self.repeated {
            return Err(());
        }
        Ok(self.value.map(|value| value.as_bytes().trim_ascii()))
    }
}

/// The headers of a request that concern the listener.
#[derive(Debug, Default)]
pub(crate) struct Head<'r> {
    pub(crate) host: Single<'r>,
    pub(crate) origin: Single<'r>,
    pub(crate) authorization: Single<'r>,
    pub(crate) content_type: Single<'r>,
    pub(crate) session: Option<String>,
    pub(crate) last_event: Option<String>,
    pub(crate) mirrors: Mirrors,
    pub(crate) trace: Trace,
}

impl<'r> Head<'r> {
    pub(crate) fn read(headers: &'r HeaderMap) -> Self {
        let mut head = Self::default();
        for (name, value) in headers {
            match name.as_str() {
                "host" => head.host.add(value),
                "origin" => head.origin.add(value),
                "authorization" => head.authorization.add(value),
                "content-type" => head.content_type.add(value),
                "mcp-session-id" => note(&mut head.session, value),
                "last-event-id" => note(&mut head.last_event, value),
                "mcp-protocol-version" => note(&mut head.mirrors.revision, value),
                "mcp-method" => note(&mut head.mirrors.method, value),
                "mcp-name" => note(&mut head.mirrors.name, value),
                "traceparent" => note(&mut head.trace.parent, value),
                "tracestate" => note(&mut head.trace.state, value),
                "baggage" => note(&mut head.trace.baggage, value),
                other => {
                    if let Some(param) = other.strip_prefix(names::PARAM_PREFIX) {
                        head.mirrors.params.push((param.to_owned(), text(value)));
                    }
                }
            }
        }
        head
    }

    /// Refuses a body that is not declared as JSON. This also keeps out web pages, which may send plain text anywhere
    /// without a preflight.
    pub(crate) fn check_json(&self) -> Result<(), Refusal> {
        match self.content_type.get() {
            Ok(Some(kind)) if media::is(kind, names::JSON) => Ok(()),
            _ => Err(Refusal::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "send the message with `Content-Type: application/json`",
            )
            .with(header::CONNECTION, "close")),
        }
    }
}

/// Stores a header's value. A repeated header is one list (RFC 9110 5.3), which then matches no value in a message.
fn note(slot: &mut Option<String>, value: &HeaderValue) {
    match slot {
        None => *slot = Some(text(value)),
        Some(list) => {
            list.push_str(", ");
            list.push_str(&text(value));
        }
    }
}

/// Returns a header's value as text. Bytes that are not UTF-8 become replacement characters, which match no value in a
/// message either.
fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes().trim_ascii()).into_owned()
}

/// The value that nearly every client sends, word for word.
const USUAL: &str = "application/json, text/event-stream";

/// The media types that `Accept` admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accepts {
    pub(crate) json: bool,
    pub(crate) events: bool,
}

impl Accepts {
    pub(crate) fn read(headers: &HeaderMap) -> Self {
        let mut said = headers.get_all(header::ACCEPT).iter();
        if matches!((said.next(), said.next()), (Some(value), None) if value == USUAL) {
            return Self { json: true, events: true };
        }
        let values = || headers.get_all(header::ACCEPT).iter().map(HeaderValue::as_bytes);
        Self {
            json: media::admits(values(), names::JSON),
            events: media::admits(values(), names::EVENT_STREAM),
        }
    }
}
