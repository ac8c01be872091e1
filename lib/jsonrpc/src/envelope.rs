//! The envelope of one message: the members it has, and where they lie.

use std::borrow::Cow;

use bytes::Bytes;

use crate::error::Fault;
use crate::scan::{Scan, Scanner, Span, Text};
use crate::{DecodeError, Id, Kind, text};

/// How many members unknown to JSON-RPC one envelope may have; more are refused (DESIGN, Laws: Bounded everything).
const MAX_OTHERS: usize = 64;

/// The positions of a message's parts in its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) id: Option<Span>,
    pub(crate) method: Option<Text>,
    pub(crate) params: Option<Span>,
    pub(crate) result: Option<Span>,
    pub(crate) error: Option<Span>,
}

/// An envelope while it is being scanned.
#[derive(Debug, Default)]
pub(crate) struct Envelope<'a> {
    pub(crate) parts: Parts,
    version: Option<Span>,
    /// Decoded keys that JSON-RPC does not know.
    others: Vec<Cow<'a, [u8]>>,
    /// The first error of shape; the scan goes on, because a syntax error takes precedence.
    flaw: Option<DecodeError>,
    id_twice: bool,
    /// Whether there is a syntax error in a `result` or `error`.
    outcome_cut: bool,
}

impl<'a> Envelope<'a> {
    /// Reads the object at the cursor. The result reports syntax only; see [`Envelope::judge`].
    pub(crate) fn read(&mut self, scanner: &mut Scanner<'_>, bytes: &'a [u8]) -> Scan<()> {
        let mut more = scanner.open(b'}')?;
        while more {
            let key = scanner.key()?;
            let at = key.span.start;
            let name = if key.escaped {
                text::unescape(&bytes[key.span])
            } else {
                Cow::Borrowed(&bytes[key.span])
            };
            if &name[..] == b"method" && scanner.peek() == Some(b'"') {
                let method = scanner.string()?;
                let twice = self.parts.method.replace(method).is_some();
                self.blame_twice(twice, &name, at);
            } else {
                let outcome = matches!(&name[..], b"result" | b"error");
                let value = scanner.value().inspect_err(|_| self.outcome_cut = outcome)?;
                self.note(name, at, value, bytes);
            }
            more = scanner.more(b'}')?;
        }
        Ok(())
    }

    /// Records a member whose key begins at `at`.
    fn note(&mut self, name: Cow<'a, [u8]>, at: usize, value: Span, bytes: &[u8]) {
        let start = value.start;
        let first = bytes[start];
        let slot = match &name[..] {
            b"jsonrpc" => &mut self.version,
            b"id" => {
                self.id_twice |= self.parts.id.is_some();
                &mut self.parts.id
            }
            b"method" => return self.blame(Fault::Method, start),
            b"params" => {
                // Null is not allowed, but typed SDKs write it for a method without parameters.
                if !matches!(first, b'{' | b'[' | b'n') {
                    self.blame(Fault::Params, start);
                }
                &mut self.parts.params
            }
            b"result" => &mut self.parts.result,
            b"error" => {
                if first != b'{' {
                    self.blame(Fault::Error, start);
                }
                &mut self.parts.error
            }
            _ => return self.other(name, at),
        };
        let twice = slot.replace(value).is_some();
        self.blame_twice(twice, &name, at);
    }

    fn other(&mut self, name: Cow<'a, [u8]>, at: usize) {
        if self.others.len() == MAX_OTHERS {
            return self.blame(Fault::Crowded { limit: MAX_OTHERS }, at);
        }
        self.blame_twice(self.others.contains(&name), &name, at);
        self.others.push(name);
    }

    fn blame_twice(&mut self, twice: bool, name: &[u8], at: usize) {
        if twice {
            self.blame(Fault::duplicate(&String::from_utf8_lossy(name)), at);
        }
    }

    fn blame(&mut self, fault: Fault, at: usize) {
        self.flaw.get_or_insert_with(|| DecodeError::new(fault, at));
    }

    /// Returns the kind that the message would have had, as far as it was read.
    pub(crate) fn likely_kind(&self) -> Option<Kind> {
        let parts = &self.parts;
        if parts.result.is_some() || parts.error.is_some() || self.outcome_cut {
            Some(Kind::Response)
        } else if parts.method.is_some() {
            Some(if parts.id.is_some() { Kind::Request } else { Kind::Notification })
        } else {
            None
        }
    }

    /// Returns the id if it was read exactly once.
    pub(crate) fn id(&self, frame: &Bytes) -> Option<Id> {
        if self.id_twice {
            return None;
        }
        Id::of_frame(frame, &frame[self.parts.id.clone()?])
    }

    /// Returns kind and id of the envelope, which begins at `start`, or why it is not a message.
    pub(crate) fn judge(&mut self, frame: &Bytes, start: usize) -> Result<(Kind, Option<Id>), DecodeError> {
        let id = self.id(frame);
        match self.flaw.take().map_or_else(|| self.shape(frame, id.as_ref(), start), Err) {
            Ok(kind) => Ok((kind, id)),
            Err(flaw) => Err(flaw.of_message(id, self.likely_kind())),
        }
    }

    fn shape(&self, frame: &Bytes, id: Option<&Id>, start: usize) -> Scan<Kind> {
        let flaw = |fault, at| Err(DecodeError::new(fault, at));
        let parts = &self.parts;
        let Some(version) = self.version.clone() else {
            return flaw(Fault::NoVersion, start);
        };
        if !is_two(&frame[version.clone()]) {
            return flaw(Fault::Version, version.start);
        }
        let bad_id = parts.id.clone().filter(|_| id.is_none());
        if let Some(span) = bad_id
            && (parts.method.is_some() || &frame[span.clone()] != b"null")
        {
            return flaw(Fault::Id, span.start);
        }
        match (&parts.method, &parts.result, &parts.error) {
            (Some(_), None, None) => Ok(if id.is_some() { Kind::Request } else { Kind::Notification }),
            (None, Some(_), None) if id.is_none() => flaw(Fault::NoId, start),
            // The id of an error may be null or absent: its request was unreadable.
            (None, Some(_), None) | (None, None, Some(_)) => Ok(Kind::Response),
            (None, None, None) => flaw(Fault::Shapeless, start),
            _ => flaw(Fault::Ambiguous, start),
        }
    }
}

fn is_two(value: &[u8]) -> bool {
    value == b"\"2.0\"" || matches!(value, [b'"', inner @ .., b'"'] if text::unescape(inner).as_ref() == b"2.0")
}
