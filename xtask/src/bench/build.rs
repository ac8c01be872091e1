//! The release binaries that a benchmark measures and needs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::cells::Lane;
use super::options::Options;
use super::peers;
use crate::workspace;

/// Where the binaries are.
#[derive(Debug)]
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

/// Runs `cargo build --release` and reads from its messages where it put each executable.
fn build(binaries: &[&str]) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    let mut command = workspace::cargo();
    command.args(["build", "--release", "--message-format", "json-render-diagnostics"]);
    command.args(["--package", "bench", "--package", "chancery"]);
    for binary in binaries {
        command.args(["--bin", binary]);
    }
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
