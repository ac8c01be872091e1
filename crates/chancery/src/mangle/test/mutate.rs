//! Mutation: rules changed one premise at a time. A change that no case notices is a rule that no case pins down.

use std::fmt::Write as _;

use mangle::syntax::{
    Span,
    ast::{CompareOp, Item, Premise},
};

use super::{Rules, case, suite::Suite};

/// One change of one rule.
struct Change {
    unit: usize,
    item: usize,
    premise: usize,
    how: How,
    span: Span,
}

#[derive(Clone, Copy)]
enum How {
    Drop,
    Flip,
    Negate,
}

impl How {
    const fn name(self) -> &'static str {
        match self {
            Self::Drop => "left out",
            Self::Flip => "turned around",
            Self::Negate => "taken as not negated",
        }
    }
}

/// The changes that no case notices.
pub(super) fn report(suite: &Suite, rules: &Rules) -> anyhow::Result<String> {
    let (mut total, mut noticed, mut out) = (0, 0, String::new());
    for change in changes(rules) {
        let changed = apply(rules, &change);
        total += 1;
        if suite
            .cases
            .iter()
            .map(|one| case::run(one, suite, &changed))
            .any(|outcome| outcome.is_ok_and(|outcome| !outcome.problems.is_empty()))
        {
            noticed += 1;
        } else if let Some(source) = rules.sources.find(change.span) {
            let line = source.position(change.span.start).line;
            let text = rules.sources.text(change.span);
            let _infallible = writeln!(out, "nothing notices: {}:{line} `{text}` {}", source.name(), change.how.name());
        }
    }
    let _infallible = writeln!(out, "changes noticed: {noticed} of {total}");
    Ok(out)
}

fn changes(rules: &Rules) -> Vec<Change> {
    let mut changes = Vec::new();
    for (unit, parsed) in rules.parsed.iter().enumerate() {
        for (item, clause) in parsed.unit.items.iter().enumerate() {
            let Item::Clause(clause) = clause else { continue };
            for (premise, what) in clause.premises.iter().enumerate() {
                let span = what.span();
                let mut add = |how| {
                    changes.push(Change {
                        unit,
                        item,
                        premise,
                        how,
                        span,
                    })
                };
                if clause.premises.len() > 1 {
                    add(How::Drop);
                }
                match what {
                    Premise::Compare(_) => add(How::Flip),
                    Premise::Negated(_) => add(How::Negate),
                    Premise::Atom(_) => {}
                }
            }
        }
    }
    changes
}

fn apply(rules: &Rules, change: &Change) -> Rules {
    let mut rules = rules.clone();
    if let Some(Item::Clause(clause)) = rules.parsed[change.unit].unit.items.get_mut(change.item) {
        match change.how {
            How::Drop => {
                clause.premises.remove(change.premise);
            }
            How::Flip | How::Negate => turn(&mut clause.premises[change.premise]),
        }
    }
    rules
}

fn turn(premise: &mut Premise) {
    match premise {
        Premise::Compare(comparison) => {
            comparison.op = match comparison.op {
                CompareOp::Equal => CompareOp::NotEqual,
                CompareOp::NotEqual => CompareOp::Equal,
                CompareOp::Less => CompareOp::GreaterEqual,
                CompareOp::LessEqual => CompareOp::Greater,
                CompareOp::Greater => CompareOp::LessEqual,
                CompareOp::GreaterEqual => CompareOp::Less,
            }
        }
        Premise::Negated(literal) => *premise = Premise::Atom(literal.clone()),
        Premise::Atom(_) => {}
    }
}
