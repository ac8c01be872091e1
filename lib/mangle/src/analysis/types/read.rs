//! Reads type expressions as they are written, with dots or as functions: `.List</number>`, `fn:List(/number)`.

use std::sync::Arc;

use super::{Field, Type, relate::join};
use crate::syntax::{
    Dialect, Sources, Span,
    ast::{Item, Member, Term, TermKind},
    parse,
};

/// The reason why a term is not a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadType {
    pub(crate) span: Span,
    pub(crate) why: String,
}

type Read<T> = Result<T, BadType>;

/// Returns the type that a term denotes.
pub(crate) fn read_type(term: &Term) -> Read<Type> {
    match &term.kind {
        TermKind::Name(name) => Ok(base(name)),
        TermKind::Variable(name) => Ok(Type::Var((**name).into())),
        TermKind::Wildcard => Ok(Type::Any),
        TermKind::Type(written) => constructed(&written.name.text, &written.members, term.span),
        TermKind::Call(call) => {
            let members: Vec<Member> = call.args.iter().map(member).collect();
            constructed(call.function.text.trim_start_matches("fn:"), &members, term.span)
        }
        _ => Err(bad(
            term.span,
            "a type is a name such as `/number`, or built as in `.List</number>`",
        )),
    }
}

/// Reads a type from a text that is known to be one.
pub(crate) fn read_text(text: &str) -> Option<Type> {
    let sources = Sources::of("", &format!("Decl t(X) bound [{text}].")).ok()?;
    let parsed = parse(sources.get(0)?, Dialect::Extended);
    let Item::Decl(decl) = parsed.unit.items.first()? else {
        return None;
    };
    read_type(decl.bounds.first()?.types.first()?).ok()
}

fn bad(span: Span, why: impl Into<String>) -> BadType {
    BadType { span, why: why.into() }
}

fn base(name: &str) -> Type {
    match name {
        "/any" => Type::Any,
        "/number" => Type::Number,
        "/float64" => Type::Float,
        "/string" => Type::String,
        "/bytes" => Type::Bytes,
        "/name" => Type::Name,
        "/time" => Type::Time,
        "/duration" => Type::Duration,
        "/bot" => Type::never(),
        other => Type::Under(other.into()),
    }
}

/// Reads a function's argument as a member; `fn:opt(/field, T)` is an optional field.
fn member(term: &Term) -> Member {
    let whole = Member {
        optional: false,
        key: term.clone(),
        value: None,
        span: term.span,
    };
    match &term.kind {
        TermKind::Call(call) if &*call.function.text == "fn:opt" && call.args.len() == 2 => Member {
            optional: true,
            key: call.args[0].clone(),
            value: Some(call.args[1].clone()),
            ..whole
        },
        _ => whole,
    }
}

fn constructed(name: &str, members: &[Member], span: Span) -> Read<Type> {
    let count = |wanted: usize| {
        let found = members.len();
        let args = if wanted == 1 { "type" } else { "types" };
        if found == wanted {
            Ok(())
        } else {
            Err(bad(span, format!("`.{name}` takes {wanted} {args}, not {found}")))
        }
    };
    match name {
        "List" => count(1).and_then(|()| Ok(Type::list(plain(&members[0])?))),
        "Option" => count(1).and_then(|()| plain(&members[0])),
        "Pair" => count(2).and_then(|()| Ok(Type::pair(plain(&members[0])?, plain(&members[1])?))),
        "Map" => map(members, span),
        "Singleton" => count(1).and_then(|()| Ok(Type::Only(name_of(&members[0].key)?))),
        "Tuple" if members.len() < 3 => Err(bad(span, "a tuple has three parts or more; for two there is `.Pair`")),
        "Tuple" => Ok(Type::tuple(all(members)?).unwrap_or_else(Type::never)),
        "Union" => Ok(all(members)?.iter().fold(Type::never(), |union, one| join(&union, one))),
        "Fun" if members.is_empty() => Err(bad(span, "a function type names its result first, then its arguments")),
        "Fun" => Ok(Type::Fun(all(members)?.into())),
        "Struct" => Ok(Type::Struct(fields(members)?.into())),
        "TaggedUnion" => tagged_union(members, span),
        _ => Err(bad(
            span,
            format!(
                "there is no type `.{name}`: those built of others are List, Map, Pair, Tuple, Struct, Union, TaggedUnion, Option, Singleton, Fun"
            ),
        )),
    }
}

