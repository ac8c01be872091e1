//! The machine of a run: figures mean nothing without it.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

/// What the figures were measured on.
#[derive(Debug)]
pub(crate) struct Machine {
    processor: String,
    processors: usize,
    kernel: String,
    rustc: String,
    commit: String,
    /// The load average of the last minute before the run: near 0, or other processes influence the figures.
    pub(crate) load: f64,
}

impl Machine {
    /// Looks around.
    pub(crate) fn look() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let processor = read("/proc/cpuinfo");
        let processor = processor
            .lines()
            .find(|line| line.starts_with("model name"))
            .and_then(|line| line.split_once(": "));
        Self {
            processor: processor.map_or_else(|| "unknown processor".to_owned(), |(_, name)| name.to_owned()),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            rustc: said_by("rustc", &["--version"]),
            commit: said_by("git", &["describe", "--always", "--dirty"]),
            load: read("/proc/loadavg")
                .split(' ')
                .next()
                .and_then(|load| load.parse().ok())
                .unwrap_or(0.0),
        }
    }

    /// One sentence.
    pub(crate) fn describe(&self) -> String {
        let Self {
            processor,
            processors,
            kernel,
            rustc,
            commit,
            load,
        } = self;
        format!("{processors} × {processor}, Linux {kernel}, {rustc}, commit {commit}, load before the run {load:.2}")
    }

    /// Returns the machine as JSON, for programs.
    pub(crate) fn json(&self) -> Value {
        json!({
            "processor": self.processor,
            "processors": self.processors,
            "kernel": self.kernel,
            "rustc": self.rustc,
            "commit": self.commit,
            "load": self.load,
        })
    }
}

/// The first line that a command prints; nothing when it can't.
fn said_by(program: &str, args: &[&str]) -> String {
    let output = Command::new(program)
        .args(args)
        .output()
        .map(|output| output.stdout)
        .unwrap_or_default();
    String::from_utf8_lossy(&output).lines().next().unwrap_or_default().to_owned()
}
