//! The analysis from syntax trees to a program that runs: names, safety, types, strata, time and trust. Findings are
//! reported with their places.

mod clause_types;
mod declaration;
mod fits;
mod functions;
mod infer;
mod level;
mod lint;
mod lower;
mod merge;
mod misfit;
mod model;
mod names;
mod order;
mod report;
mod results;
mod safety;
mod strata;
mod time;
mod transform;
mod trust;
mod types;
mod variables;
mod weight;

pub use declaration::{Declaration, MergeBy};
pub use level::Level;
pub use misfit::Misfit;
pub use model::PredicateInfo;
pub use types::{Field, Type};

use smallvec::SmallVec;

use crate::{
    diagnostic::{Code, Diagnostic},
    program::{Mode, Program, RuleId},
    syntax::{
        Bounds, Dialect, Span,
        ast::{Term, TermKind, Unit},
    },
    value::{Interner, Value},
};
use report::Report;

/// A parsed source and its trust level.
#[derive(Clone, Copy, Debug)]
pub struct Input<'u> {
    /// The source's syntax trees.
    pub unit: &'u Unit,
    /// The source's trust level.
    pub level: Level,
}

/// The result of analysing a program.
#[derive(Debug, Default)]
pub struct Analysis {
    /// The program that the evaluator runs; `None` if there is an error.
    pub program: Option<Program>,
    /// Errors, warnings and notes, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// Every predicate, by its number in the program.
    pub predicates: Vec<PredicateInfo>,
    /// The dependencies between predicates.
    pub dependencies: Vec<Dependency>,
}

/// A dependency: one predicate reads another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The predicate that reads.
    pub from: crate::program::PredId,
    /// The predicate that is read.
    pub on: crate::program::PredId,
    /// Whether the read predicate has to be complete first: it is negated or aggregated.
    pub complete: bool,
    /// The rule of the dependency.
    pub rule: RuleId,
    /// The place of the premise.
    pub span: Span,
}

