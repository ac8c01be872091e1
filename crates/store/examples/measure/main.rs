//! Measures how many events and changes a store takes, and how long each waits: run by `cargo xtask bench store`.

mod load;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use store::SyncMode;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let mut folder = std::env::temp_dir();
    let mut seconds = 3;
    while let Some(arg) = args.next() {
        match (arg.as_str(), args.next()) {
            ("--folder", Some(given)) => folder = PathBuf::from(given),
            ("--seconds", Some(given)) if given.parse::<u64>().is_ok_and(|seconds| seconds > 0) => {
                seconds = given.parse().unwrap_or(seconds);
            }
            _ => {
                eprintln!("say `measure [--folder DIR] [--seconds N]`");
                return ExitCode::from(2);
            }
        }
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("it starts");
    let span = Duration::from_secs(seconds);
    let mut report = report::Report::new(&folder);
    report.calibrate();
    for (mode, sync) in [
        ("interval, 50 ms", SyncMode::Interval(Duration::from_millis(50))),
        ("always", SyncMode::Always),
    ] {
        for concurrency in [1, 16, 256, 1024] {
            let events = runtime.block_on(load::events(&folder, sync, concurrency, span));
            report.events(mode, concurrency, &events);
        }
    }
    for concurrency in [1, 16, 256] {
        let changes = runtime.block_on(load::changes(&folder, concurrency, span));
        report.changes(concurrency, &changes);
    }
    report.calibrate();
    let searches = runtime.block_on(load::searches(&folder));
    report.searches(&searches);
    if report.verdict() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
