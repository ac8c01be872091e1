//! The functions through which these tests use the engine.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use mangle::{
    analysis::{Input, Level, analyse, constant},
    diagnostic::Diagnostic,
    eval::{Budget, Cancel, EvalError, Evaluation, Model, Options, Running, Snapshot},
    program::{Facts, PredId, Program},
    syntax::{Dialect, Sources, ast::Unit, parse},
    value::{Interner, Value},
};

use crate::corpus::Rows;

/// A text with its name.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub name: String,
    pub text: String,
}

/// The limits of an evaluation; `None` leaves a limit at its default.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    /// The evaluation time, in RFC 3339.
    pub now: Option<String>,
    pub facts: Option<u64>,
    pub steps: Option<u64>,
    pub intervals: Option<u64>,
    pub outside: Outside,
    /// The seed of the hash keys.
    pub seed: u64,
}

/// Rows of terms by `name/arity`, as a program would write them.
pub(crate) type Given = BTreeMap<String, Vec<Vec<String>>>;

/// The input that comes from outside the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outside {
    /// The trust level of each source; sources that are not listed are trusted fully.
    pub levels: Vec<Level>,
    /// The answers of external predicates.
    pub answers: Given,
    /// The facts of a request.
    pub request: Given,
}

impl Limits {
    pub(crate) fn options(&self) -> Options {
        let default = Budget::default();
        Options {
            now: self.now.as_deref().map_or(0, nanos),
            budget: Budget {
                steps: self.steps.unwrap_or(default.steps),
                facts: self.facts.unwrap_or(default.facts),
                intervals: self.intervals.unwrap_or(default.intervals),
                bytes: default.bytes,
            },
            cancel: Cancel::default(),
            seed: self.seed,
        }
    }
}

/// The outcome of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Facts(Rows),
    /// The codes of the findings.
    Rejected(Vec<String>),
    /// The limit that was reached.
    Stopped(String),
    /// A built-in has no result, or two facts cannot be merged.
    Failed(String),
}

/// Runs a program from text to facts.
pub(crate) fn run(sources: &[Source], dialect: Dialect, limits: &Limits) -> Answer {
    run_with(sources, dialect, limits, evaluate)
}

/// Runs a program by way of a snapshot, to which the facts of the request are added.
pub(crate) fn run_on_snapshot(sources: &[Source], dialect: Dialect, limits: &Limits) -> Answer {
    run_with(sources, dialect, limits, |program, limits| {
        let options = limits.options();
        let snapshot = Snapshot::new(Arc::clone(&program), &options)?;
        finish(snapshot.request(&options)?, &program, limits)
    })
}

type Evaluator = fn(Arc<Program>, &Limits) -> Result<Model, EvalError>;

fn run_with(sources: &[Source], dialect: Dialect, limits: &Limits, evaluate: Evaluator) -> Answer {
    match load_at(sources, &limits.outside.levels, dialect) {
        Err(codes) => Answer::Rejected(codes),
        Ok(program) => match evaluate(program, limits) {
            Ok(model) => Answer::Facts(facts(&model)),
            Err(EvalError::Exceeded(exceeded)) => Answer::Stopped(exceeded.to_string()),
            Err(error) => Answer::Failed(error.to_string()),
        },
    }
}

/// Returns the program of the sources, or the codes of their errors.
pub(crate) fn load(sources: &[Source], dialect: Dialect) -> Result<Arc<Program>, Vec<String>> {
    load_at(sources, &[], dialect)
}

