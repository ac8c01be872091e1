//! `cargo xtask bench store [--folder DIR] [--seconds N]`: how many events and changes the store takes.

use std::path::PathBuf;

use anyhow::{Context, bail};

use super::report;
use crate::workspace;

const HELP: &str = "\
Measures how many events and changes a store takes, in both sync modes, how long each waits, and how long queries take.

Usage: cargo xtask bench store [OPTIONS]

  --folder DIR    a folder on the disk to be measured (the system's folder for temporary files)
  --seconds N     how long each measurement takes (3)

It fails when the store takes fewer events than it should.";

/// Builds and runs the measurement.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let mut command = workspace::cargo();
    command.args(["run", "--quiet", "--release", "--package", "store", "--example", "measure", "--"]);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--help" | "-h" => return report::print(HELP),
            "--folder" => {
                let folder = args.next().context("`--folder` needs a folder")?;
                let folder = PathBuf::from(folder)
                    .canonicalize()
                    .with_context(|| format!("there is no folder `{folder}`"))?;
                command.arg("--folder").arg(folder);
            }
            "--seconds" => {
                let seconds = args.next().context("`--seconds` needs a number")?;
                command.arg("--seconds").arg(seconds);
            }
            _ => bail!("no option `{arg}`; `cargo xtask bench store --help` lists them"),
        }
    }
    workspace::run(&mut command)
}
