//! Replaces parts of a message and leaves everything else byte for byte.

use std::sync::Arc;

use crate::envelope::{Envelope, Parts};
use crate::message::{Members, Whole};
use crate::scan::{Scanner, Span, Text};
use crate::{Id, Kind, Message, Raw, RawKind};

/// The parts of a message to replace; a part that was absent is appended. See [`Message::with`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Change<'a> {
    /// The id. A notification that gets one becomes a request.
    pub id: Option<&'a Id>,
    /// The decoded method.
    pub method: Option<&'a str>,
    /// The parameters, an object or an array; any other value is ignored.
    pub params: Option<&'a Raw>,
    /// The result; it takes the place of an error.
    pub result: Option<&'a Raw>,
    /// The error, an object; any other value is ignored. It takes the place of a result.
    pub error: Option<&'a Raw>,
}

impl Message {
    /// Returns the message with parts replaced and everything else byte for byte. A part that was absent is appended.
    ///
    /// A response stays a response, and the others stay none: a `method` or `params` for a response, a `result` or an
    /// `error` for a request or notification are ignored. Where both `result` and `error` are given, `error` counts.
    #[must_use]
    pub fn with(&self, change: Change<'_>) -> Self {
        let change = self.applicable(change);
        let swapped = match (change.result, change.error) {
            (Some(result), _) if self.0.parts.error.is_some() => self.swapped("error", "result", result),
            (_, Some(error)) if self.0.parts.result.is_some() => self.swapped("result", "error", error),
            _ => None,
        };
        swapped.as_ref().unwrap_or(self).spliced(&change)
    }

    /// Returns the change without the parts that would make the message invalid.
    fn applicable<'a>(&self, change: Change<'a>) -> Change<'a> {
        if self.0.kind == Kind::Response {
            let error = change.error.filter(|e| e.kind() == RawKind::Object);
            let result = change.result.filter(|_| error.is_none());
            Change {
                id: change.id,
                result,
                error,
                ..Change::default()
            }
        } else {
            let params = change.params.filter(|p| matches!(p.kind(), RawKind::Object | RawKind::Array));
            Change {
                params,
                result: None,
                error: None,
                ..change
            }
        }
    }

    /// Returns the response with its result replaced by an error, or its error by a result.
    fn swapped(&self, old: &str, new: &str, value: &Raw) -> Option<Self> {
        let bytes = Raw::trusted(self.0.bytes.clone())
            .edit()
            .remove(&[old])
            .set(&[new], value)
            .finish()
            .bytes()
            .clone();
        let mut envelope = Envelope::default();
        envelope.read(&mut Scanner::trusted(&bytes), &bytes).ok()?;
        Some(Self(Arc::new(Whole {
            parts: envelope.parts,
            bytes,
            kind: self.0.kind,
            id: self.0.id.clone(),
            method: self.0.method.clone(),
            members: Members::new(),
        })))
    }

    fn spliced(&self, change: &Change<'_>) -> Self {
        let method = change.method.map(Raw::string);
        let old = self.0.parts.slots();
        let new = [change.id.map(Id::raw), method.as_ref(), change.params, change.result, change.error];
        let (bytes, slots) = splice(&self.0.bytes, &old, &new);
        let parts = Parts::of_slots(slots, |span| bytes[span].contains(&b'\\'));
        let decoded = match change.method {
            Some(method) => parts.method.as_ref().is_some_and(|m| m.escaped).then(|| method.into()),
            None => self.0.method.clone(),
        };
        let kind = if self.0.kind == Kind::Notification && change.id.is_some() {
            Kind::Request
        } else {
            self.0.kind
        };
        let id = change.id.or(self.0.id.as_ref()).cloned();
        Self(Arc::new(Whole {
            bytes: bytes.into(),
            kind,
            id,
            parts,
            method: decoded,
            members: Members::new(),
        }))
    }
}

/// The spans of `id`, `method` (quotes included), `params`, `result` and `error`.
type Slots = [Option<Span>; 5];

const NAMES: [&str; 5] = ["id", "method", "params", "result", "error"];

/// Copies `bytes` with the new values in place of the old ones, those without a place at the end of the object.
fn splice(bytes: &[u8], old: &Slots, new: &[Option<&Raw>; 5]) -> (Vec<u8>, Slots) {
    let added: usize = new.iter().flatten().map(|raw| raw.len() + 12).sum();
    let mut out = Vec::with_capacity(bytes.len() + added);
    let mut slots = Slots::default();
    let mut order = [0, 1, 2, 3, 4];
    order.sort_unstable_by_key(|&i| old[i].as_ref().map_or(usize::MAX, |span| span.start));
    let mut copied = 0;
    for i in order {
        let Some(span) = &old[i] else { continue };
        out.extend_from_slice(&bytes[copied..span.start]);
        let start = out.len();
        out.extend_from_slice(new[i].map_or(&bytes[span.clone()], |raw| &raw.bytes()[..]));
        slots[i] = Some(start..out.len());
        copied = span.end;
    }
    // All but the closing brace.
    out.extend_from_slice(&bytes[copied..bytes.len() - 1]);
    for i in 0..NAMES.len() {
        if let (None, Some(raw)) = (&old[i], new[i]) {
            out.extend_from_slice(b",\"");
            out.extend_from_slice(NAMES[i].as_bytes());
            out.extend_from_slice(b"\":");
            let start = out.len();
            out.extend_from_slice(raw.bytes());
            slots[i] = Some(start..out.len());
        }
    }
    out.push(b'}');
    (out, slots)
}

impl Parts {
    fn slots(&self) -> Slots {
        let method = self.method.as_ref().map(|m| m.span.start - 1..m.span.end + 1);
        [
            self.id.clone(),
            method,
            self.params.clone(),
            self.result.clone(),
            self.error.clone(),
        ]
    }

    fn of_slots([id, method, params, result, error]: Slots, escaped: impl Fn(Span) -> bool) -> Self {
        let method = method.map(|quoted| {
            let span = quoted.start + 1..quoted.end - 1;
            Text {
                escaped: escaped(span.clone()),
                span,
            }
        });
        Self {
            id,
            method,
            params,
            result,
            error,
        }
    }
}
