//! The release binaries that a benchmark measures and needs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::cells::Lane;
use super::options::Options;
use super::peers;
use crate::workspace;

/// Where the binaries are.
#[derive(Debug, Clone)]
pub(crate) struct Binaries {
    pub(crate) bench_peer: PathBuf,
    /// `None` when no lane goes through the gateway.
    pub(crate) chancery: Option<PathBuf>,
    /// `None` when no lane goes without the guard.
    pub(crate) unguarded: Option<PathBuf>,
    /// `None` when it isn't installed.
    pub(crate) nginx: Option<PathBuf>,
    /// `None` when it isn't in the cache.
    pub(crate) mcp_gateway: Option<PathBuf>,
}

impl Binaries {
    /// A gateway and what drives it, without anything to compare it with.
    pub(crate) fn of_gateway(chancery: PathBuf, bench_peer: PathBuf) -> Self {
        Self {
            bench_peer,
            chancery: Some(chancery),
            unguarded: None,
            nginx: None,
            mcp_gateway: None,
        }
    }
}

/// Builds our own binaries and finds the others.
pub(crate) fn release(options: &Options) -> anyhow::Result<Binaries> {
    let with_gateway = options.lanes.iter().any(|lane| lane.is_ours());
    let without_guard = options.lanes.contains(&Lane::Unguarded);
    let mut binaries = vec!["bench-peer"];
    binaries.extend(with_gateway.then_some("chancery"));
    binaries.extend(without_guard.then_some("chancery-unguarded"));
    let mut built = build(&binaries)?;
    let mut take = |name: &str| built.remove(name).with_context(|| format!("cargo built no `{name}`"));
    Ok(Binaries {
        bench_peer: take("bench-peer")?,
        chancery: with_gateway.then(|| take("chancery")).transpose()?,
        unguarded: without_guard.then(|| take("chancery-unguarded")).transpose()?,
        nginx: peers::nginx(),
        mcp_gateway: if options.peers {
            Some(peers::install_mcp_gateway()?)
        } else {
            peers::mcp_gateway()
        },
    })
}

/// What is built, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin<'a> {
    /// The root of the project.
    pub(crate) folder: &'a Path,
    /// Where to build; `None` leaves it to cargo.
    pub(crate) target: Option<&'a Path>,
    /// A file with configuration of cargo, above what the project says.
    pub(crate) profile: Option<&'a Path>,
}

/// Builds one binary of one package, with the features that this package asks for; where it is.
pub(crate) fn executable(from: &Origin<'_>, package: &str, binary: &str) -> anyhow::Result<PathBuf> {
    let mut command = workspace::cargo();
    command.current_dir(from.folder).args(["build", "--release", "--locked"]);
    if let Some(profile) = from.profile {
        command.arg("--config").arg(profile);
    }
    if let Some(target) = from.target {
        command.arg("--target-dir").arg(target);
    }
    let mut built = built(command.args(["--package", package, "--bin", binary]))?;
    built.remove(binary).with_context(|| format!("cargo built no `{binary}`"))
}

/// Runs `cargo build --release` for binaries of ours, and finds where it put each.
fn build(binaries: &[&str]) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    let mut command = workspace::cargo();
    command.args(["build", "--release", "--package", "bench", "--package", "chancery"]);
    for binary in binaries {
        command.args(["--bin", binary]);
    }
    built(&mut command)
}

/// Runs a command of cargo that builds, and reads from its messages where it put each executable.
fn built(command: &mut Command) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    command.args(["--message-format", "json-render-diagnostics"]);
    let output = command.stderr(Stdio::inherit()).output().context("failed to run cargo")?;
    ensure!(output.status.success(), "the release build failed");
    let mut built = BTreeMap::new();
    for line in output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message: Value = serde_json::from_slice(line).context("failed to read a message of cargo")?;
        if let (Some(name), Some(path)) = (message["target"]["name"].as_str(), message["executable"].as_str()) {
            built.insert(name.to_owned(), path.into());
        }
    }
    Ok(built)
}
