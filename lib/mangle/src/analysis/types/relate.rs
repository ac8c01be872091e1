//! Relations of types: conformance, intersection (meet) and union (join).

use std::{collections::HashMap, sync::Arc};

use super::{Field, Type, field_of};

/// How many members a union made by the analysis may have; above that it becomes [`Type::Any`] or `/name`.
const WIDEST: usize = 24;

/// Returns whether every value of `left` is one of `right`. Type variables fit anything.
pub(crate) fn conforms(left: &Type, right: &Type) -> bool {
    match (left, right) {
        (_, Type::Any | Type::Var(_)) | (Type::Var(_), _) => true,
        (Type::Union(members), _) => members.iter().all(|member| conforms(member, right)),
        (_, Type::Union(members)) => members.iter().any(|member| conforms(left, member)),
        (Type::Under(_) | Type::Only(_), Type::Name) => true,
        (Type::Under(name), Type::Under(prefix)) => name == prefix || is_under(name, prefix),
        (Type::Only(name), Type::Under(prefix)) => is_under(name, prefix),
        (Type::Pair(left), Type::Pair(right)) | (Type::Map(left), Type::Map(right)) => {
            conforms(&left.0, &right.0) && conforms(&left.1, &right.1)
        }
        (Type::List(left), Type::List(right)) => conforms(left, right),
        (Type::Struct(left), Type::Struct(right)) => struct_conforms(left, right),
        (Type::Fun(left), Type::Fun(right)) => fun_conforms(left, right),
        _ => left == right,
    }
}

