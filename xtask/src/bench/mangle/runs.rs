//! Runs the engines, one process for each measurement.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::workspace;

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Mangle,
    Ascent,
    Datafrog,
    Clingo,
}

impl Engine {
    pub(super) const ALL: [Self; 4] = [Self::Mangle, Self::Ascent, Self::Datafrog, Self::Clingo];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Mangle => "mangle",
            Self::Ascent => "ascent",
            Self::Datafrog => "datafrog",
            Self::Clingo => "clingo",
        }
    }
}

/// One measurement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) milliseconds: f64,
    pub(super) mebibytes: f64,
    /// How many rows were counted; clingo counts other ones.
    pub(super) rows: Option<u64>,
}

/// The binary with the engines, and the Python that has clingo.
#[derive(Debug)]
pub(super) struct Peer {
    binary: PathBuf,
    /// Our engine alone, with the allocator of the gateway.
    intents: PathBuf,
    python: Option<PathBuf>,
    folder: tempfile::TempDir,
}

/// Grounds a program; nothing is solved, as there is nothing to choose.
const CLINGO: &str = "import clingo, sys
control = clingo.Control(['--warn=none'])
control.load(sys.argv[1])
control.ground([('base', [])])
";

impl Peer {
    /// Builds the binary with the engines. It stands outside the workspace.
    pub(super) fn build(python: Option<PathBuf>) -> anyhow::Result<Self> {
        let manifest = "peers/mangle/Cargo.toml";
        let output = workspace::cargo()
            .args([
                "build",
                "--release",
                "--locked",
                "--message-format",
                "json-render-diagnostics",
                "--manifest-path",
                manifest,
            ])
            .stderr(Stdio::inherit())
            .output()
            .context("failed to run cargo")?;
        ensure!(output.status.success(), "`{manifest}` does not build");
        let lines = output.stdout.split(|byte| *byte == b'\n');
        let messages = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
        let executables: Vec<PathBuf> = messages
            .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
            .collect();
        let built = |name: &str| {
            let found = executables.iter().find(|path| path.file_stem().is_some_and(|stem| stem == name));
            found.cloned().with_context(|| format!("cargo built no `{name}`"))
        };
        Ok(Self {
            binary: built("mangle-peer")?,
            intents: built("mangle-intent")?,
            python,
            folder: tempfile::tempdir()?,
        })
    }

    /// One measurement; `None` if the engine does not do the case, or is not there.
    pub(super) fn measure(&self, engine: Engine, case: &str, size: Option<usize>) -> anyhow::Result<Option<Sample>> {
        if engine == Engine::Clingo {
            return self.clingo(case);
        }
        let size = size.map(|size| size.to_string());
        let output = Command::new(&self.binary)
            .args([engine.name(), case])
            .args(size)
            .stderr(Stdio::inherit())
            .output()
            .context("failed to run the peer")?;
        if output.status.code() == Some(3) {
            return Ok(None);
        }
        ensure!(output.status.success(), "{} fails at `{case}`", engine.name());
        let sample: Value = serde_json::from_slice(&output.stdout).context("the peer says no JSON")?;
        Ok(Some(Sample {
            milliseconds: number(&sample, "ms")?,
            mebibytes: number(&sample, "kib")? / 1024.0,
            rows: sample["rows"].as_u64(),
        }))
    }

    fn clingo(&self, case: &str) -> anyhow::Result<Option<Sample>> {
        let Some(python) = &self.python else { return Ok(None) };
        let program = self.folder.path().join(format!("{case}.lp"));
        if !program.exists() {
            let output = Command::new(&self.binary).args(["clingo", case]).output()?;
            ensure!(output.status.success(), "there is no `{case}` for clingo");
            fs::write(&program, output.stdout)?;
        }
        let start = Instant::now();
        let status = Command::new(python).args(["-c", CLINGO]).arg(&program).status()?;
        ensure!(status.success(), "clingo fails at `{case}`");
        Ok(Some(Sample {
            milliseconds: start.elapsed().as_secs_f64() * 1e3,
            mebibytes: 0.0,
            rows: None,
        }))
    }

    /// Milliseconds of an intent on a warm snapshot: half of them take no longer, 99 of 100 take no longer; of the calibration loop
    /// between them; and of making the snapshot.
    pub(super) fn intent(&self) -> anyhow::Result<[f64; 4]> {
        let output = Command::new(&self.intents).stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "the intents fail");
        let sample: Value = serde_json::from_slice(&output.stdout)?;
        let [p50, p99, calibration, snapshot] = ["p50", "p99", "loop_ms", "snapshot_ms"].map(|key| number(&sample, key));
        Ok([p50?, p99?, calibration?, snapshot?])
    }

    /// Milliseconds to read 1 MiB of facts.
    pub(super) fn parse(&self) -> anyhow::Result<f64> {
        let output = Command::new(&self.binary)
            .args(["parse", "reach"])
            .stderr(Stdio::inherit())
            .output()?;
        ensure!(output.status.success(), "the facts do not parse");
        number(&serde_json::from_slice(&output.stdout)?, "ms")
    }
}

fn number(sample: &Value, key: &str) -> anyhow::Result<f64> {
    sample[key].as_f64().with_context(|| format!("the peer says no `{key}`"))
}
