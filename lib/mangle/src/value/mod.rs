//! Values in 64 bits: small numbers and times in the word itself, everything else by number in an [`Interner`].
//!
//! Law: one value, one word. Two values made by one interner (or by one and its overlay) are equal exactly if their
//! words are.

mod civil;
mod interner;
mod order;
mod pool;
mod text;
mod view;

pub(crate) use civil::Civil;
pub use civil::{parse_duration, parse_rfc3339, write_duration, write_time};
pub use interner::{Interner, MapError};
pub use text::Printed;
pub use view::View;

use std::fmt;

/// A value of the language. It can be copied freely; the [`Interner`] that made it gives its content.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value(u64);

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A 64-bit integer, `/number`.
    Number,
    /// A 64-bit float, `/float64`.
    Float,
    /// An instant in nanoseconds since 1970 UTC, `/time`.
    Time,
    /// A signed number of nanoseconds, `/duration`.
    Duration,
    /// A name: `/a/b`.
    Name,
    /// A string.
    String,
    /// A byte string.
    Bytes,
    /// A pair of values.
    Pair,
    /// A list of values.
    List,
    /// A map from keys to values.
    Map,
    /// A struct of field names with values.
    Struct,
}

const TAG_BITS: u32 = 4;

/// The low bits of a word: the kind, and whether the payload is the value itself or its number in the interner.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Tag {
    Number,
    WideNumber,
    Float,
    Time,
    WideTime,
    Duration,
    WideDuration,
    Name,
    String,
    Bytes,
    Pair,
    List,
    Map,
    Struct,
}

const TAGS: [Tag; 14] = [
    Tag::Number,
    Tag::WideNumber,
    Tag::Float,
    Tag::Time,
    Tag::WideTime,
    Tag::Duration,
    Tag::WideDuration,
    Tag::Name,
    Tag::String,
    Tag::Bytes,
    Tag::Pair,
    Tag::List,
    Tag::Map,
    Tag::Struct,
];

/// The origin of inline times, 2020-01-01, so that the 60 bits reach from 2001 to 2038.
const TIME_BASE: i64 = 1_577_836_800_000_000_000;

impl Value {
    /// Returns the word, for hashing and for rows.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Converts back from [`Self::bits`]. Words that no interner made have no meaning, but do no harm.
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    const fn pack(tag: Tag, payload: u64) -> Self {
        Self((payload << TAG_BITS) | tag as u64)
    }

    fn tag(self) -> Tag {
        TAGS.get((self.0 & 15) as usize).copied().unwrap_or(Tag::Number)
    }

    const fn payload(self) -> u64 {
        self.0 >> TAG_BITS
    }

    /// Returns the payload as a signed number.
    const fn signed(self) -> i64 {
        (self.0 as i64) >> TAG_BITS
    }

    /// Returns the number as a word, if it fits.
    const fn inline(tag: Tag, number: i64) -> Option<Self> {
        let bits = (number << TAG_BITS) as u64;
        if (bits as i64) >> TAG_BITS == number {
            Some(Self(bits | tag as u64))
        } else {
            None
        }
    }

    /// Returns the kind of the value.
    pub fn kind(self) -> Kind {
        match self.tag() {
            Tag::Number | Tag::WideNumber => Kind::Number,
            Tag::Float => Kind::Float,
            Tag::Time | Tag::WideTime => Kind::Time,
            Tag::Duration | Tag::WideDuration => Kind::Duration,
            Tag::Name => Kind::Name,
            Tag::String => Kind::String,
            Tag::Bytes => Kind::Bytes,
            Tag::Pair => Kind::Pair,
            Tag::List => Kind::List,
            Tag::Map => Kind::Map,
            Tag::Struct => Kind::Struct,
        }
    }

    /// Returns the number, if it is one that is stored in the word itself: no interner is needed.
    pub(crate) fn small_number(self) -> Option<i64> {
        (self.0 & 15 == Tag::Number as u64).then(|| self.signed())
    }

    /// Returns whether the value is stored in the word itself, without memory of its own.
    pub(crate) const fn is_inline(self) -> bool {
        const INLINE: u64 = 1 << Tag::Number as u64 | 1 << Tag::Time as u64 | 1 << Tag::Duration as u64;
        INLINE >> (self.0 & 15) & 1 == 1
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.small_number() {
            Some(number) => write!(f, "{number}"),
            None => write!(f, "{:?}#{}", self.kind(), self.payload()),
        }
    }
}
