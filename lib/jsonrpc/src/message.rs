//! One JSON-RPC message: its bytes, and where its parts lie.

use std::fmt;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use crate::envelope::Parts;
use crate::error::Fault;
use crate::scan::{Span, Text};
use crate::{DecodeError, ErrorObject, Id, Object, Raw, RawKind, text};

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A message with a method and an id, which expects an answer.
    Request,
    /// A message with a method and without an id.
    Notification,
    /// A message with a result or an error.
    Response,
}

/// One JSON-RPC message: its bytes, and where its parts lie. Members that JSON-RPC does not know are kept.
///
/// Law: the bytes are one JSON object without whitespace around it, each key once, that JSON-RPC 2.0 calls a request, a
/// notification or a response. Clones share everything: a message is one pointer, whatever its size.
#[derive(Clone)]
pub struct Message(pub(crate) Arc<Whole>);

/// The data that the clones of a message share.
pub(crate) struct Whole {
    pub(crate) bytes: Bytes,
    pub(crate) kind: Kind,
    pub(crate) id: Option<Id>,
    pub(crate) parts: Parts,
    /// The decoded method, if it is spelled with escapes.
    pub(crate) method: Option<Box<str>>,
    /// The members of the params, once they have been read.
    pub(crate) members: Members,
}

/// Members that are read at most once for all readers.
pub(crate) type Members = OnceLock<Result<Object, DecodeError>>;

impl Message {
    /// Builds a request. Parameters that are neither an object nor an array are left out: JSON-RPC knows no others.
    pub fn request(id: &Id, method: &str, params: Option<&Raw>) -> Self {
        Builder::new(96 + params.map_or(0, Raw::len))
            .id(Some(id))
            .method(method)
            .params(params)
            .finish(Kind::Request)
    }

    /// Builds a notification; parameters as in [`Message::request`].
    pub fn notification(method: &str, params: Option<&Raw>) -> Self {
        Builder::new(96 + params.map_or(0, Raw::len))
            .method(method)
            .params(params)
            .finish(Kind::Notification)
    }

    /// Builds a response with a result.
    pub fn result(id: &Id, result: &Raw) -> Self {
        Builder::new(48 + id.raw().len() + result.len())
            .id(Some(id))
            .result(result)
            .finish(Kind::Response)
    }

    /// Builds a response with an error; without an id it carries `"id":null`.
    pub fn failure(id: Option<&Id>, error: &ErrorObject) -> Self {
        let error = error.to_raw();
        let id_len = id.map_or(4, |id| id.raw().len());
        Builder::new(48 + id_len + error.len()).id(id).error(&error).finish(Kind::Response)
    }

    /// Returns a message whose parts were found in a frame, in which it begins at `start`.
    pub(crate) fn of_parts(bytes: Bytes, start: usize, kind: Kind, id: Option<Id>, parts: Parts) -> Result<Self, DecodeError> {
        let parts = parts.moved(start);
        let method = match &parts.method {
            Some(method) if method.escaped => match String::from_utf8(text::unescape(&bytes[method.span.clone()]).into_owned()) {
                Ok(decoded) => Some(decoded.into()),
                Err(_) => {
                    let at = start + method.span.start;
                    return Err(DecodeError::new(Fault::Method, at).of_message(id, Some(kind)));
                }
            },
            _ => None,
        };
        Ok(Self(Arc::new(Whole {
            bytes,
            kind,
            id,
            parts,
            method,
            members: Members::new(),
        })))
    }

    /// Returns the message's kind.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Returns the whole message as received.
    pub fn bytes(&self) -> &Bytes {
        &self.0.bytes
    }

    /// Returns the whole message as received.
    pub fn into_bytes(self) -> Bytes {
        self.0.bytes.clone()
    }

    /// Returns the whole message without line breaks, for transports that frame by lines. Shares the bytes if they have
    /// none.
    pub fn line(&self) -> Bytes {
        // A string cannot hold a raw line break, so each one is whitespace between tokens.
        let Some(first) = memchr::memchr2(b'\n', b'\r', &self.0.bytes) else {
            return self.0.bytes.clone();
        };
        let mut line = Vec::with_capacity(self.0.bytes.len());
        line.extend_from_slice(&self.0.bytes[..first]);
        line.extend(self.0.bytes[first..].iter().filter(|b| !matches!(b, b'\n' | b'\r')));
        line.into()
    }

    /// Returns the id. A request and a result have one; an error has none where its request was unreadable.
    pub fn id(&self) -> Option<&Id> {
        self.0.id.as_ref()
    }