/// Returns whether a name has parts after the prefix. The prefix itself is not under it.
pub(crate) fn is_under(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns whether a struct type conforms: it has every field that the right one requires. More fields are fewer
/// values.
fn struct_conforms(left: &[Field], right: &[Field]) -> bool {
    right.iter().all(|wanted| match field_of(left, &wanted.name) {
        Some(field) => (wanted.optional || !field.optional) && conforms(&field.ty, &wanted.ty),
        None => wanted.optional,
    })
}

/// Returns whether a function type conforms: its result may be narrower, its arguments wider.
fn fun_conforms(left: &[Type], right: &[Type]) -> bool {
    left.len() == right.len()
        && conforms(&left[0], &right[0])
        && left[1..].iter().zip(&right[1..]).all(|(left, right)| conforms(right, left))
}

/// Returns a type with the values of both, not much larger than needed: a union that grows too wide is replaced.
pub(crate) fn join(left: &Type, right: &Type) -> Type {
    if matches!(left, Type::Any) || matches!(right, Type::Any) {
        return Type::Any;
    }
    if left == right {
        return left.clone();
    }
    let mut members: Vec<Type> = Vec::new();
    for member in left.members().iter().chain(right.members()) {
        if members.iter().any(|known| is_narrower(member, known)) {
            continue;
        }
        members.retain(|known| !is_narrower(known, member));
        members.push(member.clone());
    }
    if members.len() > WIDEST {
        return if members.iter().all(Type::is_name) { Type::Name } else { Type::Any };
    }
    match members.pop() {
        Some(only) if members.is_empty() => only,
        Some(last) => {
            members.push(last);
            Type::Union(members.into())
        }
        None => Type::never(),
    }
}

/// Returns whether the left type says nothing that the right one does not say too. Of two structs, the one with fewer
/// fields has more values but says less: the fields of the other would be lost. And type variables conform to
/// everything.
pub(crate) fn is_narrower(left: &Type, right: &Type) -> bool {
    left == right || (conforms(left, right) && !mentions(left, keeps) && !mentions(right, keeps))
}

/// Returns whether a type must be kept as it is.
const fn keeps(ty: &Type) -> bool {
    matches!(ty, Type::Var(_) | Type::Struct(_))
}

/// Returns whether a type or part of it satisfies `such`.
pub(super) fn mentions(ty: &Type, such: fn(&Type) -> bool) -> bool {
    such(ty)
        || match ty {
            Type::Pair(both) | Type::Map(both) => mentions(&both.0, such) || mentions(&both.1, such),
            Type::List(of) => mentions(of, such),
            Type::Struct(fields) => fields.iter().any(|field| mentions(&field.ty, such)),
            Type::Union(members) | Type::Fun(members) => members.iter().any(|member| mentions(member, such)),
            _ => false,
        }
}

/// Returns the values that two types have in common; a type without values if there are none.
pub(crate) fn meet(left: &Type, right: &Type) -> Type {
    match (left, right) {
        (Type::Any | Type::Var(_), other) | (other, Type::Any | Type::Var(_)) => other.clone(),
        (Type::Union(members), other) | (other, Type::Union(members)) => members
            .iter()
            .fold(Type::never(), |union, member| join(&union, &meet(member, other))),
        (Type::Pair(left), Type::Pair(right)) => both(meet(&left.0, &right.0), meet(&left.1, &right.1), Type::pair),
        // The empty list and the empty map have every element type.
        (Type::List(left), Type::List(right)) => Type::list(meet(left, right)),
        (Type::Map(left), Type::Map(right)) => Type::map(meet(&left.0, &right.0), meet(&left.1, &right.1)),
        (Type::Struct(left), Type::Struct(right)) => struct_meet(left, right),
        _ if conforms(left, right) => left.clone(),
        _ if conforms(right, left) => right.clone(),
        _ => Type::never(),
    }
}

fn both(first: Type, second: Type, make: fn(Type, Type) -> Type) -> Type {
    if first.is_never() || second.is_never() {
        Type::never()
    } else {
        make(first, second)
    }
}

fn struct_meet(left: &[Field], right: &[Field]) -> Type {
    let mut fields = left.to_vec();
    for field in right {
        match left.binary_search_by(|known| known.name.cmp(&field.name)) {
            Ok(at) => {
                let known = &mut fields[at];
                known.ty = meet(&known.ty, &field.ty);
                known.optional &= field.optional;
                if known.ty.is_never() && !known.optional {
                    return Type::never();
                }
            }
            Err(_) => fields.push(field.clone()),
        }
    }
    fields.sort_by(|one, other| one.name.cmp(&other.name));
    Type::Struct(fields.into())
}

/// Finds what the variables of `pattern` stand for, given a value's type: they get wider with each occurrence.
pub(crate) fn bind(pattern: &Type, actual: &Type, found: &mut HashMap<Arc<str>, Type>) {
    match (pattern, actual) {
        (Type::Var(name), _) => {
            let wider = found.get(name).map_or_else(|| actual.clone(), |known| join(known, actual));
            found.insert(name.clone(), wider);
        }
        (Type::List(pattern), Type::List(actual)) => bind(pattern, actual, found),
        (Type::Pair(pattern), Type::Pair(actual)) | (Type::Map(pattern), Type::Map(actual)) => {
            bind(&pattern.0, &actual.0, found);
            bind(&pattern.1, &actual.1, found);
        }
        (_, Type::Union(members)) => members.iter().for_each(|member| bind(pattern, member, found)),
        _ => {}
    }
}

/// Returns a type with its variables replaced; variables without a value are unknown, and so are the types built from
/// them.
pub(crate) fn substitute(ty: &Type, found: &HashMap<Arc<str>, Type>) -> Type {
    match ty {
        Type::Var(name) => found.get(name).cloned().unwrap_or(Type::Any),
        Type::List(of) => Type::list(substitute(of, found)),
        Type::Pair(both) => Type::pair(substitute(&both.0, found), substitute(&both.1, found)),
        Type::Map(both) => Type::map(substitute(&both.0, found), substitute(&both.1, found)),
        Type::Union(members) => members
            .iter()
            .fold(Type::never(), |union, member| join(&union, &substitute(member, found))),
        other => other.clone(),
    }
}

/// Returns whether the type variables of a declared row have consistent types: each argument determines what they are,
/// and these types have values in common.
pub(crate) fn agree(declared: &[Type], actual: &[Type]) -> bool {
    let mut known: HashMap<Arc<str>, Type> = HashMap::new();
    for (pattern, actual) in declared.iter().zip(actual) {
        let mut here = HashMap::new();
        bind(pattern, actual, &mut here);
        for (name, ty) in here {
            let common = known.get(&name).map_or_else(|| ty.clone(), |known| meet(known, &ty));
            if common.is_never() && !ty.is_never() {
                return false;
            }
            // An empty list says nothing of its elements.
            if !ty.is_never() {
                known.insert(name, common);
            }
        }
    }
    true
}
