//! What a command says: its result, what stands beside it, and why it failed.

use std::io::Write as _;

/// An error whose text completes "failed to …".
pub(super) fn failed(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow::anyhow!("failed to {error}")
}

/// Says something beside the result, to whoever watches.
pub(super) fn note(line: &str) {
    writeln!(std::io::stderr().lock(), "{line}").ok();
}

/// Prints a line of a result. A reader that has gone away is no error of ours.
pub(super) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).ok();
}
