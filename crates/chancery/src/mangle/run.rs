//! `mangle run`: every fact of a program.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use mangle::{
    diagnostic::{Code, Diagnostic, Severity, json},
    eval::Model,
    syntax::Sources,
};

use super::{
    EXCEEDED, REJECTED,
    args::{Output, Run},
    evaluate::evaluate,
    load::{load, report},
    print, tell,
};

/// Evaluates and prints.
pub(super) fn run(args: &Run) -> anyhow::Result<ExitCode> {
    let mut loaded = load(&args.program)?;
    let Some(program) = loaded.analysis.program.take() else {
        return reject(&loaded.findings(Severity::Error), &loaded.sources, args.format);
    };
    if args.format == Output::Human {
        tell(&report(&loaded.findings(Severity::Warning), &loaded.sources));
    }
    match evaluate(&Arc::new(program), &args.limits) {
        Ok(model) => {
            print(&facts(&model, args)?)?;
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
    let exceeded = found.iter().any(|one| one.code == Code::BudgetExceeded);
    Ok(ExitCode::from(if exceeded { EXCEEDED } else { REJECTED }))
}

fn facts(model: &Model, args: &Run) -> anyhow::Result<String> {
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
        Output::Human => text(&all),
    })
}

/// Facts as they would stand in a program.
fn text(all: &BTreeMap<String, Vec<Vec<String>>>) -> String {
    let mut out = String::new();
    for (label, rows) in all {
        let (name, arity) = label.rsplit_once('/').unwrap_or((label, "0"));
        let arity = arity.parse().unwrap_or(0);
        for row in rows {
            let (args, time) = row.split_at(arity.min(row.len()));
            let time = if time.is_empty() {
                String::new()
            } else {
                format!("@[{}]", time.join(", "))
            };
            // Writing to a string does not fail.
            let _infallible = writeln!(out, "{name}({}){time}.", args.join(", "));
        }
    }
    out
}
