//! `chancery`: parses the command line, loads the configuration, starts telemetry, and runs the command.

use std::process::ExitCode;

use clap::Parser as _;

/// The allocator: a call allocates many small values of short life on one thread and frees them on another.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    chancery::dispatch::main(chancery::cli::Cli::parse())
}
