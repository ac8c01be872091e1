//! What is known of a command: what its operands are, and which of its options take text, write, or hand over control.

use super::super::argument::Argument;
use super::super::judge::Judge;

/// The rules of one command: its name is the first argument.
pub(crate) type Special = fn(&mut Judge<'_>, &[Argument]);

/// What a command does with its operands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// They are text: nothing is opened.
    Text,
    /// They are names; with a slash in them, files that are read.
    Name,
    /// They are files that are read.
    Read,
    /// The first is a pattern or a program, the others are files that are read.
    Pattern,
    /// They are files that are made, changed or removed, one by one.
    Write,
    /// They concern a project, whose own code may run.
    Build,
    /// The command has rules of its own.
    Special(Special),
}

/// One row: commands that are alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(super) names: &'static str,
    pub(crate) kind: Kind,
    /// Options whose value is text, not a path: letters and long names, without dashes. With `?` behind the name, the value is never the next
    /// argument, only what is glued to the option. An option that is not here has no value, or one that is judged as an operand.
    pub(crate) texts: &'static str,
    /// Options whose value is a file that is written.
    pub(crate) writes: &'static str,
    /// Options that are refused: letters and long names, without dashes.
    pub(crate) refused: &'static str,
}

/// A command with options that take text, and options that are refused.
pub(super) const fn row(kind: Kind, names: &'static str, texts: &'static str, refused: &'static str) -> Row {
    Row {
        names,
        kind,
        texts,
        writes: "",
        refused,
    }
}

/// A command with rules of its own.
pub(super) const fn special(names: &'static str, judge: Special) -> Row {
    row(Kind::Special(judge), names, "", "")
}

impl Row {
    /// The same, with options that name a file to write.
    pub(super) const fn writing(self, writes: &'static str) -> Self {
        Self { writes, ..self }
    }
}
