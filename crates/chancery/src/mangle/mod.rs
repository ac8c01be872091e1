//! `chancery mangle …`: Mangle programs without a gateway. One file a command.

mod args;
mod bench;
mod check;
mod deadline;
mod evaluate;
mod external;
mod facts;
mod fmt;
mod graph;
mod load;
mod lsp;
mod repl;
mod run;
mod test;
mod why;

use std::io::Write as _;
use std::process::ExitCode;

use mangle::diagnostic::{Code, Diagnostic};

pub use args::Command;

/// Something is wrong with the program, or a test failed.
const REJECTED: u8 = 1;
/// A budget or deadline ended the evaluation.
const EXCEEDED: u8 = 3;

/// Runs a command and says how it ended: 0 well, 1 rejected, 3 stopped by a budget.
///
/// # Errors
/// A file cannot be read or written.
pub fn dispatch(command: Command) -> anyhow::Result<ExitCode> {
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

/// How a command ends that can go no further because of these findings.
fn ended(found: &[Diagnostic]) -> ExitCode {
    let exceeded = found.iter().any(|one| one.code == Code::BudgetExceeded);
    ExitCode::from(if exceeded { EXCEEDED } else { REJECTED })
}

/// Writes a result. A reader that went away wants no more of it.
fn print(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Writes what is no result: findings and figures for people.
fn tell(text: &str) {
    // Nobody is left to be told that stderr is gone.
    let _gone = std::io::stderr().lock().write_all(text.as_bytes());
}
