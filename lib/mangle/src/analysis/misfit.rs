//! Checks facts that come as data: whether their values have the types that their predicate is declared with.

use std::fmt;

use super::{
    model::PredicateInfo,
    types::{Field, Type, is_under},
};
use crate::value::{Interner, Value, View};

/// A value that does not have the type that its predicate is declared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The predicate.
    pub predicate: String,
    /// The position of the argument, from zero.
    pub argument: usize,
    /// The argument's name in the declaration.
    pub name: String,
    /// The declared type.
    pub expected: Type,
}

impl PredicateInfo {
    /// Returns the first argument of a fact that does not have its declared type; `None` if the fact fits. With several
    /// alternatives, the one that fits furthest is used. An undeclared predicate accepts anything: its types were
    /// inferred from earlier facts.
    ///
    /// The number of arguments is checked when the fact is given to an evaluation.
    pub fn misfit(&self, args: &[Value], interner: &Interner) -> Option<Misfit> {
        let declaration = self.declaration.as_ref()?;
        let first_wrong = |types: &Vec<Type>| types.iter().zip(args).position(|(ty, &value)| !fits(value, ty, interner));
        let mut furthest: Option<(usize, &Type)> = None;
        for types in &declaration.bounds {
            let at = first_wrong(types)?;
            if furthest.is_none_or(|(best, _)| at > best) {
                furthest = Some((at, &types[at]));
            }
        }
        let (argument, expected) = furthest?;
        Some(Misfit {
            predicate: self.label(),
            argument,
            name: declaration.args.get(argument).map(ToString::to_string).unwrap_or_default(),
            expected: expected.clone(),
        })
    }
}

/// Returns whether a value has a type.
fn fits(value: Value, ty: &Type, interner: &Interner) -> bool {
    match (interner.view(value), ty) {
        (_, Type::Any | Type::Var(_)) => true,
        (_, Type::Union(members)) => members.iter().any(|member| fits(value, member, interner)),
        (View::Number(_), Type::Number)
        | (View::Float(_), Type::Float)
        | (View::String(_), Type::String)
        | (View::Bytes(_), Type::Bytes)
        | (View::Name(_), Type::Name)
        | (View::Time(_), Type::Time)
        | (View::Duration(_), Type::Duration) => true,
        (View::Name(name), Type::Only(only)) => *name == **only,
        (View::Name(name), Type::Under(prefix)) => is_under(name, prefix),
        (View::Pair(first, second), Type::Pair(both)) => fits(first, &both.0, interner) && fits(second, &both.1, interner),
        (View::List(items), Type::List(of)) => items.iter().all(|item| fits(item, of, interner)),
        (View::Map(entries), Type::Map(both)) => entries
            .iter()
            .all(|(key, value)| fits(key, &both.0, interner) && fits(value, &both.1, interner)),
        (View::Struct(entries), Type::Struct(fields)) => fields.iter().all(|field| {
            let given = entries.iter().find(|entry| is_named(entry.0, field, interner));
            given.map_or(field.optional, |(_, value)| fits(value, &field.ty, interner))
        }),
        _ => false,
    }
}

fn is_named(key: Value, field: &Field, interner: &Interner) -> bool {
    matches!(interner.view(key), View::Name(name) if *name == *field.name)
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            predicate,
            argument,
            name,
            expected,
        } = self;
        write!(
            f,
            "argument {} of `{predicate}`, `{name}`, has to be of type `{expected}`",
            argument + 1
        )
    }
}

impl std::error::Error for Misfit {}
