//! The place of the project, and the cargo that builds it.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};

/// Returns the root of the project for which this program is run. Checkouts may share a target directory, and so this
/// binary: cargo tells at run time which it is.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().unwrap_or(&here).to_path_buf()
}

/// Returns the cargo that runs this program, in the root.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Returns what a command writes to stdout, once it has ended successfully.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<String> {
    let shown = format!("{command:?}");
    let output = command.output().with_context(|| format!("failed to run {shown}"))?;
    if !output.status.success() {
        bail!("{shown} failed:\n{}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    String::from_utf8(output.stdout).with_context(|| format!("{shown} wrote something that is not UTF-8"))
}

/// Runs a command whose output is for the person at the terminal.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let shown = format!("{command:?}");
    let status = command.status().with_context(|| format!("failed to run {shown}"))?;
    if !status.success() {
        bail!("{shown} failed: {status}");
    }
    Ok(())
}

/// Builds the gateway, unoptimised, and returns its path.
pub(crate) fn chancery() -> anyhow::Result<PathBuf> {
    let mut build = cargo();
    build.args([
        "build",
        "--locked",
        "--quiet",
        "--package",
        "chancery",
        "--bin",
        "chancery",
        "--message-format",
        "json-render-diagnostics",
    ]);
    build.stderr(std::process::Stdio::inherit());
    output(&mut build)?
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .next_back()
        .context("cargo built no `chancery`")
}
