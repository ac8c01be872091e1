//! The output of a command: results to stdout, everything else to stderr.

use std::io::Write as _;

use anyhow::Context as _;

/// Writes a result to stdout. A reader that has closed its end is no error.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error).context("failed to write the result"),
        _ => Ok(()),
    }
}

/// Writes findings and figures for people to stderr.
pub(super) fn tell(text: &str) {
    // If stderr is closed, the text is lost.
    let _gone = std::io::stderr().lock().write_all(text.as_bytes());
}
