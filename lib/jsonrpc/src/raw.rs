//! A JSON value kept as the bytes in which it was received.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error::Fault;
use crate::scan::{Scanner, Span, check_frame};
use crate::{DecodeError, Editor, Limits, Object, text};

/// A JSON value kept as the bytes in which it was received.
///
/// Law: always exactly one valid JSON value (RFC 8259, UTF-8, no byte order mark) without whitespace around it.
/// Clones and parts share the buffer, so a small part keeps a large frame alive: see [`Raw::compact`].
#[derive(Clone, PartialEq, Eq)]
pub struct Raw(Bytes);

/// The type of value that a [`Raw`] holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RawKind {
    /// An object: `{…}`.
    Object,
    /// An array: `[…]`.
    Array,
    /// A string: `"…"`.
    String,
    /// A number of any size.
    Number,
    /// A boolean: `true` or `false`.
    Bool,
    /// The value `null`.
    Null,
}

impl Raw {
    /// Parses bytes that must be one JSON value, and removes the whitespace around it.
    ///
    /// # Errors
    /// Bytes that are not UTF-8 or not one JSON value, or beyond `limits`.
    pub fn parse(bytes: impl Into<Bytes>, limits: &Limits) -> Result<Self, DecodeError> {
        let bytes = bytes.into();
        check_frame(&bytes, limits)?;
        let mut scanner = Scanner::new(&bytes, limits);
        scanner.space();
        let span = scanner.value()?;
        scanner.end()?;
        Ok(Self(bytes.slice(span)))
    }

