//! The format of one record in a segment.
//!
//! ```text
//! length u32 | length ^ MASK | payload | SHA-256(head before, length u32, payload)
//! ```
//!
//! The digest is the head after the record. The length is written twice, so that a damaged one is not taken for a
//! record cut short.

use std::str;
use std::sync::Arc;

use aws_lc_rs::digest::{Context, SHA256};
use bytes::Bytes;
use model::{Digest, Timestamp};

use crate::event::{MAX_BODY, MAX_TEXT};
use crate::{Actor, AuditKey, AuditResult, Event, StoreError, Stored};

/// The bytes of the two lengths before a payload.
pub(crate) const LENGTHS: usize = 8;
/// The bytes of the digest behind a payload.
pub(crate) const DIGEST: usize = 32;
const MASK: u32 = 0xa5c3_3c5a;
/// The most bytes of a payload: no valid one is longer.
pub(crate) const MAX_PAYLOAD: usize = MAX_BODY + 7 * MAX_TEXT;
const VERSION: u8 = 1;
const HAS_SERVER: u8 = 1;
const HAS_TOOL: u8 = 2;
const HAS_TRACE: u8 = 4;

/// SHA-256 over several pieces.
pub(crate) struct Digester(Context);

impl Digester {
    pub(crate) fn new() -> Self {
        Self(Context::new(&SHA256))
    }

    pub(crate) fn with(mut self, piece: &[u8]) -> Self {
        self.0.update(piece);
        self
    }

    pub(crate) fn finish(self) -> Digest {
        let mut digest = [0; DIGEST];
        digest.copy_from_slice(self.0.finish().as_ref());
        Digest(digest)
    }
}

/// Returns the head after a record.
pub(crate) fn chain(head: Digest, payload: &[u8]) -> Digest {
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    Digester::new().with(&head.0).with(&length.to_be_bytes()).with(payload).finish()
}

/// Decodes the payload's length. Returns `None` where the two copies contradict each other or no record is so long.
pub(crate) fn payload_length(lengths: [u8; LENGTHS]) -> Option<usize> {
    let [a, b, c, d, e, f, g, h] = lengths;
    let (length, masked) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
    let length_as_size = usize::try_from(length).ok()?;
    (length ^ MASK == masked && length_as_size <= MAX_PAYLOAD).then_some(length_as_size)
}

/// Refuses an event that does not fit into a record.
pub(crate) fn check(event: &Event) -> Result<(), StoreError> {
    let too_large = |what, bytes, limit| Err(StoreError::TooLarge { what, bytes, limit });
    if event.body.len() > MAX_BODY {
        return too_large("an event", event.body.len(), MAX_BODY);
    }
    match texts(&event.key).find(|text| text.len() > MAX_TEXT) {
        Some(text) => too_large("a text of an event's key", text.len(), MAX_TEXT),
        None => Ok(()),
    }
}

fn texts(key: &AuditKey) -> impl Iterator<Item = &str> {
    [Some(&key.kind), Some(&key.actor.kind), Some(&key.actor.id)]
        .into_iter()
        .chain([key.server.as_ref(), key.tool.as_ref(), key.trace.as_ref()])
        .flatten()
        .map(|text| &**text)
}

/// Appends a record to a buffer, and returns the head after it. The event must have passed [`check`].
pub(crate) fn push(out: &mut Vec<u8>, head: Digest, seq: u64, origin: u64, event: &Event) -> Digest {
    let start = out.len();
    out.extend_from_slice(&[0; LENGTHS]);
    push_payload(out, seq, origin, event);
    let length = out.len() - start - LENGTHS;
    let length = u32::try_from(length).expect("a checked event is shorter than 2 MiB");
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
    out[start + 4..start + LENGTHS].copy_from_slice(&(length ^ MASK).to_be_bytes());
    let head = chain(head, &out[start + LENGTHS..]);
    out.extend_from_slice(&head.0);
    head
}

