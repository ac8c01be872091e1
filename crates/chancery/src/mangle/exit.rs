//! The exit codes of `chancery mangle`.

use std::process::ExitCode;

use mangle::diagnostic::{Code, Diagnostic};

/// Something is wrong with the program, a test failed, or the answer is no.
pub(super) const REJECTED: u8 = 1;
/// The command cannot be carried out: a file cannot be read, or an option makes no sense for the program.
pub(super) const UNUSABLE: u8 = 2;
/// A budget or deadline ended the evaluation.
const EXCEEDED: u8 = 3;

/// The exit code of a command that can go no further because of these findings.
pub(super) fn ended(found: &[Diagnostic]) -> ExitCode {
    let exceeded = found.iter().any(|one| one.code == Code::BudgetExceeded);
    ExitCode::from(if exceeded { EXCEEDED } else { REJECTED })
}
