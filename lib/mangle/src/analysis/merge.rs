//! Checks `merge([X], 'by')`: whether the predicate that it names exists and can merge.

use super::{
    declaration::MergeBy,
    model::{Model, PredicateInfo},
    report::Report,
};
use crate::{
    diagnostic::{Code, Diagnostic},
    program::{Mode, PredId},
};

/// Returns the predicate that merges two rows: of the declaration's own package, or named in full.
pub(crate) fn target(model: &Model<'_>, info: &PredicateInfo, merge: &MergeBy) -> Option<PredId> {
    let local = if info.package.is_empty() {
        None
    } else {
        model.find(&format!("{}.{}", info.package, merge.by), 3)
    };
    local.or_else(|| model.find(&merge.by, 3))
}

/// Checks every `merge(..)`.
pub(crate) fn check(model: &Model<'_>, report: &mut Report) {
    for info in &model.predicates {
        if report.is_cancelled() {
            return;
        }
        let Some(merge) = info.declaration.as_ref().and_then(|decl| decl.merge.as_ref()) else {
            continue;
        };
        let by = &merge.by;
        let Some(pred) = target(model, info, merge) else {
            let found = Diagnostic::new(
                Code::InvalidDeclaration,
                merge.span,
                format!("there is no predicate `{by}` of 3 arguments"),
            );
            let help = format!("declare `Decl {by}(Old, New, Merged) descr [mode('+', '+', '-'), deferred()].` and define it");
            report.push(found.help(help));
            continue;
        };
        let target = model.pred(pred);
        let fit = [Mode::In, Mode::In, Mode::Out];
        let modes = target
            .declaration
            .as_ref()
            .is_some_and(|decl| decl.modes.iter().any(|mode| mode[..] == fit));
        if !target.deferred || !modes {
            let found = Diagnostic::new(Code::InvalidDeclaration, merge.span, format!("`{by}` cannot merge"));
            let found = found.label(target.span, "it is not declared for that");
            report.push(found.help(format!(
                "declare it `Decl {by}(Old, New, Merged) descr [mode('+', '+', '-'), deferred()].`"
            )));
        }
    }
}
