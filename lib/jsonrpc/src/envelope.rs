//! The envelope of one message: which members it has, and where.

use std::collections::HashSet;

use bytes::Bytes;

use crate::error::{Fault, Flaw};
use crate::scan::{Scan, Scanner, Span, Text};
use crate::{DecodeError, Id, Kind, text};

/// Where the parts of a message lie in its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) id: Option<Span>,
    pub(crate) method: Option<Text>,
    pub(crate) params: Option<Span>,
    pub(crate) result: Option<Span>,
    pub(crate) error: Option<Span>,
}

/// An envelope as the scan goes on.
#[derive(Debug, Default)]
pub(crate) struct Envelope {
    pub(crate) parts: Parts,
    version: Option<Span>,
    /// Decoded unknown keys.
    others: HashSet<Box<[u8]>>,
    /// The first flaw of shape; the scan goes on, because bad syntax counts more.
    flaw: Option<Flaw>,
    id_twice: bool,
}

impl Envelope {
    /// Reads the object at the cursor. The result is about syntax only; see [`Envelope::judge`].
    pub(crate) fn read(&mut self, scanner: &mut Scanner<'_>, bytes: &[u8]) -> Scan<()> {
        let mut more = scanner.open(b'}')?;
        while more {
            let (key, value) = self.member(scanner, bytes)?;
            self.note(key, value, bytes);
            more = scanner.more(b'}')?;
        }
        Ok(())
    }

    fn member(&mut self, scanner: &mut Scanner<'_>, bytes: &[u8]) -> Scan<(Text, (Span, Option<Text>))> {
        let key = scanner.key()?;
        if bytes.get(scanner.pos()) == Some(&b'"') {
            let start = scanner.pos();
            let text = scanner.string()?;
            return Ok((key, (start..scanner.pos(), Some(text))));
        }
        Ok((key, (scanner.value()?, None)))
    }

    fn note(&mut self, key: Text, (value, text): (Span, Option<Text>), bytes: &[u8]) {
        let at = value.start;
        let first = bytes[at];
        let name = if key.escaped {
            text::unescape(&bytes[key.span.clone()])
        } else {
            bytes[key.span.clone()].into()
        };
        let twice = match &name[..] {
            b"jsonrpc" => self.version.replace(value).is_some(),
            b"id" => {
                self.id_twice |= self.parts.id.is_some();
                self.parts.id.replace(value).is_some()
            }
            b"method" => match text {
                Some(text) => self.parts.method.replace(text).is_some(),
                None => return self.blame(Fault::Method, at),
            },
            b"params" => {
                // Null is not allowed, but typed SDKs write it for a method without parameters.
                if !matches!(first, b'{' | b'[' | b'n') {
                    self.blame(Fault::Params, at);
                }
                self.parts.params.replace(value).is_some()
            }
            b"result" => self.parts.result.replace(value).is_some(),
            b"error" => {
                if first != b'{' {
                    self.blame(Fault::Error, at);
                }
                self.parts.error.replace(value).is_some()
            }
            other => !self.others.insert(other.into()),
        };
        if twice {
            self.blame(Fault::Duplicate(String::from_utf8_lossy(&name).into()), key.span.start);
        }
    }

    fn blame(&mut self, fault: Fault, at: usize) {
        self.flaw.get_or_insert(Flaw { fault, at });
    }

    /// What the message was going to be, as far as it was read.
    pub(crate) fn likely_kind(&self) -> Option<Kind> {
        let parts = &self.parts;
        if parts.result.is_some() || parts.error.is_some() {
            Some(Kind::Response)
        } else if parts.method.is_some() {
            Some(if parts.id.is_some() { Kind::Request } else { Kind::Notification })
        } else {
            None
        }
    }

    /// The id, where it was read, once.
    pub(crate) fn id(&self, frame: &Bytes) -> Option<Id> {
        if self.id_twice {
            return None;
        }
        Id::of_frame(frame, &frame[self.parts.id.clone()?])
    }

    /// What the envelope is, by its members.
    pub(crate) fn judge(&mut self, frame: &Bytes, start: usize) -> Result<(Kind, Option<Id>), DecodeError> {
        let id = self.id(frame);
        match self.flaw.take().map_or_else(|| self.shape(frame, id.as_ref(), start), Err) {
            Ok(kind) => Ok((kind, id)),
            Err(flaw) => Err(DecodeError::new(flaw, id, self.likely_kind())),
        }
    }

    fn shape(&self, frame: &Bytes, id: Option<&Id>, start: usize) -> Scan<Kind> {
        let flaw = |fault, at| Err(Flaw { fault, at });
        let Some(version) = self.version.clone() else {
            return flaw(Fault::NoVersion, start);
        };
        if !is_two(&frame[version.clone()]) {
            return flaw(Fault::Version, version.start);
        }
        let parts = &self.parts;
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
