//! The one door through which these tests use the engine.

use std::{collections::BTreeSet, sync::Arc};

use mangle::{
    analysis::{Input, Level, analyse},
    diagnostic::Diagnostic,
    eval::{Budget, Cancel, EvalError, Evaluation, Model, Options, Running},
    program::Program,
    syntax::{Dialect, Sources, ast::Unit, parse},
};

use crate::corpus::Rows;

/// A text with its name.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub name: String,
    pub text: String,
}

/// What an evaluation may use; `None` leaves a limit at its default.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    /// The evaluation time, in RFC 3339.
    pub now: Option<String>,
    pub facts: Option<u64>,
    pub steps: Option<u64>,
    pub intervals: Option<u64>,
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
        }
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Facts(Rows),
    /// The codes of the findings.
    Rejected(Vec<String>),
    /// The limit that was reached.
    Stopped(String),
    /// A built-in has no result, or the merge of two facts is none.
    Failed(String),
}

/// Everything from text to facts.
pub(crate) fn run(sources: &[Source], dialect: Dialect, limits: &Limits) -> Answer {
    match load(sources, dialect) {
        Err(codes) => Answer::Rejected(codes),
        Ok(program) => match evaluate(program, &limits.options()) {
            Ok(model) => Answer::Facts(facts(&model)),
            Err(EvalError::Exceeded(exceeded)) => Answer::Stopped(exceeded.to_string()),
            Err(error) => Answer::Failed(error.to_string()),
        },
    }
}

/// The program that the sources make, or the codes of their errors.
pub(crate) fn load(sources: &[Source], dialect: Dialect) -> Result<Arc<Program>, Vec<String>> {
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
    let inputs: Vec<Input<'_>> = units
        .iter()
        .map(|&unit| Input {
            unit,
            level: Level::default(),
        })
        .collect();
    let analysis = analyse(&inputs, dialect);
    analysis.program.map(Arc::new).ok_or_else(|| self::codes(&analysis.diagnostics))
}

/// The codes of the errors among findings, once each.
fn codes<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> Vec<String> {
    let errors = diagnostics.into_iter().filter(|finding| finding.is_error());
    let codes: BTreeSet<String> = errors.map(|finding| finding.code.name().to_owned()).collect();
    codes.into_iter().collect()
}

/// Evaluates a program that asks nothing from outside.
pub(crate) fn evaluate(program: Arc<Program>, options: &Options) -> Result<Model, EvalError> {
    match Evaluation::new(program, options)?.run()? {
        Running::Done(model) => Ok(*model),
        Running::Asks(_, batch) => panic!("no test asks anything from outside, but {batch:?}"),
    }
}

/// The facts as text.
pub(crate) fn facts(model: &Model) -> Rows {
    let text = model.to_text().into_iter();
    text.map(|(key, rows)| (key, rows.into_iter().collect())).collect()
}

/// Nanoseconds since 1970 of a time in RFC 3339.
fn nanos(time: &str) -> i64 {
    mangle::value::parse_rfc3339(time).unwrap_or_else(|| panic!("`{time}` is no time"))
}
