//! Runs `chancery serve` without its guard, to measure a call without policy, validators and record.

use std::process::ExitCode;

use chancery::cli::{Global, Serve};
use clap::Parser;

/// The allocator of the gateway's own binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The gateway without its guard, for benchmarks.
#[derive(Parser)]
struct Unguarded {
    #[command(flatten)]
    global: Global,
    #[command(flatten)]
    serve: Serve,
}

fn main() -> ExitCode {
    let Unguarded { global, serve } = Unguarded::parse();
    chancery::dispatch::unguarded(&global, serve)
}