    /// Serialises a value of our own. A value that serde_json cannot serialise (a map whose keys are not strings)
    /// becomes `null`.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Self {
        serde_json::to_vec(value).map_or_else(|_| Self::null(), |json| Self(json.into()))
    }

    /// Returns `null`.
    pub fn null() -> Self {
        Self(Bytes::from_static(b"null"))
    }

    /// Returns `{}`.
    pub fn object_empty() -> Self {
        Self(Bytes::from_static(b"{}"))
    }

    /// Returns a JSON string.
    pub fn string(decoded: &str) -> Self {
        let mut out = Vec::with_capacity(decoded.len() + 2);
        text::write_string(decoded.as_bytes(), &mut out);
        Self(out.into())
    }

    /// Returns a JSON number from a non-negative integer.
    pub fn uint(number: u64) -> Self {
        Self(number.to_string().into())
    }

    /// Returns `true` or `false`.
    pub fn boolean(truth: bool) -> Self {
        Self(Bytes::from_static(if truth { b"true" } else { b"false" }))
    }

    /// Wraps bytes that a scan found to be a value.
    pub(crate) fn trusted(bytes: Bytes) -> Self {
        Self(bytes)
    }

    fn part(&self, span: Span) -> Self {
        Self(self.0.slice(span))
    }

    /// Returns the bytes as received.
    pub fn bytes(&self) -> &Bytes {
        &self.0
    }

    /// Returns the bytes as text. Checks UTF-8 once more: prefer [`Raw::bytes`] for large values.
    pub fn text(&self) -> &str {
        // The law says that this is UTF-8.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Returns the number of bytes, which is never zero.
    #[expect(clippy::len_without_is_empty, reason = "a JSON value has at least one byte")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns a copy in a buffer of its own where the present buffer may hold more; for values that are kept for long.
    #[must_use]
    pub fn compact(&self) -> Self {
        Self(Bytes::copy_from_slice(&self.0))
    }

    /// Returns the type of the value, from its first byte.
    pub fn kind(&self) -> RawKind {
        match self.0.first() {
            Some(b'{') => RawKind::Object,
            Some(b'[') => RawKind::Array,
            Some(b'"') => RawKind::String,
            Some(b't' | b'f') => RawKind::Bool,
            Some(b'n') => RawKind::Null,
            _ => RawKind::Number,
        }
    }

    /// Returns the inside of a string: without its quotes, and with escapes as they are.
    pub(crate) fn string_inner(&self) -> Option<&[u8]> {
        self.0.strip_prefix(b"\"")?.strip_suffix(b"\"")
    }

    /// Returns the decoded string, borrowed if it has no escapes. Returns `None` for other values and for a string with
    /// a lone surrogate.
    pub fn as_str(&self) -> Option<Cow<'_, str>> {
        match text::unescape(self.string_inner()?) {
            Cow::Borrowed(plain) => std::str::from_utf8(plain).ok().map(Cow::Borrowed),
            Cow::Owned(decoded) => String::from_utf8(decoded).ok().map(Cow::Owned),
        }
    }

    fn number(&self) -> Option<&str> {
        (self.kind() == RawKind::Number).then(|| self.text())
    }

    /// Returns the integer, if it is written without fraction and exponent and fits.
    pub fn as_u64(&self) -> Option<u64> {
        match self.number()? {
            "-0" => Some(0),
            digits => digits.parse().ok(),
        }
    }

    /// Returns the integer, if it is written without fraction and exponent and fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.number()?.parse().ok()
    }

    /// Returns the double nearest to the number, or `None` beyond their range (`1e1000`).
    pub fn as_f64(&self) -> Option<f64> {
        self.number()?.parse().ok().filter(|n: &f64| n.is_finite())
    }

    /// Returns the boolean, if the value is one.
    pub fn as_bool(&self) -> Option<bool> {
        match &self.0[..] {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }

    /// Returns the first member of an object whose decoded key is `key`. Reads no further than that member.
    pub fn get(&self, key: &str) -> Option<Self> {
        if self.kind() != RawKind::Object {
            return None;
        }
        let mut scanner = Scanner::trusted(&self.0);
        let mut more = scanner.open(b'}').ok()?;
        while more {
            let (name, value) = scanner.member().ok()?;
            if text::equals(&self.0[name.span], name.escaped, key.as_bytes()) {
                return Some(self.part(value));
            }
            more = scanner.more(b'}').ok()?;
        }
        None
    }

    /// Returns the value at `path`, found with [`Raw::get`] key by key.
    pub fn at(&self, path: &[&str]) -> Option<Self> {
        path.iter().try_fold(self.clone(), |value, key| value.get(key))
    }

    /// Returns all members of an object.
    ///
    /// # Errors
    /// Not an object; two keys that are equal when decoded; a key that is not Unicode text.
    pub fn object(&self) -> Result<Object, DecodeError> {
        Object::read(self)
    }

    /// Iterates over the elements of an array; there are none for other values.
    pub fn elements(&self) -> Elements<'_> {
        let mut scanner = Scanner::trusted(&self.0);
        let more = self.kind() == RawKind::Array && scanner.open(b']').unwrap_or(false);
        Elements { raw: self, scanner, more }
    }

    /// Returns the elements of an array; none for other values. Each takes 32 bytes: for long arrays prefer
    /// [`Raw::elements`].
    pub fn items(&self) -> Vec<Self> {
        self.elements().collect()
    }

    /// Returns an editor that changes members by path and leaves all other bytes as they are.
    pub fn edit(&self) -> Editor {
        Editor::new(self.clone())
    }

    /// Deserialises the value into a type of our own.
    ///
    /// # Errors
    /// The value has another shape, or holds what serde_json refuses: lone surrogates, numbers beyond a double, 128
    /// levels.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        serde_json::from_slice(&self.0).map_err(|e| {
            let lines = self.0.split_inclusive(|&b| b == b'\n').take(e.line().saturating_sub(1));
            let at = lines.map(<[u8]>::len).sum::<usize>() + e.column().saturating_sub(1);
            let why = e.to_string();
            let why = why.rfind(" at line ").map_or(&why[..], |end| &why[..end]);
            DecodeError::new(Fault::Type(why.into()), at)
        })
    }

    /// Returns the canonical form, for digests: sorted keys, the fewest escapes, no whitespace, numbers as they are.
    /// Equal keys keep their order.
    pub fn canonical(&self) -> Vec<u8> {
        crate::canonical::canonical(&self.0)
    }

    /// Returns the value as serde_json holds it, for reading and showing; not for decisions and not for the wire.
    ///
    /// A value that serde_json cannot hold becomes the nearest one: integers beyond 64 bits become doubles, numbers
    /// beyond a double become strings of their digits, lone surrogates become U+FFFD. Of equal keys the first counts,
    /// as in [`Raw::get`].
    pub fn to_value(&self) -> serde_json::Value {
        crate::value::value(&self.0)
    }
}

/// An iterator over the elements of an array; see [`Raw::elements`].
#[derive(Debug)]
pub struct Elements<'a> {
    raw: &'a Raw,
    scanner: Scanner<'a>,
    more: bool,
}

impl Iterator for Elements<'_> {
    type Item = Raw;

    fn next(&mut self) -> Option<Raw> {
        if !self.more {
            return None;
        }
        let element = self.scanner.value().ok()?;
        self.more = self.scanner.more(b']').unwrap_or(false);
        Some(self.raw.part(element))
    }
}

/// Shows at most 120 bytes of the value, then how many there are.
impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 120;
        if self.len() <= SHOWN {
            return f.write_str(self.text());
        }
        let head = &self.0[..SHOWN];
        let head = std::str::from_utf8(head).unwrap_or_else(|e| {
            // The cut fell into a character.
            std::str::from_utf8(&head[..e.valid_up_to()]).unwrap_or_default()
        });
        write!(f, "{head}… ({} bytes)", self.len())
    }
}

/// Serialises the value as itself with serde_json; other formats receive a [`RawValue`].
impl Serialize for Raw {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_slice(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// Copies the bytes; works with serde_json only.
impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self(String::from(Box::<str>::from(raw)).into()))
    }
}
