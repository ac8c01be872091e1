//! One run of `bench-peer`, and what it reports.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};

use super::cells::Era;

/// What a driver is pointed at.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// An endpoint, and the process behind it.
    Endpoint { url: String, pid: u32 },
    /// A command that the driver starts.
    Command(Vec<String>),
}

impl Target {
    /// The endpoint.
    pub(crate) fn url(&self) -> anyhow::Result<&str> {
        Ok(self.endpoint()?.0)
    }

    /// The process behind the endpoint.
    pub(crate) fn pid(&self) -> anyhow::Result<u32> {
        Ok(self.endpoint()?.1)
    }

    fn endpoint(&self) -> anyhow::Result<(&str, u32)> {
        match self {
            Self::Endpoint { url, pid } => Ok((url, *pid)),
            Self::Command(command) => anyhow::bail!("`{}` has no endpoint", command.join(" ")),
        }
    }
}

/// The load that a driver is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    pub(crate) era: Era,
    pub(crate) concurrency: u32,
    pub(crate) what: What,
    pub(crate) length: Length,
}

/// What a load repeats.
#[derive(Debug, Clone)]
pub(crate) enum What {
    /// Calls of a tool, whose text has so many bytes.
    Call { tool: String, bytes: usize },
    /// Lists of so many tools.
    List(usize),
}

/// How long a load is measured.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Length {
    Seconds(f64),
    Requests(u64),
}

/// What one run of the driver measured.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) rps: f64,
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
    /// Processor time for each request of the process that was measured, with its children where they are part of it.
    pub(crate) cpu_us: f64,
    /// Processor time for each request of the children that are servers of their own.
    pub(crate) children_cpu_us: f64,
    /// Resident memory of the process when the measurement began, and at its end (with children that are part of it).
    pub(crate) rss_kb: (f64, f64),
    /// Everything that the driver reported.
    pub(crate) report: Value,
}

/// Runs the driver. `with_children` counts a process's children as part of it.
pub(crate) fn drive(peer: &Path, target: &Target, load: &Load, with_children: bool) -> anyhow::Result<Sample> {
    let mut command = Command::new(peer);
    command.args(["driver", "--era", load.era.name(), "--concurrency", &load.concurrency.to_string()]);
    match &load.what {
        What::Call { tool, bytes } => command.args(["--tool", tool, "--text", &bytes.to_string()]),
        What::List(tools) => command.args(["--list", &tools.to_string()]),
    };
    match load.length {
        Length::Seconds(seconds) => command.args(["--seconds", &seconds.to_string()]),
        Length::Requests(requests) => command.args(["--requests", &requests.to_string(), "--warmup", "3"]),
    };
    match target {
        Target::Endpoint { url, pid } => command.args(["--url", url, "--watch", &format!("target={pid}")]),
        Target::Command(words) => command.arg("--").args(words),
    };
    let report = report(&mut command)?;
    let errors = report["errors"].as_u64().unwrap_or(u64::MAX);
    ensure!(errors == 0, "{errors} wrong answers, such as {}", report["error_samples"]);
    ensure!(
        report["requests"].as_u64() > Some(0),
        "no request was answered in the time that was measured"
    );
    sample(report, with_children)
}

fn sample(report: Value, with_children: bool) -> anyhow::Result<Sample> {
    let read = |path: &str| number(&report, path);
    let own = read("/watched/target/cpu_us")?;
    let children = read("/watched/target/children_cpu_us")?;
    let (rss_kb, children_rss_kb) = (
        read("/watched/target/usage/rss_kb")?,
        read("/watched/target/usage/children_rss_kb")?,
    );
    Ok(Sample {
        rps: read("/rps")?,
        p50_us: read("/p50_us")?,
        p99_us: read("/p99_us")?,
        cpu_us: if with_children { own + children } else { own },
        children_cpu_us: if with_children { 0.0 } else { children },
        rss_kb: (
            read("/watched/target/usage/rss_before_kb")?,
            rss_kb + if with_children { children_rss_kb } else { 0.0 },
        ),
        report,
    })
}

impl Sample {
    /// The sample as JSON, for `--json`.
    pub(crate) fn json(&self, round: usize) -> Value {
        json!({"round": round, "cpu_us": self.cpu_us, "driver": self.report})
    }
}

/// Runs another subcommand of `bench-peer`.
pub(crate) fn peer(peer: &Path, args: &[&str], command_after: &[String]) -> anyhow::Result<Value> {
    let mut command = Command::new(peer);
    command.args(args);
    if !command_after.is_empty() {
        command.arg("--").args(command_after);
    }
    report(&mut command)
}

/// The number at `path` of a report.
pub(crate) fn number(report: &Value, path: &str) -> anyhow::Result<f64> {
    report
        .pointer(path)
        .and_then(Value::as_f64)
        .with_context(|| format!("no number at `{path}` of {report}"))
}

fn report(command: &mut Command) -> anyhow::Result<Value> {
    let output = command.stdin(Stdio::null()).output().context("failed to run bench-peer")?;
    if !output.status.success() {
        bail!("{}", complaint(&String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).context("failed to read a report of bench-peer")
}

/// The error in what bench-peer wrote to stderr, behind what a gateway that it started logged there.
fn complaint(stderr: &str) -> String {
    let lines: Vec<&str> = stderr.lines().collect();
    let error = lines.iter().position(|line| line.starts_with("Error:"));
    let from = error.unwrap_or(lines.len().saturating_sub(5));
    lines[from..].iter().take(5).copied().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report_of(own: f64, children: f64) -> Value {
        let usage = json!({"rss_before_kb": 1000, "rss_kb": 1100, "children_rss_kb": 50});
        let target = json!({"cpu_us": own, "children_cpu_us": children, "usage": usage});
        json!({"rps": 10.0, "p50_us": 2.0, "p99_us": 3, "watched": {"target": target}})
    }

    #[test]
    fn children_are_part_of_a_process_or_not() {
        let apart = sample(report_of(5.0, 7.0), false).expect("complete");
        assert_eq!((apart.cpu_us, apart.children_cpu_us, apart.rss_kb), (5.0, 7.0, (1000.0, 1100.0)));
        let together = sample(report_of(5.0, 7.0), true).expect("complete");
        assert_eq!(
            (together.cpu_us, together.children_cpu_us, together.rss_kb),
            (12.0, 0.0, (1000.0, 1150.0))
        );
    }

    #[test]
    fn an_error_is_found_behind_a_log() {
        let log = "INFO started server=a\n".repeat(9);
        let error = complaint(&format!("{log}Error: 7 tools are listed\n\nCaused by:\n    nothing\n"));
        assert_eq!(error, "Error: 7 tools are listed  Caused by:     nothing");
        assert_eq!(complaint("thread main panicked\nat main.rs\n"), "thread main panicked at main.rs");
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = sample(json!({"rps": 1.0}), false).expect_err("incomplete").to_string();
        assert!(error.contains("/watched/target/cpu_us"), "{error}");
    }
}
