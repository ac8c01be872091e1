//! The exit codes of `chancery mangle`.

use std::process::ExitCode;

use mangle::diagnostic::{Code, Diagnostic};

/// The program is wrong, a test failed, or the answer is no.
pub(super) const REJECTED: u8 = 1;
/// The command cannot be carried out: a file cannot be read, or an option does not fit the program.
pub(super) const UNUSABLE: u8 = 2;
/// A budget or deadline ended the evaluation.
const EXCEEDED: u8 = 3;

/// Returns the exit code of a command that these findings end.
pub(super) fn ended(found: &[Diagnostic]) -> ExitCode {
    let exceeded = found.iter().any(|one| one.code == Code::BudgetExceeded);
    ExitCode::from(if exceeded { EXCEEDED } else { REJECTED })
}
