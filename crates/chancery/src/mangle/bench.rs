//! `mangle bench`: how long each part takes.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mangle::{diagnostic::Severity, eval::Cancel};

use super::{
    args::Bench,
    deadline::Deadline,
    ended,
    evaluate::{evaluate, options},
    external::Answers,
    load::{load, report},
    print, tell,
};

/// Times `--runs` runs and prints the fastest, the middle and the slowest.
pub(super) fn bench(args: &Bench) -> anyhow::Result<ExitCode> {
    let answers = Answers::read(&args.limits.external)?;
    let (mut loading, mut evaluating, mut size) = (Vec::new(), Vec::new(), String::new());
    for _ in 0..args.runs.max(1) {
        let deadline = Deadline::start(args.limits.reading.deadline, Cancel::default());
        let start = Instant::now();
        let mut loaded = load(&args.program, &deadline.bounds(&args.limits.reading))?;
        loading.push(start.elapsed());
        let Some(program) = loaded.analysis.program.take() else {
            let found = loaded.findings(Severity::Error);
            tell(&report(&found, &loaded.sources));
            return Ok(ended(&found));
        };
        let program = Arc::new(program);
        answers.check(&program)?;
        let options = options(&args.limits, deadline.cancel());
        let start = Instant::now();
        match evaluate(&program, &options, &answers) {
            Ok(model) => {
                evaluating.push(start.elapsed());
                let rules = program.rules.len();
                size = format!(
                    "{rules} rules, {} facts given, {} derived, {} steps\n",
                    program.facts.len(),
                    model.derived(),
                    model.steps()
                );
            }
            Err(found) => {
                let found = [*found];
                tell(&report(&found, &loaded.sources));
                return Ok(ended(&found));
            }
        }
    }
    let mut out = size;
    for (what, times) in [("load", loading), ("evaluate", evaluating)] {
        let _infallible = writeln!(out, "{what:9} {}", spread(times));
    }
    print(&out)?;
    Ok(ExitCode::SUCCESS)
}

fn spread(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |index: usize| times.get(index).copied().unwrap_or_default();
    let (low, middle, high) = (at(0), at(times.len() / 2), at(times.len().saturating_sub(1)));
    format!("{low:>10.2?} fastest  {middle:>10.2?} median  {high:>10.2?} slowest")
}
