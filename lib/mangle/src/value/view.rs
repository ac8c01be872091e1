//! A value taken apart one level.

use super::Value;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View<'a> {
    /// An integer.
    Number(i64),
    /// A float.
    Float(f64),
    /// Nanoseconds since 1970 UTC.
    Time(i64),
    /// Nanoseconds.
    Duration(i64),
    /// With its leading slash.
    Name(&'a str),
    /// A text.
    String(&'a str),
    /// Any bytes.
    Bytes(&'a [u8]),
    /// Two values.
    Pair(Value, Value),
    /// Values in order.
    List(Items<'a>),
    /// Keys with values, in the order of the keys.
    Map(Entries<'a>),
    /// Fields with values, in the order of the fields.
    Struct(Entries<'a>),
}

impl<'a> View<'a> {
    pub(super) fn pair(words: &'a [u64]) -> Self {
        match *words {
            [first, second] => Self::Pair(Value::from_bits(first), Value::from_bits(second)),
            _ => Self::List(Items(words)),
        }
    }
}

/// The items of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Items<'a>(pub(super) &'a [u64]);

impl<'a> Items<'a> {
    /// How many.
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The item at `index`, from zero.
    pub fn get(self, index: usize) -> Option<Value> {
        self.0.get(index).copied().map(Value::from_bits)
    }

    /// All, in order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Value> + ExactSizeIterator + use<'a> {
        self.0.iter().copied().map(Value::from_bits)
    }
}

/// The entries of a map or struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entries<'a>(pub(super) &'a [u64]);

impl<'a> Entries<'a> {
    /// How many.
    pub fn len(self) -> usize {
        self.0.len() / 2
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The value of a key.
    pub fn get(self, key: Value) -> Option<Value> {
        self.iter().find(|entry| entry.0 == key).map(|entry| entry.1)
    }

    /// All, in the canonical order of the keys.
    pub fn iter(self) -> impl ExactSizeIterator<Item = (Value, Value)> + use<'a> {
        self.0
            .chunks_exact(2)
            .map(|entry| (Value::from_bits(entry[0]), Value::from_bits(entry[1])))
    }
}
