//! The members of one object, each key once.

use std::collections::HashSet;
use std::ops::Range;

use crate::error::Fault;
use crate::scan::{Scan, Scanner};
use crate::{DecodeError, Raw, RawKind, text};

/// The members of one object, in their original order. Keys are decoded and differ from one another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Object {
    /// All decoded keys, one after another.
    names: String,
    members: Vec<(Range<usize>, Raw)>,
}

/// The initial capacity for keys and members, enough for most objects, so that they are allocated once.
const USUAL_NAMES: usize = 128;
const USUAL_MEMBERS: usize = 6;
/// The number of members up to which comparing all pairs is cheaper than a hash set.
const FEW: usize = 12;

impl Object {
    pub(crate) fn read(raw: &Raw) -> Result<Self, DecodeError> {
        let bytes = raw.bytes();
        if raw.kind() != RawKind::Object {
            return Err(DecodeError::new(Fault::NoObject, 0));
        }
        let mut object = Self {
            names: String::with_capacity(bytes.len().min(USUAL_NAMES)),
            members: Vec::with_capacity(USUAL_MEMBERS),
        };
        let mut scanner = Scanner::trusted(bytes);
        let mut more = scanner.open(b'}')?;
        while more {
            let (key, value) = scanner.member()?;
            let at = key.span.start;
            let decoded = text::unescape(&bytes[key.span]);
            // Only a lone surrogate fails here.
            let name = std::str::from_utf8(&decoded).map_err(|_| DecodeError::new(Fault::Key, at))?;
            let start = object.names.len();
            object.names.push_str(name);
            object.members.push((start..object.names.len(), Raw::trusted(bytes.slice(value))));
            more = scanner.more(b'}')?;
        }
        match object.twice() {
            Some(second) => Err(DecodeError::new(Fault::duplicate(object.name(second)), key_at(bytes, second)?)),
            None => Ok(object),
        }
    }

    /// Returns the index of the first member whose key an earlier member has.
    fn twice(&self) -> Option<usize> {
        let mut names = (0..self.len()).map(|i| self.name(i));
        if self.len() <= FEW {
            return (1..self.len()).find(|&i| (0..i).any(|j| self.name(i) == self.name(j)));
        }
        let mut seen = HashSet::with_capacity(self.len());
        names.position(|name| !seen.insert(name))
    }

    fn name(&self, i: usize) -> &str {
        &self.names[self.members[i].0.clone()]
    }

    /// Returns the value of `key`.
    pub fn get(&self, key: &str) -> Option<&Raw> {
        self.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Iterates over keys and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Raw)> {
        self.members.iter().map(|(span, value)| (&self.names[span.clone()], value))
    }

    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns whether the object is `{}`.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

/// Returns where the key of the `i`th member begins, behind its quote.
fn key_at(bytes: &[u8], i: usize) -> Scan<usize> {
    let mut scanner = Scanner::trusted(bytes);
    scanner.open(b'}')?;
    for _ in 0..i {
        scanner.member()?;
        scanner.more(b'}')?;
    }
    Ok(scanner.key()?.span.start)
}
