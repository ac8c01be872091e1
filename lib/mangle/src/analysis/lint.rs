//! What is allowed and probably not meant: rules that never fire, joins without a link, words that stand once.

use std::collections::HashMap;

use super::{
    model::{Meaning, Model, RuleInfo},
    report::Report,
    variables::{Variables, each},
};
use crate::{
    diagnostic::{Code, Diagnostic},
    program::PredId,
    syntax::{
        Span, Word,
        ast::{Bound, BoundKind, Clause, Premise},
    },
};

/// Rules with more premises than this are made by programs; the lints, which are for people, leave them alone.
const MAX_PREMISES: usize = 64;

/// Looks at every rule.
pub(crate) fn check(model: &Model<'_>, report: &mut Report) {
    let alive = alive(model, report);
    for rule in &model.rules {
        if report.is_cancelled() {
            return;
        }
        dead(model, rule, &alive, report);
        if rule.premises.len() <= MAX_PREMISES {
            product(rule, report);
            once(rule, report);
        }
    }
}

/// Which predicates can have rows at all: facts, data from elsewhere, or a rule all of whose premises can.
fn alive(model: &Model<'_>, report: &Report) -> Vec<bool> {
    let mut alive: Vec<bool> = model
        .predicates
        .iter()
        .map(|info| info.facts > 0 || info.is_open() || info.deferred)
        .collect();
    let needs = |rule: &RuleInfo<'_>| rule.premises.iter().filter(|meaning| matches!(meaning, Meaning::Fact(_))).count();
    let mut missing: Vec<usize> = model.rules.iter().map(needs).collect();
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); alive.len()];
    for (number, rule) in model.rules.iter().enumerate() {
        if report.is_cancelled() {
            return alive;
        }
        for meaning in &rule.premises {
            if let Meaning::Fact(pred) = meaning {
                readers[pred.index()].push(number as u32);
            }
        }
    }
    let mut queue: Vec<PredId> = (0..alive.len())
        .filter(|&index| alive[index])
        .map(|index| PredId(index as u32))
        .collect();
    let born = (0..missing.len())
        .filter(|&number| missing[number] == 0)
        .map(|number| model.rules[number].head);
    for head in born.collect::<Vec<_>>() {
        if !std::mem::replace(&mut alive[head.index()], true) {
            queue.push(head);
        }
    }
    while let Some(pred) = queue.pop().filter(|_| !report.is_cancelled()) {
        for number in std::mem::take(&mut readers[pred.index()]) {
            let number = number as usize;
            missing[number] -= 1;
            let head = model.rules[number].head;
            if missing[number] == 0 && !std::mem::replace(&mut alive[head.index()], true) {
                queue.push(head);
            }
        }
    }
    alive
}

fn dead(model: &Model<'_>, rule: &RuleInfo<'_>, alive: &[bool], report: &mut Report) {
    let mut premises = rule.clause.premises.iter().zip(&rule.premises);
    let missing = premises.find_map(|(premise, meaning)| match meaning {
        Meaning::Fact(pred) if !alive[pred.index()] => Some((premise.span(), *pred)),
        _ => None,
    });
    let Some((span, pred)) = missing else { return };
    let info = model.pred(pred);
    let found = Diagnostic::new(Code::DeadRule, rule.clause.head.span, "this rule never fires");
    let found = found.label(span, format!("`{}` has no facts", info.name));
    report.push(if info.is_defined() {
        found.help("its own rules never fire either")
    } else {
        let args = info.declaration.as_ref().map_or_else(String::new, |decl| decl.args.join(", "));
        found.help(format!(
            "if its facts come from elsewhere, say so: `Decl {}({args}) descr [extensional()] ..`",
            info.name
        ))
    });
}

/// Premises that share no variable, directly or through others: each row of one meets each row of the other.
fn product(rule: &RuleInfo<'_>, report: &mut Report) {
    let mut variables = Variables::default();
    let sets: Vec<(Span, bool, Vec<usize>)> = rule
        .clause
        .premises
        .iter()
        .zip(&rule.premises)
        .map(|(premise, meaning)| {
            let mut used = Vec::new();
            of_premise(premise, &mut variables, &mut used);
            (premise.span(), matches!(meaning, Meaning::Fact(_)) && !used.is_empty(), used)
        })
        .collect();
    let mut parent: Vec<usize> = (0..variables.all.len()).collect();
    for (_, _, used) in &sets {
        for both in used.windows(2) {
            let (one, other) = (root(&mut parent, both[0]), root(&mut parent, both[1]));
            parent[one] = other;
        }
    }
    let mut stored = sets.iter().filter(|set| set.1);
    let Some(first) = stored.next() else { return };
    let home = root(&mut parent, first.2[0]);
    if let Some(other) = stored.find(|set| root(&mut parent, set.2[0]) != home) {
        let found = Diagnostic::new(Code::CrossProduct, other.0, "this premise shares no variable with the first one");
        let found = found.here("with each of these").label(first.0, "each of these is combined");
        report.push(found.help("link them with a variable, if one is meant; the work grows with the product of both"));
    }
}

