//! The types of the rows of each predicate: declared, or inferred bottom-up from facts and rules.

use super::{
    clause_types::{Checker, Judgement},
    fits::{Prefixes, fits, type_of_constant},
    model::Model,
    report::Report,
    strata::Strata,
    types::{Commas, Type, agree, conforms, is_narrower, join},
};
use crate::{
    diagnostic::{Code, Diagnostic},
    program::PredId,
    syntax::ast::{Term, TermKind},
};

/// How many alternatives the rows of an undeclared predicate may have; above that, columns are joined.
const MAX_ROWS: usize = 12;
/// How many times the rules of a recursive group are checked before types that still grow become [`Type::Any`].
const MAX_ROUNDS: usize = 6;
/// How deeply an inferred type may nest.
const MAX_DEPTH: usize = 12;

/// Fills in the types of every predicate and reports what does not fit.
pub(crate) fn infer(model: &mut Model<'_>, strata: &Strata, report: &mut Report) {
    let prefixes = Prefixes::of(model);
    declared(model, report);
    facts(model, &prefixes, report);
    for group in &strata.groups {
        if report.is_cancelled() {
            return;
        }
        settle(model, &prefixes, strata, group, report);
    }
    for number in 0..model.rules.len() {
        if report.is_cancelled() {
            return;
        }
        check_rule(model, &prefixes, number, report);
    }
}

/// Takes over declared types; a declaration without types allows anything.
fn declared(model: &mut Model<'_>, report: &Report) {
    for info in &mut model.predicates {
        if report.is_cancelled() {
            return;
        }
        if let Some(decl) = &info.declaration {
            info.types = if decl.bounds.is_empty() {
                vec![vec![Type::Any; info.arity]]
            } else {
                decl.bounds.clone()
            };
        }
    }
}

/// Checks facts against the declaration, or adds their types to the inferred ones.
fn facts(model: &mut Model<'_>, prefixes: &Prefixes, report: &mut Report) {
    for index in 0..model.facts.len() {
        if report.is_cancelled() {
            return;
        }
        let fact = model.facts[index];
        let args = &fact.clause.head.args;
        let info = &model.predicates[fact.pred.index()];
        let fitting = |row: &Vec<Type>| args.iter().zip(row).all(|(arg, ty)| fits(arg, ty));
        if info.declaration.is_some() {
            let generic = |row: &Vec<Type>| !has_variables(row) || agree(row, &types_of(args));
            if !info.types.iter().any(|row| fitting(row) && generic(row)) {
                report.push(misfit(model, fact.pred, fact.clause));
            }
            continue;
        }
        let structured = args.iter().any(|arg| !is_simple(arg));
        if structured || !info.types.iter().any(fitting) {
            let row = args.iter().map(|arg| type_of_constant(arg, prefixes)).collect();
            add(&mut model.predicates[fact.pred.index()].types, row);
        }
    }
}

fn has_variables(row: &[Type]) -> bool {
    row.iter().any(Type::has_variable)
}

fn types_of(args: &[Term]) -> Vec<Type> {
    args.iter().map(|arg| type_of_constant(arg, &Prefixes::default())).collect()
}

/// Returns whether a constant has no parts: another one that fits then adds nothing.
fn is_simple(term: &Term) -> bool {
    !matches!(term.kind, TermKind::List(_) | TermKind::Map(_) | TermKind::Struct(_))
}

fn misfit(model: &Model<'_>, pred: PredId, clause: &crate::syntax::ast::Clause) -> Diagnostic {
    let info = model.pred(pred);
    let args = &clause.head.args;
    // The alternative that fits the longest is probably the intended one.
    let last = args.len().saturating_sub(1);
    let mismatch = |row: &Vec<Type>| args.iter().zip(row).position(|(arg, ty)| !fits(arg, ty)).unwrap_or(last);
    let best = info.types.iter().max_by_key(|row| mismatch(row));
    let Some((row, at)) = best.map(|row| (row, mismatch(row))) else {
        return Diagnostic::new(Code::FactType, clause.span, "the fact fits no declaration");
    };
    let Some(arg) = args.get(at) else {
        return Diagnostic::new(Code::FactType, clause.span, "the fact fits no declaration");
    };
    let column = info
        .declaration
        .as_ref()
        .and_then(|decl| decl.args.get(at))
        .map_or_else(String::new, |name| format!(" for `{name}`"));
    let text = format!("`{}` takes {}{column}", info.name, row[at]);
    let found = Diagnostic::new(Code::FactType, arg.span, text).here(format!("this is {}", type_of_constant(arg, &Prefixes::default())));
    let found = misnamed(&row[at], found.label(info.span, "declared here"));
    if info.types.len() > 1 {
        return found.note(format!("it takes one of {}", rows(&info.types)));
    }
    found
}

/// Returns the alternatives of a predicate as text.
fn rows(types: &[Vec<Type>]) -> String {
    let row = |row: &Vec<Type>| format!("[{}]", Commas(row));
    types.iter().map(row).collect::<Vec<_>>().join(", ")
}