/// Reads `.Map<K, V>` or `.Map<K : V>`.
fn map(members: &[Member], span: Span) -> Read<Type> {
    match members {
        [key, value] => Ok(Type::map(plain(key)?, plain(value)?)),
        [both] if both.value.is_some() => {
            let parts = pairs(std::slice::from_ref(both))?;
            Ok(Type::map(read_type(parts[0].0)?, read_type(parts[0].1)?))
        }
        _ => Err(bad(span, "a map type has a type for the keys and one for the values")),
    }
}

fn all(members: &[Member]) -> Read<Vec<Type>> {
    members.iter().map(plain).collect()
}

/// Returns a member that is a type and nothing else.
fn plain(member: &Member) -> Read<Type> {
    match &member.value {
        Some(_) => Err(bad(member.span, "a type was expected, not a field with one")),
        None => read_type(&member.key),
    }
}

fn name_of(term: &Term) -> Read<Arc<str>> {
    match &term.kind {
        TermKind::Name(name) => Ok((**name).into()),
        _ => Err(bad(term.span, "a name constant was expected")),
    }
}

/// Reads keys with their types, written with a colon or one after the other.
fn pairs(members: &[Member]) -> Read<Vec<(&Term, &Term, bool)>> {
    let mut out = Vec::new();
    let mut rest = members.iter();
    while let Some(member) = rest.next() {
        if let Some(value) = &member.value {
            out.push((&member.key, value, member.optional));
            continue;
        }
        match rest.next() {
            Some(next) if next.value.is_none() => out.push((&member.key, &next.key, false)),
            _ => return Err(bad(member.span, "a field has a type behind it: `/field : /string`")),
        }
    }
    Ok(out)
}

fn fields(members: &[Member]) -> Read<Vec<Field>> {
    let mut fields: Vec<Field> = Vec::new();
    for (key, ty, optional) in pairs(members)? {
        let name = name_of(key)?;
        if fields.iter().any(|field| field.name == name) {
            return Err(bad(key.span, format!("the field `{name}` stands twice")));
        }
        let ty = read_type(ty)?;
        fields.push(Field { name, ty, optional });
    }
    fields.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(fields)
}

/// Returns a union of structs, each with the tag as a field of one value.
fn tagged_union(members: &[Member], span: Span) -> Read<Type> {
    let Some((tag, variants)) = members.split_first().filter(|(tag, rest)| tag.value.is_none() && !rest.is_empty()) else {
        return Err(bad(span, "a tagged union names its tag field first, then its variants"));
    };
    let tag = name_of(&tag.key)?;
    let mut structs = Vec::new();
    let mut seen: Vec<Arc<str>> = Vec::new();
    for (key, ty, _) in pairs(variants)? {
        let variant = name_of(key)?;
        if seen.contains(&variant) {
            return Err(bad(key.span, format!("the variant `{variant}` stands twice")));
        }
        let Type::Struct(fields) = read_type(ty)? else {
            return Err(bad(ty.span, "a variant of a tagged union is a struct type"));
        };
        if fields.iter().any(|field| field.name == tag) {
            return Err(bad(ty.span, format!("the tag `{tag}` is added to each variant: leave it out here")));
        }
        let mut fields = fields.to_vec();
        fields.push(Field {
            name: tag.clone(),
            ty: Type::Only(variant.clone()),
            optional: false,
        });
        fields.sort_by(|one, other| one.name.cmp(&other.name));
        seen.push(variant);
        structs.push(Type::Struct(fields.into()));
    }
    Ok(Type::Union(structs.into()))
}
