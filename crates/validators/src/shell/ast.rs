//! The syntax tree of a shell script: lists of pipelines of commands, and words as the shell reads them, unit by unit.

use std::ops::Range;

/// A list of pipelines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    pub(crate) items: Vec<Item>,
}

/// A pipeline, and what follows it.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) commands: Vec<Command>,
    pub(crate) connector: Connector,
    /// The place of the connector.
    pub(crate) connector_span: Range<usize>,
}

/// How a pipeline is joined to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connector {
    End,
    /// The connector `;`.
    Sequence,
    Newline,
    /// The connector `&`.
    Background,
    /// The connector `&&`.
    And,
    /// The connector `||`.
    Or,
}

/// One stage of a pipeline.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    Simple(Simple),
    /// A group: `( … )` or `{ …; }`.
    Group {
        script: Script,
        redirects: Vec<Redirect>,
        span: Range<usize>,
    },
}

/// A simple command: assignments, words and redirects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) words: Vec<Word>,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) span: Range<usize>,
}

/// An assignment before a command: `NAME=value`.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) value: Word,
}

/// A redirect.
#[derive(Clone, Debug)]
pub(crate) struct Redirect {
    pub(crate) kind: RedirectKind,
    pub(crate) target: Word,
    pub(crate) span: Range<usize>,
}

/// What a redirect does with its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RedirectKind {
    /// Reads it: `<`.
    Read,
    /// Writes it: `>`, `>>`, `>|`, `&>`, `<>`.
    Write,
    /// Duplicates a descriptor: `<&` and `>&` followed by one.
    Duplicate,
    /// Reads text: `<<<`, or a here-document, whose body is the target.
    Text,
}

/// A word, before any expansion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Word {
    pub(crate) units: Vec<Unit>,
    pub(crate) span: Range<usize>,
}

/// The smallest piece of a word.
#[derive(Clone, Debug)]
pub(crate) enum Unit {
    /// A character that may still have a special meaning: a glob, a brace, a tilde.
    Plain(char),
    /// A character that stands for itself.
    Quoted(char),
    /// An expansion by the shell.
    Expansion(Expansion),
}

/// An expansion that the shell inserts into a word.
#[derive(Clone, Debug)]
pub(crate) enum Expansion {
    /// A parameter, `$name` or `${name}`; `plain` is false when the value is changed (`${x//a/b}`, `${x:0:1}`,
    /// `${!x}`).
    Parameter { name: String, plain: bool },
    /// A command substitution: `$( … )`.
    Command(Script),
    /// Backquotes: the script was parsed separately, so its spans are not those of the text.
    Reread(Script),
    /// A process substitution: `<( … )` or `>( … )`.
    Process { script: Script, reads: bool },
    /// An arithmetic expansion: `$(( … ))`.
    Arithmetic,
}

impl Word {
    /// Returns the characters, if there are no expansions. Globs and braces are kept as they are.
    pub(crate) fn text(&self) -> Option<String> {
        self.units
            .iter()
            .map(|unit| match unit {
                Unit::Plain(c) | Unit::Quoted(c) => Some(*c),
                Unit::Expansion(_) => None,
            })
            .collect()
    }

    /// Returns the characters, if all are unquoted, as a reserved word requires.
    pub(crate) fn bare(&self) -> Option<String> {
        self.units
            .iter()
            .map(|unit| match unit {
                Unit::Plain(c) => Some(*c),
                Unit::Quoted(_) | Unit::Expansion(_) => None,
            })
            .collect()
    }

    pub(crate) fn expansions(&self) -> impl Iterator<Item = &Expansion> {
        self.units.iter().filter_map(|unit| match unit {
            Unit::Expansion(expansion) => Some(expansion),
            Unit::Plain(_) | Unit::Quoted(_) => None,
        })
    }

    pub(crate) fn has_glob(&self) -> bool {
        self.units.iter().any(|unit| matches!(unit, Unit::Plain('*' | '?' | '[')))
    }

    /// Returns whether a leading `~` stands for a home folder.
    pub(crate) fn has_tilde(&self) -> bool {
        matches!(self.units.first(), Some(Unit::Plain('~')))
    }
}
