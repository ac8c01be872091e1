//! `mangle-peer ENGINE CASE [SIZE]`: makes one measurement in a process of its own, and prints a line of JSON.

use std::{env, process::ExitCode};

use mangle_peer::{
    Outcome,
    data::{CASES, Input},
    ours, peak, programs, with_ascent, with_datafrog,
};

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
        "usage: mangle-peer mangle|ascent|datafrog|clingo|parse CASE [SIZE]\ncases: {}",
        CASES.join(", ")
    );
    ExitCode::from(2)
}
