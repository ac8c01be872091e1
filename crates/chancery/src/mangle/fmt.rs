//! `mangle fmt`: formats programs in the standard style.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use mangle::syntax::{Dialect, Sources, format, parse};

use super::{
    args::Fmt,
    exit::{REJECTED, UNUSABLE},
    load::{called, read, report},
    output::{print, tell},
};
use crate::config::replace_file;

/// Formats each file; a file that is not a program stays as it is, and the others are formatted all the same.
pub(super) fn fmt(args: &Fmt) -> anyhow::Result<ExitCode> {
    let mut worst = 0;
    for file in &args.files {
        let end = match one(file, args.check) {
            Ok(true) => 0,
            Ok(false) => REJECTED,
            Err(error) => {
                tell(&format!("error: {error:#}\n"));
                UNUSABLE
            }
        };
        worst = worst.max(end);
    }
    Ok(ExitCode::from(worst))
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
    replace_file(file, formatted.as_bytes()).with_context(|| format!("failed to write `{}`", file.display()))?;
    Ok(true)
}