/// Appends a payload alone: what the outbox of `control.db` keeps, with 0 for the numbers that are not known yet.
pub(crate) fn push_payload(out: &mut Vec<u8>, seq: u64, origin: u64, event: &Event) {
    let key = &event.key;
    out.push(VERSION);
    out.extend_from_slice(&seq.to_be_bytes());
    out.extend_from_slice(&origin.to_be_bytes());
    out.extend_from_slice(&key.at.0.to_be_bytes());
    out.push(
        AuditResult::ALL
            .iter()
            .position(|result| *result == key.result)
            .map_or(0, |at| at as u8),
    );
    let flag = |text: &Option<Arc<str>>, bit| if text.is_some() { bit } else { 0 };
    out.push(flag(&key.server, HAS_SERVER) | flag(&key.tool, HAS_TOOL) | flag(&key.trace, HAS_TRACE));
    for text in texts(key) {
        let length = u16::try_from(text.len()).expect("a checked text is shorter than 64 KiB");
        out.extend_from_slice(&length.to_be_bytes());
        out.extend_from_slice(text.as_bytes());
    }
    out.extend_from_slice(&event.body);
}

/// A payload that is decoded but not copied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) seq: u64,
    /// The outbox row that it came from; 0 for an event that was appended directly.
    pub(crate) origin: u64,
    pub(crate) at: Timestamp,
    pub(crate) result: AuditResult,
    pub(crate) kind: &'a str,
    pub(crate) actor_kind: &'a str,
    pub(crate) actor: &'a str,
    pub(crate) server: Option<&'a str>,
    pub(crate) tool: Option<&'a str>,
    pub(crate) trace: Option<&'a str>,
    pub(crate) body: &'a [u8],
}

impl<'a> View<'a> {
    /// Returns a view of an event that was read and copied. Its outbox row is not known any more.
    pub(crate) fn of_stored(stored: &'a Stored) -> Self {
        let key = &stored.key;
        Self {
            seq: stored.seq,
            origin: 0,
            at: key.at,
            result: key.result,
            kind: &key.kind,
            actor_kind: &key.actor.kind,
            actor: &key.actor.id,
            server: key.server.as_deref(),
            tool: key.tool.as_deref(),
            trace: key.trace.as_deref(),
            body: &stored.body,
        }
    }

    /// Decodes a payload. Returns `None` where the bytes are no valid payload.
    pub(crate) fn of(payload: &'a [u8]) -> Option<Self> {
        let mut input = Input(payload);
        if input.byte()? != VERSION {
            return None;
        }
        let (seq, origin, at) = (input.number()?, input.number()?, input.number()?);
        let result = *AuditResult::ALL.get(usize::from(input.byte()?))?;
        let flags = input.byte()?;
        let (kind, actor_kind, actor) = (input.text()?, input.text()?, input.text()?);
        let mut optional = |bit| match flags & bit {
            0 => Some(None),
            _ => input.text().map(Some),
        };
        let (server, tool, trace) = (optional(HAS_SERVER)?, optional(HAS_TOOL)?, optional(HAS_TRACE)?);
        Some(Self {
            seq,
            origin,
            at: Timestamp(i64::from_be_bytes(at.to_be_bytes())),
            result,
            kind,
            actor_kind,
            actor,
            server,
            tool,
            trace,
            body: input.0,
        })
    }

    /// Returns the event.
    pub(crate) fn event(&self) -> Event {
        let owned = |text: Option<&str>| text.map(Arc::from);
        Event {
            key: AuditKey {
                at: self.at,
                kind: self.kind.into(),
                actor: Actor {
                    kind: self.actor_kind.into(),
                    id: self.actor.into(),
                },
                server: owned(self.server),
                tool: owned(self.tool),
                result: self.result,
                trace: owned(self.trace),
            },
            body: Bytes::copy_from_slice(self.body),
        }
    }

    /// Returns the event with its number.
    pub(crate) fn stored(&self) -> Stored {
        let Event { key, body } = self.event();
        Stored { seq: self.seq, key, body }
    }
}

/// The bytes of a payload that are not decoded yet.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn number(&mut self) -> Option<u64> {
        Some(u64::from_be_bytes(self.take(8)?.try_into().ok()?))
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = u16::from_be_bytes(self.take(2)?.try_into().ok()?);
        str::from_utf8(self.take(usize::from(length))?).ok()
    }
}