fn of_premise(premise: &Premise, variables: &mut Variables, used: &mut Vec<usize>) {
    match premise {
        Premise::Atom(literal) | Premise::Negated(literal) => {
            literal.atom.args.iter().for_each(|arg| variables.of_term(arg, used));
            literal.time.iter().for_each(|time| variables.of_time(time, used));
        }
        Premise::Compare(comparison) => {
            variables.of_term(&comparison.left, used);
            variables.of_term(&comparison.right, used);
        }
    }
}

fn root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

/// A named variable that stands once in a rule.
fn once(rule: &RuleInfo<'_>, report: &mut Report) {
    let clause = rule.clause;
    let groups = clause.transforms.iter().any(|transform| transform.group.is_some());
    // The rows of several premises are the distinct values of their variables: one that stands once tells rows apart.
    if groups && clause.premises.len() > 1 {
        return;
    }
    let mut seen: HashMap<Word, Seen> = HashMap::new();
    let mut see = |name: &Word, span: Span, place: Place| {
        seen.entry(name.clone()).or_insert(Seen { times: 0, span, place }).times += 1;
    };
    clause
        .head
        .args
        .iter()
        .for_each(|arg| each(arg, &mut |name, span| see(name, span, Place::Head)));
    for premise in &clause.premises {
        match premise {
            Premise::Atom(literal) => literal
                .atom
                .args
                .iter()
                .for_each(|arg| each(arg, &mut |name, span| see(name, span, Place::Premise))),
            // Said elsewhere.
            Premise::Negated(literal) => literal.atom.args.iter().for_each(|arg| {
                each(arg, &mut |name, span| {
                    see(name, span, Place::Premise);
                    see(name, span, Place::Premise);
                });
            }),
            Premise::Compare(comparison) => [&comparison.left, &comparison.right]
                .into_iter()
                .for_each(|side| each(side, &mut |name, span| see(name, span, Place::Computed))),
        }
    }
    for transform in &clause.transforms {
        let keys = transform.group.iter().flat_map(|group| &group.args);
        keys.for_each(|arg| each(arg, &mut |name, span| see(name, span, Place::Computed)));
        for one in &transform.lets {
            see(&one.variable.text, one.variable.span, Place::Computed);
            each(&one.value, &mut |name, span| see(name, span, Place::Computed));
        }
    }
    for bound in times(clause) {
        if let BoundKind::Variable(name) = &bound.kind {
            see(name, bound.span, Place::Premise);
        }
    }
    let mut single: Vec<_> = seen.into_iter().filter(|(name, seen)| seen.times == 1 && &**name != "_").collect();
    single.sort_by_key(|(_, seen)| seen.span);
    // A head without a value is an error, and what was meant for it stands once because of that.
    if single.iter().any(|(_, seen)| seen.place == Place::Head) {
        return;
    }
    for (name, seen) in single {
        let found = Diagnostic::new(Code::SingleVariable, seen.span, format!("`{name}` stands here only"));
        report.push(match seen.place {
            Place::Premise => found.fix("write `_` if it does not matter", seen.span, "_"),
            _ => found.help("leave it out if nothing needs it"),
        });
    }
}

/// How often a variable stands in a rule, and where first.
struct Seen {
    times: usize,
    span: Span,
    place: Place,
}

/// Where a variable stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Head,
    Premise,
    /// In a comparison or transform, where `_` means nothing.
    Computed,
}

/// The bounds of all times and windows of a clause.
fn times(clause: &Clause) -> impl Iterator<Item = &Bound> {
    let literals = clause.premises.iter().filter_map(|premise| match premise {
        Premise::Atom(literal) | Premise::Negated(literal) => Some(literal),
        Premise::Compare(_) => None,
    });
    let times = clause
        .time
        .iter()
        .chain(literals.clone().filter_map(|literal| literal.time.as_ref()));
    let windows = literals.filter_map(|literal| literal.operator.as_ref());
    let bounds = times.flat_map(|time| std::iter::once(&time.start).chain(&time.end));
    bounds.chain(windows.flat_map(|operator| std::iter::once(&operator.start).chain(&operator.end)))
}