/// Adds an alternative, unless it adds nothing.
fn add(types: &mut Vec<Vec<Type>>, row: Vec<Type>) {
    let covers = |known: &[Type], row: &[Type]| row.iter().zip(known).all(|(one, other)| is_narrower(one, other));
    if types.iter().any(|known| covers(known, &row)) {
        return;
    }
    types.retain(|known| !covers(&row, known));
    types.push(row);
    if types.len() > MAX_ROWS {
        let joined = types
            .drain(..)
            .reduce(|one, other| one.iter().zip(&other).map(|(one, other)| join(one, other)).collect());
        types.extend(joined);
    }
}

/// Infers the predicates of a group that have no declaration, until nothing changes.
fn settle(model: &mut Model<'_>, prefixes: &Prefixes, strata: &Strata, group: &[PredId], report: &Report) {
    let open: Vec<PredId> = group
        .iter()
        .copied()
        .filter(|&pred| model.pred(pred).declaration.is_none())
        .collect();
    for round in 0..=MAX_ROUNDS {
        let mut changed = false;
        for &pred in &open {
            let before = model.pred(pred).types.clone();
            let rules = model.pred(pred).rules.clone();
            for rule in rules {
                if report.is_cancelled() {
                    return;
                }
                let judgement = Checker::new(model, prefixes, report.cancel()).rule(&model.rules[rule.index()]);
                for row in judgement.rows {
                    let row = row.into_iter().map(|ty| prefixes.widen(ty)).collect();
                    add(&mut model.pred_mut(pred).types, row);
                }
            }
            changed |= before != model.pred(pred).types;
            if round == MAX_ROUNDS && before != model.pred(pred).types {
                let arity = model.pred(pred).arity;
                model.pred_mut(pred).types = vec![vec![Type::Any; arity]];
            }
            let deep = model.pred(pred).types.iter().flatten().any(|ty| ty.depth() > MAX_DEPTH);
            if deep {
                let arity = model.pred(pred).arity;
                model.pred_mut(pred).types = vec![vec![Type::Any; arity]];
            }
        }
        let once = !group.iter().any(|&pred| strata.is_recursive(pred));
        if !changed || once {
            return;
        }
    }
}

/// Checks a rule against what its head declares.
fn check_rule(model: &Model<'_>, prefixes: &Prefixes, number: usize, report: &mut Report) {
    let rule = &model.rules[number];
    let Judgement { rows, problems } = Checker::new(model, prefixes, report.cancel()).rule(rule);
    problems.into_iter().for_each(|problem| report.push(problem));
    let info = model.pred(rule.head);
    let Some(decl) = info.declaration.as_ref().filter(|decl| !decl.bounds.is_empty()) else {
        return;
    };
    let covers =
        |declared: &Vec<Type>, row: &Vec<Type>| row.iter().zip(declared).all(|(ty, wanted)| conforms(ty, wanted)) && agree(declared, row);
    let Some(row) = rows.iter().find(|row| !info.types.iter().any(|declared| covers(declared, row))) else {
        return;
    };
    let mismatch = |declared: &Vec<Type>| row.iter().zip(declared).position(|(ty, wanted)| !conforms(ty, wanted)).unwrap_or(0);
    let Some(declared) = info.types.iter().max_by_key(|declared| mismatch(declared)) else {
        return;
    };
    let at = mismatch(declared);
    let Some(arg) = rule.clause.head.args.get(at) else { return };
    let column = decl.args.get(at).map_or_else(String::new, |name| format!(" for `{name}`"));
    let text = format!("`{}` takes {}{column}, and this rule may give {}", info.name, declared[at], row[at]);
    let found = Diagnostic::new(Code::RuleType, arg.span, text).here(format!("this is {}", row[at]));
    let found = misnamed(&declared[at], found.label(info.span, "declared here"));
    report.push(if matches!(row[at], Type::Any) {
        found.help("declare the types of the predicates that it comes from")
    } else if info.types.len() > 1 {
        found.note(format!("it takes one of {}", rows_of(info)))
    } else {
        found
    });
}

fn rows_of(info: &super::model::PredicateInfo) -> String {
    rows(&info.types)
}

/// Names that other languages use for types of values. Here they are types too: of the names below them.
const MISNOMERS: &[(&str, &str)] = &[
    ("/int", "/number"),
    ("/integer", "/number"),
    ("/int64", "/number"),
    ("/long", "/number"),
    ("/num", "/number"),
    ("/float", "/float64"),
    ("/double", "/float64"),
    ("/str", "/string"),
    ("/text", "/string"),
    ("/char", "/string"),
    ("/symbol", "/name"),
    ("/atom", "/name"),
    ("/timestamp", "/time"),
    ("/datetime", "/time"),
    ("/date", "/time"),
    ("/bool", ".Union<.Singleton</true>, .Singleton</false>>"),
];

/// Adds advice if a declared type probably was meant to be another one.
fn misnamed(declared: &Type, found: Diagnostic) -> Diagnostic {
    let Type::Under(name) = declared else { return found };
    match MISNOMERS.iter().find(|row| row.0 == &**name) {
        Some((_, meant)) => found.help(format!("`{name}` is the type of the names below `{name}`; declare `{meant}`")),
        None => found,
    }
}
