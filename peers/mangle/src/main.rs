//! `mangle-peer ENGINE CASE [SIZE]`: one measurement in a process of its own, as a line of JSON.
//!
//! Every engine gets the same rows in memory and is timed from there to the last derived row; parsing is measured apart.

mod data;
mod intent;
mod ours;
mod programs;
mod with_ascent;
mod with_datafrog;

use std::{env, fs, process::ExitCode, time::Instant};

use data::Input;

/// What an engine did.
struct Outcome {
    /// Rows derived, summed over the predicates that the case names: engines have to agree.
    rows: usize,
    milliseconds: f64,
}

/// Runs `work` and measures it.
fn timed(work: impl FnOnce() -> usize) -> Outcome {
    let start = Instant::now();
    let rows = work();
    Outcome {
        rows,
        milliseconds: start.elapsed().as_secs_f64() * 1e3,
    }
}

/// The most memory that this process ever had, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let (engine, case) = match args.as_slice() {
        [engine, case, ..] => (engine.as_str(), case.as_str()),
        _ => return usage(),
    };
    let size = args.get(2).and_then(|size| size.parse().ok());
    if (engine, case) == ("mangle", "rules") {
        print_sample(engine, case, &ours::rules_in_a_row(size.unwrap_or(1_000)), 0);
        return ExitCode::SUCCESS;
    }
    let Some(input) = Input::of(case, size) else { return usage() };
    let before = peak();
    let outcome = match engine {
        "mangle" => ours::run(&input),
        "ascent" => with_ascent::run(&input),
        "datafrog" => match with_datafrog::run(&input) {
            Some(outcome) => outcome,
            None => return ExitCode::from(3),
        },
        "intent" => {
            println!("{}", intent::run(&input));
            return ExitCode::SUCCESS;
        }
        "parse" => ours::parse(&input),
        "clingo" => {
            print!("{}", programs::clingo(&input));
            return ExitCode::SUCCESS;
        }
        _ => return usage(),
    };
    print_sample(engine, case, &outcome, before);
    ExitCode::SUCCESS
}

fn print_sample(engine: &str, case: &str, outcome: &Outcome, before: u64) {
    println!(
        "{{\"engine\":\"{engine}\",\"case\":\"{case}\",\"ms\":{:.3},\"rows\":{},\"kib\":{},\"kib_input\":{before}}}",
        outcome.milliseconds,
        outcome.rows,
        peak()
    );
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: mangle-peer mangle|ascent|datafrog|clingo|intent|parse CASE [SIZE]\ncases: {}",
        data::CASES.join(", ")
    );
    ExitCode::from(2)
}
