//! `mangle why` and `mangle why-not`: explain what a fact rests on, or what it lacks.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail, ensure};
use mangle::{
    analysis::constant,
    diagnostic::{Diagnostic, Severity},
    eval::{Cancel, EvalError, Model},
    explain::Explainer,
    program::{Interval, PredId, RuleId},
    syntax::{
        Dialect, Sources,
        ast::{Annotation, Bound, BoundKind, Clause},
        parse,
    },
    value::Value,
};

use super::{
    args::Why,
    deadline::Deadline,
    evaluate::{evaluate, finding, options},
    exit::{REJECTED, ended},
    external::Answers,
    load::{Loaded, load, report},
    output::{print, tell},
};
use crate::words::{one_line, plural};

/// Prints the proof of a fact, or what it lacks. Ends with 1 if there is none.
pub(super) fn why(args: &Why, not: bool) -> anyhow::Result<ExitCode> {
    let deadline = Deadline::start(args.limits.reading.deadline, Cancel::default());
    let mut loaded = load(&args.program, &deadline.bounds(&args.limits.reading))?;
    let Some(program) = loaded.analysis.program.take() else {
        let found = loaded.findings(Severity::Error);
        tell(&report(&found, &loaded.sources));
        return Ok(ended(&found));
    };
    let program = Arc::new(program);
    let answers = Answers::read(&args.limits.external)?;
    answers.check(&program)?;
    let options = options(&args.limits, deadline.cancel());
    let model = match evaluate(&program, &options, &answers) {
        Ok(model) => model,
        Err(found) => {
            let found = [*found];
            tell(&report(&found, &loaded.sources));
            return Ok(ended(&found));
        }
    };
    let mut explainer = Explainer::new(&model, options.budget, options.cancel);
    let question = question(&args.fact, &model, &mut explainer)?;
    match explain(&mut explainer, &question, not, &Place::new(&loaded, &model)) {
        Ok(Some(text)) => {
            print(&text)?;
            return Ok(ExitCode::SUCCESS);
        }
        Ok(None) => {}
        Err(error) => {
            let found = [finding(model.program(), &error)];
            tell(&report(&found, &loaded.sources));
            return Ok(ended(&found));
        }
    }
    let advice = if not {
        "it holds: ask `why`"
    } else {
        "it does not hold: ask `why-not`"
    };
    tell(&format!("{}: {advice}\n", args.fact));
    Ok(ExitCode::from(REJECTED))
}

/// Returns the proof of a fact, or what it lacks, as text; `None` if there is none.
pub(super) fn explain(
    explainer: &mut Explainer<'_>,
    question: &Question,
    not: bool,
    place: &Place<'_>,
) -> Result<Option<String>, EvalError> {
    if not {
        let lack = explainer.why_not(question.pred, &question.args, question.time)?;
        let text = |lack| explainer.why_not_text(&lack, &|rule| place.rule(rule), &|rule, at| place.premise(rule, at));
        return lack.map(text).transpose();
    }
    let proof = explainer.why(question.pred, &question.args, question.time)?;
    proof
        .map(|proof| explainer.proof_text(&proof, &|rule| place.rule(rule)))
        .transpose()
}

/// The fact that is asked about.
pub(super) struct Question {
    pred: PredId,
    args: Vec<Value>,
    time: Option<Interval>,
}

/// Finds the names of a model's rules.
pub(super) struct Place<'a> {
    loaded: &'a Loaded,
    model: &'a Model,
    /// The clauses that were written, by place.
    clauses: Vec<&'a Clause>,
}

impl<'a> Place<'a> {
    /// Maps the rules of `model` to the loaded sources.
    pub(super) fn new(loaded: &'a Loaded, model: &'a Model) -> Self {
        let mut clauses: Vec<&Clause> = loaded.units.iter().flat_map(|(_, parsed)| parsed.unit.clauses()).collect();
        clauses.sort_unstable_by_key(|clause| clause.span);
        Self { loaded, model, clauses }
    }

    /// Returns the place of a rule as `file:line`, which editors understand.
    fn rule(&self, rule: RuleId) -> String {
        let span = self.model.program().rule(rule).span;
        let source = self.loaded.sources.find(span);
        source.map_or_else(String::new, |source| {
            format!("{}:{}", source.name(), source.position(span.start).line)
        })
    }

