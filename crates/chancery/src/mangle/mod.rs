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

use anyhow::Context as _;
use mangle::diagnostic::{Code, Diagnostic};

pub use args::Command;

/// Something is wrong with the program, a test failed, or the answer is no.
const REJECTED: u8 = 1;
/// The command cannot be carried out: a file cannot be read, or an option makes no sense for the program.
const UNUSABLE: u8 = 2;
/// A budget or deadline ended the evaluation.
const EXCEEDED: u8 = 3;

/// Runs a command and says how it ended: 0 well, 1 rejected, 2 not at all, 3 stopped by a budget.
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

/// How a command ends that can go no further because of these findings.
fn ended(found: &[Diagnostic]) -> ExitCode {
    let exceeded = found.iter().any(|one| one.code == Code::BudgetExceeded);
    ExitCode::from(if exceeded { EXCEEDED } else { REJECTED })
}

/// Writes a result. A reader that went away wants no more of it.
fn print(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error).context("failed to write the result"),
        _ => Ok(()),
    }
}

/// The code that a person names.
fn code(name: &str) -> anyhow::Result<Code> {
    let code = Code::by_name(&name.to_ascii_uppercase());
    code.with_context(|| {
        format!(
            "there is no code `{name}`: codes are `M` and four digits, such as `{}`",
            Code::ALL[0].name()
        )
    })
}

/// Writes what is no result: findings and figures for people.
fn tell(text: &str) {
    // Nobody is left to be told that stderr is gone.
    let _gone = std::io::stderr().lock().write_all(text.as_bytes());
}
