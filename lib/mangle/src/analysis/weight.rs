//! How much memory an analysis will take, before it takes any.

use super::Input;
use crate::{
    diagnostic::{Code, Diagnostic},
    syntax::{
        Bounds, Span,
        ast::{Clause, Item, Term, TermKind},
    },
};

/// Measured, and rounded up: a rule with its predicate, types, order and what the evaluator runs.
const RULE: u64 = 1_800;
const PREMISE: u64 = 500;
/// A fact, which may be the only one of its predicate.
const FACT: u64 = 200;
const ARGUMENT: u64 = 16;
const DECLARATION: u64 = 2_000;

/// Says where the program becomes too large, if it does.
pub(super) fn check(inputs: &[Input<'_>], bounds: &Bounds) -> Option<Diagnostic> {
    let mut sum = 0;
    let too_heavy = |item: &&Item| {
        sum += match item {
            Item::Decl(_) => DECLARATION,
            Item::Clause(clause) => of_clause(clause),
        };
        sum > bounds.bytes
    };
    let span: Span = inputs.iter().flat_map(|input| &input.unit.items).find(too_heavy)?.span();
    let text = format!(
        "the program needs more than the {} bytes of memory that it is allowed",
        bounds.bytes
    );
    let found = Diagnostic::new(Code::BudgetExceeded, span, text).here("with everything up to here");
    Some(found.help("make facts of what many rules have in common"))
}

fn of_clause(clause: &Clause) -> u64 {
    let args = clause.head.args.iter().map(of_term).sum::<u64>();
    if clause.is_fact() {
        return FACT + args;
    }
    RULE + args + clause.premises.len() as u64 * PREMISE
}

/// What an argument adds, text included: values have a copy of their own.
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
