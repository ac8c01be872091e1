//! `cargo xtask bench policy [--seed N]`: what a question to the policy costs with many principals and grants.

use anyhow::{Context, bail};

use super::report;
use crate::workspace;

const HELP: &str = "\
Asks a policy of 10,000 principals and 100,000 grants, and measures what lists, changes, approvals and rate limits cost beside it.

Usage: cargo xtask bench policy [--seed N]

  --seed N   who has which grants, and who asks for what (7)

It fails when the 99th percentile of a question is over 5 µs.";

/// Builds and runs the measurement.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let mut command = workspace::cargo();
    command.args(["run", "--quiet", "--release", "--package", "policy", "--example", "measure", "--"]);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--help" | "-h" => return report::print(HELP),
            "--seed" => {
                let seed: u64 = args.next().and_then(|seed| seed.parse().ok()).context("`--seed` needs a number")?;
                command.args(["--seed", &seed.to_string()]);
            }
            _ => bail!("no option `{arg}`; `cargo xtask bench policy --help` lists them"),
        }
    }
    workspace::run(&mut command)
}
