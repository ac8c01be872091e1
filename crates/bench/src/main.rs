//! `bench-peer`: all parts of a benchmark except the gateway.
//!
//! One binary with a subcommand for each part: the canned `upstream`, the bare `proxy` that the gateway is compared
//! with, the closed-loop `driver`, and the smaller probes for start-up, sessions, exact numbers of calls, lists that
//! change, and the speed of the machine itself. `cargo xtask bench proxy` and `cargo xtask bench views` start them and
//! put their figures together; each prints one line of JSON, or the address it listens on.

mod calibrate;
mod calls;
mod canned;
mod driver;
mod envelope;
mod histogram;
mod load;
mod output;
mod proxy;
mod sessions;
mod spawn;
mod upstream;
mod usage;
mod views;

use clap::Parser;

use output::report;

/// The gateway's allocator, so that the bare proxy has no disadvantage.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The parts of a benchmark around the gateway.
#[derive(Debug, Parser)]
#[command(name = "bench-peer")]
enum Part {
    /// Serve canned answers, over HTTP (prints its endpoint) or stdio
    Upstream(upstream::Args),
    /// Forward HTTP to one upstream with the body untouched (prints its endpoint)
    Proxy(proxy::Args),
    /// Load one endpoint in a closed loop and print what was measured
    Driver(driver::Args),
    /// Open sessions and print what each costs the watched processes
    Sessions(sessions::Args),
    /// Start the same command many times and print how long all first answers take
    Spawn(spawn::LoopArgs),
    /// Start a gateway and print how long its first `tools/list` takes
    FirstList(spawn::FirstListArgs),
    /// Start a gateway, make an exact number of calls through it, and end it
    Calls(calls::Args),
    /// Have one server of a gateway change its tools again and again, and print what that costs the gateway
    Views(views::Args),
    /// Run a fixed amount of arithmetic and print how long it took
    Calibrate,
}

fn main() -> anyhow::Result<()> {
    match Part::parse() {
        Part::Upstream(args) => upstream::run(&args),
        Part::Proxy(args) => proxy::run(&args),
        Part::Driver(args) => report(&driver::run(&args)?),
        Part::Sessions(args) => report(&sessions::run(&args)?),
        Part::Spawn(args) => report(&spawn::run_loop(&args)?),
        Part::FirstList(args) => report(&spawn::run_first_list(&args)?),
        Part::Calls(args) => report(&calls::run(&args)?),
        Part::Views(args) => report(&views::run(&args)?),
        Part::Calibrate => report(&calibrate::run()),
    }
}
