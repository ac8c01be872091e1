//! Converts constants to values.

use super::super::report::Report;
use crate::{
    diagnostic::{Code, Diagnostic},
    eval::sort::merge_sort,
    syntax::ast::{Term, TermKind},
    value::{Interner, MapError, Value},
};

/// Returns whether a term is a constant.
pub(super) fn is_constant(term: &Term) -> bool {
    match &term.kind {
        TermKind::Variable(_) | TermKind::Wildcard | TermKind::Call(_) | TermKind::Type(_) => false,
        TermKind::List(items) => items.iter().all(is_constant),
        TermKind::Map(entries) | TermKind::Struct(entries) => entries.iter().all(|(key, value)| is_constant(key) && is_constant(value)),
        _ => true,
    }
}

/// Returns the value of a constant. A term that is not a constant was reported before and becomes zero, as does
/// everything once the analysis is cancelled: one constant may contain millions of others.
pub(super) fn constant(term: &Term, interner: &mut Interner, report: &mut Report) -> Value {
    if report.is_cancelled() {
        return interner.number(0);
    }
    match &term.kind {
        TermKind::Name(name) => interner.name(name),
        TermKind::String(text) => interner.string(text),
        TermKind::Bytes(bytes) => interner.bytes(bytes),
        TermKind::Number(number) => interner.number(*number),
        TermKind::Float(float) => interner.float(*float),
        TermKind::Time(nanos) => interner.time(*nanos),
        TermKind::Duration(nanos) => interner.duration(*nanos),
        TermKind::List(items) => {
            let items: Vec<Value> = items.iter().map(|item| constant(item, interner, report)).collect();
            interner.list(&items)
        }
        TermKind::Map(entries) => {
            let made = both(entries, interner, report);
            interner
                .map(made)
                .unwrap_or_else(|MapError(key)| twice(term, key, interner, report))
        }
        TermKind::Struct(entries) => {
            let made = both(entries, interner, report);
            interner
                .structure(made)
                .unwrap_or_else(|MapError(key)| twice(term, key, interner, report))
        }
        TermKind::Variable(_) | TermKind::Wildcard | TermKind::Call(_) | TermKind::Type(_) => interner.number(0),
    }
}

/// Returns entries in the order of their keys, so that a map of them is built in one pass.
fn both(entries: &[(Term, Term)], interner: &mut Interner, report: &mut Report) -> Vec<(Value, Value)> {
    let mut pair = |(key, value): &(Term, Term)| (constant(key, interner, report), constant(value, interner, report));
    let mut made: Vec<(Value, Value)> = entries.iter().map(&mut pair).collect();
    let stop = |_| if report.is_cancelled() { Err(()) } else { Ok(()) };
    if merge_sort(&mut made, &stop, |a, b| interner.compare(a.0, b.0)).is_err() {
        made.clear();
    }
    made
}

fn twice(term: &Term, key: Value, interner: &mut Interner, report: &mut Report) -> Value {
    let text = format!("the key `{}` stands twice", interner.print(key));
    report.push(Diagnostic::new(Code::InvalidStruct, term.span, text).help("leave one out: a key has one value"));
    interner.number(0)
}
