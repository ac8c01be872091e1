//! Checks time: which predicates hold at intervals, and recursion through time that may not end.

use super::{
    model::{Meaning, Model, RuleInfo},
    report::Report,
    strata::Strata,
};
use crate::{
    builtin::Operand,
    diagnostic::{Code, Diagnostic, Severity},
    program::PredId,
    syntax::{
        Dialect, Span,
        ast::{Annotation, Atom, Bound, BoundKind, Operator, OperatorKind, Premise},
    },
};

/// Returns whether an annotation has no effect: `@[_, _]`.
pub(crate) fn is_always(time: &Annotation) -> bool {
    let open = |bound: &Bound| bound.kind == BoundKind::Unbounded;
    open(&time.start) && time.end.as_ref().is_none_or(open)
}

/// Checks annotations and operators of facts, heads and premises.
pub(crate) fn annotations(model: &Model<'_>, report: &mut Report) {
    for fact in &model.facts {
        if report.is_cancelled() {
            return;
        }
        head(model, fact.pred, &fact.clause.head, fact.clause.time.as_deref(), report);
    }
    for rule in &model.rules {
        if report.is_cancelled() {
            return;
        }
        head(model, rule.head, &rule.clause.head, rule.clause.time.as_deref(), report);
        for (premise, meaning) in rule.clause.premises.iter().zip(&rule.premises) {
            body(model, premise, *meaning, report);
        }
    }
}

fn head(model: &Model<'_>, pred: PredId, atom: &Atom, time: Option<&Annotation>, report: &mut Report) {
    let info = model.pred(pred);
    match time {
        None if info.temporal => {
            let found = Diagnostic::new(
                Code::MissingAnnotation,
                atom.span,
                format!("`{}` holds at times, and none is given", info.name),
            );
            let found = found.label(info.span, "temporal from here");
            report.push(found.fix("say that it always holds", atom.span.after(), "@[_, _]"));
        }
        Some(time) if !info.temporal && !is_always(time) => not_temporal(model, pred, time.span, report),
        Some(time) => interval(time, report),
        None => {}
    }
}

/// Checks the bounds of a fact or head: times in order, no distances.
fn interval(time: &Annotation, report: &mut Report) {
    for bound in std::iter::once(&time.start).chain(&time.end) {
        if let BoundKind::Duration(_) = bound.kind {
            let found = Diagnostic::new(Code::InvalidInterval, bound.span, "a distance says no time").here("from when?");
            report.push(found.help("distances stand in operators, `<-[0s, 7d]`; here write a time, a variable, `now` or `_`"));
        }
    }
    if let (BoundKind::Time(start), Some(BoundKind::Time(end))) = (&time.start.kind, time.end.as_ref().map(|end| &end.kind))
        && start > end
    {
        let found = Diagnostic::new(Code::InvalidInterval, time.span, "the interval ends before it begins");
        report.push(found.help("write the earlier bound first"));
    }
}

/// Checks the bounds of an operator: the near one first; two points in time as in any interval.
fn window(operator: &Operator, report: &mut Report) {
    let Some(end) = &operator.end else { return };
    match (&operator.start.kind, &end.kind) {
        (BoundKind::Duration(start), BoundKind::Duration(end)) if start > end => {
            let found = Diagnostic::new(Code::ReversedWindow, operator.span, "the far end of the window stands first");
            let found = found.here("it is taken as if the nearer end stood first");
            report.push(found.help("distances are counted from now: write the nearer one first"));
        }
        (BoundKind::Time(start), BoundKind::Time(end)) if start > end => {
            let found = Diagnostic::new(Code::InvalidInterval, operator.span, "the window ends before it begins");
            report.push(found.help("write the earlier bound first"));
        }
        _ => {}
    }
}

fn body(model: &Model<'_>, premise: &Premise, meaning: Meaning, report: &mut Report) {
    let (Premise::Atom(literal) | Premise::Negated(literal)) = premise else {
        return;
    };
    let timed = literal
        .operator
        .as_ref()
        .map(|operator| operator.span)
        .or(literal.time.as_ref().map(|time| time.span));
    match meaning {
        Meaning::Fact(pred) if model.pred(pred).temporal && timed.is_none() => {
            let info = model.pred(pred);
            let text = format!("`{}` holds at times: say which are asked for", info.name);
            let found = Diagnostic::new(Code::MissingAnnotation, literal.span, text).label(info.span, "temporal from here");
            let after = literal.atom.span.after();
            report.push(found.fix("ask for now", after, "@[now]").fix("ask for any time", after, "@[_, _]"));
        }
        Meaning::Fact(pred) | Meaning::NoFact(pred) if !model.pred(pred).temporal => {
            let says_nothing = literal.operator.is_none() && literal.time.as_deref().is_none_or(is_always);
            timed
                .filter(|_| !says_nothing)
                .into_iter()
                .for_each(|span| not_temporal(model, pred, span, report));
        }
        Meaning::Fact(_) | Meaning::NoFact(_) => {
            literal.time.iter().for_each(|time| interval(time, report));
            literal.operator.iter().for_each(|operator| window(operator, report));
        }
        // Whether it would hold at times is unknown: that nothing defines it was reported.
        Meaning::Broken => {}
        Meaning::Built { .. } | Meaning::Compare { .. } | Meaning::Equal => {
            if let Some(span) = timed {
                let found = Diagnostic::new(Code::NotTemporal, span, "a built-in predicate does not hold at times");
                report.push(found.fix("leave it out", span, ""));
            }
        }
    }
}

