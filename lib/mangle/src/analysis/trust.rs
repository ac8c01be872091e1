//! Checks trust: a level may not define what a higher level owns.

use super::{
    level::Level,
    model::{Model, PredicateInfo},
    report::Report,
};
use crate::{
    diagnostic::{Code, Diagnostic},
    syntax::Span,
};

/// Checks every declaration, fact and rule against the owner of its predicate.
pub(crate) fn check(model: &Model<'_>, report: &mut Report) {
    for info in &model.predicates {
        if report.is_cancelled() {
            return;
        }
        // A declaration can open a predicate, or change what it means: only the owner may write it.
        if let Some(decl) = info.declaration.as_ref().filter(|_| info.declared_at < info.level) {
            let text = format!("the level `{}` may not declare `{}`", info.declared_at, info.name);
            let found = Diagnostic::new(Code::TrustViolation, decl.name_span, text);
            report.push(belongs(found, info).help("leave the declaration to the level that defines the predicate, or take another name"));
        }
    }
    for fact in &model.facts {
        if report.is_cancelled() {
            return;
        }
        let info = model.pred(fact.pred);
        let brought = info.declaration.as_ref().is_some_and(|decl| decl.session);
        if fact.level < info.level && !brought && !opened(info, fact.level) {
            refuse(info, fact.level, fact.clause.head.span, report);
        }
    }
    for rule in &model.rules {
        if report.is_cancelled() {
            return;
        }
        let info = model.pred(rule.head);
        if rule.level < info.level && !opened(info, rule.level) {
            refuse(info, rule.level, rule.clause.head.span, report);
        }
    }
}

fn opened(info: &PredicateInfo, level: Level) -> bool {
    let open = info.declaration.as_ref().and_then(|decl| decl.open);
    open.is_some_and(|open| level >= open)
}

fn refuse(info: &PredicateInfo, level: Level, span: Span, report: &mut Report) {
    let text = format!("the level `{level}` may not define `{}`", info.name);
    let found = belongs(Diagnostic::new(Code::TrustViolation, span, text), info);
    let help = format!("define a predicate of your own; or the owner opens this one: `descr [open(/{level})]`");
    report.push(
        found
            .note("rules only add: a lower level that defines a predicate widens what a higher one meant")
            .help(help),
    );
}

fn belongs(found: Diagnostic, info: &PredicateInfo) -> Diagnostic {
    found.label(info.owned, format!("it belongs to the level `{}`", info.level))
}
