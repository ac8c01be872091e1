//! `mangle test`, once or with `--watch`.

use std::process::ExitCode;

use super::{
    super::{
        args::Test,
        exit::REJECTED,
        output::{print, tell},
    },
    render::render,
    run::run,
    watch::watch,
};

/// Runs every suite. Ends with 1 if a case fails, or none was run.
pub(in crate::mangle) fn test(args: &Test) -> anyhow::Result<ExitCode> {
    if args.watch {
        return watch(args);
    }
    let (report, _) = run(args)?;
    print(&render(&report, args.format))?;
    if report.passed() + report.failed() == 0 {
        tell("no case was run\n");
    }
    Ok(if report.failed() == 0 && report.passed() > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(REJECTED)
    })
}
