//! The rows of commands: the kind of their operands, and which options take text, write, or give away control.

use super::super::argument::Argument;
use super::super::judge::Judge;

/// The function that judges one command: its name is the first argument.
pub(crate) type Special = fn(&mut Judge<'_>, &[Argument]);

/// The kind of a command's operands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// The operands are text: nothing is opened.
    Text,
    /// The operands are names; those with a slash are files that are read.
    Name,
    /// The operands are files that are read.
    Read,
    /// The first operand is a pattern or a program, the others are files that are read.
    Pattern,
    /// The operands are files that are made, changed or removed, one by one.
    Write,
    /// The operands concern a project, whose own code may run.
    Build,
    /// The command has rules of its own.
    Special(Special),
}

/// A row of commands that have common rules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(super) names: &'static str,
    pub(crate) kind: Kind,
    /// The options whose value is text, not a path: letters and long names, without dashes. With `?` behind the name,
    /// the value is never the next argument, only what is attached to the option. An option that is not here has no
    /// value, or one that is judged as an operand.
    pub(crate) texts: &'static str,
    /// The options whose value is a file that is written.
    pub(crate) writes: &'static str,
    /// The options that are refused: letters and long names, without dashes.
    pub(crate) refused: &'static str,
}

/// Returns a row with options that take text, and options that are refused.
pub(super) const fn row(kind: Kind, names: &'static str, texts: &'static str, refused: &'static str) -> Row {
    Row {
        names,
        kind,
        texts,
        writes: "",
        refused,
    }
}

/// Returns a row with rules of its own.
pub(super) const fn special(names: &'static str, judge: Special) -> Row {
    row(Kind::Special(judge), names, "", "")
}

impl Row {
    /// Sets the options that name a file to write.
    pub(super) const fn writing(self, writes: &'static str) -> Self {
        Self { writes, ..self }
    }
}
