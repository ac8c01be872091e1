//! Measures what the validators refuse and accept, and how long they take: run by `cargo xtask bench validators`.

#[path = "../../tests/it/rows.rs"]
mod rows;
mod table;
mod timing;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let mut folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"));
    let mut times = true;
    while let Some(arg) = args.next() {
        match (arg.as_str(), args.next()) {
            ("--data", Some(given)) => folder = given.into(),
            ("--times", Some(given)) => times = given != "no",
            _ => {
                eprintln!("say `measure [--data DIR] [--times no]`");
                return ExitCode::from(2);
            }
        }
    }
    let mut out = String::new();
    let met = match table::write(&mut out, &folder) {
        Ok(met) => met,
        Err(why) => {
            eprintln!("failed to read the rows: {why}");
            return ExitCode::from(2);
        }
    };
    let fast = !times || timing::write(&mut out);
    // A closed output (`| head`) is not an error of ours.
    std::io::stdout().write_all(out.as_bytes()).ok();
    if met && fast { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
