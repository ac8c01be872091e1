//! Records which rules the cases made fire, and what kept the others from it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mangle::syntax::Span;
use serde_json::{Value as Json, json};

use super::rules::Rules;

/// The reached rules, by their place.
#[derive(Clone, Debug, Default)]
pub(super) struct Reached(BTreeMap<Span, Rule>);

#[derive(Clone, Debug)]
struct Rule {
    fired: u64,
    /// Why it did not fire; empty if it runs only where it is called, and is not counted.
    lacks: String,
}

impl Reached {
    /// Records a rule's result in a case.
    pub(super) fn note(&mut self, rule: Span, fired: u64, lacks: Option<String>) {
        let lacks = lacks.unwrap_or_default();
        let known = self.0.entry(rule).or_insert(Rule {
            fired: 0,
            lacks: lacks.clone(),
        });
        known.fired += fired;
        // The case in which least is missing says most.
        if lacks.len() < known.lacks.len() {
            known.lacks = lacks;
        }
    }

    /// Adds the results of another case.
    pub(super) fn add(&mut self, other: &Self) {
        for (&span, rule) in &other.0 {
            self.note(span, rule.fired, Some(rule.lacks.clone()));
        }
    }
}

/// The coverage of the rules.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    rules: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    file: String,
    line: u32,
    predicate: String,
    fired: u64,
    lacks: String,
}

impl Coverage {
    /// Computes the coverage of the rules under test; those that only run where they are called are left out.
    pub(super) fn of(rules: &Rules, reached: &Reached) -> Self {
        let clauses = rules.parsed.iter().flat_map(|parsed| parsed.unit.clauses());
        let mut lines = Vec::new();
        for clause in clauses.filter(|clause| !clause.is_fact()) {
            let Some(source) = rules.sources.find(clause.span) else { continue };
            let did = reached.0.get(&clause.span);
            if did.is_some_and(|did| did.fired == 0 && did.lacks.is_empty()) {
                continue;
            }
            lines.push(Line {
                file: source.name().to_owned(),
                line: source.position(clause.span.start).line,
                predicate: clause.head.predicate.text.to_string(),
                fired: did.map_or(0, |did| did.fired),
                lacks: did.map_or_else(|| "no case ran it".to_owned(), |did| did.lacks.clone()),
            });
        }
        Self { rules: lines }
    }

    pub(super) fn total(&self) -> usize {
        self.rules.len()
    }

    pub(super) fn fired(&self) -> usize {
        self.rules.iter().filter(|rule| rule.fired > 0).count()
    }

    /// Writes the coverage for people.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for rule in self.rules.iter().filter(|rule| rule.fired == 0) {
            let _infallible = writeln!(out, "never fired: {}:{} {} ({})", rule.file, rule.line, rule.predicate, rule.lacks);
        }
        let _infallible = writeln!(out, "rules that fired: {} of {}", self.fired(), self.total());
        out
    }

    pub(super) fn json(&self) -> Json {
        let rule = |rule: &Line| json!({ "file": rule.file, "line": rule.line, "predicate": rule.predicate, "fired": rule.fired });
        json!({ "fired": self.fired(), "of": self.total(), "rules": self.rules.iter().map(rule).collect::<Json>() })
    }
}
