//! `cargo xtask bench NAME`: what the gateway costs, beside its peers or beside what it was at a commit, and what a change of one
//! server's tools costs it; whether its rule language is what a corpus of programs says; what its validators refuse and let pass; what
//! a question to its policy costs, and how much its store takes.

mod against;
mod build;
mod cells;
mod figures;
mod fleet;
mod home;
mod machine;
mod mangle;
mod mangle_corpus;
mod mangle_examples;
mod options;
mod peers;
mod policy;
mod probe;
mod process;
mod report;
mod run;
mod servers;
mod stats;
mod store;
mod table;
mod targets;
mod validators;
mod views;

use anyhow::bail;

/// Runs the benchmark that the first argument names.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    match args.split_first() {
        Some((name, rest)) if name == "proxy" => proxy(rest),
        Some((name, rest)) if name == "validators" => validators::run(rest),
        Some((name, rest)) if name == "policy" => policy::run(rest),
        Some((name, rest)) if name == "views" => views::run(rest),
        Some((name, rest)) if name == "store" => store::run(rest),
        Some((name, rest)) if name == "mangle" => mangle::run(rest),
        Some((name, rest)) if name == "mangle-corpus" => mangle_corpus::run(rest),
        Some((name, rest)) if name == "mangle-examples" => mangle_examples::run(rest),
        _ => bail!(
            "say which benchmark: `cargo xtask bench proxy [--quick]`, `cargo xtask bench views`, `cargo xtask bench validators`, `cargo xtask bench policy`, \
             `cargo xtask bench store` or `cargo xtask bench mangle`, `--help` after it lists its options; or `cargo xtask bench mangle-corpus --data DIR` and `mangle-examples --data DIR`"
        ),
    }
}

/// The gateway beside its peers, or beside what it was at a commit.
fn proxy(args: &[String]) -> anyhow::Result<()> {
    let options = if against::options::are_against(args) {
        against::options::Options::parse(args)?.map(|options| against::run(&options))
    } else {
        options::Options::parse(args)?.map(|options| beside_peers(&options))
    };
    options.unwrap_or_else(|| report::print(&format!("{}\n\n{}", options::HELP, against::options::HELP)))
}

/// Builds, measures, reports. An error of the gateway fails the run after the report, one of a peer is only noted.
fn beside_peers(options: &options::Options) -> anyhow::Result<()> {
    let binaries = build::release(options)?;
    let mut fleet = fleet::Fleet::new(options.workers, binaries)?;
    let measured = run::measure(options, &mut fleet)?;
    report::write(options, &measured)?;
    measured.verdict()
}