    /// Returns a premise as it was written, if the rule still has the premises that were written.
    fn premise(&self, rule: RuleId, at: usize) -> Option<String> {
        let rule = self.model.program().rule(rule);
        let found = self.clauses.binary_search_by_key(&rule.span, |clause| clause.span);
        let clause = self.clauses[found.ok()?];
        let same = clause.premises.len() == rule.premises.len();
        let premise = clause.premises.get(at).filter(|_| same)?;
        Some(one_line(self.loaded.sources.text(premise.span())))
    }
}

/// Reads a fact from the command line.
pub(super) fn question(text: &str, model: &Model, explainer: &mut Explainer<'_>) -> anyhow::Result<Question> {
    let text = text.trim().trim_end_matches('.').trim_end();
    ensure!(!text.is_empty(), "which fact? Write it as in a program, `p(/a, 1)`");
    let sources = Sources::of("the fact", &format!("{text} ."))?;
    let parsed = parse(sources.get(0).context("there is one source")?, Dialect::Extended);
    let clauses: Vec<&Clause> = parsed.unit.clauses().collect();
    let [clause] = clauses[..] else {
        bail!("`{text}` is not one fact, as `p(/a, 1)` is{}", found(&parsed.diagnostics, &sources));
    };
    ensure!(parsed.is_ok(), "`{text}` cannot be read{}", found(&parsed.diagnostics, &sources));
    ensure!(clause.is_fact(), "`{text}` is a rule: a fact is what follows, `p(/a, 1)`");
    let (name, arity) = (&*clause.head.predicate.text, clause.head.args.len());
    let pred = model.program().find(name, arity).with_context(|| unknown(name, arity, model))?;
    let mut args = Vec::new();
    for arg in &clause.head.args {
        let value = constant(arg, explainer.interner());
        args.push(value.with_context(|| {
            format!(
                "`{}` is no constant: one fact is explained at a time, and `? {text}` in `chancery mangle repl` lists which there are",
                sources.text(arg.span)
            )
        })?);
    }
    let time = match &clause.time {
        None => None,
        Some(time) => {
            ensure!(
                model.program().predicate(pred).temporal,
                "`{name}` does not hold at times: leave `{}` out",
                sources.text(time.span)
            );
            let asked = interval(time, model.now());
            Some(asked.with_context(|| format!("`{}` is no interval: write times, the earlier one first", sources.text(time.span)))?)
        }
    };
    Ok(Question { pred, args, time })
}

/// Returns what is wrong with a text that is not a fact.
fn found(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    match report(diagnostics, sources).trim_end() {
        "" => String::new(),
        text => format!("\n{text}"),
    }
}

/// Returns the message for a predicate that the program does not have, with the one that may be meant.
fn unknown(name: &str, arity: usize, model: &Model) -> String {
    let predicates = model.program().predicates.iter().filter(|predicate| !predicate.generated);
    if name.starts_with(':') {
        return format!("`{name}` is built in: ask about a predicate of the program");
    }
    let likeness = |other: &str| strsim::jaro_winkler(other, name);
    let near = predicates
        .map(|predicate| (likeness(&predicate.name), predicate))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let text = format!("nothing defines `{name}` with {}", plural(arity, "argument"));
    match near {
        Some((_, near)) => format!("{text}; there is `{}` with {}", near.name, plural(near.arity, "argument")),
        None => text,
    }
}

/// Returns the interval that is asked about. A bound that is left open in the question is open.
pub(super) fn interval(time: &Annotation, now: i64) -> Option<Interval> {
    let bound = |bound: &Bound, open: i64| match bound.kind {
        BoundKind::Time(nanos) => Some(nanos),
        BoundKind::Now => Some(now),
        BoundKind::Unbounded => Some(open),
        BoundKind::Duration(_) | BoundKind::Variable(_) => None,
    };
    let start = bound(&time.start, i64::MIN)?;
    let end = bound(time.end.as_ref().unwrap_or(&time.start), i64::MAX)?;
    Interval::new(start, end)
}
