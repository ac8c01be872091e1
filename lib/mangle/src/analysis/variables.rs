//! The variables of one rule by number, and where they occur in terms.

use std::collections::HashMap;

use crate::syntax::{
    Span, Word,
    ast::{Annotation, Bound, BoundKind, Term, TermKind},
};

/// The variables of a rule, numbered in the order in which they are first met.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    by_name: HashMap<Word, usize>,
    /// The name and first place of each variable.
    pub(crate) all: Vec<(Word, Span)>,
}

impl Variables {
    /// Returns the number of a variable, a new one if it is new.
    pub(crate) fn number(&mut self, name: &Word, span: Span) -> usize {
        if let Some(&known) = self.by_name.get(name) {
            return known;
        }
        let number = self.all.len();
        self.by_name.insert(name.clone(), number);
        self.all.push((name.clone(), span));
        number
    }

    pub(crate) fn get(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn name(&self, number: usize) -> &Word {
        &self.all[number].0
    }

    /// Appends the numbers of all variables in a term.
    pub(crate) fn of_term(&mut self, term: &Term, out: &mut Vec<usize>) {
        each(term, &mut |name, span| out.push(self.number(name, span)));
    }

    /// Appends the numbers of the variables in an annotation.
    pub(crate) fn of_time(&mut self, time: &Annotation, out: &mut Vec<usize>) {
        for bound in std::iter::once(&time.start).chain(&time.end) {
            out.extend(self.of_bound(bound));
        }
    }

    pub(crate) fn of_bound(&mut self, bound: &Bound) -> Option<usize> {
        match &bound.kind {
            BoundKind::Variable(name) => Some(self.number(name, bound.span)),
            _ => None,
        }
    }
}

/// Calls `see` with every variable in a term.
pub(crate) fn each(term: &Term, see: &mut impl FnMut(&Word, Span)) {
    match &term.kind {
        TermKind::Variable(name) => see(name, term.span),
        TermKind::List(items) => items.iter().for_each(|item| each(item, see)),
        TermKind::Map(entries) | TermKind::Struct(entries) => {
            for (key, value) in entries {
                each(key, see);
                each(value, see);
            }
        }
        TermKind::Call(call) => call.args.iter().for_each(|arg| each(arg, see)),
        _ => {}
    }
}

/// Returns the place of a wildcard in a term, if there is one.
pub(crate) fn wildcard(term: &Term) -> Option<Span> {
    match &term.kind {
        TermKind::Wildcard => Some(term.span),
        TermKind::List(items) => items.iter().find_map(wildcard),
        TermKind::Map(entries) | TermKind::Struct(entries) => {
            entries.iter().find_map(|(key, value)| wildcard(key).or_else(|| wildcard(value)))
        }
        TermKind::Call(call) => call.args.iter().find_map(wildcard),
        _ => None,
    }
}
