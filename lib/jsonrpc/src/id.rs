//! Request ids: compared by their decoded values, echoed as received.

use std::fmt;
use std::hash::{Hash, Hasher};

use bytes::Bytes;

use crate::{Raw, RawKind, text};

/// The id of a request: a string, or an integer of any size. Never null.
///
/// Two ids are equal when their decoded values are: `"a"` is `"\u0061"`, `-0` is `0`, `1` is not `"1"`. Fractions
/// and exponents are refused (`1.0`, `1e0`), because peers disagree about what they equal.
#[derive(Clone)]
pub struct Id {
    raw: Raw,
    key: Key,
}

/// The form in which ids are compared.
#[derive(Clone)]
enum Key {
    /// A non-negative integer that fits into 64 bits.
    Uint(u64),
    /// The raw bytes: other integers, whose digits JSON already normalises, and strings without escapes.
    Raw,
    /// A string with escapes: quote, decoded bytes, quote.
    Decoded(Box<[u8]>),
}

/// The size of the frame above which an id gets a buffer of its own, so that a request in flight does not keep its
/// frame alive.
const SHARED_FRAME: usize = 4096;

impl Id {
    /// Returns an integer id.
    pub fn number(number: u64) -> Self {
        Self {
            raw: Raw::uint(number),
            key: Key::Uint(number),
        }
    }

    /// Returns a string id.
    pub fn string(decoded: &str) -> Self {
        Self::new(Raw::string(decoded))
    }

    /// Returns the id that `raw` is: a string, or an integer without fraction and exponent; `None` for any other value.
    pub fn parse(raw: &Raw) -> Option<Self> {
        let valid = match raw.kind() {
            RawKind::String => true,
            RawKind::Number => !raw.bytes().iter().any(|b| matches!(b, b'.' | b'e' | b'E')),
            _ => false,
        };
        valid.then(|| Self::new(raw.clone()))
    }

    /// Returns the id at `bytes` of a frame.
    pub(crate) fn of_frame(frame: &Bytes, value: &[u8]) -> Option<Self> {
        let raw = if frame.len() > SHARED_FRAME {
            Bytes::copy_from_slice(value)
        } else {
            frame.slice_ref(value)
        };
        Self::parse(&Raw::trusted(raw))
    }

    fn new(raw: Raw) -> Self {
        let key = match raw.string_inner() {
            None => raw.as_u64().map_or(Key::Raw, Key::Uint),
            Some(inner) if !inner.contains(&b'\\') => Key::Raw,
            Some(inner) => {
                let decoded = text::unescape(inner);
                Key::Decoded([b"\"", &decoded[..], b"\""].concat().into())
            }
        };
        Self { raw, key }
    }

    /// Returns the id as received.
    pub fn raw(&self) -> &Raw {
        &self.raw
    }

    /// Returns the id as a number, where it is one and fits.
    pub fn as_u64(&self) -> Option<u64> {
        match self.key {
            Key::Uint(number) => Some(number),
            _ => None,
        }
    }

    fn key(&self) -> Result<u64, &[u8]> {
        match &self.key {
            Key::Uint(number) => Ok(*number),
            Key::Raw => Err(self.raw.bytes()),
            Key::Decoded(decoded) => Err(decoded),
        }
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Id {}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}

/// Shows the id as received, at most 120 bytes.
impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.raw, f)
    }
}
