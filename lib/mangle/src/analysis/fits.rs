//! Constants and types: whether a constant has a type, and the type of a constant.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use super::{
    model::Model,
    types::{Field, Type, conforms, join, meet},
};
use crate::syntax::ast::{Term, TermKind};

/// The names that occur as types in declarations. A name constant has the longest of them that it lies under as its
/// type.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    known: HashMap<Arc<str>, Mentioned>,
    /// The lengths of these names: a name may have very many parts, and only a few of its prefixes need to be looked
    /// up.
    lengths: BTreeSet<usize>,
}

/// How a name occurs in declarations.
#[derive(Clone, Copy, Debug, Default)]
struct Mentioned {
    /// As a single name: `.Singleton</a>`.
    alone: bool,
    /// As a prefix of the names under it: `/a`.
    prefix: bool,
}

impl Prefixes {
    /// Collects all names that the declarations of a program mention.
    pub(crate) fn of(model: &Model<'_>) -> Self {
        let mut prefixes = Self::default();
        let decls = model.predicates.iter().filter_map(|info| info.declaration.as_ref());
        decls
            .flat_map(|decl| decl.bounds.iter().flatten())
            .for_each(|ty| prefixes.collect(ty));
        prefixes
    }

    fn collect(&mut self, ty: &Type) {
        match ty {
            Type::Under(name) | Type::Only(name) => {
                self.lengths.insert(name.len());
                let mentioned = self.known.entry(name.clone()).or_default();
                mentioned.alone |= matches!(ty, Type::Only(_));
                mentioned.prefix |= matches!(ty, Type::Under(_));
            }
            Type::Pair(both) | Type::Map(both) => {
                self.collect(&both.0);
                self.collect(&both.1);
            }
            Type::List(of) => self.collect(of),
            Type::Struct(fields) => fields.iter().for_each(|field| self.collect(&field.ty)),
            Type::Union(members) | Type::Fun(members) => members.iter().for_each(|member| self.collect(member)),
            _ => {}
        }
    }

    /// Returns the type of a name constant.
    fn name(&self, name: &str) -> Type {
        let ends = self.lengths.range(..=name.len()).rev();
        let parts = ends.filter(|&&at| at == name.len() || name.as_bytes()[at] == b'/');
        let mut known = parts.filter_map(|&at| self.known.get_key_value(&name[..at]));
        let fitting = known.find_map(|(part, mentioned)| match part.len() == name.len() {
            true => mentioned.alone.then(|| Type::Only(part.clone())),
            false => mentioned.prefix.then(|| Type::Under(part.clone())),
        });
        fitting.unwrap_or(Type::Name)
    }

    /// Replaces single names that no declaration mentions by wider types.
    pub(crate) fn widen(&self, ty: Type) -> Type {
        match ty {
            Type::Only(name) => self.name(&name),
            Type::List(of) => Type::list(self.widen((*of).clone())),
            Type::Pair(both) => Type::pair(self.widen(both.0.clone()), self.widen(both.1.clone())),
            Type::Map(both) => Type::map(self.widen(both.0.clone()), self.widen(both.1.clone())),
            Type::Union(members) => members
                .iter()
                .fold(Type::never(), |union, member| join(&union, &self.widen(member.clone()))),
            other => other,
        }
    }
}

/// Returns whether the type check regards two types as having no value in common. Like the public engine, it accepts
/// names beside values without parts, and byte strings beside anything.
pub(crate) fn apart(one: &Type, other: &Type) -> bool {
    let plain = |ty: &Type| matches!(ty, Type::Number | Type::Float | Type::String | Type::Time | Type::Duration);
    let passes = |one: &Type, other: &Type| matches!(one, Type::Bytes) || (matches!(one, Type::Name) && plain(other));
    let mut pairs = one
        .members()
        .iter()
        .flat_map(|one| other.members().iter().map(move |other| (one, other)));
    meet(one, other).is_never() && !pairs.any(|(one, other)| passes(one, other) || passes(other, one))
}

/// Returns whether a constant has a type. Terms that are not constants are checked elsewhere.
pub(crate) fn fits(term: &Term, ty: &Type) -> bool {
    match (&term.kind, ty) {
        (_, Type::Any | Type::Var(_)) | (TermKind::Variable(_) | TermKind::Wildcard | TermKind::Call(_), _) => true,
        (_, Type::Union(members)) => members.iter().any(|member| fits(term, member)),
        (TermKind::Name(_), Type::Name)
        | (TermKind::String(_), Type::String)
        | (TermKind::Bytes(_), Type::Bytes)
        | (TermKind::Number(_), Type::Number)
        | (TermKind::Float(_), Type::Float)
        | (TermKind::Time(_), Type::Time)
        | (TermKind::Duration(_), Type::Duration) => true,
        (TermKind::Name(name), Type::Only(only)) => **name == **only,
        (TermKind::Name(name), Type::Under(_)) => conforms(&Type::Only((**name).into()), ty),
        (TermKind::List(items), Type::List(of)) => items.iter().all(|item| fits(item, of)),
        (TermKind::Map(entries), Type::Map(both)) => entries.iter().all(|(key, value)| fits(key, &both.0) && fits(value, &both.1)),
        (TermKind::Struct(entries), Type::Struct(fields)) => struct_fits(entries, fields),
        _ => false,
    }
}

/// Returns whether the fields that a type requires are present and fit.
fn struct_fits(entries: &[(Term, Term)], fields: &[Field]) -> bool {
    let mut given: Vec<Option<&Term>> = vec![None; fields.len()];
    for (key, value) in entries {
        if let TermKind::Name(name) = &key.kind
            && let Ok(at) = fields.binary_search_by(|field| (*field.name).cmp(&**name))
        {
            given[at].get_or_insert(value);
        }
    }
    let mut both = fields.iter().zip(given);
    both.all(|(field, value)| value.map_or(field.optional, |value| fits(value, &field.ty)))
}

/// Returns the type of a constant.
pub(crate) fn type_of_constant(term: &Term, prefixes: &Prefixes) -> Type {
    let all =
        |terms: &mut dyn Iterator<Item = &Term>| terms.fold(Type::never(), |union, term| join(&union, &type_of_constant(term, prefixes)));
    match &term.kind {
        TermKind::Name(name) => prefixes.name(name),
        TermKind::String(_) => Type::String,
        TermKind::Bytes(_) => Type::Bytes,
        TermKind::Number(_) => Type::Number,
        TermKind::Float(_) => Type::Float,
        TermKind::Time(_) => Type::Time,
        TermKind::Duration(_) => Type::Duration,
        TermKind::List(items) => Type::list(all(&mut items.iter())),
        TermKind::Map(entries) => Type::map(
            all(&mut entries.iter().map(|(key, _)| key)),
            all(&mut entries.iter().map(|(_, value)| value)),
        ),
        TermKind::Struct(entries) => super::clause_types::structure(entries, |value| type_of_constant(value, prefixes)),
        TermKind::Variable(_) | TermKind::Wildcard | TermKind::Call(_) | TermKind::Type(_) => Type::Any,
    }
}
