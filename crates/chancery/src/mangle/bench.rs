//! `mangle bench`: measures how long each part takes.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mangle::{diagnostic::Severity, eval::Cancel};

use super::{
    args::Bench,
    deadline::Deadline,
    evaluate::{evaluate, options},
    exit::ended,
    external::Answers,
    load::{analysed, dialect, gather, parsed, report},
    output::{print, tell},
};
use crate::words::plural;

/// Times `--runs` runs and prints the fastest, the middle and the slowest. Files are read once, beforehand.
pub(super) fn bench(args: &Bench) -> anyhow::Result<ExitCode> {
    let answers = Answers::read(&args.limits.external)?;
    let (sources, levels) = gather(&args.program)?;
    let dialect = dialect(&args.program);
    let (mut times, mut size) = (Times::default(), String::new());
    for _ in 0..args.runs {
        let deadline = Deadline::start(args.limits.reading.deadline, Cancel::default());
        let bounds = deadline.bounds(&args.limits.reading);
        let sources = sources.clone();
        let units = timed(&mut times.parse, || parsed(&sources, &levels, dialect, &bounds));
        let mut loaded = timed(&mut times.analyse, || analysed(sources, units, dialect, &bounds));
        let Some(program) = loaded.analysis.program.take() else {
            let found = loaded.findings(Severity::Error);
            tell(&report(&found, &loaded.sources));
            return Ok(ended(&found));
        };
        let program = Arc::new(program);
        answers.check(&program)?;
        let options = options(&args.limits, deadline.cancel());
        match timed(&mut times.evaluate, || evaluate(&program, &options, &answers)) {
            Ok(model) => {
                size = format!(
                    "{}, {} given, {} derived, {} steps\n",
                    plural(program.rules.len(), "rule"),
                    plural(program.facts.len(), "fact"),
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
    for (what, times) in [("parse", times.parse), ("analyse", times.analyse), ("evaluate", times.evaluate)] {
        let _infallible = writeln!(out, "{what:9} {}", spread(times));
    }
    print(&out)?;
    Ok(ExitCode::SUCCESS)
}

/// The times of each part in each run.
#[derive(Default)]
struct Times {
    parse: Vec<Duration>,
    analyse: Vec<Duration>,
    evaluate: Vec<Duration>,
}

fn timed<T>(times: &mut Vec<Duration>, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    times.push(start.elapsed());
    done
}

fn spread(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |index: usize| times.get(index).copied().unwrap_or_default();
    let (low, middle, high) = (at(0), at(times.len() / 2), at(times.len().saturating_sub(1)));
    format!("{low:>10.2?} fastest  {middle:>10.2?} median  {high:>10.2?} slowest")
}