fn not_temporal(model: &Model<'_>, pred: PredId, span: Span, report: &mut Report) {
    let info = model.pred(pred);
    let found = Diagnostic::new(Code::NotTemporal, span, format!("`{}` does not hold at times", info.name));
    let found = match &info.declaration {
        Some(decl) => {
            let args = decl.args.join(", ");
            found.label(info.span, format!("declared `{}({args})` without `temporal`", info.name))
        }
        None => found.label(info.span, "first defined here, without a time"),
    };
    report.push(found.help(format!("declare it: `Decl {}(..) temporal ..`, or leave the time out", info.name)));
}

/// Reports recursion through temporal predicates that may not end.
pub(crate) fn recursion(model: &Model<'_>, strata: &Strata, dialect: Dialect, report: &mut Report) {
    for rule in &model.rules {
        if report.is_cancelled() {
            return;
        }
        let group = strata.of[rule.head.index()];
        let recursive = rule
            .premises
            .iter()
            .filter_map(|meaning| meaning.pred())
            .any(|(pred, _)| strata.of[pred.index()] == group);
        if model.pred(rule.head).temporal && recursive {
            future(model, strata, rule, report);
            shifting(model, strata, rule, report);
        }
    }
    for group in strata.groups.iter().filter(|group| group.len() > 1) {
        if report.is_cancelled() || report.is_full() {
            return;
        }
        mutual(model, strata, group, dialect, report);
    }
}

/// Reports `<+` or `[+` of a predicate on its own group: its future would depend on its future.
fn future(model: &Model<'_>, strata: &Strata, rule: &RuleInfo<'_>, report: &mut Report) {
    let group = strata.of[rule.head.index()];
    for (premise, meaning) in rule.clause.premises.iter().zip(&rule.premises) {
        let (Premise::Atom(literal) | Premise::Negated(literal), Some((pred, _))) = (premise, meaning.pred()) else {
            continue;
        };
        let Some(operator) = &literal.operator else { continue };
        let ahead = matches!(operator.kind, OperatorKind::DiamondPlus | OperatorKind::BoxPlus);
        if ahead && strata.of[pred.index()] == group {
            let name = &model.pred(pred).name;
            let text = format!("`{name}` looks into its own future");
            let found = Diagnostic::new(Code::FutureRecursion, operator.span, text);
            report.push(
                found
                    .label(rule.clause.head.span, "which this rule makes")
                    .help("let a predicate of its own hold what is looked at"),
            );
        }
    }
}

/// Reports a recursive head whose time is computed: each round may give a new interval.
fn shifting(model: &Model<'_>, strata: &Strata, rule: &RuleInfo<'_>, report: &mut Report) {
    let Some(time) = &rule.clause.time else { return };
    let group = strata.of[rule.head.index()];
    let taken = |name: &str| {
        let mut literals = rule
            .clause
            .premises
            .iter()
            .zip(&rule.premises)
            .filter_map(|(premise, meaning)| match premise {
                Premise::Atom(literal) if meaning.pred().is_some() => Some(literal),
                _ => None,
            });
        literals.any(|literal| {
            let bounds = literal.time.iter().flat_map(|time| std::iter::once(&time.start).chain(&time.end));
            let args = literal.atom.args.iter().map(|arg| &arg.kind);
            bounds
                .map(|bound| &bound.kind)
                .any(|kind| matches!(kind, BoundKind::Variable(other) if &**other == name))
                || args
                    .into_iter()
                    .any(|kind| matches!(kind, crate::syntax::ast::TermKind::Variable(other) if &**other == name))
        })
    };
    let computed = std::iter::once(&time.start).chain(&time.end).find_map(|bound| match &bound.kind {
        BoundKind::Variable(name) if !taken(name) => Some((name.clone(), bound.span)),
        _ => None,
    });
    let ends = |meaning: &Meaning| matches!(meaning, Meaning::Compare { of: Operand::Time, .. });
    if let Some((name, span)) = computed.filter(|_| !rule.premises.iter().any(ends)) {
        let text = format!("`{}` may go on for ever", model.pred(rule.head).name);
        let found = Diagnostic::new(Code::RunawayTime, span, text);
        let own = rule.clause.premises.iter().zip(&rule.premises);
        let own = own
            .filter(|(_, meaning)| meaning.pred().is_some_and(|(pred, _)| strata.of[pred.index()] == group))
            .map(|(premise, _)| premise.span());
        let found = found.here(format!("`{name}` is computed anew in each round"));
        let found = own
            .take(1)
            .fold(found, |found, span| found.label(span, "the rule reads what it makes"));
        report.push(found.help("end it with a condition such as `:time:lt(T, Limit)`; budgets stop it otherwise"));
    }
}

/// Reports several predicates, one of them temporal, that depend on each other.
fn mutual(model: &Model<'_>, strata: &Strata, group: &[PredId], dialect: Dialect, report: &mut Report) {
    let Some(&temporal) = group.iter().find(|&&pred| model.pred(pred).temporal) else {
        return;
    };
    let edge = strata.edges[temporal.index()]
        .iter()
        .find(|edge| strata.of[edge.on.index()] == strata.of[temporal.index()]);
    let Some(edge) = edge else { return };
    let names: Vec<String> = group.iter().map(|&pred| format!("`{}`", model.pred(pred).name)).collect();
    let text = format!("{} depend on each other through time", names.join(" and "));
    let mut found = Diagnostic::new(Code::MutualTime, edge.span, text);
    if dialect == Dialect::Extended {
        found.severity = Severity::Warning;
    }
    let found = found.note("such a recursion may go on for ever, and budgets stop it then");
    report.push(match dialect {
        Dialect::Strict => {
            found.help("make one predicate of them, with an argument that tells them apart; the extended language only warns")
        }
        Dialect::Extended => found.help("make one predicate of them, with an argument that tells them apart"),
    });
}
