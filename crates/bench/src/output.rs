//! What the parts print: reports, and the lines that a parent waits for.

use std::io::Write;

use serde::Serialize;

/// Prints a report as one line of JSON.
pub(crate) fn report(report: &impl Serialize) -> anyhow::Result<()> {
    print_line(&serde_json::to_string(report)?)
}

/// Writes one line to stdout and flushes it, so that a parent that waits for it sees it at once.
pub(crate) fn print_line(line: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()?;
    Ok(())
}
