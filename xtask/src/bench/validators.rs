//! `cargo xtask bench validators [--data DIR]`: what the validators refuse and let pass, and how long they take.

use std::path::PathBuf;

use anyhow::{Context, bail};

use super::report;
use crate::workspace;

const HELP: &str = "\
Judges rows of attack and benign strings, prints the rates with every miss, and measures arguments of 1 kB.

Usage: cargo xtask bench validators [OPTIONS]

  --data DIR    a folder of CLASS.jsonl files (the project's own rows)
  --no-times    the rates only

It fails when a rate or a time is not what it should be.";

/// Builds and runs the measurement.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let mut command = workspace::cargo();
    command.args([
        "run",
        "--quiet",
        "--release",
        "--package",
        "validators",
        "--example",
        "measure",
        "--",
    ]);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--help" | "-h" => return report::print(HELP),
            "--no-times" => {
                command.args(["--times", "no"]);
            }
            "--data" => {
                let folder = args.next().context("`--data` needs a folder")?;
                let folder = PathBuf::from(folder)
                    .canonicalize()
                    .with_context(|| format!("there is no folder `{folder}`"))?;
                command.arg("--data").arg(folder);
            }
            _ => bail!("no option `{arg}`; `cargo xtask bench validators --help` lists them"),
        }
    }
    workspace::run(&mut command)
}
