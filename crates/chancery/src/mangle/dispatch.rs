//! Dispatches `chancery mangle COMMAND` to its function.

use std::process::ExitCode;

use super::{args::Command, bench, check, exit::UNUSABLE, fmt, graph, lsp, output::tell, repl, run, test, why};

/// Runs a command and returns its exit code: 0 for success, 1 for a rejected program, 2 for a command that could not
/// run, 3 for an exceeded budget.
#[must_use]
pub fn dispatch(command: Command) -> ExitCode {
    carried_out(command).unwrap_or_else(|error| {
        tell(&format!("error: {}\n", format!("{error:#}").trim_end()));
        ExitCode::from(UNUSABLE)
    })
}

fn carried_out(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Run(args) => run::run(&args),
        Command::Check(args) => check::check(&args),
        Command::Fmt(args) => fmt::fmt(&args),
        Command::Why(args) => why::why(&args, false),
        Command::WhyNot(args) => why::why(&args, true),
        Command::Test(args) => test::test(&args),
        Command::Repl(args) => repl::repl(&args),
        Command::Lsp(args) => lsp::lsp(&args),
        Command::Graph(args) => graph::graph(&args),
        Command::Bench(args) => bench::bench(&args),
    }
}
