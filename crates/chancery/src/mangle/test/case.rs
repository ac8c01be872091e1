//! One case: rules and facts evaluated, expectations compared.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mangle::{
    analysis::constant,
    diagnostic::Diagnostic,
    eval::{Evaluation, Model, Options, Running},
    explain::coverage,
    syntax::{
        Dialect, Sources,
        ast::{BoundKind, Clause, TermKind},
        parse,
    },
    value::{Interner, write_time},
};

use super::{
    super::{
        evaluate::finding,
        load::{analysed, report},
    },
    Fired, GIVEN, Rules,
    suite::{Case, Suite},
};

/// What came of a case.
#[derive(Default)]
pub(super) struct Outcome {
    /// Nothing, or what is not as it should be.
    pub(super) problems: Vec<String>,
    /// How often each rule fired.
    pub(super) fired: Fired,
}

/// Runs a case with these rules.
pub(super) fn run(case: &Case, suite: &Suite, rules: &Rules) -> anyhow::Result<Outcome> {
    let (mut sources, mut units) = (rules.sources.clone(), Vec::new());
    units.extend(rules.parsed.iter().map(|parsed| (GIVEN, parsed.clone())));
    let index = sources.add(&suite.name, &case.given)?;
    if let Some(source) = sources.get(index) {
        units.push((GIVEN, parse(source, Dialect::Extended)));
    }
    let mut loaded = analysed(sources, units, rules.dialect);
    let mut outcome = Outcome::default();
    let result = match loaded.analysis.program.take() {
        None => Err(loaded.diagnostics.iter().filter(|found| found.is_error()).cloned().collect()),
        Some(program) => evaluate(program, case.now).map_err(|found| vec![*found]),
    };
    match (result, &case.error) {
        (Ok(model), None) => {
            for rule in coverage(&model) {
                *outcome.fired.entry(model.program().rule(rule.rule).span).or_default() += rule.count.fired;
            }
            compare(case, &model.to_text(), &mut outcome.problems);
        }
        (Ok(_), Some(code)) => outcome.problems.push(format!("expected the error {code}, and there is none")),
        (Err(found), None) => outcome.problems.push(report(&found, &loaded.sources)),
        (Err(found), Some(code)) if found.iter().any(|one| one.code.name() == code) => {}
        (Err(found), Some(code)) => outcome
            .problems
            .push(format!("expected the error {code}, not\n{}", report(&found, &loaded.sources))),
    }
    Ok(outcome)
}

fn evaluate(program: mangle::program::Program, now: i64) -> Result<Model, Box<Diagnostic>> {
    let program = Arc::new(program);
    let options = Options { now, ..Options::default() };
    match Evaluation::new(Arc::clone(&program), &options).and_then(Evaluation::run) {
        Ok(Running::Done(model)) => Ok(*model),
        Ok(Running::Asks(..)) => Err(Box::new(Diagnostic::new(
            mangle::diagnostic::Code::ExternalUnanswered,
            mangle::syntax::Span::default(),
            "an external predicate was asked, and nobody answers in a test: give its facts to another predicate",
        ))),
        Err(error) => Err(Box::new(finding(&program, &error))),
    }
}

/// A fact with holes: an argument that is `None` may be anything, and without a time any time will do.
struct Pattern {
    label: String,
    args: Vec<Option<String>>,
    text: String,
}

impl Pattern {
    fn matches(&self, row: &[String]) -> bool {
        row.len() >= self.args.len()
            && self
                .args
                .iter()
                .zip(row)
                .all(|(wanted, found)| wanted.as_ref().is_none_or(|wanted| wanted == found))
    }
}

type Facts = BTreeMap<String, Vec<Vec<String>>>;

fn compare(case: &Case, facts: &Facts, problems: &mut Vec<String>) {
    let rows = |label: &str| facts.get(label).map_or(&[][..], Vec::as_slice);
    for pattern in patterns(&case.expect, problems) {
        if !rows(&pattern.label).iter().any(|row| pattern.matches(row)) {
            problems.push(format!("missing: {}\n{}", pattern.text, nearby(&pattern, rows(&pattern.label))));
        }
    }
    for pattern in patterns(&case.absent, problems) {
        if let Some(row) = rows(&pattern.label).iter().find(|row| pattern.matches(row)) {
            problems.push(format!("should not be there: {}({})", pattern.label, row.join(", ")));
        }
    }
    let exactly = patterns(&case.exactly, problems);
    for label in exactly.iter().map(|pattern| &pattern.label).collect::<BTreeSet<_>>() {
        let wanted = || exactly.iter().filter(|pattern| pattern.label == *label);
        for pattern in wanted().filter(|pattern| !rows(label).iter().any(|row| pattern.matches(row))) {
            problems.push(format!("missing: {}", pattern.text));
        }
        for row in rows(label).iter().filter(|row| !wanted().any(|pattern| pattern.matches(row))) {
            problems.push(format!("should not be there: {label}({})", row.join(", ")));
        }
    }
}

/// The facts that there are instead.
fn nearby(pattern: &Pattern, rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return format!("  there is no fact of {}", pattern.label);
    }
    let few: Vec<String> = rows.iter().take(5).map(|row| format!("  there is ({})", row.join(", "))).collect();
    few.join("\n")
}

fn patterns(text: &str, problems: &mut Vec<String>) -> Vec<Pattern> {
    let Ok(sources) = Sources::of("the expectation", text) else {
        return Vec::new();
    };
    let Some(source) = sources.get(0) else { return Vec::new() };
    let parsed = parse(source, Dialect::Extended);
    if !parsed.is_ok() {
        problems.push(report(&parsed.diagnostics, &sources));
    }
    let mut interner = Interner::new();
    parsed
        .unit
        .clauses()
        .map(|clause| pattern(clause, sources.text(clause.span), &mut interner, problems))
        .collect()
}

fn pattern(clause: &Clause, text: &str, interner: &mut Interner, problems: &mut Vec<String>) -> Pattern {
    let mut args = Vec::new();
    for arg in &clause.head.args {
        let value = constant(arg, interner);
        if value.is_none() && arg.kind != TermKind::Wildcard {
            problems.push(format!("only constants and `_` are expected: {text}"));
        }
        args.push(value.map(|value| interner.print(value).to_string()));
    }
    let label = format!("{}/{}", clause.head.predicate.text, args.len());
    if let Some(time) = &clause.time {
        for bound in [&time.start, time.end.as_ref().unwrap_or(&time.start)] {
            args.push(match bound.kind {
                BoundKind::Time(nanos) => Some(write_time(nanos)),
                BoundKind::Unbounded => Some("_".to_owned()),
                _ => None,
            });
        }
    }
    let text = text.to_owned();
    Pattern { label, args, text }
}
