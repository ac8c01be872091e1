//! Shell commands: parsed to a tree, every simple command of which is judged, wrappers unwrapped.
//!
//! This is defence in depth. A command that is allowed runs with the rights of the server, and what a script of the project does is not looked
//! at; what holds a server back for good is how it is started.

mod ast;
mod brace;
mod commands;
mod glob;
mod literal;
mod parse;
mod walk;
mod word;

pub use literal::check as check_literal;

use commands::Argument;
use walk::Judge;

use crate::finding::Findings;
use crate::path::Roots;
use crate::text;

/// Longer texts are refused unread.
const MAX_BYTES: usize = 32 * 1024;

/// How much of the shell is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// One command that only reads, out of those that are known.
    Strict,
    /// MGP §4.5 in its own words: one command, no metacharacters, nothing dangerous, no recursive delete.
    Default,
    /// Pipes, lists and redirects of known commands, each of them judged.
    Pipeline,
}

impl Profile {
    /// By its name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "strict" => Self::Strict,
            "default" => Self::Default,
            "pipeline" => Self::Pipeline,
            _ => return None,
        })
    }
}

/// What a command is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    /// How much of the shell is allowed.
    pub profile: Profile,
    /// Where paths may lead.
    pub roots: &'a Roots,
    /// Whether everything that changes something is refused.
    pub read_only: bool,
    /// Commands that are allowed besides the known ones, as they are called.
    pub allow: &'a [String],
}

/// Judges a command line.
#[must_use]
pub fn check(text: &str, policy: &Policy<'_>) -> Findings {
    let mut judge = Judge::new(policy);
    if well_formed(&mut judge.findings, text) {
        parsed(&mut judge, text);
    }
    judge.findings
}

/// Judges a command that comes as a list of words, which no shell reads: `["rm", "-rf", "/"]`.
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

fn parsed(judge: &mut Judge<'_>, text: &str) {
    match parse::parse(text) {
        Ok(script) if script.items.is_empty() => {
            judge
                .findings
                .add("shell.syntax", 0..text.len(), "there is no command", "give a command");
        }
        Ok(script) => judge.script(&script),
        Err(error) => {
            let hint = "write it without that, or as several calls";
            judge.findings.add("shell.syntax", error.at..text.len(), error.reason, hint);
        }
    }
}

/// Judges a script that a command was given as an argument, as part of the same judgement.
fn check_inner(judge: &mut Judge<'_>, argument: &Argument, text: &str) {
    let inner = judge.inside(|judge| {
        if well_formed(&mut judge.findings, text) {
            parsed(judge, text);
        }
    });
    judge.findings.absorb_at(inner, &argument.span);
}

/// What no shell should get, whatever it means: too much, and what a reader would not see.
fn well_formed(findings: &mut Findings, text: &str) -> bool {
    if text.len() > MAX_BYTES {
        findings.add(
            "shell.length",
            0..text.len(),
            "the command is longer than 32 KiB",
            "give less at a time",
        );
        return false;
    }
    if let Some((at, c)) = text::invisible(text) {
        let reason = format!("the character U+{:04X} can't be seen", u32::from(c));
        findings.add("shell.characters", at..at + c.len_utf8(), reason, "leave it out");
        return false;
    }
    true
}
