//! The trace that a call and its audit events belong to, in all its carriers (§6.5, D6): `params.trace_id`, `_mgp.trace_id` and `_meta.traceparent`.

use std::fmt;
use std::sync::Arc;

use jsonrpc::Raw;
use model::Trace;

use crate::carrier::{EXTENSION, META, MGP};

/// The length of the longest id that is accepted.
const LONGEST: usize = 128;
/// The name of the member.
const TRACE_ID: &str = "trace_id";
const TRACEPARENT: &str = "traceparent";

/// The id of a trace: a UUID if the gateway makes it, else any id of a client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TraceId(Arc<str>);

impl TraceId {
    /// Parses the id of a peer: 1 to 128 visible ASCII characters.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        is_id(text).then(|| Self(text.into()))
    }

    /// Creates an id from random bits: a UUID of version 4.
    #[must_use]
    pub fn random(bits: u128) -> Self {
        let bits = bits & !(0xf << 76 | 0x3 << 62) | 0x4 << 76 | 0x2 << 62;
        Self(uuid(&hex(&bits.to_be_bytes())).into())
    }

    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the id that a request names: in a member of MGP, else in its W3C trace context, whose trace id is written as a UUID.
    #[must_use]
    pub fn read(params: Option<&Raw>) -> Option<Self> {
        let params = params?;
        Self::named(|key| params.get(key)).or_else(|| Self::of(&mcp::meta::trace(Some(params))))
    }

    /// Returns the id that a request names in a member of MGP, by the members of its params.
    #[must_use]
    pub fn named(member: impl Fn(&str) -> Option<Raw>) -> Option<Self> {
        let parse = |raw: Option<Raw>| Self::parse(&raw?.as_str()?);
        parse(member(TRACE_ID))
            .or_else(|| parse(member(MGP)?.get(TRACE_ID)))
            .or_else(|| parse(member(META)?.at(&[EXTENSION, TRACE_ID])))
    }

    /// Returns the id of a trace: the one that was settled for it, else that of its W3C trace context.
    #[must_use]
    pub fn of(trace: &Trace) -> Option<Self> {
        if let Some(named) = trace.named.as_ref().filter(|named| is_id(named)) {
            return Some(Self(named.clone()));
        }
        let id = trace.id().filter(|id| id.bytes().any(|byte| byte != b'0'))?;
        Some(Self(uuid(&id.to_ascii_lowercase()).into()))
    }

    /// Returns the 32 hexadecimal digits of the id, if it is a UUID: the trace id of W3C.
    #[must_use]
    pub fn hex(&self) -> Option<String> {
        let digits: String = self.0.chars().filter(|c| *c != '-').collect::<String>().to_ascii_lowercase();
        let is_uuid = self.0.len() == 36 || self.0.len() == 32;
        (is_uuid && digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(digits)
    }

    /// Returns the params of a request to a server, with this trace. An existing trace context stays; else one is made with `span` as the parent's
    /// id. For a server that negotiated MGP the id is written in MGP's members too.
    #[must_use]
    pub fn write(&self, params: Option<&Raw>, span: u64, mgp: bool) -> Raw {
        let params = params.cloned().unwrap_or_else(Raw::object_empty);
        let mut edit = params.edit();
        if mgp {
            let id = Raw::string(&self.0);
            edit = edit.set(&[TRACE_ID], &id);
            edit = crate::carrier::set(edit, TRACE_ID, &id);
        }
        if params.at(&[META, TRACEPARENT]).is_none()
            && let Some(hex) = self.hex()
        {
            // A span id of zeros means that there is none.
            let parent = format!("00-{hex}-{:016x}-01", span.max(1));
            edit = edit.set(&[META, TRACEPARENT], &Raw::string(&parent));
        }
        edit.finish()
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<TraceId> for Arc<str> {
    fn from(id: TraceId) -> Self {
        id.0
    }
}

fn is_id(text: &str) -> bool {
    (1..=LONGEST).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn hex(bytes: &[u8; 16]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Writes 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
fn uuid(digits: &str) -> String {
    let group = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    [group(0, 8), group(8, 12), group(12, 16), group(16, 20), group(20, 32)].join("-")
}

#[cfg(test)]
mod tests;
