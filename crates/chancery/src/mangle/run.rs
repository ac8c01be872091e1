//! `mangle run`: writes every fact of a program.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use mangle::{
    diagnostic::{Diagnostic, Severity, json},
    eval::{Cancel, Model},
    syntax::Sources,
};

use super::{
    args::{Output, Run},
    deadline::Deadline,
    evaluate::{evaluate, options},
    exit::ended,
    external::Answers,
    facts,
    load::{load, report},
    output::{print, tell},
};

/// Evaluates the program and prints its facts.
pub(super) fn run(args: &Run) -> anyhow::Result<ExitCode> {
    let deadline = Deadline::start(args.limits.reading.deadline, Cancel::default());
    let mut loaded = load(&args.program, &deadline.bounds(&args.limits.reading))?;
    let Some(program) = loaded.analysis.program.take() else {
        return reject(&loaded.findings(Severity::Error), &loaded.sources, args.format);
    };
    if args.format == Output::Human {
        tell(&report(&loaded.findings(Severity::Warning), &loaded.sources));
    }
    let program = Arc::new(program);
    let answers = Answers::read(&args.limits.external)?;
    answers.check(&program)?;
    for only in &args.only {
        let known = |name: &str, arity: usize| *only == name || *only == format!("{name}/{arity}");
        let is_there = program.predicates.iter().any(|predicate| known(&predicate.name, predicate.arity));
        anyhow::ensure!(is_there, "`--only {only}`: the program has no such predicate");
    }
    match evaluate(&program, &options(&args.limits, deadline.cancel()), &answers) {
        Ok(model) => {
            print(&shown(&model, args)?)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(found) => reject(&[*found], &loaded.sources, args.format),
    }
}

fn reject(found: &[Diagnostic], sources: &Sources, format: Output) -> anyhow::Result<ExitCode> {
    match format {
        Output::Human => tell(&report(found, sources)),
        Output::Json => print(&format!("{:#}\n", json(found, sources)))?,
    }
    Ok(ended(found))
}

fn shown(model: &Model, args: &Run) -> anyhow::Result<String> {
    let mut all: BTreeMap<String, Vec<Vec<String>>> = model.to_text();
    if !args.only.is_empty() {
        all.retain(|label, _| {
            args.only
                .iter()
                .any(|only| label == only || label.rsplit_once('/').is_some_and(|(name, _)| name == only))
        });
    }
    Ok(match args.format {
        Output::Json => serde_json::to_string_pretty(&all)? + "\n",
        Output::Human => facts::all(&all),
    })
}
