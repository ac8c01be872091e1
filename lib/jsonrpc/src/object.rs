//! The members of one object, each key once.

use std::collections::HashSet;
use std::ops::Range;

use crate::error::{Fault, Flaw};
use crate::scan::Scanner;
use crate::{DecodeError, Raw, RawKind, text};

/// The members of one object, in the order in which they came. Keys are decoded and differ from one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// All decoded keys, one after another.
    names: String,
    members: Vec<(Range<usize>, Raw)>,
}

/// Up to this many members, comparing all pairs is cheaper than a hash set.
const FEW: usize = 12;

impl Object {
    pub(crate) fn read(raw: &Raw) -> Result<Self, DecodeError> {
        let bytes = raw.bytes();
        let mut object = Self {
            names: String::new(),
            members: Vec::new(),
        };
        let mut seen = HashSet::new();
        if raw.kind() != RawKind::Object {
            return Err(Flaw {
                fault: Fault::NoObject,
                at: 0,
            }
            .into());
        }
        let mut scanner = Scanner::trusted(bytes, 0);
        let mut more = scanner.open(b'}')?;
        while more {
            let (key, value) = scanner.member()?;
            let at = key.span.start;
            let inner = &bytes[key.span];
            let Ok(name) = std::str::from_utf8(inner) else {
                return Err(Flaw { fault: Fault::Key, at }.into());
            };
            let start = object.names.len();
            if key.escaped {
                match String::from_utf8(text::unescape(inner).into_owned()) {
                    Ok(decoded) => object.names.push_str(&decoded),
                    Err(_) => return Err(Flaw { fault: Fault::Key, at }.into()),
                }
            } else {
                object.names.push_str(name);
            }
            let span = start..object.names.len();
            if object.clashes(&span, &mut seen) {
                return Err(Flaw {
                    fault: Fault::Duplicate(object.names[span].into()),
                    at,
                }
                .into());
            }
            object.members.push((span, Raw::trusted(bytes.slice(value))));
            more = scanner.more(b'}')?;
        }
        Ok(object)
    }

    /// Whether the key at `span` is among the members; remembers it where they are many.
    fn clashes(&self, span: &Range<usize>, seen: &mut HashSet<Box<str>>) -> bool {
        let name = &self.names[span.clone()];
        if self.members.len() < FEW {
            return self.get(name).is_some();
        }
        if seen.is_empty() {
            seen.extend(self.iter().map(|(known, _)| known.into()));
        }
        !seen.insert(name.into())
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Raw> {
        self.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Keys and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Raw)> {
        self.members.iter().map(|(span, value)| (&self.names[span.clone()], value))
    }

    /// How many members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether it is `{}`.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}
