//! Mutation testing: changes rules in one place at a time. If no case notices a change, the cases do not test that part
//! of the rule.

use std::fmt::Write as _;

use mangle::syntax::{
    Span,
    ast::{Clause, CompareOp, Item, Premise},
};
use serde_json::{Value as Json, json};

use super::{
    case,
    rules::Rules,
    suite::{Case, Suite},
};
use crate::words::one_line;

/// One change of one rule.
struct Change {
    unit: usize,
    item: usize,
    how: How,
    span: Span,
}

/// The kind of change; premises by number.
#[derive(Clone, Copy)]
enum How {
    Rule,
    Drop(usize),
    Flip(usize),
    Border(usize),
    Negate(usize),
}

impl How {
    const fn name(self) -> &'static str {
        match self {
            Self::Rule => "left out as a whole",
            Self::Drop(_) => "left out",
            Self::Flip(_) => "turned around",
            Self::Border(_) => "moved by the case of equality",
            Self::Negate(_) => "taken as not negated",
        }
    }
}

/// The results of the changes.
#[derive(Debug, Default)]
pub(super) struct Mutation {
    total: usize,
    unnoticed: Vec<Unnoticed>,
}

#[derive(Debug)]
struct Unnoticed {
    file: String,
    line: u32,
    text: String,
    how: &'static str,
}

impl Mutation {
    pub(super) fn total(&self) -> usize {
        self.total
    }

    pub(super) fn noticed(&self) -> usize {
        self.total - self.unnoticed.len()
    }

    /// Writes the results for people.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for one in &self.unnoticed {
            let _infallible = writeln!(out, "nothing notices: {}:{} `{}` {}", one.file, one.line, one.text, one.how);
        }
        let _infallible = writeln!(out, "changes noticed: {} of {}", self.noticed(), self.total);
        out
    }

    pub(super) fn json(&self) -> Json {
        let one = |one: &Unnoticed| json!({ "file": one.file, "line": one.line, "text": one.text, "change": one.how });
        json!({ "noticed": self.noticed(), "of": self.total, "unnoticed": self.unnoticed.iter().map(one).collect::<Json>() })
    }
}

/// Makes each change and runs the cases until one notices it.
pub(super) fn mutate(cases: &[&Case], suite: &Suite, rules: &Rules) -> Mutation {
    let mut mutation = Mutation::default();
    for change in changes(rules) {
        let changed = apply(rules, &change);
        mutation.total += 1;
        // A program that can no longer be run is a change that is noticed.
        let notices = |one: &&Case| case::run(one, suite, &changed, false).map_or(true, |outcome| !outcome.problems.is_empty());
        if cases.iter().any(notices) {
            continue;
        }
        if let Some(source) = rules.sources.find(change.span) {
            mutation.unnoticed.push(Unnoticed {
                file: source.name().to_owned(),
                line: source.position(change.span.start).line,
                text: one_line(rules.sources.text(change.span)),
                how: change.how.name(),
            });
        }
    }
    mutation
}

fn changes(rules: &Rules) -> Vec<Change> {
    let mut changes = Vec::new();
    for (unit, parsed) in rules.parsed.iter().enumerate() {
        for (item, clause) in parsed.unit.items.iter().enumerate() {
            if let Item::Clause(clause) = clause
                && !clause.is_fact()
            {
                let changed = |(how, span)| Change { unit, item, how, span };
                changes.extend(of_rule(clause).into_iter().map(changed));
            }
        }
    }
    changes
}

fn of_rule(clause: &Clause) -> Vec<(How, Span)> {
    let mut changes = vec![(How::Rule, clause.head.span)];
    for (at, premise) in clause.premises.iter().enumerate() {
        let span = premise.span();
        if clause.premises.len() > 1 {
            changes.push((How::Drop(at), span));
        }
        match premise {
            Premise::Compare(comparison) => {
                changes.push((How::Flip(at), span));
                if !matches!(comparison.op, CompareOp::Equal | CompareOp::NotEqual) {
                    changes.push((How::Border(at), span));
                }
            }
            Premise::Negated(_) => changes.push((How::Negate(at), span)),
            Premise::Atom(_) => {}
        }
    }
    changes
}

fn apply(rules: &Rules, change: &Change) -> Rules {
    let mut rules = rules.clone();
    let items = &mut rules.parsed[change.unit].unit.items;
    if let How::Rule = change.how {
        items.remove(change.item);
        return rules;
    }
    if let Some(Item::Clause(clause)) = items.get_mut(change.item) {
        match change.how {
            How::Rule => {}
            How::Drop(at) => {
                clause.premises.remove(at);
            }
            How::Flip(at) => compare(&mut clause.premises[at], opposite),
            How::Border(at) => compare(&mut clause.premises[at], beside),
            How::Negate(at) => affirm(&mut clause.premises[at]),
        }
    }
    rules
}

fn compare(premise: &mut Premise, change: fn(CompareOp) -> CompareOp) {
    if let Premise::Compare(comparison) = premise {
        comparison.op = change(comparison.op);
    }
}

fn affirm(premise: &mut Premise) {
    if let Premise::Negated(literal) = premise {
        *premise = Premise::Atom(literal.clone());
    }
}

const fn opposite(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Equal => CompareOp::NotEqual,
        CompareOp::NotEqual => CompareOp::Equal,
        CompareOp::Less => CompareOp::GreaterEqual,
        CompareOp::LessEqual => CompareOp::Greater,
        CompareOp::Greater => CompareOp::LessEqual,
        CompareOp::GreaterEqual => CompareOp::Less,
    }
}

/// Returns the comparison with or without the case of equality.
const fn beside(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Less => CompareOp::LessEqual,
        CompareOp::LessEqual => CompareOp::Less,
        CompareOp::Greater => CompareOp::GreaterEqual,
        CompareOp::GreaterEqual => CompareOp::Greater,
        same => same,
    }
}