    /// Returns the decoded method.
    pub fn method(&self) -> Option<&str> {
        if let Some(decoded) = &self.0.method {
            return Some(decoded);
        }
        std::str::from_utf8(&self.0.bytes[self.0.parts.method.as_ref()?.span.clone()]).ok()
    }

    fn part(&self, span: Option<&Span>) -> Option<Raw> {
        Some(Raw::trusted(self.0.bytes.slice(span?.clone())))
    }

    /// Returns the parameters: an object or an array. Returns `None` also for `"params":null`, which some SDKs write
    /// when there are none.
    pub fn params(&self) -> Option<Raw> {
        self.part(self.0.parts.params.as_ref())
            .filter(|params| params.kind() != RawKind::Null)
    }

    /// Returns the result of a response.
    pub fn result_raw(&self) -> Option<Raw> {
        self.part(self.0.parts.result.as_ref())
    }

    /// Returns the members of the params. They are read once and shared by clones of the message. Absent params have no
    /// members; params that are an array have no named ones.
    ///
    /// # Errors
    /// When a key occurs twice.
    pub fn members(&self) -> Result<&Object, &DecodeError> {
        let read = || match self.params() {
            Some(params) if params.kind() == RawKind::Object => params.object(),
            _ => Ok(Object::default()),
        };
        self.0.members.get_or_init(read).as_ref()
    }

    /// Returns the error of a response, an object. [`ErrorObject::parse`] reads it.
    pub fn error_raw(&self) -> Option<Raw> {
        self.part(self.0.parts.error.as_ref())
    }

    /// Returns whether the message is a response with an error.
    pub fn is_error(&self) -> bool {
        self.0.parts.error.is_some()
    }
}

/// Shows the kind, and at most 120 bytes.
impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?}", self.0.kind, Raw::trusted(self.0.bytes.clone()))
    }
}

/// Messages are equal when their bytes are.
impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        self.0.bytes == other.0.bytes
    }
}

impl Eq for Message {}

impl Parts {
    /// Returns the parts with positions counted from `start`.
    fn moved(self, start: usize) -> Self {
        let back = |span: Span| span.start - start..span.end - start;
        Self {
            id: self.id.map(back),
            method: self.method.map(|m| Text { span: back(m.span), ..m }),
            params: self.params.map(back),
            result: self.result.map(back),
            error: self.error.map(back),
        }
    }
}

/// A writer of an envelope that records where its parts lie.
struct Builder {
    out: Vec<u8>,
    id: Option<Id>,
    method: Option<Box<str>>,
    parts: Parts,
}

impl Builder {
    fn new(capacity: usize) -> Self {
        let mut out = Vec::with_capacity(capacity);
        out.extend_from_slice(b"{\"jsonrpc\":\"2.0\"");
        Self {
            out,
            id: None,
            method: None,
            parts: Parts::default(),
        }
    }

    fn member(&mut self, lead: &[u8], value: &[u8]) -> Option<Span> {
        self.out.extend_from_slice(lead);
        let start = self.out.len();
        self.out.extend_from_slice(value);
        Some(start..self.out.len())
    }

    fn id(mut self, id: Option<&Id>) -> Self {
        let raw = id.map_or(&b"null"[..], |id| id.raw().bytes());
        self.parts.id = self.member(b",\"id\":", raw);
        self.id = id.cloned();
        self
    }

    fn method(mut self, method: &str) -> Self {
        self.out.extend_from_slice(b",\"method\":");
        let start = self.out.len() + 1;
        text::write_string(method.as_bytes(), &mut self.out);
        let span = start..self.out.len() - 1;
        let escaped = self.out[span.clone()].contains(&b'\\');
        self.method = escaped.then(|| method.into());
        self.parts.method = Some(Text { span, escaped });
        self
    }

    fn params(mut self, params: Option<&Raw>) -> Self {
        if let Some(params) = params.filter(|p| matches!(p.kind(), RawKind::Object | RawKind::Array)) {
            self.parts.params = self.member(b",\"params\":", params.bytes());
        }
        self
    }

    fn result(mut self, result: &Raw) -> Self {
        self.parts.result = self.member(b",\"result\":", result.bytes());
        self
    }

    fn error(mut self, error: &Raw) -> Self {
        self.parts.error = self.member(b",\"error\":", error.bytes());
        self
    }

    fn finish(mut self, kind: Kind) -> Message {
        self.out.push(b'}');
        Message(Arc::new(Whole {
            bytes: self.out.into(),
            kind,
            id: self.id,
            parts: self.parts,
            method: self.method,
            members: Members::new(),
        }))
    }
}
