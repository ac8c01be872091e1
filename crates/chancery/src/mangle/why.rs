//! `mangle why` and `mangle why-not`: what a fact rests on, and what it lacks.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use mangle::{
    analysis::constant,
    diagnostic::Severity,
    eval::Model,
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
    EXCEEDED, REJECTED,
    args::Why,
    evaluate::{evaluate, options},
    load::{Loaded, load, report},
    print, tell,
};

/// Prints the proof of a fact, or what it lacks. Ends with 1 if there is none.
pub(super) fn why(args: &Why, not: bool) -> anyhow::Result<ExitCode> {
    let mut loaded = load(&args.program)?;
    let Some(program) = loaded.analysis.program.take() else {
        tell(&report(&loaded.findings(Severity::Error), &loaded.sources));
        return Ok(ExitCode::from(REJECTED));
    };
    let model = match evaluate(&Arc::new(program), &args.limits) {
        Ok(model) => model,
        Err(found) => {
            tell(&report(&[*found], &loaded.sources));
            return Ok(ExitCode::from(EXCEEDED));
        }
    };
    let options = options(&args.limits);
    let mut explainer = Explainer::new(&model, options.budget, options.cancel);
    let question = question(&args.fact, &model, &mut explainer)?;
    let place = |rule: RuleId| place(&loaded, &model, rule);
    if let Some(text) = explain(&mut explainer, &question, not, &place)? {
        print(&text)?;
        return Ok(ExitCode::SUCCESS);
    }
    let advice = if not {
        "it holds: ask `why`"
    } else {
        "it does not hold: ask `why-not`"
    };
    tell(&format!("{}: {advice}\n", args.fact));
    Ok(ExitCode::from(REJECTED))
}

/// The proof of a fact, or what it lacks, as text; nothing if there is none.
pub(super) fn explain(
    explainer: &mut Explainer<'_>,
    question: &Question,
    not: bool,
    place: &dyn Fn(RuleId) -> String,
) -> anyhow::Result<Option<String>> {
    if not {
        let lack = explainer.why_not(question.pred, &question.args)?;
        return Ok(lack.map(|lack| explainer.why_not_text(&lack, place)));
    }
    let proof = explainer.why(question.pred, &question.args, question.time)?;
    Ok(proof.map(|proof| explainer.proof_text(&proof, place)))
}

/// The fact that is asked about.
pub(super) struct Question {
    pred: PredId,
    args: Vec<Value>,
    time: Option<Interval>,
}

/// `file:line`, as editors understand it.
pub(super) fn place(loaded: &Loaded, model: &Model, rule: RuleId) -> String {
    let span = model.program().rule(rule).span;
    let source = loaded.sources.find(span);
    source.map_or_else(String::new, |source| {
        format!("{}:{}", source.name(), source.position(span.start).line)
    })
}

/// Reads a fact from the command line.
pub(super) fn question(text: &str, model: &Model, explainer: &mut Explainer<'_>) -> anyhow::Result<Question> {
    let text = text.trim().trim_end_matches('.');
    let sources = Sources::of("the fact", &format!("{text} ."))?;
    let parsed = parse(sources.get(0).context("there is one source")?, Dialect::Extended);
    let clause: Vec<&Clause> = parsed.unit.clauses().collect();
    let [clause] = clause[..] else {
        bail!(
            "`{text}` is not a fact: write it as in a program, `p(/a, 1)`\n{}",
            report(&parsed.diagnostics, &sources)
        );
    };
    let (name, arity) = (&*clause.head.predicate.text, clause.head.args.len());
    let pred = model
        .program()
        .find(name, arity)
        .with_context(|| format!("nothing defines `{name}` with {arity} arguments"))?;
    let mut args = Vec::new();
    for arg in &clause.head.args {
        let value = constant(arg, explainer.interner()).with_context(|| format!("`{}` is not a constant", sources.text(arg.span)))?;
        args.push(value);
    }
    let time = clause.time.as_ref().and_then(|time| interval(time, model.now()));
    Ok(Question { pred, args, time })
}

fn interval(time: &Annotation, now: i64) -> Option<Interval> {
    let bound = |bound: &Bound, open: i64| match bound.kind {
        BoundKind::Time(nanos) => nanos,
        BoundKind::Now => now,
        _ => open,
    };
    let start = bound(&time.start, i64::MIN);
    let end = bound(time.end.as_ref().unwrap_or(&time.start), i64::MAX);
    Interval::new(start, end)
}
