//! Types of values. A type stands for a set of values; subtyping is inclusion.

mod read;
mod relate;

use std::{fmt, sync::Arc};

pub(crate) use read::{read_text, read_type};
pub(crate) use relate::{agree, bind, conforms, is_narrower, is_under, join, meet, substitute};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Any value: `/any`.
    Any,
    /// An integer: `/number`.
    Number,
    /// A float: `/float64`.
    Float,
    /// A string: `/string`.
    String,
    /// A byte string: `/bytes`.
    Bytes,
    /// A name: `/name`.
    Name,
    /// A point in time: `/time`.
    Time,
    /// A duration: `/duration`.
    Duration,
    /// Names that begin with this one and a slash.
    Under(Arc<str>),
    /// This one name.
    Only(Arc<str>),
    /// A pair, `.Pair<A, B>`; a tuple is a pair of its first part and the rest.
    Pair(Arc<(Self, Self)>),
    /// A list: `.List<T>`.
    List(Arc<Self>),
    /// A map: `.Map<K, V>`.
    Map(Arc<(Self, Self)>),
    /// A struct: `.Struct<..>`.
    Struct(Arc<[Field]>),
    /// A union, `.Union<..>`; without members it has no values.
    Union(Arc<[Self]>),
    /// A function: `.Fun<Result, Argument..>`.
    Fun(Arc<[Self]>),
    /// A type variable.
    Var(Arc<str>),
}

/// A field of a struct type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The field's name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: Type,
    /// Whether it may be missing.
    pub optional: bool,
}

impl Type {
    /// Returns the type without values.
    pub(crate) fn never() -> Self {
        Self::Union(Arc::from([]))
    }

    /// Returns whether no value has the type.
    pub(crate) fn is_never(&self) -> bool {
        matches!(self, Self::Union(members) if members.is_empty())
    }

    /// Returns the type of `/true` and `/false`.
    pub(crate) fn truth() -> Self {
        Self::Union(Arc::from([Self::Only("/true".into()), Self::Only("/false".into())]))
    }

    pub(crate) fn list(of: Self) -> Self {
        Self::List(Arc::new(of))
    }

    pub(crate) fn pair(first: Self, second: Self) -> Self {
        Self::Pair(Arc::new((first, second)))
    }

    pub(crate) fn map(key: Self, value: Self) -> Self {
        Self::Map(Arc::new((key, value)))
    }

    /// Returns pairs within pairs; `None` without parts.
    pub(crate) fn tuple(parts: Vec<Self>) -> Option<Self> {
        parts.into_iter().rev().reduce(|rest, part| Self::pair(part, rest))
    }

    /// Returns the members of a union, or the type itself.
    pub(crate) fn members(&self) -> &[Self] {
        match self {
            Self::Union(members) => members,
            other => std::slice::from_ref(other),
        }
    }

    /// Returns whether all its values are names.
    pub(crate) fn is_name(&self) -> bool {
        matches!(self, Self::Name | Self::Under(_) | Self::Only(_))
    }

    /// Returns the type of a struct's field; `None` if no member of the type has it.
    pub(crate) fn field(&self, name: &str) -> Option<Self> {
        let found = self.members().iter().filter_map(|member| match member {
            Self::Struct(fields) => field_of(fields, name).map(|field| field.ty.clone()),
            Self::Any | Self::Var(_) => Some(Self::Any),
            _ => None,
        });
        found.reduce(|one, other| join(&one, &other))
    }

    /// Returns whether it contains a type variable.
    pub(crate) fn has_variable(&self) -> bool {
        relate::mentions(self, |ty| matches!(ty, Self::Var(_)))
    }

    /// Returns how deeply it is nested.
    pub(crate) fn depth(&self) -> usize {
        1 + match self {
            Self::Pair(both) | Self::Map(both) => both.0.depth().max(both.1.depth()),
            Self::List(of) => of.depth(),
            Self::Struct(fields) => fields.iter().map(|field| field.ty.depth()).max().unwrap_or(0),
            Self::Union(members) | Self::Fun(members) => members.iter().map(Self::depth).max().unwrap_or(0),
            _ => 0,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("/any"),
            Self::Number => f.write_str("/number"),
            Self::Float => f.write_str("/float64"),
            Self::String => f.write_str("/string"),
            Self::Bytes => f.write_str("/bytes"),
            Self::Name => f.write_str("/name"),
            Self::Time => f.write_str("/time"),
            Self::Duration => f.write_str("/duration"),
            Self::Under(name) | Self::Var(name) => f.write_str(name),
            Self::Only(name) => write!(f, ".Singleton<{name}>"),
            Self::Pair(both) => write!(f, ".Pair<{}, {}>", both.0, both.1),
            Self::List(of) => write!(f, ".List<{of}>"),
            Self::Map(both) => write!(f, ".Map<{}, {}>", both.0, both.1),
            Self::Struct(fields) => write!(f, ".Struct<{}>", Commas(fields)),
            Self::Union(members) => write!(f, ".Union<{}>", Commas(members)),
            Self::Fun(members) => write!(f, ".Fun<{}>", Commas(members)),
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let optional = if self.optional { "opt " } else { "" };
        write!(f, "{optional}{} : {}", self.name, self.ty)
    }
}

/// Returns the field of this name; the fields of a type are sorted by name.
pub(crate) fn field_of<'f>(fields: &'f [Field], name: &str) -> Option<&'f Field> {
    let at = fields.binary_search_by(|field| (*field.name).cmp(name)).ok()?;
    Some(&fields[at])
}

/// A display of items with commas between them.
pub(crate) struct Commas<'a, T>(pub(crate) &'a [T]);

impl<T: fmt::Display> fmt::Display for Commas<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, item) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{item}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