/// Analyses the sources of a program together. Diagnostics of parsing are not repeated; of a source that did not parse,
/// the readable parts are analysed, and the caller decides whether the rest is worth running.
pub fn analyse(inputs: &[Input<'_>], dialect: Dialect) -> Analysis {
    analyse_within(inputs, dialect, &Bounds::default())
}

/// Does the work of [`analyse`] within these bounds.
pub fn analyse_within(inputs: &[Input<'_>], dialect: Dialect, bounds: &Bounds) -> Analysis {
    if let Some(too_heavy) = weight::check(inputs, bounds) {
        return Analysis {
            diagnostics: vec![too_heavy],
            ..Analysis::default()
        };
    }
    let mut report = Report::until(bounds.cancel.clone());
    let mut model = names::resolve(inputs, dialect, &mut report);
    if report.is_cancelled() {
        return ended_early(report);
    }
    call_modes(&mut model, dialect);
    trust::check(&model, &mut report);
    time::annotations(&model, &mut report);
    functions::check(&model, &mut report);
    results::check(&model, &mut report);
    definitions(&model, &mut report);
    merge::check(&model, &mut report);
    for number in 0..model.rules.len() {
        if report.is_cancelled() {
            break;
        }
        let order = safety::check(&model, &model.rules[number], dialect, &mut report);
        model.rules[number].order = SmallVec::from_slice(&order);
    }
    let strata = strata::stratify(&model, &mut report);
    if report.is_cancelled() {
        return ended_early(report);
    }
    number_strata(&mut model, &strata);
    time::recursion(&model, &strata, dialect, &mut report);
    if report.errors() == 0 {
        infer::infer(&mut model, &strata, &mut report);
    }
    lint::check(&model, &mut report);
    let program = (report.errors() == 0).then(|| lower::lower(&model, &strata, &mut report));
    let program = program.filter(|_| report.errors() == 0 && !report.is_cancelled());
    let dependencies = dependencies(&strata, &report);
    Analysis {
        program,
        diagnostics: report.finish(),
        dependencies,
        predicates: model.predicates,
    }
}

/// Returns the result of a cancelled analysis: nothing that it has found so far is known to be right.
fn ended_early(report: Report) -> Analysis {
    Analysis {
        diagnostics: report.finish(),
        ..Analysis::default()
    }
}

/// Returns the value of a term that is a constant, as in facts: a pair, time or duration that a function makes of
/// constants is a constant, too.
pub fn constant(term: &Term, interner: &mut Interner) -> Option<Value> {
    match &term.kind {
        TermKind::Call(call) => results::written(call, interner),
        TermKind::List(items) => {
            let items: Option<Vec<Value>> = items.iter().map(|item| constant(item, interner)).collect();
            Some(interner.list(&items?))
        }
        TermKind::Map(entries) => {
            let entries = constants(entries, interner)?;
            interner.map(entries).ok()
        }
        TermKind::Struct(entries) => {
            let fields = constants(entries, interner)?;
            interner.structure(fields).ok()
        }
        _ => lower::constant(term, interner, &mut Report::default()),
    }
}

fn constants(entries: &[(Term, Term)], interner: &mut Interner) -> Option<Vec<(Value, Value)>> {
    let mut both = |(key, value): &(Term, Term)| Some((constant(key, interner)?, constant(value, interner)?));
    entries.iter().map(&mut both).collect()
}

/// Marks predicates that are computed where they are called: those with a mode that requires arguments, no rows of
/// their own, and a rule that gives no rows without arguments.
fn call_modes(model: &mut model::Model<'_>, dialect: Dialect) {
    for number in 0..model.predicates.len() {
        let info = &model.predicates[number];
        let asks = info
            .declaration
            .as_ref()
            .is_some_and(|decl| decl.modes.iter().any(|mode| mode.contains(&Mode::In)));
        let needs_caller = |rule: &RuleId| !order::stands_alone(model, &model.rules[rule.index()], dialect);
        let called = asks && info.facts == 0 && !info.is_open() && info.rules.iter().any(needs_caller);
        model.predicates[number].deferred |= called;
    }
}

/// Reports variables in facts, and rules of predicates that are declared to be data (`extensional()`).
fn definitions(model: &model::Model<'_>, report: &mut Report) {
    for fact in &model.facts {
        if report.is_cancelled() {
            return;
        }
        let mut place = None;
        for arg in &fact.clause.head.args {
            variables::each(arg, &mut |name, span| place = place.take().or(Some((name.to_string(), span))));
            place = place.or(variables::wildcard(arg).map(|span| ("_".to_owned(), span)));
        }
        if let Some((name, span)) = place {
            let found = Diagnostic::new(Code::VariableInFact, span, format!("`{name}` has no value in a fact"));
            report.push(found.help("a fact has constants only; a rule says where its variables come from: `p(X) :- q(X).`"));
        }
        let bounds = fact
            .clause
            .time
            .iter()
            .flat_map(|time| std::iter::once(&time.start).chain(&time.end));
        for bound in bounds {
            if let crate::syntax::ast::BoundKind::Variable(name) = &bound.kind {
                let found = Diagnostic::new(Code::VariableInFact, bound.span, format!("`{name}` has no value in a fact"));
                report.push(found.help("write a time, `now`, or `_` for no bound"));
            }
        }
    }
    for info in &model.predicates {
        if report.is_cancelled() {
            return;
        }
        let data = info.declaration.as_ref().filter(|decl| decl.extensional);
        if let (Some(decl), Some(&rule)) = (data, info.rules.first()) {
            let head = model.rules[rule.index()].clause.head.span;
            let found = Diagnostic::new(Code::ExtensionalRule, head, format!("`{}` is declared to be data", info.name));
            report.push(
                found
                    .label(decl.name_span, "`extensional()` here")
                    .help("leave `extensional()` out, or derive another predicate"),
            );
        }
    }
}

fn number_strata(model: &mut model::Model<'_>, strata: &strata::Strata) {
    let mut number = 0;
    for group in &strata.groups {
        let has_rules = group.iter().any(|&pred| !model.pred(pred).rules.is_empty());
        for &pred in group {
            model.pred_mut(pred).stratum = has_rules.then_some(number);
        }
        number += usize::from(has_rules);
    }
}

fn dependencies(strata: &strata::Strata, report: &Report) -> Vec<Dependency> {
    let mut all = Vec::with_capacity(strata.edges.iter().map(Vec::len).sum());
    for (index, edges) in strata.edges.iter().enumerate() {
        if report.is_cancelled() {
            break;
        }
        all.extend(edges.iter().map(|edge| Dependency {
            from: crate::program::PredId(index as u32),
            on: edge.on,
            complete: edge.why != strata::Why::Positive,
            rule: RuleId(edge.rule as u32),
            span: edge.span,
        }));
    }
    all
}
