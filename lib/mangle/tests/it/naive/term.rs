//! Evaluates terms once their variables have values.

use std::collections::BTreeMap;

use mangle::syntax::ast::{Call, Term, TermKind};

use super::{
    Fail,
    value::{Real, Value, duration_of, time_of},
};

/// The variables that have a value.
pub(crate) type Binding = BTreeMap<String, Value>;

/// Returns the value of a term.
pub(crate) fn eval(term: &Term, binding: &Binding) -> Result<Value, Fail> {
    Ok(match &term.kind {
        TermKind::Variable(name) => binding.get(&**name).cloned().ok_or(Fail::Unbound)?,
        TermKind::Name(name) => Value::Name(name.to_string()),
        TermKind::String(text) => Value::Text(text.to_string()),
        TermKind::Number(number) => Value::Number(*number),
        TermKind::Time(nanos) => Value::Time(*nanos),
        TermKind::Duration(nanos) => Value::Duration(*nanos),
        TermKind::List(items) => Value::List(all(items, binding)?),
        TermKind::Float(float) => Value::Float(Real(*float)),
        TermKind::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
        TermKind::Map(entries) => Value::Map(sorted(entries, binding)?),
        TermKind::Struct(fields) => Value::Struct(sorted(fields, binding)?),
        TermKind::Call(call) => apply(call, binding)?,
        other => return Err(Fail::NotCovered(format!("{other:?}"))),
    })
}

/// Returns entries in the order of their keys, as [`super::value::Value`] needs them.
fn sorted(entries: &[(Term, Term)], binding: &Binding) -> Result<Vec<(Value, Value)>, Fail> {
    let one = |(key, value): &(Term, Term)| Ok((eval(key, binding)?, eval(value, binding)?));
    let mut entries = entries.iter().map(one).collect::<Result<Vec<_>, Fail>>()?;
    entries.sort();
    Ok(entries)
}

fn all(terms: &[Term], binding: &Binding) -> Result<Vec<Value>, Fail> {
    terms.iter().map(|term| eval(term, binding)).collect()
}

/// Applies a function. These are the functions that generated programs and the corpus use here; numbers wrap around.
fn apply(call: &Call, binding: &Binding) -> Result<Value, Fail> {
    use Value::{Duration, List, Number, Pair, Text, Time};
    let args = all(&call.args, binding)?;
    Ok(match (&*call.function.text, &args[..]) {
        ("fn:plus", _) => Number(numbers(&args)?.into_iter().fold(0, i64::wrapping_add)),
        ("fn:mult", _) => Number(numbers(&args)?.into_iter().fold(1, i64::wrapping_mul)),
        ("fn:minus", [Number(a)]) => Number(a.wrapping_neg()),
        ("fn:minus", [Number(a), Number(b)]) => Number(a.wrapping_sub(*b)),
        ("fn:mod", [Number(a), Number(b)]) if *b != 0 => Number(a.wrapping_rem(*b)),
        ("fn:pair", [a, b]) => Pair(Box::new((a.clone(), b.clone()))),
        ("fn:list:len", [List(items)]) => Number(items.len() as i64),
        ("fn:list:contains", [List(items), one]) => Value::Name(format!("/{}", items.contains(one))),
        ("fn:list:append", [List(items), last]) => List([items, std::slice::from_ref(last)].concat()),
        ("fn:list:cons", [first, List(items)]) => List([std::slice::from_ref(first), items].concat()),
        ("fn:number:to_string", [Number(a)]) => Text(a.to_string()),
        ("fn:time:add", [Time(time), Duration(by)]) => Time(time.wrapping_add(*by)),
        ("fn:time:sub", [Time(a), Time(b)]) => Duration(a.wrapping_sub(*b)),
        ("fn:duration:from_nanos", [Number(nanos)]) => Duration(*nanos),
        ("fn:time:from_unix_nanos", [Number(nanos)]) => Time(*nanos),
        ("fn:time:parse_rfc3339", [Text(text)]) => Time(time_of(text).ok_or_else(|| Fail::NotCovered(text.clone()))?),
        ("fn:duration:parse", [Text(text)]) => Duration(duration_of(text).ok_or_else(|| Fail::NotCovered(text.clone()))?),
        (name, args) if KNOWN.contains(&name) => return Err(Fail::NoResult(format!("{name} of {args:?}"))),
        (name, _) => return Err(Fail::NotCovered(name.to_owned())),
    })
}

/// The functions that [`apply`] supports.
const KNOWN: &[&str] = &[
    "fn:plus",
    "fn:mult",
    "fn:minus",
    "fn:mod",
    "fn:pair",
    "fn:list:len",
    "fn:list:contains",
    "fn:list:append",
    "fn:list:cons",
    "fn:number:to_string",
    "fn:time:add",
    "fn:time:sub",
    "fn:duration:from_nanos",
    "fn:time:from_unix_nanos",
];

fn numbers(args: &[Value]) -> Result<Vec<i64>, Fail> {
    let number = |value: &Value| match value {
        Value::Number(number) => Ok(*number),
        other => Err(Fail::NoResult(format!("{other} is no number"))),
    };
    args.iter().map(number).collect()
}

/// Collects every variable in a term.
pub(crate) fn variables(term: &Term, found: &mut Vec<String>) {
    match &term.kind {
        TermKind::Variable(name) => found.push(name.to_string()),
        TermKind::List(items) => items.iter().for_each(|item| variables(item, found)),
        TermKind::Map(entries) | TermKind::Struct(entries) => {
            for (key, value) in entries {
                variables(key, found);
                variables(value, found);
            }
        }
        TermKind::Call(call) => call.args.iter().for_each(|arg| variables(arg, found)),
        _ => {}
    }
}
