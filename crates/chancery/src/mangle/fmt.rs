//! `mangle fmt`: the one style.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use mangle::syntax::{Dialect, Sources, format, parse};

use super::{
    REJECTED,
    args::Fmt,
    load::{called, read, report},
    print, tell,
};

/// Formats each file; one that cannot be read as a program stays as it is.
pub(super) fn fmt(args: &Fmt) -> anyhow::Result<ExitCode> {
    let mut well = true;
    for file in &args.files {
        well &= one(file, args.check)?;
    }
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::from(REJECTED) })
}

fn one(file: &Path, check: bool) -> anyhow::Result<bool> {
    let text = read(file)?;
    let sources = Sources::of(&called(file), &text)?;
    let source = sources.get(0).context("there is one source")?;
    let parsed = parse(source, Dialect::Extended);
    if !parsed.is_ok() {
        tell(&report(&parsed.diagnostics, &sources));
        return Ok(false);
    }
    let formatted = format(&parsed.unit, source);
    if file == Path::new("-") && !check {
        print(&formatted)?;
        return Ok(true);
    }
    if formatted == text {
        return Ok(true);
    }
    if check {
        print(&format!("{}\n", called(file)))?;
        return Ok(false);
    }
    std::fs::write(file, formatted).with_context(|| format!("failed to write `{}`", file.display()))?;
    Ok(true)
}
