//! The output of a command: its result, its notes, and the reason of a failure.

use std::io::Write as _;

/// Returns an error whose text completes "failed to …".
pub(super) fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow::anyhow!("failed to {error}")
}

/// Prints a note beside the result, to stderr.
pub(super) fn note(line: &str) {
    writeln!(std::io::stderr().lock(), "{line}").ok();
}

/// Prints a line of a result. A reader that has closed its end is no error of ours.
pub(super) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).ok();
}
