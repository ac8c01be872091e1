//! The content of a value, one level deep.

use super::Value;

/// The content of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View<'a> {
    /// An integer.
    Number(i64),
    /// A float.
    Float(f64),
    /// A time in nanoseconds since 1970 UTC.
    Time(i64),
    /// A duration in nanoseconds.
    Duration(i64),
    /// A name, with its leading slash.
    Name(&'a str),
    /// A string.
    String(&'a str),
    /// A byte string.
    Bytes(&'a [u8]),
    /// A pair of values.
    Pair(Value, Value),
    /// A list of values.
    List(Items<'a>),
    /// A map, with its entries in the order of the keys.
    Map(Entries<'a>),
    /// A struct, with its fields in order.
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
    /// Returns the number of items.
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no items.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Returns the item at `index`, from zero.
    pub fn get(self, index: usize) -> Option<Value> {
        self.0.get(index).copied().map(Value::from_bits)
    }

    /// Iterates over all items, in order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Value> + ExactSizeIterator + use<'a> {
        self.0.iter().copied().map(Value::from_bits)
    }
}

/// The entries of a map or struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entries<'a>(pub(super) &'a [u64]);

impl<'a> Entries<'a> {
    /// Returns the number of entries.
    pub fn len(self) -> usize {
        self.0.len() / 2
    }

    /// Returns whether there are no entries.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of a key.
    pub fn get(self, key: Value) -> Option<Value> {
        self.iter().find(|entry| entry.0 == key).map(|entry| entry.1)
    }

    /// Iterates over all entries, in the canonical order of the keys.
    pub fn iter(self) -> impl ExactSizeIterator<Item = (Value, Value)> + use<'a> {
        self.0
            .chunks_exact(2)
            .map(|entry| (Value::from_bits(entry[0]), Value::from_bits(entry[1])))
    }
}
