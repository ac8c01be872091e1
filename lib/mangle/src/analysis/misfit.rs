//! Facts that come as data: whether their values have the types that their predicate is declared with.

use std::fmt;

use super::{
    model::PredicateInfo,
    types::{Field, Type, is_under},
};
use crate::value::{Interner, Value, View};

/// A value that does not have the type that its predicate is declared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Of which predicate.
    pub predicate: String,
    /// Which argument, from zero.
    pub argument: usize,
    /// What it is called in the declaration.
    pub name: String,
    /// The type that it has to have.
    pub expected: Type,
}

impl PredicateInfo {
    /// The first argument of a fact that does not have its declared type; `None` if the fact fits. Of several alternatives it is said
    /// of the one that fits furthest. An undeclared predicate takes anything: its types were inferred from what was there before.
    ///
    /// The number of arguments is looked at when the fact is given to an evaluation.
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

/// Whether a value has a type.
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
