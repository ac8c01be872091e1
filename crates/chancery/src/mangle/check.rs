//! `mangle check`: reports everything that is wrong with a program.

use std::process::ExitCode;

use mangle::{
    diagnostic::{Severity, json, sarif},
    eval::Cancel,
};

use super::{
    args::{Check, Findings, code},
    deadline::Deadline,
    exit::{REJECTED, ended},
    load::{load, report},
    output::print,
};

/// Checks the program and prints the findings.
pub(super) fn check(args: &Check) -> anyhow::Result<ExitCode> {
    if let Some(code) = &args.explain {
        return explain(code);
    }
    let deadline = Deadline::start(args.reading.deadline, Cancel::default());
    let loaded = load(&args.program, &deadline.bounds(&args.reading))?;
    let least = if args.notes { Severity::Note } else { Severity::Warning };
    let found = loaded.findings(least);
    let text = match args.format {
        Findings::Human if found.is_empty() => "ok\n".to_owned(),
        Findings::Human => report(&found, &loaded.sources),
        Findings::Json => format!("{:#}\n", json(&found, &loaded.sources)),
        Findings::Sarif => format!("{:#}\n", sarif(&found, &loaded.sources, env!("CARGO_PKG_VERSION"))),
    };
    print(&text)?;
    let denied = args.deny_warnings && found.iter().any(|one| one.severity >= Severity::Warning);
    Ok(if loaded.is_rejected() {
        ended(&found)
    } else if denied {
        ExitCode::from(REJECTED)
    } else {
        ExitCode::SUCCESS
    })
}

fn explain(name: &str) -> anyhow::Result<ExitCode> {
    let code = code(name)?;
    let text = format!(
        "{} ({}): {}\n\n{}\n",
        code.name(),
        code.severity().name(),
        code.title(),
        code.explanation()
    );
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
