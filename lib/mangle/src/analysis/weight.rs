//! Estimates how much memory an analysis will take, before it starts.

use super::Input;
use crate::{
    diagnostic::{Code, Diagnostic},
    syntax::{
        Bounds,
        ast::{Clause, Decl, Item, Term, TermKind},
    },
};

/// The bytes of a rule with its predicate, types, order and lowered form; measured, and rounded up.
const RULE: u64 = 1_800;
const PREMISE: u64 = 500;
/// The bytes of a fact, which may be the only one of its predicate.
const FACT: u64 = 200;
const ARGUMENT: u64 = 16;
const LET: u64 = 200;
const TYPE: u64 = 100;
const DECLARATION: u64 = 2_000;

/// Returns where the program becomes too large, if it does. A cancelled check counts as small enough.
pub(super) fn check(inputs: &[Input<'_>], bounds: &Bounds) -> Option<Diagnostic> {
    let mut sum = 0;
    let mut items = inputs.iter().flat_map(|input| &input.unit.items);
    let too_heavy = items.find(|item| {
        sum += match item {
            Item::Decl(decl) => of_declaration(decl),
            Item::Clause(clause) => of_clause(clause),
        };
        sum > bounds.bytes || bounds.cancel.is_cancelled()
    })?;
    if sum <= bounds.bytes {
        return None;
    }
    let text = format!(
        "the program needs more than the {} bytes of memory that it is allowed",
        bounds.bytes
    );
    let found = Diagnostic::new(Code::BudgetExceeded, too_heavy.span(), text).here("with everything up to here");
    Some(found.help("make facts of what many rules have in common"))
}

fn of_declaration(decl: &Decl) -> u64 {
    let said = decl.descr.iter().flat_map(|atom| &atom.args).map(of_term).sum::<u64>();
    let types = decl.bounds.iter().flat_map(|bounds| &bounds.types).map(of_type).sum::<u64>();
    DECLARATION + said + types
}

/// Returns the bytes that a type adds: it is kept in the declaration, and in the predicate's inferred types.
fn of_type(ty: &Term) -> u64 {
    let TermKind::Type(written) = &ty.kind else {
        return TYPE;
    };
    let members = written
        .members
        .iter()
        .flat_map(|member| std::iter::once(&member.key).chain(&member.value));
    TYPE + members.map(of_type).sum::<u64>()
}

fn of_clause(clause: &Clause) -> u64 {
    let terms = clause.terms().map(of_term).sum::<u64>();
    if clause.is_fact() {
        return FACT + terms;
    }
    let lets = clause.transforms.iter().map(|transform| transform.lets.len()).sum::<usize>();
    RULE + terms + clause.premises.len() as u64 * PREMISE + lets as u64 * LET
}

/// Returns the bytes that an argument adds, text included: values have a copy of their own.
fn of_term(term: &Term) -> u64 {
    let inner = match &term.kind {
        TermKind::String(text) => text.len() as u64,
        TermKind::Name(name) => name.len() as u64,
        TermKind::Bytes(bytes) => bytes.len() as u64,
        TermKind::List(items) => items.iter().map(of_term).sum(),
        TermKind::Map(entries) | TermKind::Struct(entries) => entries.iter().map(|(key, value)| of_term(key) + of_term(value)).sum(),
        TermKind::Call(call) => call.args.iter().map(of_term).sum(),
        _ => 0,
    };
    ARGUMENT + inner
}
