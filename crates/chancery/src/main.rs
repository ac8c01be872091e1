//! `chancery`: parse, load the configuration, start telemetry, run.

use std::process::ExitCode;

use clap::Parser as _;

/// A call is many small pieces of short life, taken on one thread and given back on another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    chancery::dispatch::main(chancery::cli::Cli::parse())
}
