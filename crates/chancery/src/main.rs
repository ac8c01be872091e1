//! `chancery`: parse, load the configuration, start telemetry, run.

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    chancery::dispatch::main(chancery::cli::Cli::parse())
}