/// Returns the program of sources with trust levels, or the codes of their errors.
pub(crate) fn load_at(sources: &[Source], levels: &[Level], dialect: Dialect) -> Result<Arc<Program>, Vec<String>> {
    let mut texts = Sources::new();
    for source in sources {
        texts.add(&source.name, &source.text).expect("tests are short");
    }
    let parsed: Vec<_> = texts.iter().map(|source| parse(source, dialect)).collect();
    let codes = codes(parsed.iter().flat_map(|parsed| &parsed.diagnostics));
    if !codes.is_empty() {
        return Err(codes);
    }
    let units: Vec<&Unit> = parsed.iter().map(|parsed| &parsed.unit).collect();
    let level = |at: usize| levels.get(at).copied().unwrap_or_default();
    let inputs: Vec<Input<'_>> = units
        .iter()
        .enumerate()
        .map(|(at, &unit)| Input { unit, level: level(at) })
        .collect();
    let analysis = analyse(&inputs, dialect);
    analysis.program.map(Arc::new).ok_or_else(|| self::codes(&analysis.diagnostics))
}

/// Returns the codes of the errors among findings, once each.
fn codes<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> Vec<String> {
    let errors = diagnostics.into_iter().filter(|finding| finding.is_error());
    let codes: BTreeSet<String> = errors.map(|finding| finding.code.name().to_owned()).collect();
    codes.into_iter().collect()
}

/// Evaluates a program with its input from outside.
pub(crate) fn evaluate(program: Arc<Program>, limits: &Limits) -> Result<Model, EvalError> {
    let evaluation = Evaluation::new(Arc::clone(&program), &limits.options())?;
    finish(evaluation, &program, limits)
}

/// Adds the facts of the request and answers every question.
fn finish(mut evaluation: Evaluation, program: &Program, limits: &Limits) -> Result<Model, EvalError> {
    let mut request = Facts::default();
    for (label, rows) in &limits.outside.request {
        let pred = pred(program, label);
        rows.iter()
            .for_each(|row| request.push(pred, &values(row, evaluation.interner()), None));
    }
    evaluation.give(&request)?;
    let mut running = evaluation.run()?;
    loop {
        let (mut evaluation, batch) = match running {
            Running::Done(model) => return Ok(*model),
            Running::Asks(evaluation, batch) => (evaluation, batch),
        };
        for question in &batch.questions {
            let predicate = program.predicate(question.pred);
            let label = format!("{}/{}", predicate.name, predicate.arity);
            let rows = limits.outside.answers.get(&label);
            let rows = rows.unwrap_or_else(|| panic!("nobody answers for {label}: {question:?}"));
            let rows: Vec<Vec<Value>> = rows.iter().map(|row| values(row, evaluation.interner())).collect();
            evaluation.answer(question, &rows)?;
        }
        running = evaluation.run()?;
    }
}

/// Returns the predicate that a label, `name/arity`, names.
fn pred(program: &Program, label: &str) -> PredId {
    let (name, arity) = label.split_once('/').expect("`name/arity`");
    let found = program.find(name, arity.parse().expect("a number of arguments"));
    found.unwrap_or_else(|| panic!("the program has no {label}"))
}

/// Returns the values of constant terms.
pub(crate) fn values(row: &[String], interner: &mut Interner) -> Vec<Value> {
    let sources = Sources::of("a row", &format!("row({} ).", row.join(", "))).expect("it is short");
    let parsed = parse(sources.get(0).expect("it was added"), Dialect::Extended);
    let clause = parsed.unit.clauses().next().expect("a fact");
    let args = clause.head.args.iter();
    args.map(|arg| constant(arg, interner).expect("a constant")).collect()
}

/// Returns the facts as text. None occurs twice, which their texts do not show: `1` is a number and a float.
pub(crate) fn facts(model: &Model) -> Rows {
    for (at, predicate) in model.program().predicates.iter().enumerate() {
        let pred = PredId(at as u32);
        let different: BTreeSet<Vec<u64>> = model.rows(pred).map(|row| row.iter().map(|value| value.bits()).collect()).collect();
        assert_eq!(different.len(), model.len(pred), "rows of {} are there twice", predicate.name);
    }
    let text = model.to_text().into_iter();
    text.map(|(key, rows)| (key, rows.into_iter().collect())).collect()
}

/// Returns the nanoseconds since 1970 of a time in RFC 3339.
fn nanos(time: &str) -> i64 {
    mangle::value::parse_rfc3339(time).unwrap_or_else(|| panic!("`{time}` is no time"))
}
