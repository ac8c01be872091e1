//! `cargo xtask bench proxy`: what the gateway costs, measured beside its peers in one interleaved run.

mod build;
mod cells;
mod figures;
mod fleet;
mod machine;
mod options;
mod peers;
mod probe;
mod process;
mod report;
mod run;
mod stats;
mod table;
mod targets;

use anyhow::bail;

/// Runs the benchmark that the first argument names.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    match args.split_first() {
        Some((name, rest)) if name == "proxy" => match options::Options::parse(rest)? {
            Some(options) => proxy(&options),
            None => report::print(options::HELP),
        },
        _ => bail!("say which benchmark: `cargo xtask bench proxy [--quick]`; `--help` after it lists its options"),
    }
}

/// Builds, measures, reports. An error of the gateway fails the run after the report, one of a peer is only noted.
fn proxy(options: &options::Options) -> anyhow::Result<()> {
    let binaries = build::release(options)?;
    let mut fleet = fleet::Fleet::new(options, binaries)?;
    let measured = run::measure(options, &mut fleet)?;
    report::write(options, &measured)?;
    measured.verdict()
}
