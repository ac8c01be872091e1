//! Judges shell commands: they are parsed to a tree, and every simple command of it is judged, wrappers unwrapped.
//!
//! This is defence in depth. An allowed command runs with the rights of the server, and the scripts of the project are
//! not examined; how the server is started is what restricts it reliably.

mod argument;
mod ast;
mod brace;
mod commands;
mod glob;
mod judge;
mod literal;
mod parse;
mod policy;
mod walk;
mod word;

pub use literal::check as check_literal;
pub use policy::{Policy, Profile};

use argument::Argument;
use judge::Judge;
use walk::MAX_BYTES;

use crate::finding::Findings;

/// Judges a command line.
#[must_use]
pub fn check(text: &str, policy: &Policy<'_>) -> Findings {
    let mut judge = Judge::new(policy);
    judge.script_text(text);
    judge.findings
}

/// Judges a command that is given as a list of words, which no shell reads: `["rm", "-rf", "/"]`.
#[must_use]
pub fn check_words(words: &[&str], policy: &Policy<'_>) -> Findings {
    let mut judge = Judge::new(policy);
    let length: usize = words.iter().map(|word| word.len()).sum();
    if length > MAX_BYTES {
        judge
            .findings
            .add("shell.length", 0..0, "the command is longer than 32 KiB", "give less at a time");
        return judge.findings;
    }
    let arguments: Vec<Argument> = words.iter().map(|word| Argument::of_literal(word)).collect();
    judge.run(&arguments);
    judge.findings
}
